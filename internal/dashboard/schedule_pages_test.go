package dashboard_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// The pages about schedules in three states: without any run, with runs on the day on which the clocks
// of Berlin change, and with what did not go well.
func TestSchedulePages(t *testing.T) {
	s := newPipelineSite(t)
	viewer, operator := s.as(t, access.Viewer), s.as(t, access.Operator)
	wantShown(t, viewer, "/schedules?pipeline=letters", "No such runs")
	wantShown(t, viewer, "/schedules/day?day=2026-03-29&zone=Europe/Berlin", "Sunday 29 March 2026", "the clocks go forward by 1 h, to 03:00; the day has 23 h", "Nothing on this day", "Nothing on this day: nightly")
	wantShown(t, viewer, "/schedules/calendar?month=2026-03&zone=Europe/Berlin", "March 2026", "Sunday 29 March 23 h", "Nothing in this month")
	wantShown(t, viewer, "/schedules/calendar?month=2026-10&zone=Europe/Berlin", "Sunday 25 October 25 h")

	// Planned starts of days to come.
	wantShown(t, viewer, "/schedules/day?day=2998-06-15&zone=Europe/Berlin", "nightly", "every day at 02:30 Europe/Berlin", "1 planned", "Planned: 02:30:00")
	wantShown(t, viewer, "/schedules/calendar?month=2998-06&zone=Europe/Berlin", "June 2998", "1 planned")

	w, err := s.Store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "bot-1", InstanceID: "a", Host: "h", Capacity: 1, Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	planned := time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC)
	for i, outcome := range []workqueue.FiringOutcome{workqueue.Missed, workqueue.Skipped} {
		f := workqueue.Firing{Schedule: "nightly", PlannedAt: planned.Add(time.Duration(i) * time.Hour), Outcome: outcome, Reason: "why " + hostile, RecordedBy: "bot-1"}
		if err := s.Store.RecordFirings(t.Context(), []workqueue.Firing{f}); err != nil {
			t.Fatal(err)
		}
	}
	day := "/schedules/day?day=2026-03-29&zone=Europe/Berlin"
	got := wantShown(t, operator, day, "1 missed", "1 skipped", "why <script>", "Missed: 03:00:00: why", "Backfill the missed…", "Backfill…")
	if links := got.links(); !slices.Contains(links, "/pipelines/nightly/backfill?from=2026-03-29T01%3A00%3A00Z&to=2026-03-29T01%3A00%3A01Z") {
		t.Errorf("no link to the backfill of the missed run: %v", links)
	}
	if got := wantShown(t, viewer, day, "1 missed"); strings.Contains(got.text, "/backfill") {
		t.Error("a viewer is offered a backfill")
	}
	if text := wantShown(t, viewer, day+"&failed=1", "1 missed").visible(); strings.Contains(text, "1 skipped") {
		t.Errorf("the filter of outcomes has no effect: %s", text)
	}
	wantShown(t, viewer, day+"&pipeline=letters", "Nothing on this day")
	wantShown(t, viewer, "/schedules/calendar?month=2026-03&zone=Europe/Berlin", "1 missed", "1 skipped")
	if text := wantShown(t, viewer, "/schedules/calendar?month=2026-03&outcome=skipped", "1 skipped").visible(); strings.Contains(text, "1 missed") {
		t.Errorf("the calendar does not filter: %s", text)
	}

	for _, outcome := range []workqueue.RunOutcome{workqueue.RunSucceeded, workqueue.RunFailed, workqueue.RunRunning} {
		id, err := s.Store.StartRun(t.Context(), workqueue.PipelineRun{Pipeline: "nightly", Trigger: "cron", WorkerID: &w.ID})
		if err != nil {
			t.Fatal(err)
		}
		if outcome != workqueue.RunRunning {
			if err := s.Store.FinishRun(t.Context(), id, workqueue.RunEnd{Outcome: outcome, Error: "disk full"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.Store.StartRun(t.Context(), workqueue.PipelineRun{Pipeline: "removed", Trigger: "cron", WorkerID: &w.ID}); err != nil {
		t.Fatal(err)
	}
	got = wantShown(t, viewer, "/schedules/day", "1 succeeded", "1 failed", "2 running", "disk full", "removed", "not in the project")
	if !strings.Contains(got.text, `href="#run-2"`) || !strings.Contains(got.text, `id="run-2"`) {
		t.Error("a bar does not lead to its run")
	}
	wantShown(t, viewer, "/pipelines", "every day at 02:30 Europe/Berlin", "Mean run")
	wantShown(t, viewer, "/pipelines/nightly", "Starts every day at 02:30 Europe/Berlin")

	// The links of the list keep the rest of the filter.
	links := wantShown(t, viewer, "/schedules?pipeline=nightly&failed=1", "disk full").links()
	for _, want := range []string{"/schedules?pipeline=nightly", "/schedules?failed=1", "/schedules/day?failed=1&pipeline=nightly", "/schedules/calendar?failed=1&pipeline=nightly"} {
		if !slices.Contains(links, want) {
			t.Errorf("no link to %s: %v", want, links)
		}
	}
	for _, path := range []string{"/schedules/day?day=tomorrow", "/schedules/day?zone=Nowhere", "/schedules/calendar?month=March", "/schedules/calendar?month=0001-01"} {
		if got := viewer.get(path); got.status != http.StatusUnprocessableEntity {
			t.Errorf("GET %s: status %d", path, got.status)
		}
	}
}

// The list of pipelines counts what failed in 24 hours, and leads to just that.
func TestFailedRunsOfADay(t *testing.T) {
	s := newPipelineSite(t)
	for _, ago := range []time.Duration{time.Hour, 2 * time.Hour, 30 * time.Hour} {
		f := workqueue.Firing{Schedule: "nightly", PlannedAt: time.Now().Add(-ago), Outcome: workqueue.Missed, Reason: "missed " + ago.String() + " ago", RecordedBy: "bot-1"}
		if err := s.Store.RecordFirings(t.Context(), []workqueue.Firing{f}); err != nil {
			t.Fatal(err)
		}
	}
	viewer := s.as(t, access.Viewer)
	const day = "/schedules?failed=1&pipeline=nightly&since=24h"
	got := wantShown(t, viewer, "/pipelines")
	i := slices.IndexFunc(got.elements(), func(n *html.Node) bool { return attr(n, "href") == day })
	if i < 0 || textOf(got.elements()[i]) != "2" {
		t.Fatalf("no link to the 2 failed runs: %v", got.links())
	}
	got = wantShown(t, viewer, day, "missed 1h0m0s ago", "missed 2h0m0s ago", "since 24h")
	if strings.Contains(got.visible(), "missed 30h0m0s ago") {
		t.Errorf("the list has more than the number says: %s", got.visible())
	}
	for _, want := range []string{"/schedules?failed=1&pipeline=nightly", "/schedules?pipeline=nightly&since=24h", "/schedules?failed=1&since=24h"} {
		if !slices.Contains(got.links(), want) {
			t.Errorf("no link to %s: %v", want, got.links())
		}
	}
}

// The last run of a pipeline is shown however long ago it was.
func TestLastRunOfAWeeklyPipeline(t *testing.T) {
	s := newPipelineSite(t)
	viewer := s.as(t, access.Viewer)
	if text := wantShown(t, viewer, "/pipelines").card("System pipelines"); !strings.Contains(text, "none") {
		t.Errorf("without a run: %s", text)
	}
	f := workqueue.Firing{Schedule: "nightly", PlannedAt: time.Now().Add(-6 * 24 * time.Hour), Outcome: workqueue.Missed, Reason: "no worker ran", RecordedBy: "bot-1"}
	if err := s.Store.RecordFirings(t.Context(), []workqueue.Firing{f}); err != nil {
		t.Fatal(err)
	}
	if text := wantShown(t, viewer, "/pipelines").card("System pipelines"); !strings.Contains(text, "Missed "+f.PlannedAt.UTC().Format("2006-01-02")) {
		t.Errorf("after a run of last week: %s", text)
	}
}

// The list of runs says how late a run was, in which step it failed, and how many items it made.
func TestRunsInTheList(t *testing.T) {
	s := newPipelineSite(t)
	w, err := s.Store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "bot-1", InstanceID: "a", Host: "h", Capacity: 1, Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	planned := time.Now().Add(-2*time.Hour - 10*time.Minute)
	id, err := s.Store.StartRun(t.Context(), workqueue.PipelineRun{Pipeline: "nightly", Trigger: "cron", WorkerID: &w.ID, PlannedAt: &planned})
	if err != nil {
		t.Fatal(err)
	}
	end := workqueue.RunEnd{Outcome: workqueue.RunFailed, Error: "disk full", Step: "copy", Summary: `{"enqueued":3}`}
	if err := s.Store.FinishRun(t.Context(), id, end); err != nil {
		t.Fatal(err)
	}
	viewer := s.as(t, access.Viewer)
	wantShown(t, viewer, "/schedules", "2 h 10 min late", "Failed step copy", "made 3 items")

	soon := time.Now().Add(-time.Second)
	if _, err := s.Store.StartRun(t.Context(), workqueue.PipelineRun{Pipeline: "nightly", Trigger: "cron", WorkerID: &w.ID, PlannedAt: &soon}); err != nil {
		t.Fatal(err)
	}
	if text := wantShown(t, viewer, "/schedules", "Running").visible(); strings.Count(text, " late ") != 2 { // with the outcome to choose
		t.Errorf("a run on time is late, too: %s", text)
	}
}

// The list says how many of the next starts it does not show.
func TestNextStartsAreCounted(t *testing.T) {
	s, file := newEditorSite(t)
	for _, name := range []string{"a", "b", "c"} {
		text := "name: " + name + "\ntrigger: {cron: \"30 2 * * *\"}\nsteps:\n  - handler: Log\n    with: {message: x}\n"
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), name+".yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	viewer := s.as(t, access.Viewer)
	wantShown(t, viewer, "/schedules", "and 3 starts after these")
	if text := wantShown(t, viewer, "/schedules?pipeline=a").visible(); strings.Contains(text, "after these") {
		t.Errorf("all are shown: %s", text)
	}
}

func TestTasksPage(t *testing.T) {
	s := newSite(t)
	viewer := s.as(t, access.Viewer)
	wantShown(t, viewer, "/tasks", "No scheduled tasks")
	rows := []workqueue.TaskRow{
		{Name: "close-books", Topic: "books", Description: "Close " + hostile, Active: true, QueueName: "default", Pipeline: "close", Importance: 2, ScheduleConfig: `{"execute":"daily","timezone":"Europe/Berlin"}`, Scope: `["lisbon","porto"]`},
		{Name: "by-hand", Active: true, QueueName: "default", Pipeline: "close", Importance: 1},
		{Name: "odd", Active: true, QueueName: "default", Pipeline: "close", Importance: 1, ScheduleConfig: `{"execute":"dayly"}`},
		{Name: "stopped", QueueName: "default", Pipeline: "close", Importance: 0, ScheduleConfig: `{"cron":"*/5 * * * *"}`},
	}
	for i := range rows {
		rows[i].Definition = "of the test"
	}
	if _, err := s.Store.DefineTasks(t.Context(), rows, "test"); err != nil {
		t.Fatal(err)
	}
	f := workqueue.Firing{Schedule: workqueue.TaskSchedule("close-books"), Worker: "lisbon", PlannedAt: time.Now().Add(-26 * time.Hour), Outcome: workqueue.Missed, Reason: "no worker ran a pass", RecordedBy: "bot-1"}
	if err := s.Store.RecordFirings(t.Context(), []workqueue.Firing{f}); err != nil {
		t.Fatal(err)
	}
	wantShown(t, viewer, "/tasks",
		"1 task cannot be read and creates no items", "1 in an open window", "1 task lacks an item of its last window", "1 on request only", "1 not active",
		"<script>", "once a day from 00:00 Europe/Berlin, until the day ends", "2 items, one for each of lisbon, porto", "high", "from 900 to 1,300, 2 h before its window closes",
		"Missed", "lisbon: no worker ran a pass", "on request", "Cannot be read", "every 5 minutes", "Not active", "closes")
}

// The last window of a task with a scope is what became of all its values, whichever was recorded last.
func TestLastWindowOfAScope(t *testing.T) {
	s := newSite(t)
	row := workqueue.TaskRow{
		Name: "close-books", Active: true, QueueName: "default", Pipeline: "close", Importance: 1, ScheduleConfig: `{"execute":"daily","timezone":"UTC"}`,
		Scope: `["lisbon","porto","faro"]`, Definition: "of the test",
	}
	if _, err := s.Store.DefineTasks(t.Context(), []workqueue.TaskRow{row}, "test"); err != nil {
		t.Fatal(err)
	}
	last := time.Now().Add(-26 * time.Hour)
	for _, f := range []workqueue.Firing{
		{Worker: "porto", PlannedAt: last.Add(-24 * time.Hour), Outcome: workqueue.Skipped, Reason: "of the window before"},
		{Worker: "lisbon", PlannedAt: last, Outcome: workqueue.Missed, Reason: "no worker ran a pass"},
		{Worker: "porto", PlannedAt: last, Outcome: workqueue.Fired},
		{Worker: "faro", PlannedAt: last, Outcome: workqueue.Fired},
	} {
		f.Schedule, f.RecordedBy = workqueue.TaskSchedule("close-books"), "bot-1"
		if err := s.Store.RecordFirings(t.Context(), []workqueue.Firing{f}); err != nil {
			t.Fatal(err)
		}
	}
	viewer := s.as(t, access.Viewer)
	got := wantShown(t, viewer, "/tasks", "1 task lacks an item of its last window", "1 missed", "2 created", "lisbon: no worker ran a pass")
	if strings.Contains(got.visible(), "skipped") {
		t.Errorf("an earlier window counts, too: %s", got.visible())
	}

	// The records of values that are no longer in the scope are of the last window as well.
	row.Scope, row.Definition = `["faro"]`, "changed"
	if _, err := s.Store.DefineTasks(t.Context(), []workqueue.TaskRow{row}, "test"); err != nil {
		t.Fatal(err)
	}
	wantShown(t, viewer, "/tasks", "1 missed", "2 created")
}

// A task leads to its next windows and to its items, and all its scope values can be read.
func TestNextWindowsOfATask(t *testing.T) {
	s := newSite(t)
	row := workqueue.TaskRow{
		Name: "close-books", Active: true, QueueName: "default", Pipeline: "close", Importance: 1, ScheduleConfig: `{"execute":"daily","timezone":"UTC"}`,
		Scope: `["s1","s2","s3","s4","s5","s6","s7","s8","s9","s10"]`, Definition: "of the test",
	}
	if _, err := s.Store.DefineTasks(t.Context(), []workqueue.TaskRow{row}, "test"); err != nil {
		t.Fatal(err)
	}
	f := workqueue.Firing{Schedule: workqueue.TaskSchedule("close-books"), Worker: "s9", PlannedAt: time.Now().Add(-26 * time.Hour), Outcome: workqueue.Missed, Reason: "no worker ran a pass", RecordedBy: "bot-1"}
	if err := s.Store.RecordFirings(t.Context(), []workqueue.Firing{f}); err != nil {
		t.Fatal(err)
	}
	viewer := s.as(t, access.Viewer)
	got := wantShown(t, viewer, "/tasks", "s7, s8 and 2 more", "s8, s9, s10")
	for _, want := range []string{"/items?task=close-books", "/tasks?task=close-books#times", "/pipelines/close"} {
		if !slices.Contains(got.links(), want) {
			t.Errorf("no link to %s: %v", want, got.links())
		}
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	wantShown(t, viewer, "/tasks?task=close-books", "Next windows of close-books", today.AddDate(0, 0, 3).Format("2006-01-02 15:04:05 UTC"),
		today.AddDate(0, 0, 10).Format("2006-01-02 15:04:05 UTC"), "s9 Missed no worker ran a pass")
	if got := viewer.get("/tasks?task=nothing"); got.status != http.StatusNotFound {
		t.Errorf("a task that is not there: status %d", got.status)
	}
}
