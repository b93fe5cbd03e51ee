package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"

	"botwork/workqueue"
)

var _ workqueue.LeaseStore = (*leaseStore)(nil)

// leaseStore claims items for workers, extends their leases and ends their runs.
type leaseStore struct {
	*connection
	*epochs
	*notices
	*itemRows
	*bookkeeping
	*archive
}

// refRow is a claim inside a JSON parameter.
type refRow struct {
	ItemID    int64 `json:"ItemId"`
	ItemFence int64
}

// compare orders claims by item. Every statement that changes a batch of items locks their rows
// in this order, so two statements on the same rows, such as a heartbeat and the end of a run,
// cannot deadlock.
func (r refRow) compare(other refRow) int {
	return cmp.Or(cmp.Compare(r.ItemID, other.ItemID), cmp.Compare(r.ItemFence, other.ItemFence))
}

func refRows(refs []workqueue.ItemRef) []refRow {
	rows := make([]refRow, len(refs))
	for i, ref := range refs {
		rows[i] = refRow{ItemID: ref.ItemID, ItemFence: ref.Fence}
	}
	return rows
}

// Claim implements workqueue.LeaseStore.
func (s *leaseStore) Claim(ctx context.Context, p workqueue.ClaimParams) ([]workqueue.Item, error) {
	full, err := jsonRows(append([]string{}, p.FullChannels...))
	if err != nil {
		return nil, err
	}
	work, bytes := ms(p.Work), p.Bytes
	if p.Work == 0 {
		work = math.MaxInt64
	}
	if bytes == 0 {
		bytes = math.MaxInt64
	}
	var claimed claimedRows
	err = s.single(ctx, "claim items", func(on runner) error {
		rows, err := s.queries.query(ctx, on, "claim", values{
			"worker": p.WorkerID, "instance": p.InstanceID,
			"min_priority": p.Band.Min, "max_priority": p.Band.Max,
			"limit_rows": p.Max, "begin_rows": p.Begin, "work_ms": work, "bytes": bytes, "full_channels": full,
			"lease_ms": ms(p.Lease), "now": s.nowArg(),
		})
		if err != nil {
			return err
		}
		claimed, err = s.claimed(rows, p.WorkerID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.completed(ctx, &claimed), nil
}

// Begin implements workqueue.LeaseStore.
func (s *leaseStore) Begin(ctx context.Context, p workqueue.BeginParams) (refused []int64, err error) {
	if len(p.Items) == 0 {
		return nil, nil
	}
	refs := refRows(p.Items)
	for try := 0; ; try++ {
		if refs, err = s.begin(ctx, p, refs); err != nil || len(refs) == 0 || try == len(lockPauses) {
			return itemIDs(refs), err
		}
		// Those that the worker still has were refused, or passed over: only another try shows which.
		locked, err := s.lockedAmong(ctx, p.WorkerID, p.InstanceID, refs)
		if err != nil || len(locked) == 0 || !sleep(ctx, lockPauses[try]) {
			return itemIDs(refs), err
		}
	}
}

// begin records the starts and returns the claims that did not change.
func (s *leaseStore) begin(ctx context.Context, p workqueue.BeginParams, refs []refRow) (unchanged []refRow, err error) {
	batch, err := jsonRows(slices.SortedFunc(slices.Values(refs), refRow.compare))
	if err != nil {
		return nil, err
	}
	err = s.single(ctx, "begin items", func(on runner) error {
		started, err := s.queries.refs(ctx, on, "begin", values{
			"worker": p.WorkerID, "instance": p.InstanceID, "rows": batch, "now": s.nowArg(),
		})
		unchanged = missing(refs, started)
		return err
	})
	return unchanged, err
}

// Beat implements workqueue.LeaseStore.
func (s *leaseStore) Beat(ctx context.Context, p workqueue.BeatParams) (workqueue.BeatResult, error) {
	var result workqueue.BeatResult
	if err := s.engine.lost(atOnce); err != nil {
		return result, err
	}
	held := refRows(p.Held)
	if err := s.verifyHistory(ctx, p.WorkerID, p.InstanceID); err != nil {
		return result, fmt.Errorf("beat: %w", err)
	}
	beats, unchanged, err := s.beat(ctx, p, held, &result)
	if err != nil {
		return result, err
	}
	locked, err := s.lockedAmong(ctx, p.WorkerID, p.InstanceID, unchanged)
	result.Lost = itemIDs(missing(unchanged, locked))
	for _, pause := range lockPauses {
		if err != nil || len(locked) == 0 || !sleep(ctx, pause) {
			break
		}
		var more []int64
		more, locked, err = s.renew(ctx, p, locked)
		result.Lost = append(result.Lost, more...)
	}
	if err != nil {
		return result, err
	}
	result.Locked = itemIDs(locked)
	if beats > 0 { // else the worker's row was passed over
		s.history.beaten(p.WorkerID, p.InstanceID, beats)
	}
	s.recordSeen(true)
	result.History, err = s.historyChange(ctx, p, result.Lost)
	return result, err
}

// beat renews the leases and the worker's own in one transaction. It returns the number of beats so
// far, and the claims that did not change.
func (s *leaseStore) beat(ctx context.Context, p workqueue.BeatParams, held []refRow, result *workqueue.BeatResult) (beats int64, unchanged []refRow, err error) {
	var ended *int64
	if p.Ended != nil {
		ended = new(ms(*p.Ended))
	}
	beat := func(on runner) error {
		*result = workqueue.BeatResult{}
		// Items before the worker, as all transactions do: on SQL Server the insert of a failed
		// attempt reads the worker's row after its items.
		renewed, err := s.beatItems(ctx, on, p, held)
		if err != nil {
			return err
		}
		unchanged = missing(held, renewed)
		rows, err := s.queries.query(ctx, on, "beat_worker", values{
			"worker": p.WorkerID, "instance": p.InstanceID, "lease_ms": ms(p.Lease), "stuck": p.Stuck, "gate": null(p.Gate), "ended_ms": ended, "now": s.nowArg(),
		})
		if err != nil {
			return err
		}
		beats = 0
		var overrides nullText
		if err := eachRow(rows, func() error { return rows.Scan(&result.State, &beats, &overrides) }); err != nil {
			return err
		}
		result.Overrides = workqueue.JSONText(overrides)
		if result.State == "" {
			return s.beatPassed(ctx, on, p, result)
		}
		return nil
	}
	if len(held) == 0 {
		err = s.single(ctx, "beat", beat)
		return beats, nil, err
	}
	err = s.retry(ctx, "beat", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error { return beat(tx) })
	})
	return beats, unchanged, err
}

// beatPassed completes a heartbeat that has not changed the worker's row: another process has replaced
// the worker, or another session holds the row. Then only the leases of items are renewed.
func (s *leaseStore) beatPassed(ctx context.Context, on runner, p workqueue.BeatParams, result *workqueue.BeatResult) error {
	*result = workqueue.BeatResult{}
	if !s.engine.dialect().passesOver {
		return workqueue.ErrWorkerReplaced
	}
	rows, err := s.queries.query(ctx, on, "worker_current", values{"worker": p.WorkerID, "instance": p.InstanceID})
	if err == nil {
		var overrides nullText
		err = eachRow(rows, func() error { return rows.Scan(&result.State, &overrides) })
		result.Overrides = workqueue.JSONText(overrides)
	}
	if isLockTimeout(err) {
		return nil // the state is unknown
	}
	if err == nil && result.State == "" {
		err = workqueue.ErrWorkerReplaced
	}
	return err
}

// beatItems renews leases and returns the claims whose leases it renewed.
func (s *leaseStore) beatItems(ctx context.Context, on runner, p workqueue.BeatParams, held []refRow) ([]refRow, error) {
	started, err := jsonRows(refRows(p.Started))
	if err != nil {
		return nil, err
	}
	var renewed []refRow
	for chunk := range slices.Chunk(slices.SortedFunc(slices.Values(held), refRow.compare), writeBatch) {
		batch, err := jsonRows(chunk)
		if err != nil {
			return nil, err
		}
		some, err := s.queries.refs(ctx, on, "beat_items", values{
			"worker": p.WorkerID, "lease_ms": ms(p.Lease), "rows": batch, "begun": started, "now": s.nowArg(),
		})
		if err != nil {
			return nil, err
		}
		renewed = append(renewed, some...)
	}
	return renewed, nil
}

// renew renews leases that a heartbeat has passed over, of a worker that has just been found to be
// the current one.
func (s *leaseStore) renew(ctx context.Context, p workqueue.BeatParams, refs []refRow) (lost []int64, locked []refRow, err error) {
	var unchanged []refRow
	err = s.single(ctx, "renew leases", func(on runner) error {
		renewed, err := s.beatItems(ctx, on, p, refs)
		unchanged = missing(refs, renewed)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	locked, err = s.lockedAmong(ctx, p.WorkerID, p.InstanceID, unchanged)
	return itemIDs(missing(unchanged, locked)), locked, err
}

// missing returns those refs that are not in found. refs may have an item with two fences,
// of which only one is valid.
func missing(refs, found []refRow) []refRow {
	if len(refs) == len(found) {
		return nil
	}
	present := make(map[refRow]bool, len(found))
	for _, ref := range found {
		present[ref] = true
	}
	var list []refRow
	for _, ref := range refs {
		if !present[ref] {
			list = append(list, ref)
		}
	}
	return list
}

func itemIDs(refs []refRow) []int64 {
	var ids []int64
	for _, ref := range refs {
		ids = append(ids, ref.ItemID)
	}
	return ids
}

// ReleaseAssigned implements workqueue.LeaseStore.
func (s *leaseStore) ReleaseAssigned(ctx context.Context, workerID int64, instanceID string) (int, error) {
	var n int64
	err := s.single(ctx, "release assigned items", func(on runner) (err error) {
		n, err = s.queries.exec(ctx, on, "release_assigned", values{"worker": workerID, "instance": instanceID})
		return err
	})
	s.readyIf(err == nil && n > 0)
	return int(n), err
}

// AbandonedBand implements workqueue.LeaseStore.
func (s *leaseStore) AbandonedBand(ctx context.Context, workerID int64) (workqueue.Band, bool, error) {
	var lowest, highest *int
	err := s.retry(ctx, "find stranded items", func() error {
		rows, err := s.queries.query(ctx, s.db, "stranded", values{"worker": workerID, "now": s.nowArg()})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error { return rows.Scan(&lowest, &highest) })
	})
	if err != nil || lowest == nil || highest == nil {
		return workqueue.Band{}, false, err
	}
	return workqueue.Band{Min: *lowest, Max: *highest}, true, nil
}
