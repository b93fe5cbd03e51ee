package notify_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/notify"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// world is a database whose clock the test sets.
type world struct {
	*testing.T
	engine testdb.Engine
	dsn    string
	store  *sqlstore.Store
	hand   *sql.DB
	clock  *atomic.Int64 // Unix milliseconds
	rules  []notify.Rule
	read   int64 // the last message that was read
}

// noon is a Thursday.
var noon = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

func each(t *testing.T, run func(w *world), rules ...notify.Rule) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn) // migrates
		w := &world{T: t, engine: e, dsn: dsn, hand: e.SQL(t, dsn), clock: new(atomic.Int64)}
		w.clock.Store(noon.UnixMilli())
		w.store = w.open(nil)
		if _, err := w.store.DefineQueues(t.Context(), []workqueue.Queue{workqueue.NotificationDefinition(), {Name: "orders"}}, "test"); err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			r.Targets = append(r.Targets, "ops")
			w.rules = append(w.rules, r.Complete())
		}
		w.evaluate() // from now on
		run(w)
	})
}

// open opens another store on the database, with the clock of the test.
func (w *world) open(observe func(string, time.Duration, error)) *sqlstore.Store {
	w.Helper()
	s, err := sqlstore.Open(w.Context(), sqlstore.Options{Driver: string(w.engine.Driver), DSN: w.dsn, Now: w.now, Observe: observe})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { s.Close() })
	return s
}

func (w *world) now() time.Time { return time.UnixMilli(w.clock.Load()).UTC() }

func (w *world) pass(d time.Duration) { w.clock.Add(d.Milliseconds()) }

func (w *world) evaluate() {
	w.Helper()
	for {
		e := notify.Evaluator{Store: w.store, Rules: w.rules, By: "test"}
		result, err := e.Evaluate(w.Context())
		if err != nil {
			w.Fatal(err)
		}
		if !result.More {
			return
		}
	}
}

// minutes evaluates once a minute for a time.
func (w *world) minutes(d time.Duration) {
	w.Helper()
	for range int(d / time.Minute) {
		w.pass(time.Minute)
		w.evaluate()
	}
}

// fail makes items that fail now.
func (w *world) fail(n int, queue string) {
	w.Helper()
	items := make([]workqueue.NewItem, n)
	for i := range items {
		items[i] = workqueue.NewItem{QueueName: queue, IntegrationConfig: "ship", State: workqueue.Pending, Priority: 1000}
	}
	if _, err := w.store.Enqueue(w.Context(), items); err != nil {
		w.Fatal(err)
	}
	statement := fmt.Sprintf(`UPDATE "BotWorkQueueItems" SET "State" = 3, "Error" = 'boom', "ErrorKind" = 'error', "FinishedAt" = '%s' WHERE "State" = 4 AND "QueueName" = '%s' AND "IntegrationConfig" = 'ship'`,
		w.now().Format("2006-01-02 15:04:05.000"), queue)
	if w.engine.Driver == database.Postgres {
		statement = strings.Replace(statement, "' WHERE", "+00' WHERE", 1)
	}
	if _, err := w.hand.ExecContext(w.Context(), statement); err != nil {
		w.Fatal(err)
	}
}

// messages returns the messages since the last call, in the order in which they were decided, as
// "status rule group count/total".
func (w *world) messages() (list []string) {
	w.Helper()
	for _, m := range w.full() {
		text := fmt.Sprintf("%s %s %s %d/%d", m.Status, m.Rule, m.Group, m.Count, m.Total)
		if m.Status == notify.StatusSummary {
			var parts []string
			for _, a := range m.Alerts {
				parts = append(parts, fmt.Sprintf("%s %s %d/%d", a.State, a.Rule, a.Count, a.Total))
			}
			text = "summary [" + strings.Join(parts, ", ") + "]"
		}
		list = append(list, text)
	}
	return list
}

func (w *world) full() (list []notify.Message) {
	w.Helper()
	found, err := w.store.Items(w.Context(), workqueue.ItemFilter{QueueName: workqueue.NotificationQueue, Limit: 1000})
	if err != nil {
		w.Fatal(err)
	}
	slices.Reverse(found)
	for _, it := range found {
		if it.ID <= w.read {
			continue
		}
		w.read = it.ID
		var m notify.Message
		if err := json.Unmarshal([]byte(it.Payload), &m); err != nil {
			w.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

func (w *world) want(want ...string) {
	w.Helper()
	if got := w.messages(); !slices.Equal(got, want) {
		w.Errorf("at %s the messages are\n     %q\nwant %q", w.now().Format(time.RFC3339), got, want)
	}
}

var failures = notify.Rule{Name: "failures", Event: notify.ItemCancelled, Repeat: time.Hour, RecoverAfter: 15 * time.Minute}

// One outage gives one message, then one for each repeat interval, and one when it is over.
func TestOutageGivesOneMessage(t *testing.T) {
	each(t, func(w *world) {
		w.pass(time.Second)
		w.fail(500, "orders")
		w.minutes(2 * time.Minute)
		w.want("firing failures  500/500")
		for range 10 {
			w.fail(3, "orders")
			w.minutes(5 * time.Minute)
		}
		w.want() // within the repeat interval
		w.minutes(9 * time.Minute)
		w.want("repeat failures  30/530")
		w.minutes(10 * time.Minute)
		w.want("resolved failures  0/530")
		w.minutes(3 * time.Hour)
		w.want()
		w.fail(1, "orders")
		w.minutes(time.Minute)
		w.want("firing failures  1/1")
	}, failures)
}

// More failures than one page, and a pause of hours without any process: nothing is skipped, and nothing
// counts twice.
func TestEvaluationCatchesUp(t *testing.T) {
	each(t, func(w *world) {
		for range 3 {
			w.pass(time.Hour)
			w.fail(800, "orders")
		}
		w.pass(5 * time.Hour)
		w.evaluate()
		w.minutes(2 * time.Minute)
		m := w.full()
		if len(m) == 0 || m[0].Status != notify.StatusFiring {
			t.Fatalf("messages = %+v, want a first one", m)
		}
		var total int64
		for _, one := range m {
			total += one.Count
		}
		if last := m[len(m)-1]; total != 2400 || last.Total != 2400 {
			t.Errorf("the messages count %d failures, and the last one a total of %d; want 2400", total, last.Total)
		}
	}, failures)
}

// A transaction that commits after an evaluation with an earlier time is found by the next one.
func TestLateCommitIsNotSkipped(t *testing.T) {
	each(t, func(w *world) {
		w.minutes(10 * time.Minute)
		at := w.clock.Load()
		w.clock.Store(w.now().Add(-9 * time.Minute).UnixMilli())
		w.fail(1, "orders")
		w.clock.Store(at)
		w.minutes(3 * time.Minute)
		w.want("firing failures  1/1")
	}, failures)
}

func TestGroupsAndFilters(t *testing.T) {
	rules := []notify.Rule{
		{Name: "grouped", Event: notify.ItemCancelled, GroupBy: []string{notify.LabelQueue}},
		{Name: "other", Event: notify.ItemCancelled, Filter: notify.Filter{Queues: []string{"def*"}}},
		{Name: "none", Event: notify.ItemCancelled, Filter: notify.Filter{Pipelines: []string{"load"}}},
		{Name: "poison", Event: notify.PoisonItem},
	}
	each(t, func(w *world) {
		w.pass(time.Second)
		w.fail(2, "orders")
		w.fail(3, workqueue.DefaultQueue)
		it := storetest.NewFactory(w, w.store).Item(storetest.ItemOpts{Queue: "orders"})
		if _, err := w.store.ChangeItem(w.Context(), it.ID, workqueue.Change{Action: workqueue.Cancel}); err != nil {
			w.Fatal(err)
		}
		w.minutes(time.Minute)
		got := w.messages()
		slices.Sort(got)
		if want := []string{"firing grouped queue=default 3/3", "firing grouped queue=orders 2/2", "firing other  3/3"}; !slices.Equal(got, want) {
			w.Errorf("messages = %q\nwant       %q: what a person cancels is no news", got, want)
		}
	}, rules...)
}

// Quiet hours hold everything but what is urgent; when they end, one message for each target has all.
func TestQuietHoursGiveOneSummary(t *testing.T) {
	night := []notify.Quiet{{From: 22 * 60, To: 7 * 60, Zone: time.UTC}}
	quiet, urgent := failures, notify.Rule{Name: "urgent", Event: notify.ItemCancelled, Quiet: night, Urgent: true, Repeat: 24 * time.Hour}
	quiet.Quiet = night
	nobody := notify.Rule{Name: "nobody", Event: notify.NoWorker, Quiet: night, Wait: 5 * time.Minute}
	each(t, func(w *world) {
		w.minutes(6 * time.Minute)
		w.want("firing nobody  0/0")
		w.clock.Store(noon.Add(11 * time.Hour).UnixMilli()) // 23:00
		w.fail(500, "orders")
		w.minutes(time.Hour) // fails, and is over
		w.fail(4, "orders")
		w.minutes(time.Hour)
		w.fail(1, "orders")
		w.minutes(time.Minute)
		w.want("firing urgent  500/500", "resolved urgent  0/500", "firing urgent  4/4", "resolved urgent  0/4", "firing urgent  1/1")
		w.clock.Store(noon.Add(18*time.Hour + 58*time.Minute).UnixMilli()) // 06:58
		w.evaluate()
		w.want("resolved urgent  0/1")
		w.minutes(time.Minute)
		w.want()
		w.minutes(3 * time.Minute)
		w.want("summary [firing nobody 0/0, ok failures 500/500, ok failures 4/4, ok failures 1/1]")
		w.minutes(time.Hour)
		w.want()
		w.fail(1, "orders")
		w.minutes(time.Minute)
		w.want("firing failures  1/1", "firing urgent  1/1")
	}, quiet, urgent, nobody)
}

func TestMutedRulesDropWhatHappens(t *testing.T) {
	nobody := notify.Rule{Name: "nobody", Event: notify.NoWorker, Wait: time.Minute, Repeat: time.Hour}
	each(t, func(w *world) {
		for _, rule := range []string{"failures", "nobody"} {
			if err := w.store.MuteAlerts(w.Context(), workqueue.Mute{Rule: rule}, 30*time.Minute); err != nil {
				w.Fatal(err)
			}
		}
		w.fail(5, "orders")
		w.minutes(28 * time.Minute)
		w.want()
		w.minutes(4 * time.Minute)
		w.want("firing nobody  0/0") // it is still true
		w.fail(2, "orders")
		w.minutes(time.Minute)
		w.want("firing failures  2/2")
	}, failures, nobody)
}

// Conditions of workers.
func TestWorkers(t *testing.T) {
	rules := []notify.Rule{
		{Name: "nobody", Event: notify.NoWorker, Wait: 5 * time.Minute},
		{Name: "orders", Event: notify.NoWorker, Wait: 5 * time.Minute, Filter: notify.Filter{Queues: []string{"orders", "default"}}},
		{Name: "lost", Event: notify.WorkerLost, GroupBy: []string{notify.LabelWorker}},
	}
	each(t, func(w *world) {
		f := storetest.NewFactory(w, w.store)
		spec := f.Spec(storetest.WorkerOpts{Name: "ann"})
		spec.Queues, spec.Lease = []string{"default"}, time.Minute
		ann, err := w.store.RegisterWorker(w.Context(), spec)
		if err != nil {
			w.Fatal(err)
		}
		beat := func(d time.Duration) {
			for range int(d / time.Minute) {
				w.pass(time.Minute)
				if _, err := w.store.Beat(w.Context(), workqueue.BeatParams{WorkerID: ann.ID, InstanceID: ann.InstanceID, Lease: time.Minute}); err != nil {
					w.Fatal(err)
				}
				w.evaluate()
			}
		}
		beat(10 * time.Minute)
		m := w.full()
		if len(m) != 1 || m[0].Rule != "orders" || !strings.Contains(m[0].Text, "serves the queue orders") {
			w.Fatalf("messages = %+v, want one: no worker serves orders", m)
		}
		w.minutes(10 * time.Minute) // ann has died
		w.want("firing lost worker=ann 0/0", "firing nobody  0/0")
		beat(2 * time.Minute) // and was only frozen
		got := w.messages()
		slices.Sort(got)
		if want := []string{"resolved lost worker=ann 0/0", "resolved nobody  0/0"}; !slices.Equal(got, want) {
			w.Errorf("messages = %q, want %q", got, want)
		}
		if err := w.store.StopWorker(w.Context(), ann.ID, ann.InstanceID); err != nil {
			w.Fatal(err)
		}
		w.minutes(3 * time.Minute)
		w.want() // it stopped as it should, and not for long enough
	}, rules...)
}

// While no process evaluates, nobody can be told. The first evaluation afterwards does.
func TestAbsenceIsReportedAfterwards(t *testing.T) {
	each(t, func(w *world) {
		w.pass(3 * time.Hour)
		storetest.NewFactory(w, w.store).Worker(storetest.WorkerOpts{})
		w.minutes(time.Minute)
		m := w.full()
		if len(m) != 1 || !strings.Contains(m[0].Text, "no worker was alive from 2026-01-15 12:00:00 to 2026-01-15 15:01:00 UTC") || !m[0].StartedAt.Equal(noon) {
			w.Fatalf("messages = %+v, want the time without a worker", m)
		}
		w.minutes(time.Minute)
		w.want("resolved nobody  0/0")
	}, notify.Rule{Name: "nobody", Event: notify.NoWorker, Wait: 5 * time.Minute})
}

// A failed run is over when its pipeline has succeeded, not when time has passed.
func TestFailedRunEndsWithASuccess(t *testing.T) {
	each(t, func(w *world) {
		worker := storetest.NewFactory(w, w.store).Worker(storetest.WorkerOpts{})
		runOf := func(pipeline string, end workqueue.RunEnd) {
			w.Helper()
			w.pass(time.Second)
			id, err := w.store.StartRun(w.Context(), workqueue.PipelineRun{Pipeline: pipeline, Trigger: "cron", WorkerID: &worker.ID})
			if err != nil {
				w.Fatal(err)
			}
			if err := w.store.FinishRun(w.Context(), id, end); err != nil {
				w.Fatal(err)
			}
		}
		bad := workqueue.RunEnd{Outcome: workqueue.RunFailed, Step: "load", Error: "boom"}
		runOf("Nightly", bad)
		w.minutes(time.Minute)
		m := w.full()
		if len(m) != 1 || m[0].Count != 1 || len(m[0].Samples) != 1 || m[0].Samples[0].Text != "boom" || m[0].Samples[0].Step != "load" || m[0].Samples[0].RunID == 0 {
			w.Fatalf("messages = %+v, want one with the run, its step and its error", m)
		}
		runOf("Other", workqueue.RunEnd{Outcome: workqueue.RunSucceeded})
		w.minutes(2 * time.Hour)
		w.want()
		runOf("Nightly", workqueue.RunEnd{Outcome: workqueue.RunSucceeded})
		w.minutes(time.Minute)
		w.want("resolved runs  0/1")
	}, notify.Rule{Name: "runs", Event: notify.RunFailed})
}

func TestRaisedEvents(t *testing.T) {
	each(t, func(w *world) {
		err := w.store.RaiseEvents(w.Context(), []workqueue.Event{
			{Kind: "escalation", Queue: "orders", Pipeline: "ship", ItemID: 7, Detail: "waits for two hours"},
			{Kind: "disk-low", Worker: "ann", Detail: "/var: 1 MiB free"}, {Kind: "of another version"},
		})
		if err != nil {
			w.Fatal(err)
		}
		w.minutes(time.Minute)
		m := w.full()
		if len(m) != 2 || m[0].Rule != "escalated" || m[0].Samples[0].ItemID != 7 || m[0].Samples[0].Text != "waits for two hours" || m[1].Rule != "disks" || m[1].Group != "worker=ann" {
			w.Errorf("messages = %+v, want one for each event that has a rule", m)
		}
		w.minutes(5 * time.Minute)
		w.want()
	}, notify.Rule{Name: "escalated", Event: notify.Escalation}, notify.Rule{Name: "disks", Event: notify.DiskLow, GroupBy: []string{notify.LabelWorker}})
}

// Backlogs, waits, rates and deadlines.
func TestConditionsOfItems(t *testing.T) {
	rules := []notify.Rule{
		{Name: "many", Event: notify.Backlog, Bounds: notify.Bounds{Items: 10}},
		{Name: "old", Event: notify.Oldest, Bounds: notify.Bounds{Age: 30 * time.Minute}, Filter: notify.Filter{Queues: []string{"orders"}}},
		{Name: "rate", Event: notify.FailureRate, GroupBy: []string{notify.LabelQueue}},
		{Name: "risk", Event: notify.DeadlineAtRisk, Bounds: notify.Bounds{Within: 10 * time.Minute}},
	}
	each(t, func(w *world) {
		f := storetest.NewFactory(w, w.store)
		ids := f.Items(12, storetest.ItemOpts{Queue: "orders"})
		f.Items(10, storetest.ItemOpts{})
		w.minutes(2 * time.Minute)
		w.want("firing many queue=orders 0/0")
		w.minutes(31 * time.Minute)
		w.want("firing old queue=orders 0/0")
		if _, err := w.store.ChangeItems(w.Context(), workqueue.ItemFilter{IDs: ids}, workqueue.Change{Action: workqueue.Cancel}); err != nil {
			w.Fatal(err)
		}
		w.minutes(2 * time.Minute)
		got := w.messages()
		slices.Sort(got)
		if want := []string{"resolved many queue=orders 0/0", "resolved old queue=orders 0/0"}; !slices.Equal(got, want) {
			w.Errorf("messages = %q, want %q", got, want)
		}
		risk := f.Item(storetest.ItemOpts{Queue: "orders", Deadline: w.now().Add(20 * time.Minute)})
		w.minutes(8 * time.Minute)
		w.want()
		w.minutes(5 * time.Minute)
		m := w.full()
		if len(m) != 1 || m[0].Rule != "risk" || len(m[0].Samples) != 1 || m[0].Samples[0].ItemID != risk.ID {
			w.Errorf("messages = %+v, want one with the item whose deadline is near", m)
		}
		worker := f.Worker(storetest.WorkerOpts{})
		for range 12 {
			it := f.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: worker})
			_, err := w.store.Finish(w.Context(), worker.ID, worker.InstanceID, []workqueue.Finish{{
				ItemID: it.ID, Fence: it.Fence, QueueName: it.QueueName, Pipeline: it.IntegrationConfig, State: workqueue.Cancelled, RetryCount: 1, Error: "boom", ErrorKind: workqueue.KindError,
				Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "failed"},
			}})
			if err != nil {
				w.Fatal(err)
			}
		}
		w.minutes(3 * time.Minute)
		m = w.full()
		if len(m) != 1 || m[0].Rule != "rate" || m[0].Group != "queue=default" || !strings.Contains(m[0].Text, "12 of 12 attempts failed") {
			w.Errorf("messages = %+v, want the rate of the queue default", m)
		}
	}, rules...)
}

// Processes that evaluate at the same time send each message once.
func TestEvaluatorsContend(t *testing.T) {
	each(t, func(w *world) {
		stores := []*sqlstore.Store{w.store, w.open(nil), w.open(nil), w.open(nil)}
		for round := range 5 {
			w.pass(time.Hour)
			w.fail(7, "orders")
			w.pass(time.Second)
			var all sync.WaitGroup
			for _, s := range stores {
				all.Go(func() {
					e := notify.Evaluator{Store: s, Rules: w.rules, By: "test"}
					if _, err := e.Evaluate(w.Context()); err != nil && !errors.Is(err, workqueue.ErrEvaluated) {
						w.Error(err)
					}
				})
			}
			all.Wait()
			w.evaluate()
			sum := int64(0)
			for _, m := range w.full() {
				sum += m.Count
			}
			if sum != 7 {
				w.Errorf("round %d: the messages count %d failures, want 7", round, sum)
			}
		}
	}, notify.Rule{Name: "failures", Event: notify.ItemCancelled, Repeat: time.Minute, RecoverAfter: 24 * time.Hour})
}

// A process that dies after any of its statements has sent everything or nothing, and the next one sends
// the rest: no message is lost, and none is there twice.
func TestEvaluatorDiesAtEachStatement(t *testing.T) {
	each(t, func(w *world) {
		for n := 1; ; n++ {
			w.pass(time.Hour)
			w.fail(3, "orders")
			w.pass(time.Second)
			ctx, die := context.WithCancel(w.Context())
			statements := 0
			var mu sync.Mutex
			s := w.open(func(string, time.Duration, error) {
				mu.Lock()
				defer mu.Unlock()
				if statements++; statements == n {
					die()
				}
			})
			statements = 0 // those of opening do not count
			e := notify.Evaluator{Store: s, Rules: w.rules, By: "dying"}
			_, err := e.Evaluate(ctx)
			dead := ctx.Err() != nil
			die()
			w.evaluate()
			var sum int64
			for _, m := range w.full() {
				sum += m.Count
			}
			if sum != 3 {
				w.Fatalf("dead after statement %d (%v): the messages count %d failures, want 3", n, err, sum)
			}
			if !dead {
				if n < 8 {
					w.Fatalf("an evaluation has only %d statements; the test watches the wrong ones", n)
				}
				return
			}
		}
	}, notify.Rule{Name: "failures", Event: notify.ItemCancelled, Repeat: time.Minute, RecoverAfter: 24 * time.Hour})
}
