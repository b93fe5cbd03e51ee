package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/learned"
)

// seriesKey identifies a row of BotStatisticsDeltas. The zero time means now.
type seriesKey struct {
	at                    time.Time
	queue, pipeline, band string
	worker                int64 // 0: none
	event                 string
	kind                  workqueue.ErrorKind
	bucket                int
}

// seriesSums are the values of the row.
type seriesSums struct{ events, ms int64 }

// seriesTally collects the events of a transaction for the statistics over time.
type seriesTally map[seriesKey]seriesSums

// add counts an event of which no duration is kept.
func (t seriesTally) add(k seriesKey) { t.addTimed(k, nil) }

// addTimed counts an event and its duration; nil: not known.
func (t seriesTally) addTimed(k seriesKey, took *time.Duration) {
	k.bucket = workqueue.NoDurationBucket
	sums := t[k]
	if took != nil {
		ms := max(took.Round(time.Millisecond).Milliseconds(), 0)
		k.bucket = workqueue.DurationBucket(ms)
		sums = t[k]
		sums.ms += ms
	}
	sums.events++
	t[k] = sums
}

// started counts the start of a run of an item that was due; the zero time: not known.
func (t seriesTally) started(k seriesKey, started, due time.Time) {
	k.event, k.kind, k.at = workqueue.EventStarted, "", started.Truncate(time.Minute)
	if due.IsZero() {
		t.add(k)
		return
	}
	t.addTimed(k, new(started.Sub(due)))
}

// keepSeries writes the events in the transaction that they are about. It only inserts rows,
// so no transaction waits for another here.
func (s *bookkeeping) keepSeries(ctx context.Context, on runner, t seriesTally) error {
	return s.keepSeriesAt(ctx, on, t, s.nowArg())
}

// keepSeriesAt is keepSeries with the parameter now, for events without a time.
func (s *bookkeeping) keepSeriesAt(ctx context.Context, on runner, t seriesTally, now any) error {
	if len(t) == 0 {
		return nil
	}
	rows := make([][10]any, 0, len(t))
	for k, sums := range t {
		row := [10]any{nil, k.queue, k.pipeline, k.band, nil, k.event, k.kind, k.bucket, sums.events, sums.ms}
		if !k.at.IsZero() {
			row[0] = k.at.UTC().Format(s.engine.dialect().jsonTime)
		}
		if k.worker != 0 {
			row[4] = k.worker
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b [10]any) int {
		return cmp.Or(cmp.Compare(a[1].(string), b[1].(string)), cmp.Compare(a[5].(string), b[5].(string)), cmp.Compare(a[7].(int), b[7].(int)))
	})
	batch, err := jsonRows(rows)
	if err != nil {
		return err
	}
	_, err = s.queries.exec(ctx, on, "series_add", values{"rows": batch, "now": now})
	return err
}

// keepEnqueued counts items that the transaction has inserted.
func (s *bookkeeping) keepEnqueued(ctx context.Context, on runner, ids ...int64) error {
	if len(ids) == 0 {
		return nil
	}
	batch, err := idRows(slices.Clone(ids))
	if err != nil {
		return err
	}
	_, err = s.queries.exec(ctx, on, "series_enqueued", values{"rows": batch})
	return err
}

// seriesPipeline returns the name of the pipeline of an IntegrationConfig as it is kept.
func seriesPipeline(config string) string { return learned.Pipeline(config) }

// happened returns the events that the end of a run is, in the order in which they happened.
// removed reports whether its item is deleted.
func happened(f *workqueue.Finish, removed bool) []string {
	if f.Returned() {
		return nil
	}
	events := append(make([]string, 0, 2), workqueue.EventStarted) // most ends are two events
	if f.State == workqueue.Processed {
		events = append(events, workqueue.EventSucceeded)
	}
	switch {
	case failedAttempt(*f):
		events = append(events, workqueue.EventFailed)
		if f.State == workqueue.Ready || f.Copy {
			events = append(events, workqueue.EventRetried)
		}
	case f.Attempt != nil && f.Attempt.Outcome == "released":
		events = append(events, workqueue.EventReleased)
	case f.Attempt != nil && f.Attempt.Outcome == "snoozed":
		events = append(events, workqueue.EventSnoozed)
	}
	if f.State == workqueue.Cancelled {
		events = append(events, workqueue.EventCancelled)
	}
	if removed {
		events = append(events, workqueue.EventIncomplete)
	}
	return events
}

// kindOf returns the error kind that an event is counted under.
func kindOf(event string, kind workqueue.ErrorKind) workqueue.ErrorKind {
	if event == workqueue.EventFailed || event == workqueue.EventCancelled {
		return kind
	}
	return ""
}

// key returns the key of an event of the item.
func (p *place) key(event string, at time.Time) seriesKey {
	k := seriesKey{at: at, queue: p.queue, pipeline: p.pipeline, band: workqueue.BandOf(p.priority), event: event}
	if p.worker.Valid {
		k.worker = p.worker.Int64
	}
	return k
}

// moved counts what a user's change or a clean-up did to an item. kept reports whether it is
// still there.
func (t seriesTally) moved(was, is *place, kept bool) {
	stopped := was.state == workqueue.Blocked && (!kept || is.state != workqueue.Blocked)
	if stopped {
		t.started(was.key("", time.Time{}), was.started.Time, was.due.Time)
	}
	if kept && is.state == workqueue.Cancelled && was.state != workqueue.Cancelled {
		t.cancelled(is)
	}
	ended := was.state == workqueue.Processed || was.state == workqueue.Cancelled
	if !kept || ended && is.state != was.state || is.queue != was.queue {
		// What was counted of it, in this period and before, cannot be counted again.
		at := time.Time{}
		if ended && was.finished.Valid && (!kept || is.queue == was.queue) {
			at = was.finished.Time
		}
		t.add(seriesKey{at: at, queue: was.queue, event: workqueue.EventIncomplete})
		if kept && is.queue != was.queue {
			t.add(seriesKey{queue: is.queue, event: workqueue.EventIncomplete})
		}
	}
}

// cancelled counts that an item became Cancelled without the end of a run.
func (t seriesTally) cancelled(is *place) {
	k := is.key(workqueue.EventCancelled, is.finished.Time)
	k.kind = workqueue.ErrorKind(is.kind)
	t.add(k)
}

// rescued counts that a lease ran out. began reports whether the run is known to have begun.
func (t seriesTally) rescued(was *place, now time.Time, began bool) {
	if !began {
		t.add(was.key(workqueue.EventReleased, now))
		return
	}
	t.started(was.key("", time.Time{}), was.started.Time, was.due.Time)
	t.add(was.key(workqueue.EventRescued, now))
}
