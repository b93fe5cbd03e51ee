package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore/check"
)

// seriesCounts are numbers of events by hour, queue, event and kind.
type seriesCounts map[check.SeriesKey]int64

// keptSeries are the statistics over time as the check compares them.
type keptSeries struct {
	counts seriesCounts

	// incomplete are the latest hours in which an item of a queue went missing.
	incomplete map[string]time.Time
}

// Series compares the statistics over time with the items. On SQL Server it reads the
// statistics again after counting, as Ended does.
func (s checkedStore) Series(ctx context.Context) (series check.Series, err error) {
	err = s.retry(ctx, "check: count what happened", func() error {
		return s.engine.snapshot(ctx, s.connection, func(on runner) (err error) {
			series, err = s.compareSeries(ctx, on)
			return err
		})
	})
	return series, err
}

func (s checkedStore) compareSeries(ctx context.Context, on runner) (check.Series, error) {
	series := check.Series{Since: map[string]time.Time{}, ByHand: map[string]int64{}}
	now, err := s.clock(ctx, on)
	if err != nil {
		return series, err
	}
	since := workqueue.ByHour.Start(now.Add(-workqueue.ByHour.Kept())).Add(workqueue.ByHour.Length())
	kept, err := s.keptSeries(ctx, on, since, now)
	if err != nil {
		return series, err
	}
	counted, err := s.countedSeries(ctx, on, since)
	if err != nil {
		return series, err
	}
	after, err := s.keptSeries(ctx, on, since, now)
	if err != nil {
		return series, err
	}
	moved := kept.moved(after)
	for queue, hour := range kept.incomplete {
		series.Since[queue] = hour.Add(workqueue.ByHour.Length())
	}
	compare := func(k check.SeriesKey) {
		if moved[k.Queue] || k.Hour.Before(series.Since[k.Queue]) || k.Hour.After(now.Add(time.Hour)) {
			return // times later than now were written by hand
		}
		have, want := kept.counts[k], counted[k]
		series.Compared += want
		switch {
		case have == want:
		case have < want && k.Event == workqueue.EventEnqueued:
			series.ByHand[k.Queue] += want - have
		default:
			series.Wrong = append(series.Wrong, check.SeriesCount{SeriesKey: k, Kept: have, Counted: want})
		}
	}
	for k := range counted {
		compare(k)
	}
	for k := range kept.counts {
		if _, ok := counted[k]; !ok {
			compare(k)
		}
	}
	slices.SortStableFunc(series.Wrong, func(a, b check.SeriesCount) int {
		return cmp.Or(cmp.Compare(a.Queue, b.Queue), a.Hour.Compare(b.Hour), cmp.Compare(a.Event, b.Event), cmp.Compare(a.Kind, b.Kind))
	})
	for queue := range moved {
		series.Moved = append(series.Moved, queue)
	}
	slices.Sort(series.Moved)
	return series, nil
}

// keptSeries reads the statistics of all hours from since on. Runs that have not ended do
// not count.
func (s checkedStore) keptSeries(ctx context.Context, on runner, since, now time.Time) (keptSeries, error) {
	kept := keptSeries{seriesCounts{}, map[string]time.Time{}}
	p := workqueue.SeriesParams{By: workqueue.ByHour, From: since, Until: now.Add(time.Hour)} // a row may be newer than the reading
	err := s.readSeries(ctx, on, p, func(r *readPeriod) {
		if r.running {
			return
		}
		k := check.SeriesKey{Queue: s.engine.queueKey(r.queue), Hour: workqueue.ByHour.Start(r.at)}
		if r.figures.Incomplete && k.Hour.After(kept.incomplete[k.Queue]) {
			kept.incomplete[k.Queue] = k.Hour
		}
		add := func(event string, kind workqueue.ErrorKind, n int64) {
			if n != 0 {
				k.Event, k.Kind = event, kind
				kept.counts[k] += n
			}
		}
		f := &r.figures
		add(workqueue.EventEnqueued, "", f.Enqueued)
		add(workqueue.EventStarted, "", f.Started)
		add(workqueue.EventSucceeded, "", f.Succeeded)
		add(workqueue.EventRescued, "", f.Rescued)
		add(workqueue.EventReleased, "", f.Released)
		add(workqueue.EventSnoozed, "", f.Snoozed)
		for kind, n := range f.Failed {
			add(workqueue.EventFailed, kind, n)
		}
		for kind, n := range f.Cancelled {
			add(workqueue.EventCancelled, kind, n)
		}
	})
	return kept, err
}

// countedSeries counts the same from the items and their attempts.
func (s checkedStore) countedSeries(ctx context.Context, on runner, since time.Time) (seriesCounts, error) {
	rows, err := s.checks.query(ctx, on, "series_count", values{"since": s.engine.timeArg(since)})
	if err != nil {
		return nil, err
	}
	counted := seriesCounts{}
	err = eachRow(rows, func() error {
		var k check.SeriesKey
		var hour database.Time
		var n int64
		if err := rows.Scan(&k.Queue, &hour, &k.Event, &k.Kind, &n); err != nil {
			return err
		}
		k.Queue, k.Hour = s.engine.queueKey(k.Queue), hour.UTC()
		counted[k] += n
		return nil
	})
	return counted, err
}

// moved returns the queues in which something has happened between two reads.
func (kept keptSeries) moved(after keptSeries) map[string]bool {
	moved := map[string]bool{}
	for k, n := range after.counts {
		if kept.counts[k] != n {
			moved[k.Queue] = true
		}
	}
	for queue, hour := range after.incomplete {
		if !hour.Equal(kept.incomplete[queue]) {
			moved[queue] = true
		}
	}
	return moved
}
