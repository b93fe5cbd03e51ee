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

func TestItemsContract(t *testing.T) {
	clitest.InProject(t)
	clitest.BusyQueue(t)
	clitest.Golden(t, "items_list.json", clitest.Must(t, "items", "list", "--output", "json"))
	clitest.Golden(t, "items_list.yaml", clitest.Must(t, "items", "list", "--output", "yaml", "--limit", "1"))
	clitest.Golden(t, "items_show.json", clitest.Must(t, "items", "show", "3", "--output", "json"))
	clitest.Golden(t, "workers_list.json", clitest.Must(t, "workers", "list", "--output", "json"))
	show := clitest.Decode[struct {
		State     int
		StateName string
		Attempts  []any
	}](t, clitest.Must(t, "items", "show", "1", "-o", "json"))
	if show.State != 2 || show.StateName != "Processed" || show.Attempts == nil {
		t.Errorf("items show 1 = %+v, want state 2, Processed and a list of attempts", show)
	}
}

func TestItemsListFilters(t *testing.T) {
	clitest.InProject(t)
	clitest.BusyQueue(t)
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
			for _, it := range clitest.Decode[[]clitest.Listed](t, clitest.Must(t, args...)) {
				ids = append(ids, it.ID)
			}
			if !slices.Equal(ids, c.want) {
				t.Errorf("got the items %d, want %d", ids, c.want)
			}
		})
	}
}

func TestItemsTable(t *testing.T) {
	clitest.InProject(t)
	if out := clitest.Must(t, "items", "list"); out != "no items\n" {
		t.Errorf("an empty queue printed %q", out)
	}
	clitest.BusyQueue(t)
	clitest.Golden(t, "items_list.txt", clitest.ShownInstants.ReplaceAllString(clitest.Must(t, "items", "list"), "YYYY-MM-DD hh:mm:ssZ"))
	out := clitest.Must(t, "items", "list", "--limit", "3", "--before", "4")
	for _, want := range []string{"ID", "Business error", "Retry  ", "Succeeded  ", "amount is negative", ": no answer…", "worker-1", "To list older items, add: --before 1"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(clitest.Must(t, "items", "list"), "--before") {
		t.Error("the last page refers to another one")
	}
	out = clitest.Must(t, "items", "show", "2")
	for _, want := range []string{"Ready (0)", "Retry", "from the host", "ATTEMPT", "failed", "load"} {
		if !strings.Contains(out, want) {
			t.Errorf("the sheet lacks %q:\n%s", want, out)
		}
	}
	for _, id := range []string{"3", "6"} {
		sheet := clitest.Must(t, "items", "show", id)
		clitest.Golden(t, "items_show_"+id+".txt", clitest.ShownInstants.ReplaceAllString(sheet, "YYYY-MM-DD hh:mm:ssZ"))
	}
	if out := clitest.Must(t, "items", "list", "--state", "Blocked"); !strings.Contains(out, "at load: half of 12") {
		t.Errorf("the table does not show the progress of the running item:\n%s", out)
	}
	clitest.Do(t, "items", "show", "99").WantFailure(t, cli.ExitFailed, "item 99: not found")
}

// Listing page by page finds each item once, even if few items match.
func TestItemsListPages(t *testing.T) {
	clitest.InProject(t)
	store := clitest.OpenQueue(t)
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
		page := clitest.Decode[[]clitest.Listed](t, clitest.Must(t, "items", "list", "--state", "scheduled", "--limit", "2", "--before", fmt.Sprint(before), "-o", "json"))
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
	clitest.InProject(t)
	if out := clitest.Must(t, "workers", "list"); !strings.Contains(out, "botwork run") {
		t.Errorf("no workers: %q", out)
	}
	clitest.Do(t, "workers", "drain", "worker-1").WantFailure(t, cli.ExitFailed, "not found; no worker is running")

	store := clitest.BusyQueue(t)
	if out := clitest.Must(t, "workers", "list"); !strings.Contains(out, "worker-1  active") {
		t.Errorf("the table lacks the active worker:\n%s", out)
	}
	if out := clitest.Must(t, "workers", "list"); !strings.Contains(out, "4711  4      1.2.3") || strings.Contains(out, "stuck") {
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
	if out := clitest.Must(t, "workers", "list"); !strings.Contains(out, "4711  4 (1 stuck)  1.2.3") {
		t.Errorf("the table does not show the stuck slot:\n%s", out)
	}
	clitest.Do(t, "workers", "drain", "worker-2").WantFailure(t, cli.ExitFailed, `did you mean "worker-1"?`)
	if out := clitest.Must(t, "workers", "drain", "worker-1"); out != "worker worker-1: draining until `botwork workers resume worker-1`\n" {
		t.Errorf("drain printed %q", out)
	}
	workers, err = store.Workers(t.Context())
	if err != nil || workers[0].State != workqueue.WorkerDraining {
		t.Errorf("workers = %+v, %v, want worker-1 draining", workers, err)
	}
	if err := store.StopWorker(t.Context(), workers[0].ID, "instance-1"); err != nil {
		t.Fatal(err)
	}
	clitest.Do(t, "workers", "drain", "worker-1", "--until-restart").WantFailure(t, cli.ExitFailed, "it has stopped already")
}
