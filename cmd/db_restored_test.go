package cmd

import (
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

func TestDBRestored(t *testing.T) {
	inProject(t)
	if r := botwork(t, "db", "restored"); r.code == cli.ExitDone || !strings.Contains(r.stderr, "does not exist") {
		t.Errorf("without a database: exit code %d, %s; want an error, and that none is made", r.code, r.stderr)
	}
	mustDo(t, "db", "migrate")
	if out := mustDo(t, "db", "restored"); !strings.Contains(out, "epoch 1 after 0") || !strings.Contains(out, "1000000000") {
		t.Errorf("said %q, want the epochs and where the fences go on", out)
	}
	got := decode[workqueue.Installation](t, mustDo(t, "db", "restored", "--reason", "the disk was full", "-o", "json"))
	if got.Epoch != 2 || got.Reason != "the disk was full" || got.RaisedAt == nil {
		t.Errorf("the second time: %+v, want epoch 2 and the reason", got)
	}
	if out := mustDo(t, "check"); !strings.Contains(out, "the disk was full") {
		t.Errorf("check says nothing of it:\n%s", out)
	}
}
