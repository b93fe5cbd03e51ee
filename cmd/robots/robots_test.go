package robots_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"botwork/cmd/robots"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

const robotQueues = `worker: {name: bot-1}
queues:
  forms:
    consumer: robots
    retry: {limit: 2, delay: 1h, jitter: 0, retryOn: [error]}
    schemas: {output: {type: object, required: [pages]}}
    robots: {rights: {ann: read-write, eve: write}}
`

// takenItem holds the fields of a checkout that these tests check.
type takenItem struct {
	LockKey string
	Items   []struct {
		ID, Fence int64
		State     workqueue.State
		Robot     *string
	}
}

// keptItem holds the fields of an extended item that these tests check.
type keptItem struct {
	LeaseExpiresAt  time.Time
	Progress        *string
	ProgressPercent *int
}

// asAnn takes the first item of the queue forms and returns its flags.
func asAnn(t *testing.T) (hold []string) {
	t.Helper()
	got := clitest.Decode[takenItem](t, clitest.Must(t, "robots", "take", "--queue", "forms", "--robot", "ann", "--lease", "1h"))
	if len(got.Items) != 1 || got.LockKey == "" || got.Items[0].State != workqueue.Blocked {
		t.Fatalf("took %+v, want one item that runs", got)
	}
	it := got.Items[0]
	return []string{"--robot", "ann", "--item", fmt.Sprint(it.ID), "--fence", fmt.Sprint(it.Fence), "--lock-key", got.LockKey}
}

func formsProject(t *testing.T) {
	t.Helper()
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", robotQueues)
	clitest.Must(t, "db", "migrate")
	clitest.Must(t, "queues", "define")
	clitest.Must(t, "enqueue", "--queue", "forms", "--tag", "urgent", "--payload", `{"n":1}`)
}

func TestRobotsSession(t *testing.T) {
	formsProject(t)
	do := func(verb string, hold []string, more ...string) string {
		t.Helper()
		return strings.Join(strings.Fields(clitest.Must(t, append(append([]string{"robots", verb}, hold...), more...)...)), "")
	}
	seen := clitest.Decode[takenItem](t, clitest.Must(t, "robots", "take", "--queue", "forms", "--robot", "ann", "--peek", "--tag", "urgent", "--tries", "new"))
	if len(seen.Items) != 1 || seen.LockKey != "" || seen.Items[0].State != workqueue.Pending {
		t.Errorf("seen: %+v, want the item as it waits", seen)
	}
	// Any of several tags, unless all are asked for.
	for _, c := range []struct {
		flags []string
		want  int
	}{{[]string{"--tag", "urgent", "--tag", "blue"}, 1}, {[]string{"--tag", "urgent", "--tag", "blue", "--all-tags"}, 0}} {
		out := clitest.Must(t, append([]string{"robots", "take", "--queue", "forms", "--robot", "ann", "--peek"}, c.flags...)...)
		if got := clitest.Decode[takenItem](t, out); len(got.Items) != c.want {
			t.Errorf("robots take %v: %d items, want %d", c.flags, len(got.Items), c.want)
		}
	}
	none := clitest.Must(t, "robots", "take", "--queue", "forms", "--robot", "ann", "--tag", "blue", "--tag", "green", "--meta", "a=b", "--key", "k", "--item", "1")
	if strings.Join(strings.Fields(none), "") != `{"lockKey":"","items":[]}` {
		t.Errorf("nothing is %s", none)
	}
	hold := asAnn(t)
	until := clitest.Decode[robots.Extended](t, clitest.Must(t, append([]string{"robots", "extend", "--lease", "2h", "--progress", "page 1", "--percent", "0"}, hold...)...))
	shown := clitest.Decode[keptItem](t, clitest.Must(t, "items", "show", "1", "-o", "json"))
	if !until.LeaseExpiresAt.Equal(shown.LeaseExpiresAt) || shown.Progress == nil || *shown.Progress != "page 1" || shown.ProgressPercent == nil {
		t.Errorf("extended until %s; the item is %+v", until.LeaseExpiresAt, shown)
	}
	if got := do("release", hold, "--reason", "locked"); got != `{"state":0,"copied":false,"stateName":"Ready"}` {
		t.Errorf("released: %s", got)
	}
	if got := do("fail", asAnn(t), "--error", "no window"); got != `{"state":0,"copied":false,"retryIn":"1h0m0s","stateName":"Ready"}` {
		t.Errorf("failed: %s", got)
	}
	clitest.Must(t, "items", "run", "1")
	if got := do("fail", asAnn(t), "--error", "no such customer", "--business", "--analytics", `{"n":1}`); got != `{"state":3,"copied":false,"stateName":"Cancelled"}` {
		t.Errorf("failed for good: %s", got)
	}
	clitest.Must(t, "items", "repeat", "1")
	hold = asAnn(t)
	key := hold[len(hold)-1]
	hold[len(hold)-1] = "-" // from standard input
	if r := clitest.DoWith(t, key+"\n", nil, append([]string{"robots", "done", "--result", `{"pages":3}`}, hold...)...); r.Code != cli.ExitDone || !strings.Contains(r.Stdout, `"Processed"`) {
		t.Errorf("done: %+v", r)
	}
	clitest.Must(t, "check")
}

func TestRobotsRefused(t *testing.T) {
	formsProject(t)
	hold := asAnn(t)
	with := func(verb string, changed ...string) []string {
		args := append([]string{"robots", verb}, hold...)
		return append(args, changed...) // the later of two equal flags counts
	}
	for _, c := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"robots", "take", "--robot", "ann"}, cli.ExitUsage, "--queue is missing"},
		{[]string{"robots", "take", "--queue", "forms"}, cli.ExitUsage, "--robot: got no name"},
		{[]string{"robots", "take", "--queue", "forms", "--robot", "ann", "--max", "0"}, cli.ExitUsage, "want 1 to 1000"},
		{[]string{"robots", "take", "--queue", "forms", "--robot", "ann", "--lease", "25h"}, cli.ExitUsage, "--lease: got 25h, want 1ms to 1d"},
		{[]string{"robots", "take", "--queue", "forms", "--robot", "ann", "--key", ""}, cli.ExitUsage, "--key: got an empty text"},
		{[]string{"robots", "take", "--queue", "forms", "--robot", "ann", "--tag", ""}, cli.ExitUsage, "--tag: got an empty text"},
		{[]string{"robots", "take", "--queue", "forms", "--robot", "ann", "--all-tags"}, cli.ExitUsage, "--all-tags: got no --tag"},
		{[]string{"robots", "take", "--queue", "forms", "--robot", "ann", "--tries", "old"}, cli.ExitUsage, `--tries: got "old", want new, failed-once`},
		{[]string{"robots", "take", "--queue", "forms", "--robot", "eve"}, cli.ExitFailed, "may not read in the queue"},
		{[]string{"robots", "take", "--queue", "default", "--robot", "ann"}, cli.ExitFailed, "gives its items to workers"},
		{[]string{"robots", "take", "--queue", "form", "--robot", "ann"}, cli.ExitFailed, "does not exist"},
		{[]string{"robots", "done", "--robot", "ann"}, cli.ExitUsage, "--item"},
		{with("done", "--item", "0"), cli.ExitUsage, "--item: got 0"},
		{with("done", "--fence", "0"), cli.ExitUsage, "--fence: got 0"},
		{with("done", "--lock-key", ""), cli.ExitUsage, "--lock-key"},
		{with("done", "--robot", ""), cli.ExitUsage, "--robot"},
		{with("done", "--result", "{"), cli.ExitUsage, "--result is not JSON"},
		{with("fail"), cli.ExitUsage, "--error"},
		{with("extend", "--percent", "101"), cli.ExitUsage, "--percent"},
		{with("extend", "--lease", "soon"), cli.ExitUsage, "--lease"},
		{with("done", "--result", `{"page":3}`), cli.ExitFailed, "pages"},
		{with("done", "--lock-key", "guessed"), cli.ExitFailed, "lease lost: no current checkout has this item, robot, fence and lock key"},
		{with("release", "--fence", "7"), cli.ExitFailed, "lease lost"},
	} {
		if r := clitest.Do(t, c.args...); r.Code != c.code || !strings.Contains(r.Stderr, c.text) {
			t.Errorf("%s: code %d, %q; want %d and %q", strings.Join(c.args, " "), r.Code, r.Stderr, c.code, c.text)
		}
	}
	if r := clitest.DoWith(t, "", nil, append([]string{"robots", "done"}, append(hold[:len(hold)-1:len(hold)-1], "-")...)...); r.Code != cli.ExitUsage {
		t.Errorf("a key from an empty input: %+v", r)
	}
}
