package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

// bookkeeping writes what belongs to a change of state, in its transaction: the attempt and the
// statistics.
type bookkeeping struct {
	*connection
}

// statKind is a column of BotQueueStats. The kinds of ended items are named like their
// lifecycles.
type statKind string

const (
	statCompleted = statKind(workqueue.LifeCompleted)
	statArchived  = statKind(workqueue.LifeArchived)
	statDeleted   = statKind(workqueue.LifeDeleted)
	statFailed    = statKind("failed")  // a failed attempt
	statRecount   = statKind("recount") // the number of recounts; without a queue
)

// statKey identifies a row of BotQueueStats.
type statKey struct {
	queue    string
	kind     statKind
	tier     int
	startsAt time.Time // zero: now
	bucket   int
}

// statSums are the values of the row.
type statSums struct{ events, level, tookMs int64 }

// tally collects the changes of a transaction to the statistics.
type tally map[statKey]statSums

func (t tally) add(k statKey, more statSums) {
	sums := t[k]
	t[k] = statSums{sums.events + more.events, sums.level + more.level, sums.tookMs + more.tookMs}
}

// entered records that an item has ended; left records that it is no longer ended.
func (t tally) entered(queue string, end workqueue.Lifecycle) {
	t.add(statKey{queue: queue, kind: statKind(end)}, statSums{events: 1, level: 1})
}

func (t tally) left(queue string, end workqueue.Lifecycle) {
	t.add(statKey{queue: queue, kind: statKind(end)}, statSums{level: -1})
}

// statRow is a row inside a JSON parameter.
type statRow struct {
	QueueName  string
	Kind       statKind
	Tier       int
	StartsAt   *string
	Bucket     int
	Events     int64
	Level      int64
	DurationMs int64
}

// keep writes a tally in the transaction that it is about. It only inserts rows, so no
// transaction waits for another here.
func (s *bookkeeping) keep(ctx context.Context, on runner, t tally) error {
	var rows []statRow
	for k, sums := range t {
		if sums == (statSums{}) {
			continue
		}
		row := statRow{
			QueueName: k.queue, Kind: k.kind, Tier: k.tier, Bucket: k.bucket,
			Events: sums.events, Level: sums.level, DurationMs: sums.tookMs,
		}
		if !k.startsAt.IsZero() {
			row.StartsAt = new(k.startsAt.Format(s.engine.dialect().jsonTime))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	slices.SortStableFunc(rows, func(a, b statRow) int {
		return cmp.Or(cmp.Compare(a.QueueName, b.QueueName), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Bucket, b.Bucket))
	})
	batch, err := jsonRows(rows)
	if err != nil {
		return err
	}
	_, err = s.queries.exec(ctx, on, "stat_add", values{"rows": batch, "now": s.nowArg()})
	return err
}

// place is the queue and the end of an item, for the statistics.
type place struct {
	queue string
	end   workqueue.Lifecycle // completed, archived, deleted; "": it has not ended

	state    workqueue.State
	pipeline string
	priority int
	worker   sql.NullInt64
	started  database.Time
	due      database.Time
	finished database.Time
	kind     nullText
}

// places reads the queues and ends of items, and locks the items until the transaction ends.
func (s *bookkeeping) places(ctx context.Context, on runner, ids []int64) (map[int64]place, error) {
	type row struct {
		ItemID int64 `json:"ItemId"`
	}
	batch := make([]row, len(ids))
	for i, id := range ids {
		batch[i] = row{id}
	}
	text, err := jsonRows(batch)
	if err != nil {
		return nil, err
	}
	rows, err := s.queries.query(ctx, on, "stat_items", values{"rows": text})
	if err != nil {
		return nil, err
	}
	found := make(map[int64]place, len(ids))
	err = eachRow(rows, func() error {
		var id int64
		var hidden int
		var p place
		err := rows.Scan(&id, &p.queue, &p.state, &hidden, &p.pipeline, &p.priority, &p.worker, &p.started, &p.due, &p.finished, &p.kind)
		if err != nil {
			return err
		}
		p.end, p.pipeline = endOf(p.state, hidden != 0), seriesPipeline(p.pipeline)
		found[id] = p
		return nil
	})
	return found, err
}

// endOf returns the end that an item has reached, or "" if it has not ended.
func endOf(state workqueue.State, deleted bool) workqueue.Lifecycle {
	switch l := workqueue.LifecycleOf(state, 0, true, deleted); l {
	case workqueue.LifeCompleted, workqueue.LifeArchived, workqueue.LifeDeleted:
		return l
	default:
		return ""
	}
}

// keepMoves runs do, which changes some of the items with these ids, and records in the
// statistics which of them have ended or are no longer ended. Items that were deleted are no
// longer ended. It locks the rows first.
func (s *bookkeeping) keepMoves(ctx context.Context, tx *sql.Tx, ids []int64, do func() error) error {
	before, err := s.places(ctx, tx, ids)
	if err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	after, err := s.places(ctx, tx, slices.Collect(maps.Keys(before)))
	if err != nil {
		return err
	}
	t, series := tally{}, seriesTally{}
	for id, was := range before {
		is, kept := after[id]
		series.moved(&was, &is, kept)
		if was.end == is.end {
			continue
		}
		if was.end != "" {
			t.left(was.queue, was.end)
		}
		if is.end != "" {
			t.entered(is.queue, is.end)
		}
	}
	if err := s.keep(ctx, tx, t); err != nil {
		return err
	}
	return s.keepSeries(ctx, tx, series)
}

// keepEnded records in the statistics that items have ended, none of which had ended before.
func (s *bookkeeping) keepEnded(ctx context.Context, on runner, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	at, err := s.places(ctx, on, ids)
	if err != nil {
		return err
	}
	t, series := tally{}, seriesTally{}
	for _, p := range at {
		if p.end != "" {
			t.entered(p.queue, p.end)
		}
		if p.state == workqueue.Cancelled {
			series.cancelled(&p)
		}
	}
	if err := s.keep(ctx, on, t); err != nil {
		return err
	}
	return s.keepSeries(ctx, on, series)
}

// keepRemoved records in the statistics that n ended items of a queue were removed.
func (s *bookkeeping) keepRemoved(ctx context.Context, on runner, queue string, end workqueue.Lifecycle, n int64) error {
	series := seriesTally{}
	series.add(seriesKey{queue: queue, event: workqueue.EventIncomplete})
	if err := s.keepSeries(ctx, on, series); err != nil {
		return err
	}
	return s.keep(ctx, on, tally{{queue: queue, kind: statKind(end)}: {level: -n}})
}
