package runner_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// runs counts the runs of each item.
type runs struct {
	mu    sync.Mutex
	count map[int64]int
	order []int64
}

func (r *runs) add(id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == nil {
		r.count = map[int64]int{}
	}
	r.count[id]++
	r.order = append(r.order, id)
}

// total returns how many items have begun.
func (r *runs) total() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.order)
}

// wantOnce checks that each of the items ran exactly once, and no other.
func (r *runs) wantOnce(t *testing.T, ids []int64) {
	t.Helper()
	want := map[int64]int{}
	for _, id := range ids {
		want[id] = 1
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if diff := cmp.Diff(want, r.count); diff != "" {
		t.Errorf("runs of each item: -want +got\n%s", diff)
	}
}

func TestRunnerRunsEachItemOnce(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		o := options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(it.ID)
			time.Sleep(time.Millisecond)
			return workqueue.Outcome{Output: `{"done":true}`}
		})
		o.Spec.Capacity = 4
		r := start(t, o)
		ids := enqueue(t, store, 50, workqueue.NewItem{Estimate: time.Second})
		if got := assignTo(t, r, assign.AssignParams{}); got.Assigned != 50 || got.Workers != 1 {
			t.Fatalf("pass: %+v, want 50 items for 1 worker", got)
		}
		if got := execute(t, r, runner.ExecuteParams{}); got != (runner.ExecuteResult{Succeeded: 50}) {
			t.Errorf("Execute = %+v, want 50 successes", got)
		}
		ran.wantOnce(t, ids)
		for _, id := range ids {
			if it := wantItem(t, store, id, workqueue.Processed, 0); it.Output != `{"done":true}` {
				t.Errorf("output of item %d = %s", id, it.Output)
			}
		}
		if got := execute(t, r, runner.ExecuteParams{}); got != (runner.ExecuteResult{}) {
			t.Errorf("Execute with nothing assigned = %+v", got)
		}
	})
}

func TestRunnerRunsItsBandByPriority(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		r := start(t, options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(int64(it.Priority))
			return workqueue.Outcome{}
		}))
		for _, priority := range []int{499, 1000, 500, 1001, 2000, 0} {
			enqueue(t, store, 1, workqueue.NewItem{Priority: priority})
		}
		assignTo(t, r, assign.AssignParams{})
		high, medium, low := 1000, 500, 500
		above, _ := workqueue.NewBand(nil, &high, nil)
		from, _ := workqueue.NewBand(&medium, nil, nil)
		below, _ := workqueue.NewBand(nil, nil, &low)
		for _, test := range []struct {
			band workqueue.Band
			want []int64
		}{{above, []int64{2000, 1001}}, {from, []int64{1000, 500}}, {below, []int64{499, 0}}} {
			ran.order = nil
			execute(t, r, runner.ExecuteParams{Band: test.band})
			if diff := cmp.Diff(test.want, ran.order); diff != "" {
				t.Errorf("%v ran in another order: -want +got\n%s", test.band, diff)
			}
		}
	})
}

func TestRunnerLimitsAttempts(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		attempts := 0
		r := start(t, options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			if attempts++; it.Attempt() != attempts {
				t.Errorf("Attempt() = %d, want %d", it.Attempt(), attempts)
			}
			return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindError, Error: "boom", Step: "load"}
		}))
		id := enqueue(t, store, 1, workqueue.NewItem{ResilienceConfig: `{"limit": 3, "delay": "1m", "jitter": 0}`})[0]
		for n := 1; n <= 3; n++ {
			assignTo(t, r, assign.AssignParams{})
			if got := execute(t, r, runner.ExecuteParams{}); got != (runner.ExecuteResult{Failed: 1}) {
				t.Fatalf("attempt %d: %+v", n, got)
			}
			if n < 3 {
				wantItem(t, store, id, workqueue.Ready, n)
			}
			if got := assignTo(t, r, assign.AssignParams{}); got.Assigned != 0 {
				t.Fatalf("assigned again before its backoff was over")
			}
			time.Sleep(2 * time.Minute)
		}
		it := wantItem(t, store, id, workqueue.Cancelled, 3)
		if it.Error == nil || *it.Error != "boom" || *it.ErrorKind != workqueue.KindError {
			t.Errorf("error %v of kind %v, want boom", it.Error, it.ErrorKind)
		}
		if got := assignTo(t, r, assign.AssignParams{}); got.Assigned != 0 {
			t.Errorf("a cancelled item was assigned")
		}
		notes, err := store.Attempts(t.Context(), id)
		if err != nil || len(notes) != 3 {
			t.Fatalf("%d attempts recorded (%v), want 3", len(notes), err)
		}
		for i, n := range notes {
			if n.Attempt != i+1 || n.Outcome != "failed" || n.Step == nil || *n.Step != "load" {
				t.Errorf("attempt %d is recorded as %+v", i+1, n)
			}
		}
	})
}

func TestRunnerPanicIsAFailedAttempt(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		r := start(t, options(store, "ann", func(context.Context, *workqueue.Run) workqueue.Outcome { panic("no such luck") }))
		id := enqueue(t, store, 1, workqueue.NewItem{})[0]
		assignTo(t, r, assign.AssignParams{})
		if got := execute(t, r, runner.ExecuteParams{}); got != (runner.ExecuteResult{Failed: 1}) {
			t.Errorf("Execute = %+v", got)
		}
		it := wantItem(t, store, id, workqueue.Ready, 1)
		if it.ErrorKind == nil || *it.ErrorKind != workqueue.KindPanic || !strings.Contains(*it.Error, "no such luck") {
			t.Errorf("error %v of kind %v, want the panic", it.Error, it.ErrorKind)
		}
	})
}

func TestRunnerSnoozeCountsNoAttempt(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		r := start(t, options(store, "ann", func(context.Context, *workqueue.Run) workqueue.Outcome {
			return workqueue.Outcome{Verdict: workqueue.Snoozed, After: time.Hour}
		}))
		id := enqueue(t, store, 1, workqueue.NewItem{})[0]
		assignTo(t, r, assign.AssignParams{})
		began := time.Now()
		if got := execute(t, r, runner.ExecuteParams{}); got != (runner.ExecuteResult{Snoozed: 1}) {
			t.Errorf("Execute = %+v", got)
		}
		if it := wantItem(t, store, id, workqueue.Ready, 0); it.AvailableAt.Sub(began).Round(time.Second) != time.Hour {
			t.Errorf("due in %s, want 1h", it.AvailableAt.Sub(began))
		}
	})
}

func TestTwoRunnersShareTheItems(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		each := map[string]int{}
		begin := func(name string) *runner.Runner {
			o := options(store, name, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
				ran.add(it.ID)
				ran.mu.Lock()
				each[name]++
				ran.mu.Unlock()
				time.Sleep(time.Second)
				return workqueue.Outcome{}
			})
			o.Spec.Capacity = 4
			return start(t, o)
		}
		ann, bob := begin("ann"), begin("bob")
		ids := enqueue(t, store, 300, workqueue.NewItem{})
		p := assign.AssignParams{Horizon: 30 * time.Second}
		assignTo(t, ann, p)
		assignTo(t, bob, p)
		refill := runner.ExecuteParams{Refill: true}
		total := 0
		for _, done := range []<-chan executeAnswer{background(t, ann, refill), background(t, bob, refill)} {
			got := <-done
			if got.err != nil {
				t.Error(got.err)
			}
			total += got.Succeeded
		}
		if total != 300 {
			t.Errorf("%d successes are counted, want 300", total)
		}
		ran.wantOnce(t, ids)
		if diff := cmp.Diff(map[workqueue.State]int{workqueue.Processed: 300}, states(t, store)); diff != "" {
			t.Errorf("states: -want +got\n%s", diff)
		}
		for name, n := range each {
			if n < 100 {
				t.Errorf("%s ran %d of 300, want about half (%v)", name, n, each)
			}
		}
	})
}

func TestExecuteRefillsBeyondTheHorizon(t *testing.T) {
	low, medium := workqueue.Band{Min: workqueue.EveryPriority.Min, Max: 499}, workqueue.Band{Min: 500, Max: workqueue.EveryPriority.Max}
	pass := func(b workqueue.Band) assign.AssignParams {
		return assign.AssignParams{Band: b, Horizon: 20 * time.Second, DefaultEstimate: 10 * time.Second}
	}
	tests := []struct {
		name   string
		passes []workqueue.Band // the first one assigns the items
		refill bool
		want   int
	}{
		{"no refill", []workqueue.Band{medium}, false, 2},
		{"refill", []workqueue.Band{medium}, true, 10},
		{"pass of another band in between", []workqueue.Band{medium, low}, true, 10},
		{"pass of all bands", []workqueue.Band{{}}, true, 10},
		{"no pass of the band", []workqueue.Band{low}, true, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				r := start(t, options(store, "ann", func(context.Context, *workqueue.Run) workqueue.Outcome {
					time.Sleep(time.Second)
					return workqueue.Outcome{}
				}))
				enqueue(t, store, 10, workqueue.NewItem{Priority: 500})
				for _, band := range test.passes {
					assignTo(t, r, pass(band))
				}
				if got := execute(t, r, runner.ExecuteParams{Band: medium, Refill: test.refill}); got.Succeeded != test.want {
					t.Errorf("%d items ran, want %d", got.Succeeded, test.want)
				}
			})
		})
	}
}

func TestSlotsAreSharedByPriority(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		r := start(t, options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(int64(it.Priority))
			time.Sleep(time.Minute)
			return workqueue.Outcome{}
		}))
		enqueue(t, store, 3, workqueue.NewItem{Priority: 100})
		assignTo(t, r, assign.AssignParams{Workers: assign.AvailableWorkers})
		low := background(t, r, runner.ExecuteParams{Band: workqueue.Band{Min: workqueue.EveryPriority.Min, Max: 499}})
		time.Sleep(time.Second) // the first low item fills the worker, the next one waits in line
		enqueue(t, store, 2, workqueue.NewItem{Priority: 1001})
		assignTo(t, r, assign.AssignParams{Band: workqueue.Band{Min: 500, Max: 5000}})
		high := background(t, r, runner.ExecuteParams{Band: workqueue.Band{Min: 1001, Max: 5000}})
		for _, done := range []<-chan executeAnswer{low, high} {
			if got := <-done; got.err != nil {
				t.Error(got.err)
			}
		}
		if diff := cmp.Diff([]int64{100, 1001, 1001, 100, 100}, ran.order); diff != "" {
			t.Errorf("order of priorities: -want +got\n%s", diff)
		}
	})
}

func TestNewRejectsInvalidOptions(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		for name, change := range map[string]func(*runner.Options){
			"a store":  func(o *runner.Options) { o.Store = nil },
			"run item": func(o *runner.Options) { o.RunItem = nil },
			"capacity": func(o *runner.Options) { o.Spec.Capacity = 0 },
			"heartbeat 31s": func(o *runner.Options) {
				o.Heartbeat = 31 * time.Second
			},
			"heartbeat 0s": func(o *runner.Options) { o.Heartbeat = 0 },
		} {
			o := options(store, "ann", succeed)
			change(&o)
			want := name
			if name == "run item" {
				want = "a way to run items"
			}
			if _, err := runner.New(o); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want an error that names it", name, err)
			}
		}
		r, err := runner.New(options(store, "ann", succeed))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Stop(t.Context()); err != nil {
			t.Errorf("stop before start: %v", err)
		}
	})
}

func TestConcurrentPassesDoNotOverfillWorkers(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var runners []*runner.Runner
		for _, name := range []string{"ann", "bob", "cyd", "dee"} {
			runners = append(runners, start(t, options(store, name, succeed)))
		}
		enqueue(t, store, 100, workqueue.NewItem{Estimate: time.Second})
		var all sync.WaitGroup
		for _, r := range runners {
			all.Go(func() {
				p := assign.AssignParams{MaxPerWorker: 5, Workers: assign.AvailableWorkers}
				if _, err := r.Assign(t.Context(), p); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		items, err := store.Items(t.Context(), workqueue.ItemFilter{States: []workqueue.State{workqueue.Assigned}})
		if err != nil {
			t.Fatal(err)
		}
		got, want := map[int64]int{}, map[int64]int{}
		for _, it := range items {
			got[*it.WorkerID]++
		}
		for _, r := range runners {
			want[r.Worker().ID] = 5
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("items of each worker: -want +got\n%s", diff)
		}
	})
}
