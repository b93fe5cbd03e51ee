package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// refRow is a claim inside a JSON parameter.
type refRow struct {
	ItemID    int64 `json:"ItemId"`
	ItemFence int64
}

// compare orders claims by item. Every statement that changes a batch of items
// names them in this order, and so locks their rows in it: two that meet, such
// as a beat and the end of what it renews, wait for each other one way only.
func (r refRow) compare(other refRow) int {
	return cmp.Or(cmp.Compare(r.ItemID, other.ItemID), cmp.Compare(r.ItemFence, other.ItemFence))
}

// Claim implements workqueue.LeaseStore.
func (s *Store) Claim(ctx context.Context, p workqueue.ClaimParams) ([]workqueue.Item, error) {
	var items []workqueue.Item
	err := s.retry(ctx, "claim items", func() error {
		items = items[:0]
		rows, err := s.queries.query(ctx, s.db, "claim", values{
			"worker": p.WorkerID, "instance": p.InstanceID,
			"min_priority": p.Band.Min, "max_priority": p.Band.Max,
			"limit_rows": p.Max, "lease_ms": ms(p.Lease), "now": s.nowArg(),
		})
		if err != nil {
			return err
		}
		var row itemRow
		pointers := row.pointers()
		return eachRow(rows, func() error {
			if err := rows.Scan(pointers...); err != nil {
				return err
			}
			items = append(items, row.item())
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(items, func(a, b workqueue.Item) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.ID, b.ID))
	})
	return items, nil
}

// Beat implements workqueue.LeaseStore.
func (s *Store) Beat(ctx context.Context, p workqueue.BeatParams) (workqueue.BeatResult, error) {
	var result workqueue.BeatResult
	held := make([]refRow, len(p.Held))
	for i, h := range p.Held {
		held[i] = refRow{ItemID: h.ItemID, ItemFence: h.Fence}
	}
	batch, err := jsonRows(slices.SortedFunc(slices.Values(held), refRow.compare))
	if err != nil {
		return result, err
	}
	err = s.retry(ctx, "beat", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			result = workqueue.BeatResult{}
			// The items before the worker, as everybody does: on SQL Server the
			// note of a failed attempt reads the worker's row behind its items.
			if len(held) > 0 {
				renewed, err := s.queries.refs(ctx, tx, "beat_items", values{
					"worker": p.WorkerID, "lease_ms": ms(p.Lease), "rows": batch, "now": s.nowArg(),
				})
				if err != nil {
					return err
				}
				result.Lost = missing(held, renewed)
			}
			rows, err := s.queries.query(ctx, tx, "beat_worker", values{
				"worker": p.WorkerID, "instance": p.InstanceID, "lease_ms": ms(p.Lease), "now": s.nowArg(),
			})
			if err != nil {
				return err
			}
			if err := eachRow(rows, func() error { return rows.Scan(&result.State) }); err != nil {
				return err
			}
			if result.State == "" {
				result = workqueue.BeatResult{} // rolled back: nothing was renewed
				return workqueue.ErrWorkerReplaced
			}
			return nil
		})
	})
	return result, err
}

// missing returns the ids of the refs that are not among found. An item may
// stand among refs with two fences; only one of them holds.
func missing(refs, found []refRow) []int64 {
	if len(refs) == len(found) {
		return nil
	}
	there := make(map[refRow]bool, len(found))
	for _, ref := range found {
		there[ref] = true
	}
	var lost []int64
	for _, ref := range refs {
		if !there[ref] {
			lost = append(lost, ref.ItemID)
		}
	}
	return lost
}

// finishRow is a Finish inside a JSON parameter. Nil is SQL's NULL.
type finishRow struct {
	refRow
	NewState  int
	Failures  int
	DelayMs   int64
	NewOutput *string
	ErrorText *string
	Kind      *string
}

// attemptRow is an attempt inside a JSON parameter.
type attemptRow struct {
	refRow
	Number    int
	Result    string
	HolderID  *int64 `json:"HolderId"`
	StepName  *string
	ErrorText *string
	Kind      *string
}

// errSetShrank says that a lease went away between two statements of one
// transaction; the transaction is rolled back and run again.
var errSetShrank = errors.New("an item was taken away while its end was written")

// Finish implements workqueue.LeaseStore.
func (s *Store) Finish(ctx context.Context, workerID int64, finishes []workqueue.Finish) ([]int64, error) {
	if len(finishes) == 0 {
		return nil, nil
	}
	rows := make([]finishRow, len(finishes))
	refs := make([]refRow, len(finishes))
	notes := map[refRow]attemptRow{}
	for i, f := range finishes {
		refs[i] = refRow{ItemID: f.ItemID, ItemFence: f.Fence}
		rows[i] = finishRow{
			refRow: refs[i], NewState: int(f.State), Failures: f.RetryCount, DelayMs: ms(f.Delay),
			NewOutput: null(string(f.Output)), ErrorText: null(f.Error), Kind: null(string(f.ErrorKind)),
		}
		if a := f.Attempt; a != nil {
			notes[refs[i]] = attemptRow{
				refRow: refs[i], Number: a.Number, Result: a.Outcome, HolderID: &workerID,
				StepName: null(clip(a.Step, nameLen)), ErrorText: null(f.Error), Kind: null(string(f.ErrorKind)),
			}
		}
	}
	slices.SortFunc(rows, func(a, b finishRow) int { return a.compare(b.refRow) })
	batch, err := jsonRows(rows)
	if err != nil {
		return nil, err
	}
	var lost []int64
	write := func() error {
		finish := func(on runner) error {
			written, err := s.finish(ctx, on, workerID, batch, refs)
			if err != nil {
				return err
			}
			lost = missing(refs, written)
			return s.note(ctx, on, notes, written)
		}
		if len(notes) == 0 && !s.queries.has("finish_match") {
			return finish(s.db) // one statement is its own transaction
		}
		return s.tx(ctx, func(tx *sql.Tx) error { return finish(tx) })
	}
	err = s.retry(ctx, "finish items", func() error {
		for range 3 {
			if err := write(); !errors.Is(err, errSetShrank) {
				return err
			}
		}
		return errSetShrank
	})
	return lost, err
}

// finish writes a batch and returns the claims that it ended.
func (s *Store) finish(ctx context.Context, on runner, workerID int64, batch string, refs []refRow) ([]refRow, error) {
	v := values{"worker": workerID, "rows": batch, "now": s.nowArg()}
	if !s.queries.has("finish_match") {
		return s.queries.refs(ctx, on, "finish", v)
	}
	claims, err := jsonRows(slices.SortedFunc(slices.Values(refs), refRow.compare))
	if err != nil {
		return nil, err
	}
	matched, err := s.queries.refs(ctx, on, "finish_match", values{"worker": workerID, "rows": claims})
	if err != nil || len(matched) == 0 {
		return nil, err
	}
	changed, err := s.queries.exec(ctx, on, "finish", v)
	if err != nil {
		return nil, err
	}
	if int(changed) != len(matched) {
		return nil, errSetShrank
	}
	return matched, nil
}

// note writes the attempts of the claims among refs.
func (s *Store) note(ctx context.Context, on runner, notes map[refRow]attemptRow, refs []refRow) error {
	var rows []attemptRow
	for _, ref := range refs {
		if n, ok := notes[ref]; ok {
			rows = append(rows, n)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	batch, err := jsonRows(rows)
	if err != nil {
		return err
	}
	_, err = s.queries.exec(ctx, on, "attempts", values{"rows": batch, "now": s.nowArg()})
	return err
}

// ReleaseAssigned implements workqueue.LeaseStore.
func (s *Store) ReleaseAssigned(ctx context.Context, workerID int64, instanceID string) (int, error) {
	var n int64
	err := s.retry(ctx, "release assigned items", func() (err error) {
		n, err = s.queries.exec(ctx, s.db, "release_assigned", values{"worker": workerID, "instance": instanceID})
		return err
	})
	return int(n), err
}

// tx runs do in a transaction.
func (s *Store) tx(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	// When do panics, the locks must go with it: whoever recovers would else
	// leave the cluster without assignments, and SQLite without its writer.
	defer tx.Rollback()
	if err := do(tx); err != nil {
		if rerr := tx.Rollback(); rerr != nil && !errors.Is(rerr, sql.ErrTxDone) {
			return errors.Join(err, fmt.Errorf("roll back: %w", rerr))
		}
		return err
	}
	return tx.Commit()
}
