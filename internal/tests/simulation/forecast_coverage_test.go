package simulation

import (
	"context"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/forecast"
	"botwork/workqueue/learned"
	"botwork/workqueue/sqlstore"
)

var forecastSeeds = flag.Int("forecast-seeds", 2, "how many loads TestForecastCoverage runs")

const (
	// learnFrom is how many items run before the forecasts, so that the workers learn how long runs take; coverageItems
	// is how many are forecast.
	learnFrom, coverageItems = 240, 300

	attemptFails = 5 // of 100
)

// randomPipelines are the pipelines of the load: runs take this long in the mean, and the logarithm of their time is distributed
// normally with this standard deviation.
var randomPipelines = []struct {
	name   string
	of     int // of ten items
	mean   time.Duration
	spread float64
}{{"short", 6, 30 * time.Second, 0.3}, {"varied", 3, 90 * time.Second, 0.9}, {"long", 1, 5 * time.Minute, 0.4}}

// retries is the policy of all items.
var retries = workqueue.Resilience{Limit: 20, Delay: workqueue.Duration(time.Minute), Factor: 1, Jitter: new(float64)}

// randomLoad is a cluster without failures whose runs take random times, fail at random and are repeated.
type randomLoad struct {
	seed  uint64
	store *sqlstore.Store

	mu    sync.Mutex
	ended int
}

// run is the handler of the items.
func (l *randomLoad) run(ctx context.Context, run *workqueue.Run) workqueue.Outcome {
	run.Follow("", retries)
	d := roll(l.seed, fmt.Sprintf("run %d of item %d", run.Fence, run.ID), 0)
	var takes time.Duration
	for _, p := range randomPipelines {
		if p.name == run.IntegrationConfig {
			takes = time.Duration(float64(p.mean) * math.Exp(p.spread*d.NormFloat64()-p.spread*p.spread/2))
		}
	}
	select {
	case <-ctx.Done():
		return workqueue.Outcome{Verdict: workqueue.Released}
	case <-time.After(takes):
	}
	if d.chance(attemptFails) {
		return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindError, Error: "drawn"}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended++
	return workqueue.Outcome{}
}

// enqueue adds items of all pipelines and several priorities; a part of them becomes due later.
func (l *randomLoad) enqueue(ctx context.Context, t *testing.T, n, later int) {
	d := roll(l.seed, "enqueue", n)
	var items []workqueue.NewItem
	for range n {
		p := &randomPipelines[0]
		for i, at := 0, d.IntN(10); i < len(randomPipelines); i++ {
			if p = &randomPipelines[i]; at < p.of {
				break
			}
			at -= p.of
		}
		it := workqueue.NewItem{IntegrationConfig: p.name, Priority: []int{500, 700, 1000, 1200}[d.IntN(4)], State: workqueue.Pending}
		if d.chance(later) {
			it.In = d.between(time.Second, 30*time.Minute).Truncate(time.Millisecond)
		}
		items = append(items, it)
	}
	if _, err := l.store.Enqueue(ctx, items); err != nil {
		t.Fatal(err)
	}
}

// await waits until so many items have succeeded.
func (l *randomLoad) await(n int) {
	for began := time.Now(); time.Since(began) < 48*time.Hour; time.Sleep(time.Second) {
		l.mu.Lock()
		ended := l.ended
		l.mu.Unlock()
		if ended >= n {
			return
		}
	}
}

// live records forecasts of the load while it runs, and compares them with what happened.
func (l *randomLoad) live(t *testing.T, dsn string) *forecast.Accuracy {
	ctx, cancel := context.WithCancel(t.Context())
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(database.SQLite), DSN: dsn, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	l.store = store
	pass := assign.AssignParams{Band: workqueue.EveryPriority, Workers: assign.AvailableWorkers, FreeSlots: true, Learned: learned.NewEstimates(store)}
	crew := startCrew(ctx, t, store, []int{4, 4}, l.run)
	crew.execute(ctx, pass)
	l.enqueue(ctx, t, learnFrom, 0)
	l.await(learnFrom)
	time.Sleep(time.Minute) // the workers write what they have learned, and read it
	l.enqueue(ctx, t, coverageItems, 20)
	params := assign.WhyParams{
		Learned: learned.NewEstimates(store), Resilience: func(string) workqueue.Resilience { return retries },
		Pipelines: []assign.SystemPipeline{{Name: "Execute", Wake: true, Bands: []workqueue.Band{pass.Band}, Passes: []assign.AssignParams{pass}}},
	}
	for range 4 {
		if _, err := forecast.Record(ctx, store, params, forecast.RecordParams{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(12 * time.Minute)
	}
	l.await(learnFrom + coverageItems)
	time.Sleep(time.Minute) // the ends are written
	cancel()
	crew.stop()
	a, err := forecast.Compare(context.Background(), later{store}, forecast.AccuracyParams{Since: time.Now().Add(-48 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	return a
}

// later is a store whose clock is two days ahead.
type later struct{ *sqlstore.Store }

func (l later) Now(context.Context) (time.Time, error) { return time.Now().Add(48 * time.Hour), nil }

// Of the items of random loads, which real workers run in virtual time, about 95 % end by the p95 of their forecasts. To
// measure it with more loads:
//
//	go test ./internal/tests/simulation -run TestForecastCoverage -forecast-seeds 20 -v
func TestForecastCoverage(t *testing.T) {
	compared, covered, near := 0, 0.0, 0.0
	for seed := range uint64(*forecastSeeds) {
		dsn := filepath.Join(t.TempDir(), "botwork.db")
		testdb.Prepare(t, database.SQLite, dsn)
		var a *forecast.Accuracy
		synctest.Test(t, func(t *testing.T) { a = (&randomLoad{seed: seed + 1}).live(t, dsn) })
		all := &a.All
		if all.Coverage == nil || all.Overdue > 0 {
			t.Fatalf("seed %d: %+v, want all items to have ended", seed+1, all)
		}
		t.Logf("seed %d: %d forecasts compared: %.1f %% by p95, %.1f %% within 15 %% of p50; error %s in the mean, %s median; bias %s; left out: %d changed, %d later, %d open",
			seed+1, all.Compared, 100**all.Coverage, 100**all.Near, time.Duration(*all.MeanError), time.Duration(*all.MedianError), time.Duration(*all.Bias), all.Changed, all.Later, all.Open)
		compared += all.Compared
		covered += *all.Coverage * float64(all.Compared)
		near += *all.Near * float64(all.Compared)
	}
	coverage := covered / float64(compared)
	t.Logf("%d loads: %d forecasts compared: %.1f %% by p95, %.1f %% within 15 %% of p50", *forecastSeeds, compared, 100*coverage, 100*near/float64(compared))
	if coverage < forecast.LeastCoverage || coverage > forecast.MostCoverage {
		t.Errorf("%.1f %% ended by p95, want %.0f to %.0f %%", 100*coverage, 100*forecast.LeastCoverage, 100*forecast.MostCoverage)
	}
}
