package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"botwork/handlers"
	"botwork/internal/process"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// LatencyOptions say how items come.
type LatencyOptions struct {
	Common
	Rate     int           // items in a second
	For      time.Duration // how long they come
	Idle     time.Duration // how long the worker is watched afterwards; 0: not
	Capacity int           // slots of the worker

	// Apart enqueues on connections of its own, as another process would: the
	// worker hears of the items from the database alone.
	Apart bool
}

// Figures beside the percentiles, which are from the return of the call that
// enqueued: those from its start, and what the worker costs with nothing to do.
const (
	FromCallP50Ms           Figure = "fromCallP50Ms"
	FromCallP95Ms           Figure = "fromCallP95Ms"
	FromCallP99Ms           Figure = "fromCallP99Ms"
	IdleCPUPercent          Figure = "idleCpuPercent"
	IdleStatementsPerSecond Figure = "idleStatementsPerSecond"
)

func (o LatencyOptions) items() int { return max(int(float64(o.Rate)*o.For.Seconds()), 1) }

// warmItems are those that come before: two seconds of them.
func (o LatencyOptions) warmItems() int { return min(o.items(), 2*o.Rate) }

// Work is the total that Progress reports.
func (o LatencyOptions) Work() int { return o.warmItems() + o.rounds()*o.items() }

// woken is the pipeline that runs the items: a minute would pass without waking.
const woken = `name: Woken
trigger: {every: 1m, wake: true, overlap: skip, scope: each-worker}
steps:
  - handler: AssignTasksToWorker
    with: {minPriority: 500}
  - handler: ExecuteWorkItems
    with: {minPriority: 500}
`

// Latency measures the time from the call that enqueues an item, one after the
// other at a steady rate, until its handler begins in a worker of this process.
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
		begun := &clocked{at: map[int64]time.Time{}, came: make(chan struct{}, 1)}
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

// measure sends items to a worker, and then none.
func (o LatencyOptions) measure(ctx context.Context, proc *process.Process, store *sqlstore.Store, dsn string, items int, begun *clocked, s Sample) error {
	from := store
	if o.Apart {
		other, err := sqlstore.Open(ctx, sqlstore.Options{Driver: o.Driver, DSN: dsn})
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
	calls, err := o.come(ctx, from, items)
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

// call is one that has enqueued an item.
type call struct {
	id                int64
	started, returned time.Time
}

// come enqueues items one by one, each at its time or as soon as the call before
// has returned.
func (o LatencyOptions) come(ctx context.Context, store *sqlstore.Store, items int) ([]call, error) {
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
		o.told(1)
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

// latencies notes the times until the handlers began. One that began before the
// call had returned counts as 0 from there.
func (s Sample) latencies(calls []call, begun *clocked) {
	fromReturn, fromCall := make([]float64, len(calls)), make([]float64, len(calls))
	for i, c := range calls {
		at := begun.at[c.id]
		fromReturn[i], fromCall[i] = milliseconds(max(at.Sub(c.returned), 0)), milliseconds(at.Sub(c.started))
	}
	s.percentiles(fromReturn)
	slices.Sort(fromCall)
	s[FromCallP50Ms], s[FromCallP95Ms], s[FromCallP99Ms] = quantile(fromCall, 0.50), quantile(fromCall, 0.95), quantile(fromCall, 0.99)
}

// idle watches a worker that has nothing to do.
func (o LatencyOptions) idle(ctx context.Context, store *sqlstore.Store, s Sample) error {
	begin, asked := startUsage(), store.Asked()
	if err := sleepUntil(ctx, begin.at.Add(o.Idle)); err != nil {
		return err
	}
	took := time.Since(begin.at).Seconds()
	s[IdleCPUPercent] = 100 * (usedCPU() - begin.cpu).Seconds() / took
	s[IdleStatementsPerSecond] = float64(store.Asked()-asked) / took
	return nil
}

// clocked is a no-op handler that notes when it began.
type clocked struct {
	tally
	came chan struct{} // holds a token when one has begun

	atMu sync.Mutex
	at   map[int64]time.Time // by item, of its first run
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
	case c.came <- struct{}{}:
	default:
	}
	return nil, nil
}

// lastItemPatience bounds the wait for the last items: a minute is when the
// pipeline would run without being woken.
const lastItemPatience = 2 * time.Minute

// wait returns when so many items have begun.
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
		case <-c.came:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-patience.C:
			return fmt.Errorf("%w: %d of %d items have begun, want all within %s of the last", ErrWrongCount, begun, items, lastItemPatience)
		}
	}
}
