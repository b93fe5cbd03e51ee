package simulation

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

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/internal/testgroup"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/forecast"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// start is when an item started, from the moment of the forecast on.
type start struct {
	item int64
	at   time.Duration
}

// forecastWorld is a small cluster without failures, whose runs take exactly as long as estimated. The seed decides how many
// workers, slots and items there are, their priorities and how long they take.
type forecastWorld struct {
	slots []int
	items []workqueue.NewItem

	mu     sync.Mutex
	began  time.Time
	starts []start
}

func drawForecastWorld(seed uint64) *forecastWorld {
	w := &forecastWorld{}
	d := roll(seed, "forecast", 0)
	for range 1 + d.IntN(4) {
		w.slots = append(w.slots, 1+d.IntN(3))
	}
	for range 10 + d.IntN(30) {
		w.items = append(w.items, workqueue.NewItem{
			IntegrationConfig: "Work", Priority: []int{500, 700, 1000, 1200}[d.IntN(4)], State: workqueue.Pending,
			// To the millisecond, so that hardly any two runs end at the same time.
			Estimate: d.between(time.Second, 5*time.Minute).Truncate(time.Millisecond),
		})
	}
	return w
}

// run is the handler of the items.
func (w *forecastWorld) run(ctx context.Context, run *workqueue.Run) workqueue.Outcome {
	w.mu.Lock()
	w.starts = append(w.starts, start{run.ID, time.Since(w.began)})
	w.mu.Unlock()
	select {
	case <-ctx.Done():
		return workqueue.Outcome{Verdict: workqueue.Released}
	case <-time.After(time.Duration(*run.EstimatedDurationMs) * time.Millisecond):
		return workqueue.Outcome{}
	}
}

// live forecasts the starts, and then lets the workers run the items.
func (w *forecastWorld) live(t *testing.T, dsn string) (expected []start) {
	ctx, cancel := context.WithCancel(t.Context())
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(database.SQLite), DSN: dsn, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	crew := startCrew(ctx, t, store, w.slots, w.run)
	if _, err := store.Enqueue(ctx, w.items); err != nil {
		t.Fatal(err)
	}
	pass := assign.AssignParams{Band: workqueue.EveryPriority, Workers: assign.AvailableWorkers, FreeSlots: true}
	present, err := forecast.Read(ctx, store, assign.WhyParams{Pipelines: []assign.SystemPipeline{{
		Name: "Execute", Wake: true, Bands: []workqueue.Band{workqueue.EveryPriority}, Passes: []assign.AssignParams{pass},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := present.Make(ctx, forecast.Params{Histories: 20})
	if err != nil {
		t.Fatal(err)
	}
	for id := range int64(len(w.items)) {
		it, ok := f.Item(id + 1)
		if !ok || it.ExpectedAt == nil {
			t.Fatalf("item %d is not part of the forecast: %+v", id+1, it)
		}
		expected = append(expected, start{id + 1, it.ExpectedAt.Sub(f.At)})
	}
	w.began = time.Now()
	crew.execute(ctx, pass)
	for len(w.started()) < len(w.items) && time.Since(w.began) < 24*time.Hour {
		time.Sleep(time.Second)
	}
	cancel()
	crew.stop()
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	return expected
}

// workers are the workers of a small cluster without failures.
type workers struct {
	runners []*runner.Runner
	wg      sync.WaitGroup
}

// startCrew starts workers with these numbers of slots.
func startCrew(ctx context.Context, t *testing.T, store *sqlstore.Store, slots []int, run workqueue.RunItem) *workers {
	crew := &workers{}
	for n, capacity := range slots {
		name := fmt.Sprintf("w%d", n+1)
		r, err := runner.New(runner.Options{
			Store: store, RunItem: run, Log: zerolog.Nop(), Heartbeat: 20 * time.Second, ShutdownGrace: time.Second,
			Spec: workqueue.WorkerSpec{Name: name, InstanceID: name, Host: "host", PID: n + 1, Capacity: capacity, Lease: time.Minute},
		})
		if err == nil {
			err = r.Start(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		crew.runners = append(crew.runners, r)
	}
	return crew
}

// execute runs on each worker a pipeline that wakes, until ctx ends.
func (c *workers) execute(ctx context.Context, pass assign.AssignParams) {
	for _, r := range c.runners {
		c.wg.Go(func() {
			for ctx.Err() == nil {
				s := r.NewSession(runner.SessionOptions{Wakes: true, StayFor: time.Minute, Steps: []runner.SessionStep{{Name: "run", Band: pass.Band}}})
				_, _ = r.Assign(s.With(ctx), pass)
				_, _ = r.Execute(ctx, runner.ExecuteParams{Band: pass.Band, Refill: true, Session: s, Step: "run"})
				s.End()
			}
		})
	}
}

// stop stops the workers after ctx has ended.
func (c *workers) stop() {
	c.wg.Wait()
	for _, r := range c.runners {
		ended, end := context.WithTimeout(context.Background(), time.Second)
		_ = r.Stop(ended)
		end()
	}
}

func (w *forecastWorld) started() []start {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.starts)
}

// With fixed durations, the workers start the items in the order and at the times of the forecast, to the millisecond.
func TestForecastIsWhatHappens(t *testing.T) {
	for seed := range uint64(testgroup.Cases(3, 8)) {
		w := drawForecastWorld(seed + 1)
		dsn := filepath.Join(t.TempDir(), "botwork.db")
		testdb.Prepare(t, database.SQLite, dsn)
		var expected []start
		synctest.Test(t, func(t *testing.T) { expected = w.live(t, dsn) })
		byTime := func(a, b start) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.item, b.item)) }
		slices.SortFunc(expected, byTime)
		slices.SortFunc(w.starts, byTime)
		if slices.Equal(expected, w.starts) {
			continue
		}
		var lines strings.Builder
		for i := range min(len(expected), len(w.starts)) {
			want, got := expected[i], w.starts[i]
			fmt.Fprintf(&lines, "expected item %d at %s; item %d started at %s\n", want.item, want.at, got.item, got.at)
		}
		t.Errorf("seed %d: slots %v, %d items expected, %d started:\n%s", seed+1, w.slots, len(expected), len(w.starts), lines.String())
	}
}
