// Package bench measures how fast a database and this program move items.
package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/internal/database"
	"botwork/internal/process"
	"botwork/internal/strictyaml"
	"botwork/pipelines"
	"botwork/pipelines/shipped"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// Options say what to measure.
type Options struct {
	Driver   database.Driver
	DSN      string // a server on which a scratch schema or database may be made
	Items    int
	Capacity int // slots of the worker

	// Progress is told how many more items have run, now and then and at the
	// end; nil is not told.
	Progress func(more int)
}

// Report is what a scenario measured. Its JSON form is part of the command
// line's contract.
type Report struct {
	Scenario       string  `json:"scenario"`
	Engine         string  `json:"engine"`
	N              int     `json:"n"`
	ItemsPerSecond float64 `json:"itemsPerSecond"`

	// EnqueuedPerSecond is the rate of the bulk insert before.
	EnqueuedPerSecond float64 `json:"enqueuedPerSecond"`

	// P50Ms, P95Ms and P99Ms are of the time from an item's claim to its
	// recorded end, by the database's clock.
	P50Ms float64 `json:"p50Ms"`
	P95Ms float64 `json:"p95Ms"`
	P99Ms float64 `json:"p99Ms"`

	// CPUSecondsPer1000 is this process's CPU time for a thousand items, PeakRSSMb
	// its largest memory; a database server's are not in it.
	CPUSecondsPer1000 float64 `json:"cpuSecondsPer1000"`
	PeakRSSMb         float64 `json:"peakRssMb"`

	// Lost counts items that did not end as Processed, RanTwice those that ran
	// more than once. Both must be 0.
	Lost     int `json:"lost"`
	RanTwice int `json:"ranTwice"`
}

// ErrWrongCount says that the items did not run exactly once each.
var ErrWrongCount = errors.New("items were lost or ran twice")

const enqueueAtOnce = 10_000

// Drain enqueues no-op items, then measures how long a worker takes to assign,
// claim, run and finish all of them by the shipped pipeline ExecuteWorkQueue.
func Drain(ctx context.Context, o Options) (Report, error) {
	report := Report{Scenario: "drain", Engine: string(o.Driver), N: o.Items}
	dsn, remove, err := database.Scratch(ctx, o.Driver, o.DSN, "botwork_bench")
	if err != nil {
		return report, err
	}
	defer remove(context.WithoutCancel(ctx)) //nolint:errcheck // what stays behind is named like what it is
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: o.Driver, DSN: dsn})
	if err != nil {
		return report, err
	}
	defer store.Close() //nolint:errcheck // the database is removed
	if _, err := store.Migrate(ctx); err != nil {
		return report, err
	}
	count := &counter{ran: map[int64]int{}, total: o.Items, progress: o.Progress}
	proc, err := newProcess(ctx, store, count, o.Capacity)
	if err != nil {
		return report, err
	}
	started := time.Now()
	if err := enqueue(ctx, store, o.Items); err != nil {
		return report, errors.Join(err, proc.Stop(ctx))
	}
	report.EnqueuedPerSecond = float64(o.Items) / time.Since(started).Seconds()

	cpu, started := usedCPU(), time.Now()
	err = proc.RunOnce(ctx, "ExecuteWorkQueue")
	took := time.Since(started)
	report.ItemsPerSecond = float64(o.Items) / took.Seconds()
	report.CPUSecondsPer1000 = (usedCPU() - cpu).Seconds() / float64(o.Items) * 1000
	report.PeakRSSMb = float64(peakMemory()) / (1 << 20)
	if err = errors.Join(err, proc.Stop(ctx)); err != nil {
		return report, err
	}
	return report, report.verify(ctx, store, count)
}

func newProcess(ctx context.Context, store *sqlstore.Store, count *counter, capacity int) (*process.Process, error) {
	link := &process.Link{}
	registry := handlers.NewRegistry()
	registry.MustRegister(queue.Kinds(link.Services())...)
	registry.MustRegister(handlers.Kind{Name: "Count", New: func() handlers.Handler { return count }})
	catalogue := pipelines.NewCatalogue(pipelines.NewCompiler(registry, pipelines.Options{}))
	findings := catalogue.Add("noop.yaml", []byte("steps:\n  - handler: Count\n"))
	for _, f := range shipped.Files() {
		findings = append(findings, catalogue.Add(f.Name, f.Data)...)
	}
	if err := strictyaml.Findings(findings).Err(); err != nil {
		return nil, err
	}
	return process.New(ctx, process.Options{
		Store: store, Link: link, Catalogue: catalogue, Log: zerolog.Nop(),
		Engine:    pipelines.NewEngine(pipelines.EngineOptions{Log: zerolog.Nop()}),
		Spec:      workqueue.WorkerSpec{Name: "bench", Capacity: capacity, Lease: time.Minute, Version: "bench"},
		Heartbeat: 20 * time.Second, ShutdownGrace: 10 * time.Second,
		Finished: func(*workqueue.Item, workqueue.Outcome, time.Duration) {},
	})
}

func enqueue(ctx context.Context, store *sqlstore.Store, n int) error {
	item := workqueue.NewItem{
		State: workqueue.Pending, Priority: workqueue.RequestPriority, IntegrationConfig: "noop",
		Payload: `{"n": 1}`, Estimate: time.Millisecond,
	}
	for n > 0 {
		batch := min(n, enqueueAtOnce)
		if _, err := store.Enqueue(ctx, slices.Repeat([]workqueue.NewItem{item}, batch)); err != nil {
			return err
		}
		n -= batch
	}
	return nil
}

// verify reads all items back.
func (r *Report) verify(ctx context.Context, store *sqlstore.Store, count *counter) error {
	var times []float64
	done, before := 0, int64(0)
	for {
		page, err := store.Items(ctx, workqueue.ItemFilter{Limit: 5000, BeforeID: before})
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		for _, it := range page {
			if it.State == workqueue.Processed && it.FinishedAt != nil && it.StartedAt != nil {
				done++
				times = append(times, float64(it.FinishedAt.Sub(*it.StartedAt))/float64(time.Millisecond))
			}
		}
		before = page[len(page)-1].ID
	}
	slices.Sort(times)
	r.P50Ms, r.P95Ms, r.P99Ms = quantile(times, 0.50), quantile(times, 0.95), quantile(times, 0.99)
	r.Lost = r.N - done
	for _, n := range count.ran {
		if n > 1 {
			r.RanTwice++
		}
	}
	if r.Lost != 0 || r.RanTwice != 0 || len(count.ran) != r.N {
		return fmt.Errorf("%w: of %d items %d ended well, %d ran, %d of them more than once",
			ErrWrongCount, r.N, done, len(count.ran), r.RanTwice)
	}
	return nil
}

// quantile is the smallest of sorted values that a share of q does not exceed;
// 0 for none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// counter is the no-op handler: it only counts.
type counter struct {
	mu       sync.Mutex
	ran      map[int64]int
	total    int
	progress func(int)
}

// Handle implements handlers.Handler.
func (c *counter) Handle(_ context.Context, call *handlers.Call) (any, error) {
	c.mu.Lock()
	c.ran[call.ItemID]++
	n := len(c.ran)
	c.mu.Unlock()
	const step = 1000
	switch {
	case c.progress == nil:
	case n == c.total:
		c.progress((n-1)%step + 1)
	case n%step == 0:
		c.progress(step)
	}
	return nil, nil
}
