package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"botwork/handlers"
	"botwork/internal/process"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// LatencyOptions are the options of [Latency].
type LatencyOptions struct {
	Common
	Rate     int           // items per second
	For      time.Duration // how long items are enqueued
	Idle     time.Duration // how long the idle worker is measured afterwards; 0: not measured
	Capacity int           // slots of the worker

	// Apart enqueues on separate connections, as another process would. The worker then
	// learns about new items only from the database.
	Apart bool
}

// Figures in addition to the percentiles. The percentiles, the worst time and the number of
// items that waited for longer than lateAfter are from the return of the call that enqueued
// the item; others are from its start, and the cost of an idle worker.
const (
	WorstMs                 Figure = "worstMs"
	LateItems               Figure = "lateItems"
	FromCallP50Ms           Figure = "fromCallP50Ms"
	FromCallP95Ms           Figure = "fromCallP95Ms"
	FromCallP99Ms           Figure = "fromCallP99Ms"
	IdleCPUPercent          Figure = "idleCpuPercent"
	IdleStatementsPerSecond Figure = "idleStatementsPerSecond"
)

// lateAfter is the time until the handler starts that LateItems allows, in milliseconds.
const lateAfter = 20

func (o LatencyOptions) items() int { return max(int(float64(o.Rate)*o.For.Seconds()), 1) }

// warmItems is the number of items in the warm-up round: those of two seconds.
func (o LatencyOptions) warmItems() int { return min(o.items(), 2*o.Rate) }

// Work is the total that Progress reports.
func (o LatencyOptions) Work() int { return o.warmItems() + o.rounds()*o.items() }

// woken is the pipeline that runs the items. Without a notification it would start only
// once a minute.
const woken = `name: Woken
trigger: {every: 1m, wake: true, overlap: skip, scope: each-worker}
steps:
  - handler: AssignTasksToWorker
    with: {minPriority: 500}
  - handler: ExecuteWorkItems
    with: {minPriority: 500}
`

// Latency measures the time from the call that enqueues an item until its handler starts
// in a worker of this process. The items are enqueued one by one at a steady rate.
func Latency(ctx context.Context, o LatencyOptions) (Report, error) {
	var all Count
	rounds, err := o.series(ctx, func(ctx context.Context, of size) (Sample, error) {
		items, now := o.items(), o
		if of.warms() {
			items, now.Idle = o.warmItems(), 0
		}
		s, count, err := now.round(ctx, items)
		all.add(count)
		return s, err
	})
	report := o.newReport("latency", o.items(), rounds)
	return report, errors.Join(err, report.count(all))
}

func (o LatencyOptions) round(ctx context.Context, items int) (s Sample, count Count, err error) {
	s = Sample{}
	err = o.inStore(ctx, func(store *sqlstore.Store, dsn string) error {
		begun := &clocked{at: map[int64]time.Time{}, arrived: make(chan struct{}, 1)}
		proc, err := worker{
			name: "bench", capacity: o.Capacity, handler: begun,
			files: map[string]string{"woken.yaml": woken}, bare: true,
		}.start(ctx, store)
		if err != nil {
			return err
		}
		if err := o.measure(ctx, proc, store, dsn, items, begun, s); err != nil {
			return errors.Join(err, proc.Stop(context.WithoutCancel(ctx)))
		}
		if err := proc.Stop(ctx); err != nil {
			return err
		}
		count, _, err = o.verify(ctx, dsn, 0, items, &begun.tally)
		return err
	})
	return s, count, err
}

// measure sends items to a worker, then measures the idle worker.
func (o LatencyOptions) measure(ctx context.Context, proc *process.Process, store *sqlstore.Store, dsn string, items int, begun *clocked, s Sample) error {
	from := store
	if o.Apart {
		other, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(o.Driver), DSN: dsn})
		if err != nil {
			return err
		}
		defer other.Close() //nolint:errcheck // the database is removed
		from = other
	}
	if err := proc.Start(ctx); err != nil {
		return err
	}
	begin := startUsage()
	calls, err := o.enqueueAtRate(ctx, from, items)
	if err != nil {
		return err
	}
	s[ItemsPerSecond] = perSecond(items, begin.at)
	if err := begun.wait(ctx, items); err != nil {
		return err
	}
	s.usage(begin, items)
	s.latencies(calls, begun)
	if o.Idle == 0 {
		return nil
	}
	return o.idle(ctx, store, s)
}

// call is one call that enqueued an item.
type call struct {
	id                int64
	started, returned time.Time
}

// enqueueAtRate enqueues items one by one. Each call starts at its scheduled time, or as
// soon as the previous call has returned.
func (o LatencyOptions) enqueueAtRate(ctx context.Context, store *sqlstore.Store, items int) ([]call, error) {
	calls := make([]call, 0, items)
	item := []workqueue.NewItem{newItem()}
	begin := time.Now()
	for i := range items {
		at := begin.Add(time.Duration(i) * time.Second / time.Duration(o.Rate))
		if err := sleepUntil(ctx, at); err != nil {
			return nil, err
		}
		started := time.Now()
		made, err := store.Enqueue(ctx, item)
		if err != nil {
			return nil, err
		}
		calls = append(calls, call{made[0].ID, started, time.Now()})
		o.progress(1)
	}
	return calls, nil
}

func sleepUntil(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// latencies records the times until the handlers started. If a handler started before the
// call returned, its time since the return counts as 0.
func (s Sample) latencies(calls []call, begun *clocked) {
	fromReturn, fromCall := make([]float64, len(calls)), make([]float64, len(calls))
	for i, c := range calls {
		at := begun.at[c.id]
		fromReturn[i], fromCall[i] = milliseconds(max(at.Sub(c.returned), 0)), milliseconds(at.Sub(c.started))
	}
	s.percentiles(fromReturn) // and sorts them
	s[WorstMs] = quantile(fromReturn, 1)
	late, _ := slices.BinarySearch(fromReturn, math.Nextafter(lateAfter, math.Inf(1)))
	s[LateItems] = float64(len(fromReturn) - late)
	slices.Sort(fromCall)
	s[FromCallP50Ms], s[FromCallP95Ms], s[FromCallP99Ms] = quantile(fromCall, 0.50), quantile(fromCall, 0.95), quantile(fromCall, 0.99)
}

// idle measures a worker that has no work.
func (o LatencyOptions) idle(ctx context.Context, store *sqlstore.Store, s Sample) error {
	begin, asked := startUsage(), store.StatementsRun()
	if err := sleepUntil(ctx, begin.at.Add(o.Idle)); err != nil {
		return err
	}
	took := time.Since(begin.at).Seconds()
	s[IdleCPUPercent] = 100 * (usedCPU() - begin.cpu).Seconds() / took
	s[IdleStatementsPerSecond] = float64(store.StatementsRun()-asked) / took
	return nil
}

// clocked is a handler that only records when it started.
type clocked struct {
	tally
	arrived chan struct{} // receives a token when a handler has started

	atMu sync.Mutex
	at   map[int64]time.Time // start of the first run, by item
}

// Handle implements handlers.Handler.
func (c *clocked) Handle(_ context.Context, call *handlers.Call) (any, error) {
	now := time.Now()
	c.atMu.Lock()
	if _, again := c.at[call.ItemID]; !again {
		c.at[call.ItemID] = now
	}
	c.atMu.Unlock()
	c.note(call.ItemID)
	select {
	case c.arrived <- struct{}{}:
	default:
	}
	return nil, nil
}

// lastItemPatience is the longest wait for the last items. Without notifications the
// pipeline would start only once a minute.
const lastItemPatience = 2 * time.Minute

// wait returns when the given number of items have started.
func (c *clocked) wait(ctx context.Context, items int) error {
	patience := time.NewTimer(lastItemPatience)
	defer patience.Stop()
	for {
		c.atMu.Lock()
		begun := len(c.at)
		c.atMu.Unlock()
		if begun >= items {
			return nil
		}
		select {
		case <-c.arrived:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-patience.C:
			return fmt.Errorf("%w: %d of %d items have started; want all of them within %s after the last call", ErrWrongCount, begun, items, lastItemPatience)
		}
	}
}
