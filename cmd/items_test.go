package cmd

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

func TestItemsContract(t *testing.T) {
	inProject(t)
	busyQueue(t)
	golden(t, "items_list.json", mustDo(t, "items", "list", "--output", "json"))
	golden(t, "items_list.yaml", mustDo(t, "items", "list", "--output", "yaml", "--limit", "1"))
	golden(t, "items_show.json", mustDo(t, "items", "show", "3", "--output", "json"))
	golden(t, "workers_list.json", mustDo(t, "workers", "list", "--output", "json"))
	show := decode[struct {
		State     int
		StateName string
		Attempts  []any
	}](t, mustDo(t, "items", "show", "1", "-o", "json"))
	if show.State != 2 || show.StateName != "Processed" || show.Attempts == nil {
		t.Errorf("items show 1 = %+v, want state 2, Processed and a list of attempts", show)
	}
}

func TestItemsListFilters(t *testing.T) {
	inProject(t)
	busyQueue(t)
	for _, c := range []struct {
		flags string
		want  []int64
	}{
		{"", []int64{7, 6, 5, 4, 3, 2, 1}},
		{"--state processed", []int64{1}},
		{"--state 2,3", []int64{3, 1}},
		{"--state Ready --state Pending", []int64{5, 4, 2}},
		{"--state Pending", []int64{5, 4}},
		{"--state scheduled", []int64{5}},
		{"--state retry", []int64{2}},
		{"--state active", []int64{6}},
		{"--state completed,archived", []int64{3, 1}},
		{"--state assigned", []int64{7}},
		{"--state active,retry", []int64{6, 2}},
		{"--state Scheduled,retry,Processed", []int64{5, 2, 1}},
		{"--lifecycle scheduled", []int64{5}},
		{"--lifecycle pending", []int64{4}},
		{"--lifecycle assigned", []int64{7}},
		{"--lifecycle active", []int64{6}},
		{"--lifecycle retry", []int64{2}},
		{"--lifecycle completed", []int64{1}},
		{"--lifecycle Archived", []int64{3}},
		{"--lifecycle deleted", nil},
		{"--lifecycle scheduled,pending --lifecycle retry", []int64{5, 4, 2}},
		{"--lifecycle retry,archived --state Ready", []int64{2}},
		{"--lifecycle pending --state Ready", nil},
		{"--band high", []int64{4}},
		{"--band medium", []int64{7, 6, 5, 2, 1}},
		{"--band low", []int64{3}},
		{"--min-priority 500 --max-priority 999", []int64{2}},
		{"--band medium --max-priority 500", []int64{2}},
		{"--worker worker-1 --limit 2", []int64{7, 6}},
		{"--worker nobody", nil},
		{"--pipeline hello --before 3", []int64{2, 1}},
	} {
		t.Run(c.flags, func(t *testing.T) {
			var ids []int64
			args := append([]string{"items", "list", "-o", "json"}, strings.Fields(c.flags)...)
			for _, it := range decode[[]listed](t, mustDo(t, args...)) {
				ids = append(ids, it.ID)
			}
			if !slices.Equal(ids, c.want) {
				t.Errorf("got the items %d, want %d", ids, c.want)
			}
		})
	}
}

// shownInstants are times as tables show them.
var shownInstants = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`)

func TestItemsTable(t *testing.T) {
	inProject(t)
	if out := mustDo(t, "items", "list"); out != "no items\n" {
		t.Errorf("an empty queue: %q", out)
	}
	busyQueue(t)
	golden(t, "items_list.txt", shownInstants.ReplaceAllString(mustDo(t, "items", "list"), "YYYY-MM-DD hh:mm:ssZ"))
	out := mustDo(t, "items", "list", "--limit", "3", "--before", "4")
	for _, want := range []string{"ID", "Business error", "Retry  ", "Succeeded  ", "amount is negative", ": no answer…", "worker-1", "For older ones add: --before 1"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(mustDo(t, "items", "list"), "--before") {
		t.Error("the last page offers another one")
	}
	out = mustDo(t, "items", "show", "2")
	for _, want := range []string{"Ready (0)", "Retry", "from the host", "ATTEMPT", "failed", "load"} {
		if !strings.Contains(out, want) {
			t.Errorf("the sheet lacks %q:\n%s", want, out)
		}
	}
	for _, id := range []string{"3", "6"} {
		sheet := mustDo(t, "items", "show", id)
		golden(t, "items_show_"+id+".txt", shownInstants.ReplaceAllString(sheet, "YYYY-MM-DD hh:mm:ssZ"))
	}
	if out := mustDo(t, "items", "list", "--state", "Blocked"); !strings.Contains(out, "at load: half of 12") {
		t.Errorf("the table does not tell where the running item is:\n%s", out)
	}
	botwork(t, "items", "show", "99").wantFailure(t, cli.ExitFailed, "item 99: not found")
}

// Listing page by page finds each item once, however few of them suit.
func TestItemsListPages(t *testing.T) {
	inProject(t)
	store := openQueue(t)
	items := make([]workqueue.NewItem, 2300)
	for i := range items {
		items[i] = workqueue.NewItem{State: workqueue.Pending, IntegrationConfig: "hello"}
		if i%1000 == 0 {
			items[i].In = time.Hour
		}
	}
	if _, err := store.Enqueue(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	var pages []int
	before := int64(0)
	for {
		page := decode[[]listed](t, mustDo(t, "items", "list", "--state", "scheduled", "--limit", "2", "--before", fmt.Sprint(before), "-o", "json"))
		if len(page) == 0 {
			break
		}
		pages, before = append(pages, len(page)), page[len(page)-1].ID
	}
	if !slices.Equal(pages, []int{2, 1}) {
		t.Errorf("pages of %d items, want 2 and 1", pages)
	}
}

func TestWorkers(t *testing.T) {
	inProject(t)
	if out := mustDo(t, "workers", "list"); !strings.Contains(out, "botwork run") {
		t.Errorf("no workers: %q", out)
	}
	botwork(t, "workers", "drain", "worker-1").wantFailure(t, cli.ExitFailed, "not found; no worker is running")

	store := busyQueue(t)
	if out := mustDo(t, "workers", "list"); !strings.Contains(out, "worker-1  active") {
		t.Errorf("the table lacks the active worker:\n%s", out)
	}
	if out := mustDo(t, "workers", "list"); !strings.Contains(out, "4711  4      1.2.3") || strings.Contains(out, "stuck") {
		t.Errorf("the slots are not shown alone:\n%s", out)
	}
	workers, err := store.Workers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	beat := workqueue.BeatParams{WorkerID: workers[0].ID, InstanceID: "instance-1", Lease: time.Minute, Stuck: 1}
	if _, err := store.Beat(t.Context(), beat); err != nil {
		t.Fatal(err)
	}
	if out := mustDo(t, "workers", "list"); !strings.Contains(out, "4711  4 (1 stuck)  1.2.3") {
		t.Errorf("the slots do not tell of the stuck one:\n%s", out)
	}
	botwork(t, "workers", "drain", "worker-2").wantFailure(t, cli.ExitFailed, `did you mean "worker-1"?`)
	if out := mustDo(t, "workers", "drain", "worker-1"); out != "worker worker-1: draining\n" {
		t.Errorf("drain said %q", out)
	}
	workers, err = store.Workers(t.Context())
	if err != nil || workers[0].State != workqueue.WorkerDraining {
		t.Errorf("workers = %+v, %v, want worker-1 draining", workers, err)
	}
	if err := store.StopWorker(t.Context(), workers[0].ID, "instance-1"); err != nil {
		t.Fatal(err)
	}
	botwork(t, "workers", "drain", "worker-1").wantFailure(t, cli.ExitFailed, "it has stopped already")
}

func TestWorkerThatIsGone(t *testing.T) {
	now := time.Now()
	past, future := now.Add(-time.Second), now.Add(time.Second)
	for _, c := range []struct {
		state workqueue.WorkerState
		lease *time.Time
		want  bool
	}{
		{workqueue.WorkerActive, &future, false}, {workqueue.WorkerActive, &past, true}, {workqueue.WorkerActive, nil, true},
		{workqueue.WorkerDraining, &past, true}, {workqueue.WorkerStopped, &past, false},
	} {
		if got := gone(&workqueue.Worker{State: c.state, LeaseExpiresAt: c.lease}, now); got != c.want {
			t.Errorf("gone(%s, lease %v) = %t, want %t", c.state, c.lease, got, c.want)
		}
	}
}
