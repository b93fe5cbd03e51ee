package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"botwork/workqueue"
)

// rescueBatch and writeBatch bound one statement, so that it never locks a
// table: from 5,000 rows on SQL Server may, and every claim and beat would wait.
const rescueBatch, writeBatch = 1000, 1000

// Assign implements workqueue.Store. On SQLite the write transaction itself is
// the lock.
func (s *Store) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	archived := false
	err := s.retry(ctx, "assign items", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			if err := s.lockAssignment(ctx, tx); err != nil {
				return err
			}
			a := &assignTx{s: s, tx: tx}
			err := pass(ctx, a)
			archived = a.archived
			return err
		})
	})
	if err == nil && archived {
		_ = s.trimAllArchives(ctx) // the pass is done; what this leaves, the next one takes
	}
	return err
}

func (s *Store) lockAssignment(ctx context.Context, tx *sql.Tx) error {
	if !s.queries.has(lockStatement) {
		return nil
	}
	rows, err := s.queries.query(ctx, tx, lockStatement, nil)
	if err != nil {
		return err
	}
	// PostgreSQL answers with an empty value, SQL Server with a number below 0
	// when the lock was not got.
	var result any
	if err := eachRow(rows, func() error { return rows.Scan(&result) }); err != nil {
		return err
	}
	if n, ok := result.(int64); ok && n < 0 {
		return fmt.Errorf("the assignment lock was not got (sp_getapplock returned %d, want 0 or 1): "+
			"the pass of another worker has held it for 30 seconds, or its session hangs", n)
	}
	return nil
}

// assignTx is the database inside an assignment pass.
type assignTx struct {
	s  *Store
	tx *sql.Tx

	archived bool // it has cancelled items

	// rated is set by Limits: a queue limits the starts of its items.
	rated bool
}

// Rescue implements workqueue.AssignTx.
func (a *assignTx) Rescue(ctx context.Context, p workqueue.RescueParams) (workqueue.RescueResult, error) {
	var total workqueue.RescueResult
	for {
		found, moved, err := a.rescueBatch(ctx, p, &total)
		if err != nil {
			return total, fmt.Errorf("rescue: %w", err)
		}
		// Nothing moved although something was found: others were quicker.
		if found < rescueBatch || moved == 0 {
			return total, nil
		}
	}
}

type staleRow struct {
	refRow
	state    workqueue.State
	workerID *int64
	failures int
	priority int
}

// rescueBatch runs one statement and adds to total what it moved.
func (a *assignTx) rescueBatch(ctx context.Context, p workqueue.RescueParams, total *workqueue.RescueResult) (found, changed int, err error) {
	stale, err := a.stale(ctx, p)
	if err != nil || len(stale) == 0 {
		return 0, 0, err
	}
	refs := make([]refRow, len(stale))
	for i, row := range stale {
		refs[i] = row.refRow
	}
	slices.SortFunc(refs, refRow.compare)
	batch, err := jsonRows(refs)
	if err != nil {
		return 0, 0, err
	}
	poison := fmt.Sprintf("poison: its lease ran out %d times: workers died or vanished with it, or robots were too late", p.MaxReleases)
	rows, err := a.s.queries.query(ctx, a.tx, "rescue", values{
		"rows": batch, "assigned_ms": ms(p.AssignedFor), "max_releases": p.MaxReleases,
		"poison_text": poison, "now": a.s.nowArg(),
	})
	if err != nil {
		return 0, 0, err
	}
	moved := map[int64]workqueue.State{}
	err = eachRow(rows, func() error {
		var id int64
		var state workqueue.State
		if err := rows.Scan(&id, &state); err != nil {
			return err
		}
		moved[id] = state
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	notes := map[refRow]attemptRow{}
	var ended []refRow
	var poisoned []int64
	for _, row := range stale {
		state, ok := moved[row.ItemID]
		if !ok {
			continue
		}
		if state == workqueue.Cancelled {
			poisoned = append(poisoned, row.ItemID)
		}
		total.Add(row.state, state, row.priority)
		a.archived = a.archived || state == workqueue.Cancelled
		if row.state == workqueue.Assigned {
			continue // nothing had started: no attempt to note
		}
		ended = append(ended, row.refRow)
		notes[row.refRow] = attemptRow{
			refRow: row.refRow, Number: row.failures + 1, Result: "rescued", HolderID: row.workerID,
			ErrorText: null(ranOut(row.workerID)),
		}
	}
	if err := a.s.note(ctx, a.tx, notes, ended); err != nil {
		return 0, 0, err
	}
	return len(stale), len(moved), a.s.keepEnded(ctx, a.tx, poisoned)
}

// ranOut is what the attempt tells whose lease ran out. What runs without a
// worker, a robot has taken.
func ranOut(worker *int64) string {
	if worker == nil {
		return "the lease ran out: whoever took the item neither ended nor extended it in time"
	}
	return "the lease ran out: the worker died, hung or lost the database"
}

func (a *assignTx) stale(ctx context.Context, p workqueue.RescueParams) ([]staleRow, error) {
	rows, err := a.s.queries.query(ctx, a.tx, "stale", values{
		"assigned_ms": ms(p.AssignedFor), "limit_rows": rescueBatch, "now": a.s.nowArg(),
	})
	if err != nil {
		return nil, err
	}
	var stale []staleRow
	err = eachRow(rows, func() error {
		var r staleRow
		if err := rows.Scan(&r.ItemID, &r.ItemFence, &r.state, &r.workerID, &r.failures, &r.priority); err != nil {
			return err
		}
		stale = append(stale, r)
		return nil
	})
	return stale, err
}

// WorkerLoads implements workqueue.AssignTx.
func (a *assignTx) WorkerLoads(ctx context.Context, seenWithin time.Duration, band workqueue.Band, defaultEstimate time.Duration) ([]workqueue.WorkerLoad, error) {
	rows, err := a.s.queries.query(ctx, a.tx, "worker_loads", values{
		"seen_ms": ms(seenWithin), "min_priority": band.Min, "default_ms": ms(defaultEstimate), "now": a.s.nowArg(),
	})
	if err != nil {
		return nil, fmt.Errorf("read workers: %w", err)
	}
	var loads []workqueue.WorkerLoad
	err = eachRow(rows, func() error {
		var l workqueue.WorkerLoad
		var heldMs int64
		if err := rows.Scan(&l.WorkerID, &l.Name, &l.Capacity, &l.HeldInBand, &heldMs); err != nil {
			return err
		}
		l.HeldDuration = milliseconds(heldMs)
		loads = append(loads, l)
		return nil
	})
	return loads, err
}

// DueItems implements workqueue.AssignTx: two index ranges, merged.
func (a *assignTx) DueItems(ctx context.Context, band workqueue.Band, limit int) ([]workqueue.DueItem, error) {
	return a.dueHalves(ctx, "", nil, band, limit)
}

// dueHalves runs the two statements whose names end like that, with more values
// than they have in common.
func (a *assignTx) dueHalves(ctx context.Context, ending string, more values, band workqueue.Band, limit int) ([]workqueue.DueItem, error) {
	var due []workqueue.DueItem
	for _, name := range []string{"due_deadline", "due"} {
		half, err := a.due(ctx, name+ending, more, band, limit)
		if err != nil {
			return nil, fmt.Errorf("read due items: %w", err)
		}
		due = append(due, half...)
	}
	slices.SortFunc(due, compareDue)
	return due[:min(len(due), limit)], nil
}

func compareDue(a, b workqueue.DueItem) int {
	deadline := a.Deadline.Compare(b.Deadline)
	if a.Deadline.IsZero() != b.Deadline.IsZero() {
		deadline = -deadline // the zero time means none, and none comes last
	}
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), deadline, cmp.Compare(a.ID, b.ID))
}

func (a *assignTx) due(ctx context.Context, name string, more values, band workqueue.Band, limit int) ([]workqueue.DueItem, error) {
	v := values{"min_priority": band.Min, "max_priority": band.Max, "limit_rows": limit, "now": a.s.nowArg()}
	maps.Copy(v, more)
	rows, err := a.s.queries.query(ctx, a.tx, name, v)
	if err != nil {
		return nil, err
	}
	var due []workqueue.DueItem
	err = eachRow(rows, func() error {
		var d workqueue.DueItem
		var deadline utcTime
		var estimateMs *int64
		var pipeline, queue, key nullText
		if err := rows.Scan(&d.ID, &d.Priority, &deadline, &estimateMs, &pipeline, &queue, &key); err != nil {
			return err
		}
		d.Deadline, d.Pipeline, d.Queue = deadline.Time, string(pipeline), string(queue)
		if d.Queue != "" {
			d.LimitKey = string(key)
		}
		if estimateMs != nil {
			d.Estimate = milliseconds(*estimateMs)
		}
		due = append(due, d)
		return nil
	})
	return due, err
}

// Write implements workqueue.AssignTx.
func (a *assignTx) Write(ctx context.Context, assignments []workqueue.Assignment) (int, error) {
	type row struct {
		ItemID   int64 `json:"ItemId"`
		HolderID int64 `json:"HolderId"`
	}
	total := 0
	for chunk := range slices.Chunk(assignments, writeBatch) {
		rows := make([]row, len(chunk))
		for i, as := range chunk {
			rows[i] = row{ItemID: as.ItemID, HolderID: as.WorkerID}
		}
		batch, err := jsonRows(rows)
		if err != nil {
			return total, err
		}
		n, err := a.s.queries.exec(ctx, a.tx, "assign", values{"rows": batch, "now": a.s.nowArg()})
		if err != nil {
			return total, fmt.Errorf("write assignments: %w", err)
		}
		total += int(n)
	}
	if total == 0 {
		return 0, nil
	}
	return total, a.noteStarts(ctx)
}
