package sqlstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"botwork/workqueue"
)

// aftermath is what must be written together with the ends of runs, in the same transaction:
// attempts, copies that retry, removals, also of the records of steps, and statistics. It is written only for the ends that
// were recorded.
type aftermath struct {
	s        *leaseStore
	attempts map[refRow]attemptRow
	removed  map[refRow]bool
	steps    map[refRow]bool // their records of steps are removed
	copies   map[refRow]workqueue.Finish
	runs     runEnds
}

// expect adds what belongs to one end.
func (a *aftermath) expect(ref refRow, f workqueue.Finish) {
	if f.Delete == workqueue.DeletionPhysical || f.Delete == "" && f.Retain != nil && *f.Retain <= 0 {
		a.removed[ref] = true
		delete(a.attempts, ref) // the item's attempts are deleted with it
	}
	if f.HasSteps && (f.State == workqueue.Processed || f.Copy) && !a.removed[ref] {
		a.steps[ref] = true // an item that is removed loses its records with it
	}
	if f.Copy {
		a.copies[ref] = f
	}
	a.runs.expect(ref, f, a.removed[ref])
}

func (a *aftermath) any() bool {
	return len(a.attempts)+len(a.removed)+len(a.steps)+len(a.copies) > 0 || a.runs.any()
}

func (a *aftermath) write(ctx context.Context, on runner, written []refRow) error {
	var ended time.Time // the same for all: one statement ended them
	for _, run := range a.runs.returned {
		ended = run.ended
		break
	}
	if err := a.s.writeAttempts(ctx, on, a.attempts, written, ended); err != nil {
		return err
	}
	if err := a.runs.keep(ctx, on, written); err != nil {
		return err
	}
	done := map[refRow]bool{}
	var removed []refRow
	var steps []endedSteps
	for _, ref := range written {
		done[ref] = true
		if a.removed[ref] {
			removed = append(removed, ref)
		}
		if a.steps[ref] {
			steps = append(steps, endedSteps{refRow: ref})
		}
	}
	if err := a.s.removeSteps(ctx, on, steps); err != nil {
		return err
	}
	for _, ref := range slices.SortedFunc(maps.Keys(a.copies), refRow.compare) {
		if done[ref] {
			if err := a.s.retryCopy(ctx, on, ref, a.copies[ref]); err != nil {
				return err
			}
		}
	}
	if len(removed) == 0 {
		return nil
	}
	slices.SortFunc(removed, refRow.compare)
	batch, err := jsonRows(removed)
	if err != nil {
		return err
	}
	_, err = a.s.queries.exec(ctx, on, "finish_remove", values{"rows": batch})
	return err
}

// retryCopy inserts the copy of an item that is the next attempt. The copy takes over the
// natural key.
func (s *leaseStore) retryCopy(ctx context.Context, on runner, ref refRow, f workqueue.Finish) error {
	var from itemRow
	var unique nullText
	rows, err := s.queries.query(ctx, on, "copied_from", values{"id": ref.ItemID, "fence": ref.ItemFence})
	if err != nil {
		return err
	}
	err = eachRow(rows, func() error {
		return rows.Scan(&unique, &from.Encrypted, &from.Payload, &from.Metadata)
	})
	if err != nil {
		return err
	}
	if unique != "" {
		if _, err := s.queries.exec(ctx, on, "free_unique_key", values{"id": ref.ItemID, "fence": ref.ItemFence}); err != nil {
			return err
		}
	}
	ids, err := s.queries.ids(ctx, on, "retry_copy", values{
		"id": ref.ItemID, "fence": ref.ItemFence, "failures": f.RetryCount, "delay_ms": ms(f.Delay),
		"unique_key": null(string(unique)), "now": s.nowArg(),
	})
	if err != nil {
		return err
	}
	if len(ids) != 1 {
		return fmt.Errorf("item %d: inserted %d copies for the next attempt, want 1", ref.ItemID, len(ids))
	}
	if err := s.keepEnqueued(ctx, on, ids[0]); err != nil || !from.Encrypted {
		return err
	}
	return s.sealCopy(ctx, on, ref.ItemID, ids[0], &from)
}
