package bench

import (
	"context"
	"errors"
	"slices"
	"time"

	"botwork/workqueue/sqlstore"
)

// drainPairs is how often a drain without browsers and one with them are measured in a round. In every other pair the
// drain with browsers is the first, because each drain leaves more to read for those after it.
const drainPairs = 4

// drains compares drains while browsers have pages open with drains without them. The database is another one:
// the workers of the pages that are measured would get the items, and run none.
func (o DashboardOptions) drains(ctx context.Context, s Sample) error {
	if o.Drain == 0 {
		return nil
	}
	return o.inStore(ctx, func(store *sqlstore.Store, dsn string) error {
		later := newItem()
		later.In = 24 * time.Hour
		open, err := enqueueOne(ctx, store, later)
		if err != nil {
			return err
		}
		return o.served(ctx, store, dsn, func(_ *child, visitors *visitors) error {
			return o.drainPairs(ctx, store, visitors, open, s)
		})
	})
}

// drainPairs measures drains without and with browsers by turns; open is the item whose page they have open.
func (o DashboardOptions) drainPairs(ctx context.Context, store *sqlstore.Store, v *visitors, open int64, s Sample) error {
	rate := func(ctx context.Context) (float64, error) {
		drained := Sample{}
		if err := enqueue(ctx, store, o.Drain); err != nil {
			return 0, err
		}
		ran := &tally{progress: o.progress}
		err := drained.drain(ctx, store, ran, o.Drain, drainCapacity)
		ran.reportRest()
		return drained[ItemsPerSecond], err
	}
	alone := func() (float64, error) { return rate(ctx) }
	beside := func() (speed float64, err error) {
		err = v.during(ctx, open, func(browsing context.Context) error {
			if err := sleepUntil(browsing, time.Now().Add(o.drainSettles())); err != nil {
				return err
			}
			speed, err = rate(browsing)
			return err
		})
		return speed, err
	}
	var without, with []float64
	for i := range 2 * drainPairs {
		measure, speeds := alone, &without
		if i%4 == 1 || i%4 == 2 {
			measure, speeds = beside, &with
		}
		speed, err := measure()
		if err != nil {
			return err
		}
		*speeds = append(*speeds, speed)
	}
	slices.Sort(without)
	slices.Sort(with)
	s[OpenPagesDrainShare] = median(with) / median(without)
	return nil
}

// drainCapacity is the number of slots of the worker that drains.
const drainCapacity = 8

// drainSettles is how long the browsers have their pages open before a drain begins.
func (o DashboardOptions) drainSettles() time.Duration {
	if o.hurry {
		return 0
	}
	return 5 * time.Second
}

// during calls do while all browsers have their pages open. The error is the first of do and of the browsers.
func (v *visitors) during(ctx context.Context, waits int64, do func(browsing context.Context) error) error {
	browsing, leave := context.WithCancelCause(ctx)
	v.browse(browsing, leave, waits)
	err := do(browsing)
	leave(nil)
	v.running.Wait()
	if cause := context.Cause(browsing); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}
