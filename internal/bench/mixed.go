package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"botwork/internal/bench/mixed"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// MixedOptions define the load and the workers.
type MixedOptions struct {
	Common
	For      time.Duration // how long items are enqueued
	Scale    float64       // the factor applied to all durations of the load
	Seed     uint64        // of the load; all rounds use the same seed
	Workers  int           // processes
	Capacity int           // slots of each process

	// Allowance is how long an item may wait while a slot is free, or a more urgent item
	// may wait while another one starts, before the measurement counts it.
	Allowance time.Duration
}

// Figures of a mixed load. Package mixed defines most of them.
const (
	UtilisationPercent Figure = "utilisationPercent" // with the allowance
	WaitedSeconds      Figure = "waitedSeconds"      // how long items waited for longer than the allowance

	UtilisationAtOncePercent Figure = "utilisationAtOncePercent" // without an allowance
	WaitedAtOnceSeconds      Figure = "waitedAtOnceSeconds"

	HighWaitP50Ms     Figure = "highWaitP50Ms"
	HighWaitP99Ms     Figure = "highWaitP99Ms"
	HighWaitWorstMs   Figure = "highWaitWorstMs"
	MediumWaitWorstMs Figure = "mediumWaitWorstMs"
	LowWaitWorstMs    Figure = "lowWaitWorstMs"

	StartsBeforeDue       Figure = "startsBeforeDue"
	EarliestStartMs       Figure = "earliestStartMs" // how much too early the earliest of these was
	StartsAfterDeadline   Figure = "startsAfterDeadline"
	LatestAfterDeadlineMs Figure = "latestAfterDeadlineMs" // how much too late the latest of these was
	StartsAfterCancel     Figure = "startsAfterCancel"
	LatestAfterCancelMs   Figure = "latestAfterCancelMs"
	Inversions            Figure = "inversions"
	LongestInversionMs    Figure = "longestInversionMs" // the longest time for which an overtaken item had been due

	DrawnHigh      Figure = "drawnHigh" // drawn items, by priority band and by kind
	DrawnMedium    Figure = "drawnMedium"
	DrawnLow       Figure = "drawnLow"
	DrawnAhead     Figure = "drawnAhead"
	DrawnFails     Figure = "drawnFails"
	DrawnSnoozes   Figure = "drawnSnoozes"
	DrawnExpires   Figure = "drawnExpires"
	DrawnCancelled Figure = "drawnCancelled"
	DrawnP50Ms     Figure = "drawnP50Ms" // duration of a run, scaled
	DrawnP99Ms     Figure = "drawnP99Ms"
	DrawnLongestMs Figure = "drawnLongestMs"
	DrawnSeconds   Figure = "drawnSeconds" // the sum over all runs
	RoundSeconds   Figure = "roundSeconds" // from the start of the workers until the last item had ended
	ItemsRan       Figure = "itemsRan"     // that ran to the end
	ItemsExpired   Figure = "itemsExpired"
	ItemsCancelled Figure = "itemsCancelled"
	RunsOfHandler  Figure = "runs" // all runs
)

// ErrWrongStart reports that items started at a wrong time or in a wrong order.
var ErrWrongStart = errors.New("items began at a wrong time or in a wrong order")

// wrongStarts are the figures that must be 0, with the words for the error.
var wrongStarts = []struct {
	figure Figure
	what   string
}{
	{StartsBeforeDue, "before they were due"},
	{StartsAfterDeadline, "after their deadline"},
	{StartsAfterCancel, "after they were cancelled"},
	{Inversions, "before a more urgent item"},
}

func (o MixedOptions) load() mixed.Load {
	return mixed.Load{For: o.For, Slots: o.Workers * o.Capacity, Scale: o.Scale, Seed: o.Seed}
}

// Work is the total that Progress reports.
func (o MixedOptions) Work() int { return o.rounds() * len(o.load().Draw()) }

// Mixed sends items of all priorities to worker processes with the shipped pipelines.
// Before scaling, runs take from a millisecond to five minutes. Some items are scheduled,
// fail, snooze, have a deadline or are cancelled. Handlers and callers record the time of
// each event, and package mixed evaluates the records. There is no warm-up round, because
// each round starts new processes.
func Mixed(ctx context.Context, o MixedOptions) (Report, error) {
	items := o.load().Draw()
	var all Count
	var rounds []Sample
	var err error
	for range o.rounds() {
		var s Sample
		var count Count
		s, count, err = o.round(ctx, items)
		all.add(count)
		if err != nil {
			break
		}
		rounds = append(rounds, s)
	}
	report := o.newReport("mixed", len(items), rounds)
	return report, errors.Join(err, report.count(all), wrongStart(rounds))
}

// wrongStart adds up the wrong starts of all rounds; it returns nil if there were none.
func wrongStart(rounds []Sample) error {
	var found []string
	for _, w := range wrongStarts {
		n := 0.0
		for _, s := range rounds {
			n += s[w.figure]
		}
		if n > 0 {
			found = append(found, fmt.Sprintf("%.0f %s", n, w.what))
		}
	}
	if found == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrWrongStart, strings.Join(found, ", "))
}

// round runs the load once, in a scratch database.
func (o MixedOptions) round(ctx context.Context, items []mixed.Item) (s Sample, count Count, err error) {
	err = o.inStore(ctx, func(store *sqlstore.Store, dsn string) error {
		dir, err := os.MkdirTemp("", scratchName+"_")
		if err != nil {
			return err
		}
		m := &mixedRound{o: o, store: store, dsn: dsn, dir: dir, zero: wallClock()}
		s, err = m.run(ctx, items)
		if err == nil {
			count, err = m.judge(ctx, s)
		}
		return errors.Join(err, os.RemoveAll(dir))
	})
	return s, count, err
}

// wallClock returns the machine's wall clock, which all processes share. The result has
// no monotonic reading, so that times of different processes can be subtracted.
func wallClock() time.Time { return time.Now().Round(0) }

// judge computes the figures from the records.
func (m *mixedRound) judge(ctx context.Context, s Sample) (Count, error) {
	if err := m.readRuns(); err != nil {
		return Count{}, err
	}
	r := mixed.Record{Lives: m.lives, Workers: m.o.Workers, Slots: m.o.Capacity, Up: m.up, Over: m.over}
	percent := func(allowance time.Duration, utilisation, waited Figure) error {
		share, took, err := r.Utilisation(allowance)
		s[utilisation], s[waited] = 100*share, took.Seconds()
		return err
	}
	if err := errors.Join(
		percent(m.o.Allowance, UtilisationPercent, WaitedSeconds),
		percent(0, UtilisationAtOncePercent, WaitedAtOnceSeconds),
	); err != nil {
		return Count{}, err
	}
	s.percentiles(r.Waits(0, math.MaxInt))
	highest := r.Waits(workqueue.HighPriority+1, math.MaxInt)
	slices.Sort(highest)
	s[HighWaitP50Ms], s[HighWaitP99Ms], s[HighWaitWorstMs] = quantile(highest, 0.50), quantile(highest, 0.99), quantile(highest, 1)
	s[MediumWaitWorstMs] = largest(r.Waits(workqueue.MediumPriority, workqueue.HighPriority))
	s[LowWaitWorstMs] = largest(r.Waits(0, workqueue.MediumPriority-1))
	v := r.Violations()
	s[StartsBeforeDue], s[EarliestStartMs] = float64(v.BeforeDue.Count), milliseconds(v.BeforeDue.Worst)
	s[StartsAfterDeadline], s[LatestAfterDeadlineMs] = float64(v.AfterDeadline.Count), milliseconds(v.AfterDeadline.Worst)
	s[StartsAfterCancel], s[LatestAfterCancelMs] = float64(v.AfterCancel.Count), milliseconds(v.AfterCancel.Worst)
	n, longest := r.Inversions(m.o.Allowance)
	s[Inversions], s[LongestInversionMs] = float64(n), milliseconds(longest)
	s.drawn(m.lives)
	return m.count(ctx, s)
}

func largest(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Max(values)
}

// drawn records the composition of the load.
func (s Sample) drawn(lives []mixed.Life) {
	var takes []float64
	for _, figure := range []Figure{DrawnHigh, DrawnMedium, DrawnLow, DrawnAhead, DrawnFails, DrawnSnoozes, DrawnExpires, DrawnCancelled, DrawnSeconds} {
		s[figure] = 0
	}
	kinds := map[mixed.Kind]Figure{
		mixed.Ahead: DrawnAhead, mixed.Fails: DrawnFails, mixed.Snoozes: DrawnSnoozes,
		mixed.Expires: DrawnExpires, mixed.Cancelled: DrawnCancelled,
	}
	for i := range lives {
		it := lives[i].Item
		switch {
		case it.Priority > workqueue.HighPriority:
			s[DrawnHigh]++
		case it.Priority >= workqueue.MediumPriority:
			s[DrawnMedium]++
		default:
			s[DrawnLow]++
		}
		if figure, ok := kinds[it.Kind]; ok {
			s[figure]++
		}
		takes = append(takes, milliseconds(it.Takes))
		s[DrawnSeconds] += it.Takes.Seconds()
		if it.Kind == mixed.Fails || it.Kind == mixed.Snoozes {
			s[DrawnSeconds] += it.Takes.Seconds() // runs twice
		}
	}
	slices.Sort(takes)
	s[DrawnP50Ms], s[DrawnP99Ms], s[DrawnLongestMs] = quantile(takes, 0.50), quantile(takes, 0.99), quantile(takes, 1)
}
