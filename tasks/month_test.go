package tasks_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"botwork/internal/author/strictyaml"
	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/internal/testgroup"
	"botwork/tasks"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

const monthOfTasks = `
daily: {pipeline: p, schedule: {execute: daily, startAt: 6, startTolerance: 12}}
weekly: {pipeline: p, importance: low, schedule: {execute: weekly, startAt: mon, startTolerance: 3}, scope: [lisbon, porto]}
last-day: {pipeline: p, importance: high, schedule: {execute: monthly, startAt: 31, startTolerance: 2}}
first-day: {pipeline: p, schedule: {execute: monthly, startAt: 1, startTolerance: 5}}
weekdays: {pipeline: p, schedule: {cron: "30 7 * * mon-fri"}}
`

// month is a cluster in virtual time.
type month struct {
	*testing.T
	dsn   string
	whole bool // from the 1st, with everything that workers do

	mu     sync.Mutex
	served map[string]int // task, scope value and window → runs that succeeded
	tries  map[string]int
}

// TestAMonthOfTasks runs two workers through October 2026 in Lisbon, which includes the end of
// summer time, a worker that is down for days, and a day on which no worker runs. Every third
// item fails at first. Unless it is a nightly run, it begins on the 18th, and the workers keep no
// statistics over time.
func TestAMonthOfTasks(t *testing.T) {
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	day := func(month time.Month, day, hour int) time.Time {
		return time.Date(2026, month, day, hour, 0, 0, 0, lisbon)
	}
	dsn := filepath.Join(t.TempDir(), "botwork.db")
	testdb.Prepare(t, database.SQLite, dsn)
	synctest.Test(t, func(t *testing.T) {
		whole := testgroup.Asked(testgroup.Nightly)
		begin := day(time.October, 18, 0)
		if whole {
			begin = day(time.October, 1, 0)
		}
		m := &month{T: t, whole: whole, dsn: dsn, served: map[string]int{}, tries: map[string]int{}}
		time.Sleep(time.Until(begin))
		store := m.open()
		m.define(store)

		var wg sync.WaitGroup
		wg.Go(func() {
			m.work("ann", 0, day(time.October, 19, 22))
			time.Sleep(time.Until(day(time.October, 21, 0)))
			m.work("ann", 0, day(time.November, 2, 0))
		})
		wg.Go(func() {
			time.Sleep(7 * time.Minute)
			if whole {
				m.work("bob", 1, day(time.October, 9, 12))
			}
			time.Sleep(time.Until(day(time.October, 14, 3)))
			m.work("bob", 2, day(time.October, 19, 23))
			time.Sleep(time.Until(day(time.October, 21, 1)))
			m.work("bob", 3, day(time.November, 2, 0))
		})
		wg.Wait()

		want := map[string]int{}
		expect := func(task, scope string, at time.Time) {
			want[fmt.Sprint(task, " ", scope, " ", at.UTC().Format(time.RFC3339))] = 1
		}
		for d := begin; d.Before(day(time.November, 2, 0)); d = d.AddDate(0, 0, 1) {
			year, month, n := d.Date()
			if month != time.October || n != 20 { // no worker ran while it was open
				expect("daily", "", time.Date(year, month, n, 6, 0, 0, 0, lisbon))
			}
			if weekday := d.Weekday(); weekday != time.Saturday && weekday != time.Sunday {
				expect("weekdays", "", time.Date(year, month, n, 7, 30, 0, 0, lisbon))
			}
			if d.Weekday() == time.Monday {
				expect("weekly", "lisbon", d)
				expect("weekly", "porto", d)
			}
		}
		expect("last-day", "", day(time.October, 31, 0))
		if whole {
			expect("first-day", "", day(time.October, 1, 0))
		}
		expect("first-day", "", day(time.November, 1, 0))
		if diff := cmp.Diff(want, m.served); diff != "" {
			t.Errorf("windows that were served (-want +got):\n%s", diff)
		}
		m.wantMissed(store, day(time.October, 20, 6))
	})
}

func (m *month) open() *sqlstore.Store {
	store, err := sqlstore.Open(m.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: testdb.Unsynced(database.SQLite, m.dsn), Now: time.Now})
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() {
		if err := store.Close(); err != nil {
			m.Errorf("close store: %v", err)
		}
	})
	return store
}

func (m *month) define(store *sqlstore.Store) {
	n, findings := strictyaml.Parse("botwork.yaml", []byte(monthOfTasks))
	list, more := tasks.Decode(n, "Europe/Lisbon")
	if findings = append(findings, more...); len(findings) > 0 {
		m.Fatal(findings)
	}
	rows, err := tasks.Rows(list)
	if err != nil {
		m.Fatal(err)
	}
	if _, err := store.DefineTasks(m.Context(), rows, "ann"); err != nil {
		m.Fatal(err)
	}
}

// work is the main loop of one process: every hour it loads tasks, revises priorities, runs an
// assignment pass and runs its items.
func (m *month) work(name string, life int, until time.Time) {
	ctx, store := m.Context(), m.open()
	var of runner.Store = quiet{store}
	if m.whole {
		of = store
	}
	const beat = 40 * time.Minute
	worker, err := runner.New(runner.Options{
		Store: of, RunItem: m.run, Log: zerolog.Nop(), Heartbeat: beat, ShutdownGrace: 4 * time.Hour,
		Spec: workqueue.WorkerSpec{
			Name: name, InstanceID: fmt.Sprint(name, "-", life), Host: "host", PID: 1, Capacity: 8, Lease: 4 * beat,
		},
	})
	if err == nil {
		err = worker.Start(ctx)
	}
	if err != nil {
		m.Error(err)
		return
	}
	loader := tasks.Loader{Store: store, By: name, Report: func(task string, err error) { m.Errorf("task %s: %v", task, err) }}
	var running sync.WaitGroup
	for time.Now().Before(until) {
		if _, err := loader.Load(ctx); err != nil {
			m.Error(err)
		}
		for _, state := range []workqueue.State{workqueue.Ready, workqueue.Pending} {
			if _, _, err := tasks.RaisePriorities(ctx, store, state); err != nil {
				m.Error(err)
			}
		}
		if _, err := worker.Assign(ctx, assign.AssignParams{Workers: assign.AvailableWorkers}); err != nil {
			m.Error(err)
		}
		// The next pass does not wait for running items, as in the shipped pipelines.
		running.Go(func() {
			if _, err := worker.Execute(ctx, runner.ExecuteParams{Band: workqueue.EveryPriority}); err != nil {
				m.Error(err)
			}
		})
		time.Sleep(time.Hour)
	}
	if err := worker.Stop(context.WithoutCancel(ctx)); err != nil {
		m.Error(err)
	}
	running.Wait()
}

// quiet is a store that keeps no statistics over time. Workers add to them every minute, and
// rarely do anything else.
type quiet struct{ *sqlstore.Store }

func (quiet) CompactStatistics(context.Context, int) (int, error) { return 0, nil }
func (quiet) SampleGauges(context.Context) (bool, error)          { return false, nil }
func (quiet) FoldSeries(context.Context, int) (int, error)        { return 0, nil }

// run runs an item: it takes five minutes; every third item fails at first.
func (m *month) run(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
	told := info(m.T, it.Payload, tasks.PayloadKey)
	scope, _ := told["scope"].(string)
	key := fmt.Sprint(told["name"], " ", scope, " ", told["plannedAt"])
	m.mu.Lock()
	m.tries[key]++
	fails := m.tries[key] == 1 && len(m.tries)%3 == 0
	m.mu.Unlock()
	select {
	case <-ctx.Done():
		return workqueue.Outcome{Verdict: workqueue.Released, Error: "stopped"}
	case <-time.After(5 * time.Minute):
	}
	if fails {
		return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindError, Error: "not yet"}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.served[key]++
	return workqueue.Outcome{Verdict: workqueue.Succeeded}
}

// wantMissed checks that only the window without a worker was missed, and that its record has
// the reason.
func (m *month) wantMissed(store *sqlstore.Store, at time.Time) {
	firings, err := store.Firings(m.Context(), workqueue.FiringFilter{Schedule: "", Limit: 1000})
	if err != nil {
		m.Fatal(err)
	}
	var missed []workqueue.Firing
	for _, f := range firings {
		if f.Outcome != workqueue.Fired {
			missed = append(missed, f)
		}
	}
	if len(missed) != 1 || missed[0].Schedule != "task:daily" || !missed[0].PlannedAt.Equal(at) || missed[0].Outcome != workqueue.Missed || missed[0].Reason == "" {
		m.Errorf("not served: %+v, want the daily window of %s alone", missed, at)
	}
}
