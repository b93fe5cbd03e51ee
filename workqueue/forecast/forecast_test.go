package forecast

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/learned"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// emptyPresent is a present of workers with these slots, whose pipeline wakes.
func emptyPresent(slots ...int) *Present {
	band := workqueue.EveryPriority
	s := &assign.Situation{At: noon, DefaultEstimate: 10 * time.Second, Pipelines: []assign.SystemPipeline{{
		Name: "Wakes", Wake: true, Bands: []workqueue.Band{band}, Passes: []assign.AssignParams{{Band: band, FreeSlots: true}},
	}}}
	for n, capacity := range slots {
		s.Workers = append(s.Workers, assign.SimWorker{WorkerLoad: workqueue.WorkerLoad{WorkerID: int64(n + 1), Name: fmt.Sprintf("w%d", n+1), Capacity: capacity, AvailableSince: noon}})
	}
	return &Present{situation: s, queues: map[string]*workqueue.Queue{"default": {Name: "default"}}, learned: map[learned.Key]*learned.Duration{}, failures: map[string]failureRate{}}
}

func (r *Present) add(id int64, priority int, pipeline string, change func(*assign.SimItem)) {
	it := assign.SimItem{HeldItem: workqueue.HeldItem{DueItem: workqueue.DueItem{ID: id, Priority: priority, Due: noon.Add(-time.Minute), QueueName: "default", Pipeline: pipeline}}}
	if change != nil {
		change(&it)
	}
	r.situation.Add(it)
}

// learn makes a pipeline have learned these runs.
func (r *Present) learn(pipeline string, runs ...time.Duration) {
	key := learned.Key{Kind: learned.OfPipeline, Pipeline: pipeline}
	d := &learned.Duration{Key: key}
	for _, took := range runs {
		d.Add(learned.Run{Took: took})
	}
	r.learned[key] = d
}

// constant makes a pipeline have learned that all runs take equally long, without a doubt.
func (r *Present) constant(pipeline string, took time.Duration) {
	r.learn(pipeline, took, took, took)
	r.learned[learned.Key{Kind: learned.OfPipeline, Pipeline: pipeline}].Runs = 1_000_000
}

// estimateAsLearned makes the passes estimate by what was learned.
func (r *Present) estimateAsLearned(t testing.TB) {
	t.Helper()
	store := learnedStore{}
	for key, d := range r.learned {
		store[key] = learned.Typical{Runs: d.Runs, Mean: d.Mean()}
	}
	estimates := learned.NewEstimates(store)
	if err := estimates.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.situation.Pipelines[0].Passes[0].Learned = estimates
}

type learnedStore map[learned.Key]learned.Typical

func (s learnedStore) Learned(context.Context) (map[learned.Key]learned.Typical, error) {
	return s, nil
}

func (r *Present) mustMake(t interface {
	Helper()
	Fatal(args ...any)
}, p Params) *Forecast {
	t.Helper()
	f, err := r.Make(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// near reports whether a time is some seconds after noon, within 6 %: a class of durations is 10 % wide.
func near(at *time.Time, seconds float64) bool {
	return at != nil && math.Abs(at.Sub(noon).Seconds()-seconds) <= 0.06*seconds+0.02
}

// Two workers with one slot, and five runs of 100 s: they start at 0, 0, 100, 100 and 200 s.
func TestForecastOfEqualRuns(t *testing.T) {
	r := emptyPresent(1, 1)
	r.constant("p", 100*time.Second)
	for id := range int64(5) {
		r.add(id+1, 500, "p", nil)
	}
	f := r.mustMake(t, Params{Histories: 40})
	for id, start := range []float64{0, 0, 100, 100, 200} {
		it, ok := f.Item(int64(id + 1))
		if !ok || !near(it.Start.P50, start) || !near(it.Start.P95, start) || !near(it.End.P50, start+100) {
			t.Errorf("item %d: %+v, want it to start after %v s and to take 100 s", id+1, it, start)
		}
	}
	if f.All.Items != 5 || f.All.Due != 5 || !near(f.All.Empty.P50, 300) || len(f.Bands) != 1 || f.Bands[0].Name != "medium" || f.Queues[0].Name != "default" || f.Pipelines[0].Name != "p" {
		t.Errorf("the whole: %+v, bands %+v, queues %+v, pipelines %+v", f.All, f.Bands, f.Queues, f.Pipelines)
	}
	// One of the workers is busy 300 s, the other 200 s of the first hour.
	if busy := f.Workers[0].Busy[0] + f.Workers[1].Busy[0]; math.Abs(busy-500./3600) > 0.01 {
		t.Errorf("the workers are busy %v of the first hour, want %v", busy, 500./3600)
	}
}

// Three workers with one slot, and ten items that always take equally long. A free slot gets the item of the
// highest priority, and of those the longest one.
//
//	item  priority  takes  runs on  from  to
//	2     1000      60 s   w1          0   60
//	4     1000      50 s   w2          0   50
//	3     1000      40 s   w3          0   40
//	1     1000      30 s   w3         40   70  the last one of priority 1000
//	7      500      80 s   w2         50  130  the longest one of priority 500
//	9      500      60 s   w1         60  120
//	8      500      40 s   w3         70  110
//	5      500      30 s   w3        110  140
//	10     500      15 s   w1        120  135
//	6      500      10 s   w2        130  140
func TestForecastByHand(t *testing.T) {
	takes := map[int64]time.Duration{1: 30, 2: 60, 3: 40, 4: 50, 5: 30, 6: 10, 7: 80, 8: 40, 9: 60, 10: 15}
	r := emptyPresent(1, 1, 1)
	for id := range int64(10) {
		priority, pipeline := 1000, fmt.Sprintf("takes %d s", takes[id+1])
		if id+1 > 4 {
			priority = 500
		}
		r.constant(pipeline, takes[id+1]*time.Second)
		r.add(id+1, priority, pipeline, nil)
	}
	r.estimateAsLearned(t)
	f := r.mustMake(t, Params{Histories: 40})
	type row struct {
		id       int64
		from, to float64
	}
	want := []row{{2, 0, 60}, {4, 0, 50}, {3, 0, 40}, {1, 40, 70}, {7, 50, 130}, {9, 60, 120}, {8, 70, 110}, {5, 110, 140}, {10, 120, 135}, {6, 130, 140}}
	for n, w := range want {
		it, ok := f.Item(w.id)
		if !ok || it.ExpectedAt == nil || it.ExpectedAt.Sub(noon).Seconds() != w.from {
			t.Errorf("item %d is expected to start at %v, want exactly %v s", w.id, it.ExpectedAt, w.from)
		}
		if !near(it.Start.P50, w.from) || !near(it.End.P50, w.to) {
			t.Errorf("item %d: start %s, end %s, want it to run from %v to %v s", w.id, it.Start.P50, it.End.P50, w.from, w.to)
		}
		if most := 1.1*w.to + 0.02; it.End.P95 == nil || it.End.P95.Sub(noon).Seconds() > most {
			t.Errorf("item %d: end by %s in 95 %% of the histories, want within %v s", w.id, it.End.P95, most)
		}
		if n == 0 {
			continue
		}
		// The order is that of each history, not only of the medians.
		for h := range f.outcome.start {
			this, before := f.outcome.start[h][f.at[w.id]], f.outcome.start[h][f.at[want[n-1].id]]
			if this < before {
				t.Errorf("history %d: item %d starts at %d ms, before item %d at %d ms", h, w.id, this, want[n-1].id, before)
			}
		}
	}
	if !near(f.All.Empty.P50, 140) {
		t.Errorf("the whole is empty at %s, want 140 s", f.All.Empty.P50)
	}
}

// Half of the runs take 10 s, the others 100 s: so does the forecast.
func TestForecastDrawsWhatWasLearned(t *testing.T) {
	r := emptyPresent(1)
	var runs []time.Duration
	for n := range 100 {
		runs = append(runs, []time.Duration{10 * time.Second, 100 * time.Second}[n%2])
	}
	r.learn("p", runs...)
	r.learned[learned.Key{Kind: learned.OfPipeline, Pipeline: "p"}].Runs = 1_000_000 // no doubt
	r.add(1, 500, "p", nil)
	f := r.mustMake(t, Params{Histories: 1000})
	short, long := 0, 0
	for h := range f.outcome.end {
		switch took := float64(f.outcome.end[h][0]) / 1000; {
		case math.Abs(took-10) < 4:
			short++
		case math.Abs(took-100) < 40:
			long++
		}
	}
	if short < 420 || short > 580 || short+long < 995 {
		t.Errorf("of 1000 runs %d take 10 s and %d 100 s, want about 500 each", short, long)
	}
	// One that has run 50 s is one of the long ones.
	r.situation.Items[0].Running, r.situation.Items[0].Holder, r.situation.Items[0].Since = true, 1, noon.Add(-50*time.Second)
	f = r.mustMake(t, Params{Histories: 200})
	if it, _ := f.Item(1); !near(it.Start.P50, 0) || !near(it.End.P50, 50) {
		t.Errorf("an item that has run 50 s: %+v, want it to end in about 50 s", it)
	}
}

// Each attempt fails with a probability of a half, and is repeated after a minute, up to three times.
func TestForecastRepeatsFailedAttempts(t *testing.T) {
	r := emptyPresent(1)
	r.constant("p", 10*time.Second)
	r.failures["p"] = failureRate{fails: 0.5, again: 1}
	r.resilience = func(string) workqueue.Resilience {
		return workqueue.Resilience{Limit: 3, Delay: workqueue.Duration(time.Minute), Factor: 1, Jitter: new(float64)}
	}
	r.add(1, 500, "p", nil)
	f := r.mustMake(t, Params{Histories: 1000})
	attempts := map[int]int{}
	for h := range f.outcome.end {
		attempts[int(math.Round((float64(f.outcome.end[h][0])/1000-10)/70))]++
	}
	if len(attempts) != 3 || attempts[0] < 430 || attempts[0] > 570 || attempts[1] < 190 || attempts[1] > 310 {
		t.Errorf("repeated: %v, want about half not at all, a quarter once, a quarter twice", attempts)
	}
}

func TestForecastOfDeadlines(t *testing.T) {
	r := emptyPresent(1)
	r.constant("p", 100*time.Second)
	for id := range int64(4) {
		r.add(id+1, 500, "p", func(it *assign.SimItem) { it.Deadline = noon.Add(150 * time.Second) })
	}
	f := r.mustMake(t, Params{Histories: 50})
	if f.MayBeLate != 2 || len(f.Late) != 2 || f.Late[0].Missed != 1 || f.Late[0].ID != 3 || f.Late[0].Start.P50 != nil || f.Late[0].Unfinished < 0.99 {
		t.Errorf("late: %d, %+v; want items 3 and 4, always", f.MayBeLate, f.Late)
	}
	if !near(f.All.Empty.P50, 200) {
		t.Errorf("empty: %+v, want after 200 s", f.All.Empty)
	}
	e, err := r.Enough(t.Context(), Params{})
	if err != nil || e.Deadlines != 4 || e.Missed != 2 || e.Impossible != 0 || e.Workers == nil || *e.Workers != 1 || e.Slots == nil || *e.Slots != 1 || e.Like != "w1" {
		t.Errorf("enough: %+v, %v; want one more worker or slot", e, err)
	}
	// A fifth item is too late already, and nothing helps.
	r.add(5, 500, "p", func(it *assign.SimItem) { it.Deadline = noon.Add(-time.Second) })
	if e, err = r.Enough(t.Context(), Params{}); err != nil || e.Missed != 3 || e.Impossible != 1 || e.Workers == nil || *e.Workers != 1 {
		t.Errorf("enough: %+v, %v; want one impossible item", e, err)
	}
}

func TestWhatIfs(t *testing.T) {
	r := emptyPresent(1, 1)
	r.constant("p", 100*time.Second)
	for id := range int64(8) {
		r.add(id+1, 500, "p", nil)
	}
	for _, test := range []struct {
		change Change
		text   string
		empty  float64
	}{
		{Change{}, "no change", 400},
		{Change{AddWorkers: []NewWorker{{Capacity: 2}}}, "a new worker with 2 slots", 200},
		{Change{AddWorkers: []NewWorker{{Capacity: 2}, {Capacity: 2}, {Capacity: 4}}}, "2 new workers with 2 slots each, a new worker with 4 slots", 100},
		{Change{WithoutWorkers: []string{"w1"}}, "without worker w1", 800},
		{Change{Capacities: map[string]int{"w2": 3}}, "worker w2 with 3 slots", 200},
		{Change{PauseQueues: []string{"default"}}, "queue default paused", 0},
		{Change{WithoutWorkers: []string{"w1"}, Capacities: map[string]int{"w2": 8}}, "without worker w1, worker w2 with 8 slots", 100},
	} {
		f := r.mustMake(t, Params{Histories: 20, Change: test.change})
		if !near(f.All.Empty.P50, test.empty) || f.Change != test.text {
			t.Errorf("%s (want %s): empty %v, want after %v s", f.Change, test.text, f.All.Empty.P50, test.empty)
		}
	}
	f := r.mustMake(t, Params{Histories: 20, Change: Change{Priorities: map[string]int{"8": 1500}}})
	if it, _ := f.Item(8); !near(it.Start.P50, 0) {
		t.Errorf("item 8 with a high priority: %+v, want it to start first", it)
	}
	_, err := r.Make(t.Context(), Params{Change: Change{
		WithoutWorkers: []string{"w9"}, Priorities: map[string]int{"77": 1, "x": 2}, PauseQueues: []string{"none"}, Capacities: map[string]int{"w1": -1}, ArrivalsPercent: -101,
	}})
	wrong := (*ChangeError)(nil)
	for _, want := range []string{`no live worker "w9"; live workers: w1, w2`, "item 77 does not wait", `item "x"`, `no queue "none"`, "got -1, want 0 to", "got -101 %"} {
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q in it", err, want)
		}
	}
}

// More capacity never makes the whole later, whatever else is drawn.
func TestMoreCapacityIsNeverLater(t *testing.T) {
	testgroup.Check(t, 25, func(rt *rapid.T) {
		r := emptyPresent(rapid.SliceOfN(rapid.IntRange(1, 3), 1, 4).Draw(rt, "slots")...)
		pipelines := []string{"a", "b", "c"}
		for _, p := range pipelines {
			var runs []time.Duration
			for _, s := range rapid.SliceOfN(rapid.IntRange(1, 300), 3, 30).Draw(rt, "runs of "+p) {
				runs = append(runs, time.Duration(s)*time.Second)
			}
			r.learn(p, runs...)
		}
		for id := range rapid.IntRange(1, 60).Draw(rt, "items") {
			r.add(int64(id+1), rapid.SampledFrom([]int{100, 500, 1200}).Draw(rt, "priority"), rapid.SampledFrom(pipelines).Draw(rt, "pipeline"), nil)
		}
		seed := rapid.Uint64().Draw(rt, "seed")
		change := Change{AddWorkers: []NewWorker{{Capacity: rapid.IntRange(1, 3).Draw(rt, "more slots")}}}
		if rapid.Bool().Draw(rt, "wider") {
			change = Change{Capacities: map[string]int{"w1": r.situation.Workers[0].Capacity + 1}}
		}
		now := r.mustMake(rt, Params{Histories: 40, Seed: seed})
		more := r.mustMake(rt, Params{Histories: 40, Seed: seed, Change: change})
		if more.All.Empty.P50.After(*now.All.Empty.P50) || more.All.Empty.P95.After(*now.All.Empty.P95) {
			rt.Errorf("with %s: empty %v and %v, before %v and %v", more.Change, more.All.Empty.P50, more.All.Empty.P95, now.All.Empty.P50, now.All.Empty.P95)
		}
	})
}
