package db_test

import (
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

func TestDBRestored(t *testing.T) {
	clitest.InProject(t)
	if r := clitest.Do(t, "db", "restored"); r.Code == cli.ExitDone || !strings.Contains(r.Stderr, "does not exist") {
		t.Errorf("without a database: exit code %d, %s; want an error, and that none is made", r.Code, r.Stderr)
	}
	clitest.Must(t, "db", "migrate")
	if out := clitest.Must(t, "db", "restored"); !strings.Contains(out, "epoch 1 after 0") || !strings.Contains(out, "1000000000") {
		t.Errorf("printed %q, want the epochs and the lowest new fence", out)
	}
	got := clitest.Decode[workqueue.Installation](t, clitest.Must(t, "db", "restored", "--reason", "the disk was full", "-o", "json"))
	if got.Epoch != 2 || got.Reason != "the disk was full" || got.RaisedAt == nil {
		t.Errorf("the second time: %+v, want epoch 2 and the reason", got)
	}
	if out := clitest.Must(t, "check"); !strings.Contains(out, "the disk was full") {
		t.Errorf("check does not report it:\n%s", out)
	}
}
