//go:build unix

package browsertest

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"botwork/internal/database"
	"botwork/workqueue"
)

// The pipelines of the calendar: what runs often, what runs for long, and what fails.
var calendarFiles = map[string]string{
	"every-minute":  "description: Look for new mail\ntrigger: {cron: \"* * * * *\"}\n",
	"import-orders": "description: Import the orders of the shop\ntrigger: {cron: \"0 */2 * * *\", timezone: Europe/Berlin}\n",
	"backup":        "description: Copy the database\ntrigger: {cron: \"30 4 * * mon-fri\", timezone: Europe/Berlin}\n",
	"report":        "description: Send the report of the week\ntrigger: {cron: \"0 7 * * mon\", timezone: Europe/Berlin, catchUp: 2h}\n",
}

// history writes the runs of a day: each minute, overlapping ones, one across midnight, and what failed,
// was missed and skipped. The store starts runs by its own clock only, so the rows are moved.
func (x *project) history(day time.Time) {
	x.Helper()
	w, err := x.store.RegisterWorker(x.Context(), workqueue.WorkerSpec{Name: "bot-9", InstanceID: "history", Host: "h", Capacity: 4, Lease: time.Hour})
	if err != nil {
		x.Fatal(err)
	}
	db, err := database.Open(database.SQLite, filepath.Join(x.dir, "botwork.db"))
	if err != nil {
		x.Fatal(err)
	}
	defer db.Close()
	add := func(pipeline string, start, took time.Duration, outcome workqueue.RunOutcome, why string) {
		at := day.Add(start)
		id, err := x.store.StartRun(x.Context(), workqueue.PipelineRun{Pipeline: pipeline, Trigger: "cron", WorkerID: &w.ID, PlannedAt: &at})
		if err != nil {
			x.Fatal(err)
		}
		if err := x.store.FinishRun(x.Context(), id, workqueue.RunEnd{Outcome: outcome, Error: why}); err != nil {
			x.Fatal(err)
		}
		const form = "2006-01-02 15:04:05.000"
		if _, err := db.ExecContext(x.Context(), "UPDATE BotPipelineRuns SET StartedAt = ?, FinishedAt = ? WHERE Id = ?", at.UTC().Format(form), at.Add(took).UTC().Format(form), id); err != nil {
			x.Fatal(err)
		}
	}
	for i := range 200 {
		add("every-minute", time.Duration(i)*time.Minute+8*time.Hour, 2*time.Second, workqueue.RunSucceeded, "")
	}
	add("every-minute", 10*time.Hour+10*time.Second, 2*time.Second, workqueue.RunFailed, "HTTP 503 from mail.example")
	for i := range 8 {
		outcome, why := workqueue.RunSucceeded, ""
		if i == 5 {
			outcome, why = workqueue.RunFailed, "the shop does not answer"
		}
		add("import-orders", time.Duration(2*i)*time.Hour, 2*time.Hour+30*time.Minute, outcome, why)
	}
	add("backup", -2*time.Hour, 4*time.Hour, workqueue.RunSucceeded, "")
	for at, f := range map[time.Duration]workqueue.Firing{
		16 * time.Hour:               {Schedule: "import-orders", Outcome: workqueue.Missed, Reason: "no worker ran at the planned time"},
		18*time.Hour + 5*time.Minute: {Schedule: "import-orders", Outcome: workqueue.Skipped, Reason: "the previous run is still active"},
		7 * time.Hour:                {Schedule: "report", Outcome: workqueue.Missed, Reason: "no worker ran at the planned time"},
	} {
		f.PlannedAt, f.RecordedBy = day.Add(at), "bot-9"
		if err := x.store.RecordFirings(x.Context(), []workqueue.Firing{f}); err != nil {
			x.Fatal(err)
		}
	}
	// It runs nothing, so no item may be given to it.
	if err := x.store.StopWorker(x.Context(), w.ID, "history"); err != nil {
		x.Fatal(err)
	}
}

// TestBrowserCalendar walks from the list over the calendar to a day and to the backfill of a missed
// run, in the zone of the browser and in UTC.
func TestBrowserCalendar(t *testing.T) {
	x := newProject(t)
	for name, text := range calendarFiles {
		x.write("pipelines/"+name+".yaml", "name: "+name+"\n"+text+"steps:\n  - {name: say, handler: Log, with: {message: x}}\n")
	}
	x.write("botwork.yaml", settings+`
tasks:
  close-books:
    pipeline: book-invoice
    topic: books
    description: Close the books of each branch
    importance: high
    schedule: {execute: monthly, startAt: 25, startTolerance: 5, timezone: Europe/Lisbon}
    scope: [lisbon, porto, faro]
  letters-of-the-day:
    pipeline: send-letter
    queue: mail
    schedule: {execute: daily, timezone: Europe/Berlin}
    notify: {pipeline: send-letter, payload: {to: ops@example.com}}
  on-request: {pipeline: send-letter, queue: mail, importance: low}
`)
	p := x.browser().as("operator")
	dir := artefacts(t)
	p.open("/tasks")
	p.see("No scheduled tasks")
	x.must("tasks", "define")

	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().In(berlin)
	day := time.Date(now.Year(), now.Month(), now.Day()-1, 0, 0, 0, 0, berlin)
	x.history(day)
	p.run(emulation.SetTimezoneOverride("Europe/Berlin"))

	p.open("/schedules?pipeline=import-orders")
	p.see("Runs", "the shop does not answer")
	p.click("Failed, missed")
	p.until(`location.search.includes("pipeline=import-orders") && location.search.includes("failed=1")`)
	p.see("no worker ran at the planned time")
	p.picture(dir, "list")
	p.click("Calendar")
	p.until(`document.querySelector("table.month") && location.search.includes("pipeline=import-orders")`)
	p.size(1440, "light")
	p.open("/schedules/calendar?month=" + day.Format("2006-01"))
	p.until(`document.querySelector("[data-drawn-in]").dataset.drawnIn === "Europe/Berlin"`)
	p.see("succeeded", "planned")
	p.picture(dir, "calendar")
	p.size(1440, "light")
	p.run(chromedp.Click(fmt.Sprintf(`.month a[href*="day=%s"]`, day.Format(time.DateOnly)), chromedp.ByQuery))
	p.see(day.Format("Monday 2 January 2006"), "Europe/Berlin", "import-orders", "Backfill the missed…", "every minute")
	p.until(`document.querySelectorAll("svg.bars").length >= 4`)
	p.picture(dir, "day")
	p.size(1440, "light")
	p.click("UTC")
	p.until(`document.querySelector("[data-drawn-in]").dataset.drawnIn === "UTC"`)
	p.click("Local")
	p.until(`document.querySelector("[data-drawn-in]").dataset.drawnIn === "Europe/Berlin"`)
	p.run(chromedp.Click(`[aria-label="The day after"]`, chromedp.ByQuery))
	p.see(day.AddDate(0, 0, 1).Format("Monday 2 January 2006"))
	p.until(`document.querySelector("svg.bars line.now") && document.querySelector("svg.bars .is-planned")`)
	p.picture(dir, "today")
	for name, path := range map[string]string{"spring": "2026-03-29", "autumn": "2026-10-25"} {
		p.open("/schedules/day?day=" + path)
		p.see("the clocks go")
		p.picture(dir, name)
	}
	p.open("/schedules/day?day=2020-01-01")
	p.see("Nothing on this day")
	p.picture(dir, "empty")
	p.open("/schedules/day?failed=1&pipeline=import-orders&day=" + day.Format(time.DateOnly))
	p.click("Backfill…")
	p.see("1 of 1 planned times would run")

	p.size(1440, "light")
	p.open("/tasks")
	p.see("close-books", "once a month from day 25 Europe/Lisbon, within 5 days", "3 items", "on request")
	p.click("Details")
	p.picture(dir, "tasks")
	p.size(1440, "light")
	p.open("/pipelines")
	p.see("every day at 02:30", "Mean run", "Monday to Friday at 04:30 Europe/Berlin")
	p.picture(dir, "pipelines")
	p.open("/pipelines/backup")
	p.see("Starts Monday to Friday at 04:30 Europe/Berlin")
	p.picture(dir, "pipeline")
}
