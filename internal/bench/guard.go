package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"botwork/internal/database"
)

// GuardOptions are the options of [Guard].
type GuardOptions struct {
	Common
	Items    int           // enqueued in bulk and drained
	For      time.Duration // how long items are enqueued at a rate, for the latency
	Capacity int           // slots of the worker

	// Against is an earlier report of [Guard], to compare with; nil means none.
	Against *Report
}

// Shares of the engine alone that only [Guard] measures. The share of the latency is the median
// time of the engine divided by the program's: on PostgreSQL between two processes; on the other
// engines that time depends on timers, so it is measured within one. The share of robots is their
// items per second divided by the number that the engine drains.
const (
	LatencyShare Figure = "latencyShare"
	RobotsShare  Figure = "robotsShare"
)

var guarded = []Figure{DrainShare, EnqueueShare, OneByOneShare, LatencyShare, RobotsShare}

// allowedDrift is how much smaller than before the median of a share may be.
const allowedDrift = 0.05

// ErrDrift reports that the program has become slower.
var ErrDrift = errors.New("slower than before, by the share of the engine's speed")

// parts returns the measurements of a round.
func (o GuardOptions) parts() (LimitOptions, LatencyOptions, APIOptions) {
	return LimitOptions{Common: o.Common, Items: o.Items, Single: min(o.Items, 1000), Batch: 1000, Workers: 1, Rate: 100, For: o.For, Compare: true, Capacity: o.Capacity},
		LatencyOptions{Common: o.Common, Rate: 100, For: o.For, Capacity: o.Capacity, Apart: o.Driver == database.Postgres},
		APIOptions{Common: o.Common, Robots: 50, Max: 1, Items: min(o.Items, 2000), Rate: 20, For: min(o.For, time.Second)}
}

// Work is the total that Progress reports.
func (o GuardOptions) Work() int {
	limit, latency, robots := o.parts()
	return limit.Work() + latency.Work() + robots.Work()
}

// Guard measures the program and the engine alone in turns. The error wraps ErrDrift if a
// share is smaller than in the earlier report. A report that cannot be compared is an error
// before anything is measured.
func Guard(ctx context.Context, o GuardOptions) (Report, error) {
	if o.Against != nil {
		if err := o.comparable(); err != nil {
			return Report{}, err
		}
	}
	var all Count
	rounds, err := o.series(ctx, func(ctx context.Context, of size) (Sample, error) {
		s, count, err := o.round(ctx, of)
		all.add(count)
		return s, err
	})
	report := o.newReport("guard", o.Items, rounds)
	err = errors.Join(err, report.count(all))
	if err == nil && o.Against != nil {
		err = report.drift(*o.Against)
	}
	return report, err
}

func (o GuardOptions) round(ctx context.Context, of size) (s Sample, count Count, err error) {
	limit, latency, robots := o.parts()
	items := latency.items()
	if of.warms() {
		limit.For, items, robots = 0, latency.warmItems(), robots.warmed()
	}
	s, count, err = limit.round(ctx, of(limit.Items), of(limit.Single))
	if err != nil {
		return s, count, err
	}
	raw := s[P50Ms]
	product, counted, err := limit.product(ctx, of(limit.Items), of(limit.Single))
	if count.add(counted); err != nil {
		return s, count, err
	}
	s.compare(product)
	if product, counted, err = latency.round(ctx, items); err != nil {
		return s, count, err
	}
	count.add(counted)
	s[LatencyShare] = raw / product[P50Ms]
	product, counted, err = robots.round(ctx)
	count.add(counted)
	s[RobotsShare] = product[ItemsPerSecond] / s[ItemsPerSecond]
	return s, count, err
}

// comparable returns an error unless the earlier report can be compared with what o measures.
func (o GuardOptions) comparable() error {
	b := o.Against
	if b.Scenario != "guard" || b.Engine != string(o.Driver) || b.N != o.Items {
		return fmt.Errorf("the report to compare with is of %q on %q with %d items: want guard on %s with %d", b.Scenario, b.Engine, b.N, o.Driver, o.Items)
	}
	for _, of := range guarded {
		if b.Figures[of].Median <= 0 {
			return fmt.Errorf("the report to compare with has no %s; hint: write it again with this version", of)
		}
	}
	return nil
}

// drift compares the shares with an earlier report. A share is smaller if its median is, by more
// than allowedDrift, and each round lies below the earlier median: a disturbance of some rounds is
// no drift.
func (r Report) drift(before Report) error {
	var found []string
	for _, of := range guarded {
		now, then := r.Figures[of], before.Figures[of]
		if now.Median < then.Median*(1-allowedDrift) && now.Largest < then.Median {
			found = append(found, fmt.Sprintf("%s %.3f (%.3f – %.3f), before %.3f (%.3f – %.3f)", of, now.Median, now.Smallest, now.Largest, then.Median, then.Smallest, then.Largest))
		}
	}
	if found == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrDrift, strings.Join(found, "; "))
}
