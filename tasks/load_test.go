package tasks_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/tasks"
	"botwork/workqueue"
)

const books = `
books:
  pipeline: close-books
  importance: high
  schedule: {execute: daily, startAt: 8, startTolerance: 4}
  payload: {ledger: main}
  resilience: {limit: 2}
  estimatedDuration: 90s
`

func TestLoadCreatesItemOfWindow(t *testing.T) {
	each(t, func(x *fixture) {
		x.define(books)
		x.load(tasks.LoadResult{Tasks: 1}) // 07:00: not open yet
		x.at("2026-11-21T10:00")
		x.load(tasks.LoadResult{Tasks: 1, Items: 1})
		x.load(tasks.LoadResult{Tasks: 1}) // once
		it := x.items()[0]
		if it.State != workqueue.Ready || it.IntegrationConfig != "close-books" || *it.TaskName != "books" || *it.CreatedBy != "schedule" ||
			it.Priority != tasks.MaxPriority || // 10:00 is two hours before the end
			string(it.ResilienceConfig) != `{"limit":2}` || *it.EstimatedDurationMs != 90_000 || !it.DeadlineAt.Equal(begin.Add(5*time.Hour)) ||
			string(it.Payload) != `{"ledger":"main","task":{"name":"books","plannedAt":"2026-11-21T08:00:00Z","deadlineAt":"2026-11-21T12:00:00Z"}}` {
			t.Errorf("the item is %+v", it)
		}
		x.end(workqueue.Processed, "")
		x.load(tasks.LoadResult{Tasks: 1}) // its window is served
		x.at("2026-11-22T08:00")
		x.load(tasks.LoadResult{Tasks: 1, Items: 1})
		if got := x.items()[1].Priority; got != 900 {
			t.Errorf("at the begin of the window the priority is %d, want 900", got)
		}
		x.wantRecords("books", "2026-11-21T08:00  fired", "2026-11-22T08:00  fired")
	})
}

func TestLoadFansOut(t *testing.T) {
	each(t, func(x *fixture) {
		x.define(`
sweep:
  pipeline: p
  schedule: {cron: "0 8 * * *"}
  scope: [lisbon, porto]
`)
		x.load(tasks.LoadResult{Tasks: 1}) // the instant of yesterday came before the task
		x.at("2026-11-21T08:00")
		x.load(tasks.LoadResult{Tasks: 1, Items: 2})
		x.exec(`UPDATE "BotWorkQueueItems" SET "State" = 2 WHERE "TaskScope" = 'porto'`)
		x.at("2026-11-22T08:00")
		x.load(tasks.LoadResult{Tasks: 1, Items: 1}) // lisbon has not ended
		want := []string{
			`{"task":{"name":"sweep","scope":"lisbon","plannedAt":"2026-11-21T08:00:00Z","deadlineAt":null}}`,
			`{"task":{"name":"sweep","scope":"porto","plannedAt":"2026-11-21T08:00:00Z","deadlineAt":null}}`,
			`{"task":{"name":"sweep","scope":"porto","plannedAt":"2026-11-22T08:00:00Z","deadlineAt":null}}`,
		}
		if got := x.payloads(); !slices.Equal(got, want) {
			t.Errorf("payloads %s, want %s", got, want)
		}
		if it := x.items()[0]; it.DeadlineAt != nil || it.Priority != 550 {
			t.Errorf("an item without a deadline is %+v", it)
		}
	})
}

func TestLoadRecordsMissedWindows(t *testing.T) {
	const noPass = "no pass ran while the window was open"
	each(t, func(x *fixture) {
		x.at("2026-11-21T13:00") // after the first window
		x.define(books)
		x.load(tasks.LoadResult{Tasks: 1}) // windows before the definition are not missed
		x.at("2026-11-25T09:00")           // no worker ran for days
		x.load(tasks.LoadResult{Tasks: 1, Items: 1, Missed: 3})
		x.load(tasks.LoadResult{Tasks: 1})
		x.wantRecords("books", "2026-11-22T08:00  missed "+noPass, "2026-11-23T08:00  missed "+noPass, "2026-11-24T08:00  missed "+noPass,
			"2026-11-25T08:00  fired")
		// A later record does not count for an earlier window.
		x.exec(`DELETE FROM "BotScheduleFirings" WHERE "PlannedAt" = '2026-11-23 08:00:00.000'`)
		x.exec(`UPDATE "BotTasks" SET "SettledUntil" = '2026-11-22 00:00:00.000'`)
		x.load(tasks.LoadResult{Tasks: 1, Missed: 1})

		x.exec(`UPDATE "BotTasks" SET "SettledUntil" = '2020-01-01 00:00:00.000'`)
		x.at("2027-11-25T13:00")
		x.end(workqueue.Processed, "")
		x.load(tasks.LoadResult{Tasks: 1, Missed: 100})
		firings, err := x.store.Firings(t.Context(), workqueue.FiringFilter{Schedule: "task:books", Limit: 200})
		if err != nil || len(firings) != 104 {
			t.Fatalf("%d records, %v, want the latest hundred and the four", len(firings), err)
		}
		if first := firings[99]; !strings.Contains(first.Reason, "earlier windows closed without an item as well") {
			t.Errorf("the first of them says %q", first.Reason)
		}
	})
}

func TestLoadWaitsForEarlierItem(t *testing.T) {
	each(t, func(x *fixture) {
		x.define(books)
		x.at("2026-11-21T08:00")
		x.load(tasks.LoadResult{Tasks: 1, Items: 1})
		x.at("2026-11-22T09:00")
		x.load(tasks.LoadResult{Tasks: 1}) // it may still become free
		if len(x.records("books")) != 1 {
			t.Error("a window that is open has a record that it was skipped")
		}
		x.at("2026-11-22T12:00")
		x.load(tasks.LoadResult{Tasks: 1, Skipped: 1})
		x.load(tasks.LoadResult{Tasks: 1})
		x.at("2026-11-23T09:00")
		x.load(tasks.LoadResult{Tasks: 1})
		x.end(workqueue.Processed, "") // and now it does
		x.load(tasks.LoadResult{Tasks: 1, Items: 1})
		x.wantRecords("books", "2026-11-21T08:00  fired",
			"2026-11-22T08:00  skipped an earlier item of the task had not ended when the window closed", "2026-11-23T08:00  fired")
	})
}

func TestLoadCreatesOneItemPerUnitAfterScheduleChange(t *testing.T) {
	each(t, func(x *fixture) {
		x.define(books)
		x.at("2026-11-21T08:00")
		x.load(tasks.LoadResult{Tasks: 1, Items: 1})
		x.end(workqueue.Processed, "")
		x.at("2026-11-21T09:00")
		x.define(strings.Replace(books, "startAt: 8", "startAt: 9", 1))
		x.load(tasks.LoadResult{Tasks: 1}) // today is done
		x.at("2026-11-22T08:00")
		x.load(tasks.LoadResult{Tasks: 1})
		x.at("2026-11-22T09:00")
		x.load(tasks.LoadResult{Tasks: 1, Items: 1})
		x.wantRecords("books", "2026-11-21T08:00  fired", "2026-11-22T09:00  fired")
	})
}

func TestLoadReportsBrokenTaskAndLoadsOthers(t *testing.T) {
	each(t, func(x *fixture) {
		x.define(books + `
lost: {pipeline: p, queue: nowhere, schedule: {execute: daily}}
stopped: {pipeline: p, active: false, schedule: {execute: daily}}
asleep: {pipeline: p, schedule: {execute: daily, active: false}}
request: {pipeline: p}
`)
		x.exec(`INSERT INTO "BotTasks" ("Name", "Pipeline", "ScheduleConfig") VALUES ('broken', 'p', '{"execute": "dayly"}')`)
		x.exec(`INSERT INTO "BotTasks" ("Name", "Pipeline", "ScheduleConfig", "Importance", "SettledUntil")
			VALUES ('by hand', 'p', '{"Execute": "Daily"}', 0, '2026-11-21 00:00:00.000')`)
		x.exec(`INSERT INTO "BotTasks" ("Name", "Pipeline", "ScheduleConfig", "Importance", "SettledUntil")
			VALUES ('hand', 'p', '{"Execute": "Daily"}', 0, '2026-11-21 00:00:00.000')`)
		x.at("2026-11-21T08:00")
		x.load(tasks.LoadResult{Tasks: 3, Items: 2})
		want := []string{
			`broken: schedule.execute: got "dayly", want daily, weekly or monthly`,
			`by hand: name: got "by hand", want up to 150 Latin letters, digits, _, - and ., with a letter or digit in front`,
		}
		if len(x.reported) != 3 || !slices.Equal(x.reported[:2], want) || !strings.Contains(x.reported[2], `"nowhere" does not exist`) {
			t.Errorf("reported %q, want %q and the unknown queue", x.reported, want)
		}
		x.exec(`UPDATE "BotTasks" SET "QueueName" = 'default' WHERE "Name" = 'lost'`)
		x.load(tasks.LoadResult{Tasks: 3, Items: 1})
	})
}

// oneQuery fails if a pass queries anything other than the tasks.
type oneQuery struct {
	tasks.Store
	asked int
}

func (s *oneQuery) Tasks(context.Context) ([]workqueue.TaskRow, error) { s.asked++; return nil, nil }

func TestPassWithoutTasksIsOneQuery(t *testing.T) {
	store := &oneQuery{} // any other call panics
	loader := tasks.Loader{Store: store}
	if got, err := loader.Load(t.Context()); err != nil || got != (tasks.LoadResult{}) || store.asked != 1 {
		t.Errorf("Load = %+v, %v after %d queries", got, err, store.asked)
	}
	if seen, changed, err := tasks.RaisePriorities(t.Context(), store, workqueue.Ready); seen+changed != 0 || err != nil || store.asked != 2 {
		t.Errorf("Revise = %d, %d, %v after %d queries", seen, changed, err, store.asked-1)
	}
}

func TestManyPassesAtOnce(t *testing.T) {
	each(t, func(x *fixture) {
		x.define(books + `
sweep: {pipeline: p, schedule: {execute: daily}, scope: [a, b, c, d, e]}
told: {pipeline: p, schedule: {execute: weekly}, notify: {pipeline: tell}}
`)
		x.at("2026-11-21T08:00")
		x.load(tasks.LoadResult{Tasks: 3, Items: 7})
		x.end(workqueue.Cancelled, "permanent")
		x.at("2026-11-23T08:00") // a new week, a day missed
		var wg sync.WaitGroup
		var mu sync.Mutex
		var sum tasks.LoadResult
		for range 8 {
			loader := x.newLoader(x.open(), "bob")
			wg.Go(func() {
				got, err := loader.Load(x.Context())
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				sum.Items, sum.Failures = sum.Items+got.Items, sum.Failures+got.Failures
			})
		}
		wg.Wait()
		if sum.Items != 7 || sum.Failures != 7 || len(x.reported) > 0 {
			t.Errorf("eight passes made %d items and took %d failures, want 7 and 7; reported %q", sum.Items, sum.Failures, x.reported)
		}
		tell := 0
		for _, it := range x.items() {
			if it.IntegrationConfig == "tell" {
				tell++
			}
		}
		if n := len(x.items()); n != 15 || tell != 1 {
			t.Errorf("%d items, %d notifications, want 15 and one", n, tell)
		}
	})
}
