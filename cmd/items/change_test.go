package items_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

func TestItemsChangeByID(t *testing.T) {
	clitest.InProject(t)
	store := clitest.BusyQueue(t)
	item := func(id int64) workqueue.Item {
		t.Helper()
		it, err := store.Item(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return it
	}

	r := clitest.Do(t, "items", "cancel", "4", "1", "6", "99", "--reason", "not wanted")
	r.WantFailure(t, cli.ExitFailed, "cancel item 1: its state is Processed (2)", "item 99: not found")
	if want := "item 4: cancelled\nitem 6: cancelled\n"; r.Stdout != want {
		t.Errorf("output = %q, want %q: a refusal must not keep the others", r.Stdout, want)
	}
	for _, id := range []int64{4, 6} {
		if it := item(id); it.State != workqueue.Cancelled || it.Error == nil || *it.Error != "not wanted" {
			t.Errorf("item %d = %+v, want it cancelled with the reason", id, it)
		}
	}

	if out := clitest.Must(t, "items", "run", "5"); out != "item 5: set to run\n" || item(5).Lifecycle != workqueue.LifePending {
		t.Errorf("run  printed %q and made item 5 %s, want it pending", out, item(5).Lifecycle)
	}
	clitest.Do(t, "items", "run", "7").WantFailure(t, cli.ExitFailed, "run item 7: its state is Assigned (5)", "it is already assigned to a worker")

	if out := clitest.Must(t, "items", "archive", "7"); out != "item 7: archived\n" {
		t.Errorf("archive  printed %q", out)
	}
	if it := item(7); it.Lifecycle != workqueue.LifeArchived || it.Error == nil || *it.Error != "archived on the command line" {
		t.Errorf("item 7 = %+v, want it archived with a reason", it)
	}

	if out := clitest.Must(t, "items", "repeat", "1", "3"); out != "item 1: repeated\nitem 3: repeated\n" {
		t.Errorf("repeat  printed %q", out)
	}
	if it := item(3); it.State != workqueue.Ready || it.RetryCount != 0 {
		t.Errorf("item 3 = %+v, want it Ready with its counters at zero", it)
	}
	clitest.Do(t, "items", "repeat", "2").WantFailure(t, cli.ExitFailed, "repeat item 2: its state is Ready (0)", "only a finished item")
	clitest.Do(t, "items", "repeat", "1", "3", "--from", "load", "--dry-run").WantFailure(t, cli.ExitFailed, "its state is Ready", "only a finished item")
	clitest.Do(t, "items", "repeat", "6", "--from", "load").WantFailure(t, cli.ExitFailed, "item 6: refused: nothing is recorded of its steps", "resume: true")
	clitest.Do(t, "items", "repeat", "--status", "failed", "--from", "load").WantFailure(t, cli.ExitUsage, "--from: got no ids", "items run")

	if out := clitest.Must(t, "items", "clone", "2"); out != "item 2: cloned as item 8\n" {
		t.Errorf("clone  printed %q", out)
	}
	if it := item(8); it.State != workqueue.Pending || it.RetryCount != 0 || it.CreatedBy == nil || *it.CreatedBy == "test" {
		t.Errorf("the clone = %+v, want it Pending, at zero, and made by the user of this test", it)
	}

	if out := clitest.Must(t, "items", "delete", "1"); out != "item 1: deleted\n" {
		t.Errorf("delete  printed %q", out)
	}
	clitest.Do(t, "items", "show", "1").WantFailure(t, cli.ExitFailed, "not found")
}

func TestItemsDeleteLeavesRunning(t *testing.T) {
	clitest.InProject(t)
	clitest.BusyQueue(t)
	clitest.Do(t, "items", "delete", "6").WantFailure(t, cli.ExitFailed, "a running item cannot be deleted: cancel it first")
	clitest.Do(t, "items", "archive", "6").WantFailure(t, cli.ExitFailed, "it is running: cancel it instead")
	if out := clitest.Must(t, "items", "delete", "--all", "--yes"); out != "6 items deleted\n" {
		t.Errorf("delete --all  printed %q", out)
	}
	if left := listedIDs(t); !slices.Equal(left, []int64{6}) {
		t.Errorf("left are %d, want the running item", left)
	}
}

func TestItemsChangeDryRun(t *testing.T) {
	clitest.InProject(t)
	clitest.BusyQueue(t)
	before := clitest.Must(t, "items", "list", "-o", "json")
	for _, c := range []struct{ line, want string }{
		{"run --lifecycle scheduled,retry", "2 items would be set to run\n"},
		{"cancel --all", "5 items would be cancelled\n"},
		{"cancel --lifecycle completed", "no items would be cancelled\n"},
		{"archive --band high", "1 item would be archived\n"},
		{"repeat --all", "2 items would be repeated\n"},
		{"clone --all", "7 items would be cloned\n"},
		{"delete --all", "6 items would be deleted\n"},
		{"delete 1 2", "item 1: would be deleted\nitem 2: would be deleted\n"},
		{"clone 6", "item 6: would be cloned\n"},
	} {
		if out := clitest.Must(t, append(append([]string{"items"}, strings.Fields(c.line)...), "--dry-run")...); out != c.want {
			t.Errorf("items %s --dry-run  printed %q, want %q", c.line, out, c.want)
		}
	}
	r := clitest.Do(t, "items", "delete", "6", "1", "--dry-run")
	r.WantFailure(t, cli.ExitFailed, "delete item 6: its state is Blocked (1)")
	if r.Stdout != "item 1: would be deleted\n" {
		t.Errorf("it  printed %q of item 1", r.Stdout)
	}
	if after := clitest.Must(t, "items", "list", "-o", "json"); after != before {
		t.Errorf("dry runs changed items: before\n%s\nafter\n%s", before, after)
	}
}

// manyItems enqueues items of two queues, more of the queue "mail" than fit in
// two pages.
func manyItems(t *testing.T) {
	t.Helper()
	store := clitest.OpenQueue(t)
	clitest.ByHand(t, `INSERT INTO BotQueues (Name) VALUES ('mail')`)
	items := make([]workqueue.NewItem, 1203)
	for i := range items {
		items[i] = workqueue.NewItem{State: workqueue.Pending, IntegrationConfig: "hello", QueueName: "mail"}
		if i < 3 {
			items[i].QueueName = workqueue.DefaultQueue
		}
		if i%2 == 0 {
			items[i].In = time.Hour
		}
	}
	if _, err := store.Enqueue(t.Context(), items); err != nil {
		t.Fatal(err)
	}
}

func TestItemsChangeFilter(t *testing.T) {
	clitest.InProject(t)
	manyItems(t)
	want := func(line, said string) {
		t.Helper()
		if out := clitest.Must(t, append([]string{"items"}, strings.Fields(line)...)...); out != said {
			t.Errorf("items %s  printed %q, want %q", line, out, said)
		}
	}
	want("run --queue mail --lifecycle scheduled", "600 items set to run\n")
	want("cancel --queue mail --reason spam", "1200 items cancelled\n")
	want("cancel --queue mail", "no items cancelled\n")
	want("repeat --queue mail --lifecycle archived", "1200 items repeated\n")
	want("archive --queue mail", "1200 items archived\n")
	clitest.Do(t, "items", "delete", "--queue", "mail", "--lifecycle", "archived").WantFailure(t, cli.ExitUsage, "deleting the items of a filter needs --yes; 1200 items would be deleted")
	want("delete --queue mail --lifecycle archived --dry-run", "1200 items would be deleted\n")
	want("delete --queue mail --lifecycle archived --yes", "1200 items deleted\n")
	if left := listedIDs(t); len(left) != 3 {
		t.Errorf("left are %d, want the three items of the other queue", left)
	}
}

// The command prints the id of each clone.
func TestItemsCloneFilter(t *testing.T) {
	clitest.InProject(t)
	manyItems(t)
	out := clitest.Must(t, "items", "clone", "--queue", "mail")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if last := lines[len(lines)-1]; len(lines) != 1201 || last != "1200 items cloned" {
		t.Fatalf("got %d lines, the last one %q, want 1200 new items and their number", len(lines), last)
	}
	var ids []int64
	for _, line := range lines[:1200] {
		var id int64
		if _, err := fmt.Sscanf(line, "new item %d", &id); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	newest := listedIDs(t, "--limit", "1200", "--queue", "mail")
	slices.Sort(newest)
	if !slices.Equal(ids, newest) {
		t.Errorf("it printed the ids %d to %d, the newest are %d to %d", ids[0], ids[1199], newest[0], newest[1199])
	}
}

// Logically deleted items can be listed and restored, unless another item has the same key.
func TestItemsDeletedLogically(t *testing.T) {
	clitest.InProject(t)
	store := clitest.OpenQueue(t)
	clitest.ByHand(t, `INSERT INTO BotQueues (Name, Deletion, KeyScope) VALUES ('kept', 'logical', 'queue')`)
	enqueue := func(key string) {
		t.Helper()
		item := workqueue.NewItem{State: workqueue.Pending, IntegrationConfig: "hello", QueueName: "kept", NaturalKey: key}
		if _, err := store.Enqueue(t.Context(), []workqueue.NewItem{item}); err != nil {
			t.Fatal(err)
		}
	}
	enqueue("4711")
	enqueue("4712")
	if out := clitest.Must(t, "items", "delete", "--queue", "kept", "--yes", "--reason", "by mistake"); out != "2 items deleted\n" {
		t.Errorf("delete  printed %q", out)
	}
	enqueue("4711")
	for flags, want := range map[string][]int64{
		"": {3}, "--deleted": {3, 2, 1}, "--lifecycle deleted": {2, 1}, "--lifecycle pending --deleted": {3, 2, 1}, "--key 4711 --deleted": {3, 1},
	} {
		if got := listedIDs(t, strings.Fields(flags)...); !slices.Equal(got, want) {
			t.Errorf("items list %s: got the items %d, want %d", flags, got, want)
		}
	}
	if out := clitest.Must(t, "items", "list", "--lifecycle", "deleted"); !strings.Contains(out, "Deleted") || !strings.Contains(out, "deleted: by mistake") {
		t.Errorf("the table does not show the deletion:\n%s", out)
	}
	clitest.Do(t, "items", "cancel", "1").WantFailure(t, cli.ExitFailed, "it has been deleted; repeat brings it back")

	r := clitest.Do(t, "items", "repeat", "1")
	r.WantFailure(t, cli.ExitFailed, `repeat item 1: item 3 has the same natural key "4711", which must be unique`)
	clitest.Do(t, "items", "clone", "3").WantFailure(t, cli.ExitFailed, `clone item 3: item 3 has the same natural key "4711"`)
	if out := clitest.Must(t, "items", "repeat", "--lifecycle", "deleted"); out != "1 item repeated\n1 item skipped: another item has the same unique key\n" {
		t.Errorf("repeat  printed %q, want the one whose key is free, and that there is another", out)
	}
	if got := listedIDs(t); !slices.Equal(got, []int64{3, 2}) {
		t.Errorf("listed are %d, want 3 and 2", got)
	}
}

// People look for "retry": it is the action repeat.
func TestRetryIsRepeat(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "enqueue", "--pipeline", "hello")
	clitest.Must(t, "items", "cancel", "1")
	if out := clitest.Must(t, "items", "retry", "1"); out != "item 1: repeated\n" {
		t.Errorf("items retry printed %q", out)
	}
}
