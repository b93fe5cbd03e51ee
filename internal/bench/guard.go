package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// Shares of the engine alone, besides those of [Limit]. The share of the latency is the
// median time of the engine divided by the program's: on PostgreSQL between two processes; on the
// other engines that time depends on timers, and it is measured within one. The share of
// robots is their items per second divided by those that the engine drains.
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
// share is smaller than in the earlier report.
func Guard(ctx context.Context, o GuardOptions) (Report, error) {
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
	raw := s[P50Ms]
	for _, part := range []struct {
		measure func() (Sample, Count, error)
		add     func(Sample)
	}{
		{func() (Sample, Count, error) { return limit.product(ctx, of(limit.Items), of(limit.Single)) }, s.compare},
		{func() (Sample, Count, error) { return latency.round(ctx, items) }, func(more Sample) { s[LatencyShare] = raw / more[P50Ms] }},
		{func() (Sample, Count, error) { return robots.round(ctx) }, func(more Sample) { s[RobotsShare] = more[ItemsPerSecond] / s[ItemsPerSecond] }},
	} {
		if err != nil {
			return s, count, err
		}
		var more Sample
		var counted Count
		more, counted, err = part.measure()
		count.add(counted)
		if err == nil {
			part.add(more)
		}
	}
	return s, count, err
}

// drift compares the shares with those of an earlier report. A share is smaller if its median
// is, by more than allowedDrift, and each of the rounds lies below each of the earlier ones: a
// disturbance of some rounds is no drift.
func (r Report) drift(before Report) error {
	if before.Scenario != r.Scenario || before.Engine != r.Engine {
		return fmt.Errorf("compare with a report of %s on %s: want %s on %s", before.Scenario, before.Engine, r.Scenario, r.Engine)
	}
	var found []string
	for _, of := range guarded {
		now, then := r.Figures[of], before.Figures[of]
		if now.Median < then.Median*(1-allowedDrift) && now.Largest < then.Smallest {
			found = append(found, fmt.Sprintf("%s %.3f (%.3f – %.3f), before %.3f (%.3f – %.3f)", of, now.Median, now.Smallest, now.Largest, then.Median, then.Smallest, then.Largest))
		}
	}
	if found == nil {
		return nil
	}
	slices.Sort(found)
	return fmt.Errorf("%w: %s", ErrDrift, strings.Join(found, "; "))
}
