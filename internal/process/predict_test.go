package process_test

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"pgregory.net/rapid"

	"botwork/handlers"
	"botwork/handlers/builtin"
	"botwork/handlers/queue"
	"botwork/internal/database"
	"botwork/internal/process"
	"botwork/internal/testdb"
	"botwork/internal/testgroup"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/sqlstore"
)

// scenario is a random scenario: workers, the items that are enqueued, and the time at which the
// expected start of each item is read.
type scenario struct {
	Wake    bool
	Shares  map[string]int // of queues that compete
	Workers []workerSpec
	Before  []job         // enqueued before some of it has run
	Asked   time.Duration // when the expected starts are read, after the first items were enqueued
	After   []job         // enqueued just before that
	Results time.Duration // how long the result of an item waits until it is written
	Passes  time.Duration // how long a pass waits
}

// workerSpec is a worker.
type workerSpec struct{ Slots, Reserved int }

// job is one or more equal items.
type job struct {
	Priority, Count int
	Takes           time.Duration
	Queue           string // "": the default
}

// lateStore is a store in which results of items and passes wait for a moment before they are written.
type lateStore struct {
	*sqlstore.Store
	results, passes time.Duration
}

func (s lateStore) Finish(ctx context.Context, workerID int64, instanceID string, finishes []workqueue.Finish) ([]int64, error) {
	time.Sleep(s.results)
	return s.Store.Finish(ctx, workerID, instanceID, finishes)
}

func (s lateStore) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	time.Sleep(s.passes)
	return s.Store.ReadUnlocked(ctx, read)
}

// The ticks of the pipelines.
const (
	mediumTick = time.Minute
	lowTick    = 10 * time.Minute
)

// drawScenario draws a scenario in which items of the same priority take equally long, because
// the order in which a pass assigns equally urgent items depends on other items.
func drawScenario(t *rapid.T, before, behind []int) scenario {
	takes := map[int]time.Duration{}
	for _, priority := range slices.Concat(lowOnes, mediumOnes) {
		seconds := rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(20, 400)).Draw(t, fmt.Sprintf("seconds of %d", priority))
		takes[priority] = time.Duration(seconds) * time.Second
	}
	jobs := func(name string, most int, priorities []int) []job {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) job {
			priority := rapid.SampledFrom(priorities).Draw(t, "priority")
			return job{Priority: priority, Count: rapid.IntRange(1, 3).Draw(t, "count"), Takes: takes[priority]}
		}), 0, most).Draw(t, name)
	}
	s := scenario{Wake: rapid.Bool().Draw(t, "wake")}
	s.Workers = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) workerSpec {
		slots := rapid.IntRange(1, 4).Draw(t, "slots")
		return workerSpec{slots, rapid.IntRange(0, min(slots-1, 1)).Draw(t, "reserved")}
	}), 1, 3).Draw(t, "workers")
	s.Before = jobs("before", 10, before)
	s.Asked = time.Duration(rapid.IntRange(1, 400).Draw(t, "asked")) * time.Second
	s.After = jobs("behind", 5, behind)
	return s
}

// pipeline is the text of a pipeline that assigns and runs a band.
func (s *scenario) pipeline(cron string, steps ...string) string {
	text := fmt.Sprintf("trigger: {cron: %q, atStart: true, wake: %t, scope: each-worker}\nsteps:\n", cron, s.Wake)
	for _, step := range steps {
		handler, with, _ := strings.Cut(step, " ")
		text += fmt.Sprintf("  - {handler: %s, with: {%s}}\n", handler, with)
	}
	return text
}

// expectation is the expected and the actual start of an item.
type expectation struct {
	id       int64
	priority int
	queue    string
	text     string
	expected *time.Time
	started  time.Time
}

// run runs the scenario.
func (s *scenario) run(t *testing.T, dsn string) (asked time.Time, list []expectation) {
	open := func() *sqlstore.Store {
		store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: testdb.Unsynced(database.SQLite, dsn), Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Errorf("close store: %v", err)
			}
		})
		return store
	}
	var mu sync.Mutex
	started := map[int64]time.Time{}
	nap := func(_ context.Context, call *handlers.Call) (any, error) {
		mu.Lock()
		started[call.ItemID] = time.Now()
		mu.Unlock()
		seconds, ok := call.Payload.(map[string]any)["seconds"].(int)
		if !ok {
			return nil, fmt.Errorf("payload %v", call.Payload)
		}
		time.Sleep(time.Duration(seconds) * time.Second)
		return nil, nil
	}
	files := map[string]string{
		"Medium": s.pipeline("* * * * *", "AssignTasksToWorker minPriority: 500, workers: available",
			"ExecuteWorkItems abovePriority: 1000", "ExecuteWorkItems minPriority: 500"),
		"Low": s.pipeline("*/10 * * * *", "AssignTasksToWorker belowPriority: 500, workers: available", "ExecuteWorkItems belowPriority: 500"),
		"nap": "steps:\n  - handler: Nap\n",
	}
	store := open()
	for queue, share := range s.Shares {
		q := workqueue.Queue{Name: queue, Distribution: workqueue.JSONText(fmt.Sprintf(`{"share":%d}`, share))}
		if _, err := store.DefineQueues(t.Context(), []workqueue.Queue{q}, "a test"); err != nil {
			t.Fatal(err)
		}
	}
	var params assign.WhyParams
	for i, seat := range s.Workers {
		link := &process.Link{}
		registry := builtin.Registry(builtin.Resources{})
		registry.MustRegister(queue.Kinds(link.Services())...)
		registry.MustRegister(handlers.Kind{Name: "Nap", New: func() handlers.Handler { return &step{do: nap} }})
		catalogue := pipelines.NewCatalogue(pipelines.NewCompiler(registry, pipelines.Options{}))
		for name, text := range files {
			if err := catalogue.Add(name+".yaml", []byte(text)).Err(); err != nil {
				t.Fatal(err)
			}
		}
		name := fmt.Sprintf("bot-%d", i+1)
		p, err := process.New(t.Context(), process.Options{
			Store: lateStore{open(), s.Results, s.Passes}, Link: link, Catalogue: catalogue, Log: zerolog.Nop(),
			Engine:    pipelines.NewEngine(pipelines.EngineOptions{WorkerName: name, Log: zerolog.Nop()}),
			Spec:      workqueue.WorkerSpec{Name: name, Version: "test", Capacity: seat.Slots, ReservedSlots: seat.Reserved, Lease: time.Minute},
			Heartbeat: 20 * time.Second, ShutdownGrace: patience,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := p.Stop(context.WithoutCancel(t.Context())); err != nil {
				t.Errorf("stop %s: %v", name, err)
			}
		})
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		var leftOut []error
		params.Profiles = link.Services().Profiles
		params.Pipelines, leftOut = queue.SystemPipelines(link.Services(), catalogue.All(), zerolog.Nop())
		if len(leftOut) > 0 {
			t.Fatal(leftOut)
		}
	}
	time.Sleep(5 * time.Second)   // the runs at the start are over
	enqueue := func(jobs []job) { // in one call: no item starts before the others are there
		var items []workqueue.NewItem
		for _, j := range jobs {
			it := workqueue.NewItem{
				QueueName: j.Queue, IntegrationConfig: "nap", Priority: j.Priority, Estimate: j.Takes, State: workqueue.Pending,
				Payload: workqueue.JSONText(fmt.Sprintf(`{"seconds": %d}`, j.Takes/time.Second)),
			}
			items = append(items, slices.Repeat([]workqueue.NewItem{it}, j.Count)...)
		}
		if _, err := store.Enqueue(t.Context(), items); err != nil {
			t.Fatal(err)
		}
	}
	enqueue(s.Before)
	time.Sleep(s.Asked)
	synctest.Wait()
	enqueue(s.After)
	asked = time.Now()
	waits := []workqueue.State{workqueue.Ready, workqueue.Pending, workqueue.Assigned}
	waiting, err := store.Items(t.Context(), workqueue.ItemFilter{States: waits, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range waiting {
		r, err := assign.Why(t.Context(), store, it.ID, params)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, expectation{id: it.ID, priority: it.Priority, queue: it.QueueName, text: fmt.Sprintf("expected %s; %s: %s", r.Expected, r.Kind, r.Text), expected: r.ExpectedAt})
	}
	for time.Since(asked) < 24*time.Hour {
		left, err := store.Items(t.Context(), workqueue.ItemFilter{States: append(waits, workqueue.Blocked), Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			break
		}
		time.Sleep(mediumTick)
	}
	for i := range list {
		list[i].started = started[list[i].id]
	}
	return asked, list
}

// The priorities of the two pipelines.
var lowOnes, mediumOnes = []int{100, 499}, []int{500, 700, 1000, 1001, 1600}

// Why returns when each item starts, whatever runs and waits: with exact estimates its error is
// at most a tick of the item's pipeline, and a minute if the pipeline has wake: true.
func TestExpectedStarts(t *testing.T) {
	testgroup.Check(t, 4, func(rt *rapid.T) {
		of := []int{rapid.SampledFrom(slices.Concat(lowOnes, mediumOnes)).Draw(rt, "of")}
		s := drawScenario(rt, of, of)
		s.checkStarts(t, rt)
	})
}

// The same with items of all priorities: a slot that becomes free goes to the most urgent one.
func TestExpectedStartsWithPriorities(t *testing.T) {
	testgroup.Check(t, 4, func(rt *rapid.T) {
		all := slices.Concat(lowOnes, mediumOnes)
		s := drawScenario(rt, all, all)
		s.checkStarts(t, rt)
	})
}

// A slot that becomes free goes to the most urgent item, although no pass counts it as free until the result of the
// item that ran in it is written.
func TestExpectedStartsWhileResultsAreWritten(t *testing.T) {
	const ms = time.Millisecond
	s := scenario{
		Wake: true, Before: []job{{Priority: 100, Count: 2, Takes: 161 * time.Second}}, Asked: 44 * time.Second,
		After: []job{{Priority: 499, Count: 2, Takes: 280 * time.Second}, {Priority: 1000, Count: 5, Takes: 7 * time.Second}},
	}
	for _, s.Workers = range [][]workerSpec{{{Slots: 4, Reserved: 1}}, {{Slots: 2}, {Slots: 2}}} {
		for _, s.After[1].Queue = range []string{"", "mail"} {
			s.Shares = nil
			if s.After[1].Queue != "" { // no worker assigns items of a queue with a share to itself
				s.Shares = map[string]int{"mail": 1, "shop": 1}
			}
			waits := [][2]time.Duration{{3 * ms, 2 * ms}, {2 * time.Second, 2 * ms}, {0, 0}, {ms, 2 * ms}, {50 * ms, 40 * ms}}
			for _, wait := range waits[:testgroup.Cases(2, len(waits))] {
				s.Results, s.Passes = wait[0], wait[1]
				if wrong, starts := s.compare(t); wrong > 0 {
					t.Errorf("workers %v, shares %v, results wait %s, passes %s: %d starts were not as expected:\n%s", s.Workers, s.Shares, s.Results, s.Passes, wrong, starts)
				}
			}
		}
	}
}

// The same with queues that compete by their shares.
func TestExpectedStartsWithShares(t *testing.T) {
	testgroup.Check(t, 4, func(rt *rapid.T) {
		kind := []int{500, 700, 1000}
		s := drawScenario(rt, kind, kind)
		s.Shares = map[string]int{"mail": rapid.IntRange(1, 5).Draw(rt, "share of mail"), "shop": rapid.IntRange(1, 5).Draw(rt, "share of shop")}
		for _, jobs := range [][]job{s.Before, s.After} {
			for i := range jobs {
				jobs[i].Queue = rapid.SampledFrom([]string{"mail", "shop", ""}).Draw(rt, "queue")
			}
		}
		s.checkStarts(t, rt)
	})
}

// checkStarts runs the scenario and reports the starts that were not as expected. If slots of
// several workers become free at the same moment and some are reserved, the worker that makes
// the first pass decides which worker runs the next item. All such outcomes are correct, so one
// of several runs must be as expected.
func (s *scenario) checkStarts(t *testing.T, rt *rapid.T) {
	attempts := 1
	if len(s.Workers) > 1 && slices.ContainsFunc(s.Workers, func(w workerSpec) bool { return w.Reserved > 0 }) {
		attempts = maxAttempts
	}
	var wrong int
	var starts string
	for range attempts {
		if wrong, starts = s.compare(t); wrong == 0 {
			return
		}
	}
	rt.Errorf("in each of %d runs some starts were not as expected, in the last one %d:\n%s", attempts, wrong, starts)
}

// maxAttempts is how often a scenario with several correct outcomes is run. Usually each outcome
// occurs within a few runs; 40 allow for rare ones.
const maxAttempts = 40

// compare runs the scenario once, and returns how many starts were not as expected, with a line
// for each start.
func (s *scenario) compare(t *testing.T) (wrong int, starts string) {
	dsn := filepath.Join(t.TempDir(), "botwork.db")
	testdb.Prepare(t, database.SQLite, dsn)
	var asked time.Time
	var list []expectation
	synctest.Test(t, func(t *testing.T) { asked, list = s.run(t, dsn) })
	// Items of the same priority are interchangeable: the first expected start is compared with
	// the first actual one, and so on.
	byPriority := func(a, b expectation) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.queue, b.queue))
	}
	slices.SortFunc(list, func(a, b expectation) int { return cmp.Or(byPriority(a, b), a.started.Compare(b.started)) })
	expected := slices.Clone(list)
	slices.SortFunc(expected, func(a, b expectation) int { return cmp.Or(byPriority(a, b), a.at().Compare(b.at())) })
	var all strings.Builder
	for i, f := range list {
		most := mediumTick
		if f.priority < 500 && !s.Wake {
			most = lowTick
		}
		mark := " "
		if expected[i].expected == nil || expected[i].at().Sub(f.started).Abs() > most {
			mark, wrong = "*", wrong+1
		}
		fmt.Fprintf(&all, "%s priority %d: item %d started after %s; expected for item %d: %s\n",
			mark, f.priority, f.id, f.started.Sub(asked), expected[i].id, expected[i].text)
	}
	return wrong, all.String()
}

// at returns when the item was expected to start; if unknown, a time in the far future.
func (f *expectation) at() time.Time {
	if f.expected == nil {
		return time.Time{}.AddDate(9999, 0, 0)
	}
	return *f.expected
}
