package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"botwork/workqueue"
)

// recountPage is the range of ids that one statement of a recount covers.
const recountPage = 50_000

// RecountStatistics implements workqueue.StatisticsStore. It counts the items and reads the
// statistics at one moment, so they differ only by changes made by hand in SQL. Statistics
// that other processes write meanwhile add up with the correction.
func (s *statisticsStore) RecountStatistics(ctx context.Context, progress func(done, of int64)) ([]workqueue.StatisticsCorrection, error) {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	var corrections []workqueue.StatisticsCorrection
	var r recount
	err := s.bounded(ctx, func(ctx context.Context) error {
		return s.retry(ctx, "recount the statistics", func() error {
			if err := s.engine.snapshot(ctx, s.connection, func(on runner) (err error) {
				r, err = s.recount(ctx, on, progress)
				return err
			}); err != nil {
				return err
			}
			corrections = r.corrections()
			return s.tx(ctx, func(tx *sql.Tx) error { return s.correct(ctx, tx, r, corrections) })
		})
	})
	if err != nil {
		return nil, err
	}
	if len(r.moved) > 0 {
		err = &workqueue.RecountMovedError{Queues: slices.Sorted(maps.Keys(r.moved))}
	}
	return corrections, err
}

// recountRounds is how often a recount counts, if items end meanwhile.
const recountRounds = 5

// recount is the result of a count.
type recount struct {
	kept    map[statKey]statSums // by queue and kind
	counted map[statKey]int64    // likewise
	moved   map[string]bool      // queues in which items ended during each count; they are in neither
}

// times returns how many recounts had finished by then.
func (r recount) times() int64 { return r.kept[statKey{kind: statRecount}].events }

// recount reads the recorded numbers and counts the items. An engine without snapshots sees items
// end meanwhile, so it reads the recorded numbers again, and counts again for the queues in which
// they have changed. The first count decides which other recounts had finished.
func (s *statisticsStore) recount(ctx context.Context, on runner, progress func(done, of int64)) (recount, error) {
	var settled recount
	for range recountRounds {
		r, err := s.count(ctx, on, progress)
		if err != nil {
			return r, err
		}
		after, err := s.keptSums(ctx, on)
		if err != nil {
			return r, err
		}
		settled.add(r, movedQueues(r.kept, after))
		if len(settled.moved) == 0 {
			break
		}
	}
	return settled, nil
}

// add adds what a count has found in the queues that are not settled yet and that have not moved.
func (r *recount) add(found recount, moved map[string]bool) {
	first := r.kept == nil
	if first {
		r.kept, r.counted = map[statKey]statSums{}, map[statKey]int64{}
	}
	settles := func(k statKey) bool {
		return k.kind != statRecount && (first || r.moved[k.queue]) && !moved[k.queue]
	}
	for k, sums := range found.kept {
		if settles(k) || first && k.kind == statRecount {
			r.kept[k] = sums
		}
	}
	for k, n := range found.counted {
		if settles(k) {
			r.counted[k] = n
		}
	}
	if first {
		r.moved = moved
		return
	}
	maps.DeleteFunc(r.moved, func(queue string, _ bool) bool { return !moved[queue] })
}

// count reads the recorded numbers once, and then counts the items.
func (s *statisticsStore) count(ctx context.Context, on runner, progress func(done, of int64)) (recount, error) {
	r := recount{counted: map[statKey]int64{}}
	var lowest, highest int64
	rows, err := s.queries.query(ctx, on, "stat_ids", nil)
	if err != nil {
		return r, err
	}
	if err := eachRow(rows, func() error { return rows.Scan(&lowest, &highest) }); err != nil {
		return r, err
	}
	if r.kept, err = s.keptSums(ctx, on); err != nil {
		return r, err
	}
	for after := lowest - 1; after < highest; after += recountPage {
		upto := min(after+recountPage, highest)
		rows, err := s.queries.query(ctx, on, "stat_count", values{"after_id": after, "upto_id": upto})
		if err != nil {
			return r, err
		}
		if err := s.countEnds(rows, r.counted); err != nil {
			return r, err
		}
		progress(upto-lowest+1, highest-lowest+1)
	}
	return r, nil
}

// countEnds adds the counts of a statement to counted.
func (s *statisticsStore) countEnds(rows *sql.Rows, counted map[statKey]int64) error {
	return eachRow(rows, func() error {
		var queue string
		var state workqueue.State
		var hidden int
		var n int64
		if err := rows.Scan(&queue, &state, &hidden, &n); err != nil {
			return err
		}
		counted[s.levelKey(queue, statKind(endOf(state, hidden != 0)))] += n
		return nil
	})
}

// keptSums reads the recorded sums of each queue and kind, and the number of recounts, which
// has no queue.
func (s *statisticsStore) keptSums(ctx context.Context, on runner) (map[statKey]statSums, error) {
	kept := tally{}
	rows, err := s.queries.query(ctx, on, "stat_levels", nil)
	if err != nil {
		return nil, err
	}
	err = eachRow(rows, func() error {
		var queue string
		var kind statKind
		var sums statSums
		if err := rows.Scan(&queue, &kind, &sums.level, &sums.events); err != nil {
			return err
		}
		kept.add(s.levelKey(queue, kind), sums)
		return nil
	})
	return kept, err
}

// levelKey returns the key of a level.
func (s *statisticsStore) levelKey(queue string, kind statKind) statKey {
	return statKey{queue: s.engine.queueKey(queue), kind: kind}
}

// corrections lists the differences by queue and lifecycle.
func (r recount) corrections() []workqueue.StatisticsCorrection {
	var all []workqueue.StatisticsCorrection
	add := func(k statKey) {
		if kept := r.kept[k].level; kept != r.counted[k] {
			all = append(all, workqueue.StatisticsCorrection{
				Queue: k.queue, Lifecycle: workqueue.Lifecycle(k.kind), Kept: kept, Counted: r.counted[k],
			})
		}
	}
	for k := range r.counted {
		add(k)
	}
	for k := range r.kept {
		if _, ok := r.counted[k]; !ok && k.kind != statFailed && k.kind != statRecount {
			add(k)
		}
	}
	slices.SortStableFunc(all, func(a, b workqueue.StatisticsCorrection) int {
		return strings.Compare(a.Queue+"\x00"+string(a.Lifecycle), b.Queue+"\x00"+string(b.Lifecycle))
	})
	return all
}

// correct writes the differences, unless another recount has done so since the snapshot: they
// would count twice.
func (s *statisticsStore) correct(ctx context.Context, tx *sql.Tx, r recount, corrections []workqueue.StatisticsCorrection) error {
	if err := s.engine.lockAssignment(ctx, s.connection, tx); err != nil { // recounts write one after the other
		return err
	}
	kept, err := s.keptSums(ctx, tx)
	if err != nil {
		return err
	}
	if (recount{kept: kept}).times() != r.times() {
		return workqueue.ErrRecounted
	}
	t := tally{{kind: statRecount}: {events: 1}}
	for _, c := range corrections {
		t.add(statKey{queue: c.Queue, kind: statKind(c.Lifecycle)}, statSums{level: c.Counted - c.Kept})
	}
	if _, err := s.queries.exec(ctx, tx, "series_incomplete", values{"now": s.nowArg()}); err != nil {
		return err
	}
	if err := s.keep(ctx, tx, t); err != nil || len(corrections) == 0 {
		return err
	}
	before, after := auditValues{}, auditValues{}
	for _, c := range corrections {
		name := fmt.Sprintf("%s/%s", c.Queue, c.Lifecycle)
		before[name], after[name] = valueOf(c.Kept), valueOf(c.Counted)
	}
	return s.audit(ctx, tx, auditEntry{
		action: workqueue.AuditQueuesRecount, kind: workqueue.TargetQueue, changed: len(corrections), before: before, after: after,
	})
}
