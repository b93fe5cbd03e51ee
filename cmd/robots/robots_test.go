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

// What robots write, with their rights: ann may read and write, eve only write.
func TestRobotsWrite(t *testing.T) {
	formsProject(t)
	type made struct {
		Items    []workqueue.Enqueued
		Checkout takenItem
	}
	one := clitest.Decode[made](t, clitest.Must(t, "robots", "enqueue", "--queue", "forms", "--robot", "eve", "--key", "order-1", "--payload", `{"n":2}`, "--tag", "old"))
	if len(one.Items) != 1 || one.Items[0].Existing || one.Checkout.LockKey != "" {
		t.Fatalf("enqueued %+v, want a new item that is not checked out", one)
	}
	id := fmt.Sprint(one.Items[0].ID)
	clitest.Must(t, "robots", "change", "--robot", "eve", "--item", id, "--priority", "1500", "--key", "order-2", "--tag", "new", "--meta", "a=b")
	it := clitest.Decode[struct {
		Priority              int
		NaturalKey, CreatedBy string
		Tags                  []string
		Metadata              map[string]string
	}](t, clitest.Must(t, "items", "show", id, "-o", "json"))
	if it.Priority != 1500 || it.NaturalKey != "order-2" || it.CreatedBy != "eve" || len(it.Tags) != 1 || it.Tags[0] != "new" || it.Metadata["a"] != "b" {
		t.Errorf("the item is %+v, want the changed values", it)
	}
	two := clitest.Decode[made](t, clitest.Must(t, "robots", "enqueue", "--queue", "forms", "--robot", "ann", "--take", "--lease", "1h"))
	if len(two.Checkout.Items) != 1 || two.Checkout.LockKey == "" {
		t.Errorf("enqueued and took %+v, want one item with a lock key", two)
	}
	held := two.Checkout.Items[0]
	hold := []string{"robots", "change", "--robot", "ann", "--item", fmt.Sprint(held.ID), "--fence", fmt.Sprint(held.Fence), "--tag", "page-2"}
	clitest.Must(t, append(hold, "--lock-key", two.Checkout.LockKey)...)
	clitest.Do(t, append(hold, "--lock-key", "guessed")...).WantFailure(t, cli.ExitFailed, "lease lost")
	clitest.Do(t, hold...).WantFailure(t, cli.ExitUsage, "--lock-key: got an empty text")
	if out := clitest.Must(t, "items", "show", fmt.Sprint(held.ID), "-o", "json"); !strings.Contains(out, `"page-2"`) {
		t.Errorf("the held item does not have the new tag:\n%s", out)
	}
	if got := clitest.Decode[robots.Deleted](t, clitest.Must(t, "robots", "delete", "--robot", "eve", "--queue", "forms", "--key", "order-2")); got.Deleted != 1 {
		t.Errorf("deleted %d items, want 1", got.Deleted)
	}
	id = fmt.Sprint(held.ID)
	if out := clitest.Must(t, "items", "release", id, "--reason", "its machine is gone"); out != "item "+id+": released\n" {
		t.Errorf("release printed %q", out)
	}
	clitest.Do(t, "items", "release", id).WantFailure(t, cli.ExitFailed, "release item "+id+": its state is Ready (0); no robot holds it")
	clitest.Do(t, append(hold, "--lock-key", two.Checkout.LockKey)...).WantFailure(t, cli.ExitFailed, "lease lost")
	clitest.Do(t, "items", "release").WantFailure(t, cli.ExitUsage, "got no id")
	for _, c := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"enqueue", "--queue", "forms", "--robot", "bob"}, cli.ExitFailed, `robot "bob"`},
		{[]string{"enqueue", "--queue", "forms", "--robot", "eve", "--take"}, cli.ExitFailed, "may not read in the queue"},
		{[]string{"enqueue", "--queue", "form", "--robot", "ann"}, cli.ExitFailed, "does not exist"},
		{[]string{"enqueue", "--robot", "ann"}, cli.ExitUsage, "--queue is missing"},
		{[]string{"enqueue", "--queue", "forms"}, cli.ExitUsage, "robot: got no name"},
		{[]string{"enqueue", "--queue", "forms", "--robot", "ann", "--lease", "1h"}, cli.ExitUsage, "--lease without --take"},
		{[]string{"enqueue", "--queue", "forms", "--robot", "ann", "--key", ""}, cli.ExitUsage, "--key: got an empty text"},
		{[]string{"change", "--robot", "ann", "--item", "1"}, cli.ExitUsage, "nothing to change"},
		{[]string{"change", "--robot", "ann", "--priority", "1"}, cli.ExitUsage, "--item: got 0"},
		{[]string{"change", "--robot", "ann", "--item", "99", "--priority", "1"}, cli.ExitFailed, "not found"},
		{[]string{"change", "--robot", "bob", "--item", "1", "--priority", "1"}, cli.ExitFailed, `robot "bob"`},
		{[]string{"delete", "--robot", "ann", "--queue", "forms"}, cli.ExitUsage, "--key: natural key: got none"},
		{[]string{"delete", "--robot", "ann", "--queue", "forms", "--key", "order-2"}, cli.ExitFailed, "not found"},
		{[]string{"take", "--robot", "ann", "--queue", "forms", "--peek", "--required"}, cli.ExitUsage, "--peek with"},
	} {
		if r := clitest.Do(t, append([]string{"robots"}, c.args...)...); r.Code != c.code || !strings.Contains(r.Stderr, c.text) {
			t.Errorf("robots %s: code %d, %q; want %d and %q", strings.Join(c.args, " "), r.Code, r.Stderr, c.code, c.text)
		}
	}
}

// A robot that waits gets an item that becomes due meanwhile; without one it fails if it must
// have one.
func TestRobotsTakeWaits(t *testing.T) {
	formsProject(t)
	asAnn(t) // the only item
	if r := clitest.Do(t, "robots", "take", "--queue", "forms", "--robot", "ann", "--wait", "10ms", "--required"); r.Code != cli.ExitFailed || !strings.Contains(r.Stderr, "no item of the queue") || r.Stdout != "" {
		t.Errorf("an empty queue: %+v, want exit code 1 and no list", r)
	}
	clitest.Must(t, "enqueue", "--queue", "forms", "--in", "1s")
	if got := clitest.Decode[takenItem](t, clitest.Must(t, "robots", "take", "--queue", "forms", "--robot", "ann", "--wait", "1m")); len(got.Items) != 1 {
		t.Errorf("took %+v, want the item that became due", got)
	}
}
