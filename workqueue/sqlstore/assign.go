package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	"botwork/workqueue"
)

var _ workqueue.AssignStore = (*assignStore)(nil)

// assignStore reads and writes the database for an assignment pass.
type assignStore struct {
	*connection
	*notices
	*itemRows
	*bookkeeping
	*archive
}

// rescueBatch and writeBatch limit the rows of one statement. SQL Server may lock the whole
// table from 5,000 rows on, and every claim and heartbeat would wait.
const rescueBatch, writeBatch = 1000, 1000

// Assign implements workqueue.AssignStore. On SQLite the write transaction itself is the
// assignment lock.
func (s *assignStore) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	archived := false
	var holders map[int64]bool
	err := s.retry(ctx, "assign items", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			if err := s.engine.lockAssignment(ctx, s.connection, tx); err != nil {
				return err
			}
			a := s.assignTx(tx)
			err := pass(ctx, a)
			archived, holders = a.archived, a.holders
			return err
		})
	})
	if err == nil {
		s.notifyAssigned(holders)
	}
	if err == nil && archived {
		_ = s.trimAllArchives(ctx) // the pass is committed; the next pass trims what is left
	}
	return err
}

// assignTx is the database inside an assignment pass.
type assignTx struct {
	assignView
	tx *sql.Tx

	archived bool // the pass has cancelled items

	// holders are the workers that the pass has assigned items to.
	holders map[int64]bool

	// rated is set by Limits: at least one queue limits the rate of starts.
	rated bool
}

func (s *assignStore) assignTx(tx *sql.Tx) *assignTx {
	return &assignTx{assignView: assignView{s: s, on: tx, queries: s.queries}, tx: tx, holders: map[int64]bool{}}
}

// Rescue implements workqueue.AssignTx.
func (a *assignTx) Rescue(ctx context.Context, assignedFor time.Duration) (workqueue.RescueResult, error) {
	var total workqueue.RescueResult
	for {
		found, moved, err := a.rescueBatch(ctx, assignedFor, &total)
		if err != nil {
			return total, fmt.Errorf("rescue: %w", err)
		}
		// Rows were found but none moved: other processes changed them first.
		if found < rescueBatch || moved == 0 {
			break
		}
	}
	released, err := a.releaseWithheld(ctx)
	total.Released += released
	total.Withheld += released
	if err != nil {
		return total, fmt.Errorf("release withheld items: %w", err)
	}
	return total, nil
}

type staleRow struct {
	refRow
	state    workqueue.State
	workerID *int64
	failures int
	priority int
}

// rescueBatch runs the statement for one batch and adds the moved items to total.
func (a *assignTx) rescueBatch(ctx context.Context, assignedFor time.Duration, total *workqueue.RescueResult) (found, changed int, err error) {
	stale, err := a.stale(ctx, assignedFor, rescueBatch)
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
	ids := make([]int64, len(refs))
	for i, ref := range refs {
		ids[i] = ref.ItemID
	}
	before, err := a.s.places(ctx, a.tx, ids)
	if err != nil {
		return 0, 0, err
	}
	now, err := a.s.clock(ctx, a.tx)
	if err != nil {
		return 0, 0, err
	}
	series := seriesTally{}
	rows, err := a.s.queries.query(ctx, a.tx, "rescue", values{"rows": batch, "assigned_ms": ms(assignedFor), "now": a.s.nowArg()})
	if err != nil {
		return 0, 0, err
	}
	type rescued struct {
		state        workqueue.State
		startedFence *int64
	}
	moved := map[int64]rescued{}
	err = eachRow(rows, func() error {
		var id int64
		var r rescued
		if err := rows.Scan(&id, &r.state, &r.startedFence); err != nil {
			return err
		}
		moved[id] = r
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	attempts := map[refRow]attemptRow{}
	var ended []refRow
	var poisoned []int64
	for _, row := range stale {
		to, ok := moved[row.ItemID]
		if !ok {
			continue
		}
		if to.state == workqueue.Cancelled {
			poisoned = append(poisoned, row.ItemID)
		}
		total.Add(row.state, to.state, row.priority)
		a.archived = a.archived || to.state == workqueue.Cancelled
		if row.state == workqueue.Assigned {
			continue // it had not started: there is no attempt to record
		}
		ended = append(ended, row.refRow)
		attempt := attemptRow{
			refRow: row.refRow, Number: row.failures + 1, Result: "rescued", HolderID: row.workerID,
			ErrorText: null(ranOut(row.workerID)),
		}
		if to.startedFence == nil || *to.startedFence != row.ItemFence {
			attempt.Result, attempt.ErrorText, attempt.Unbegun = "released", null(ranOutBeforeStart), 1
		}
		was := before[row.ItemID]
		series.rescued(&was, now, attempt.Unbegun == 0)
		attempts[row.refRow] = attempt
	}
	if err := a.s.writeAttempts(ctx, a.tx, attempts, ended, now); err != nil {
		return 0, 0, err
	}
	if err := a.s.keepSeries(ctx, a.tx, series); err != nil {
		return 0, 0, err
	}
	return len(stale), len(moved), a.s.keepEnded(ctx, a.tx, poisoned)
}

// ranOutBeforeStart is the error of an attempt whose lease expired before its run was known to
// have started.
const ranOutBeforeStart = "the lease ran out before the run started, or before the start was recorded: the worker died, hung or lost the database; not counted"

// ranOut returns the error of an attempt whose lease expired. An item that runs without a
// worker was checked out by a robot.
func ranOut(worker *int64) string {
	if worker == nil {
		return "the lease ran out: the robot neither finished nor extended it in time"
	}
	return "the lease ran out: the worker died, hung or lost the database"
}

// Write implements workqueue.AssignTx.
func (a *assignTx) Write(ctx context.Context, assignments []workqueue.Assignment) (int, error) {
	total := 0
	for chunk := range slices.Chunk(assignments, writeBatch) {
		// Lock rows in the order of their ids, as all statements do.
		rows := make([]assignRow, len(chunk))
		for i := range chunk {
			rows[i] = assignRowOf(&chunk[i])
		}
		sort.Slice(rows, func(i, k int) bool { return rows[i].ItemID < rows[k].ItemID })
		for _, move := range []bool{false, true} {
			n, err := a.write(ctx, rows, move)
			if err != nil {
				return total, fmt.Errorf("write assignments: %w", err)
			}
			total += n
		}
	}
	if total == 0 {
		return 0, nil
	}
	for i := range assignments {
		a.holders[assignments[i].WorkerID] = true
	}
	return total, a.recordStarts(ctx)
}

// assignRow is an assignment inside a JSON parameter.
type assignRow struct {
	ItemID     int64   `json:"ItemId"`
	HolderID   int64   `json:"HolderId"`
	FromID     int64   `json:"FromId"`
	RunOrder   int64   `json:"RunOrder"`
	EstimateMs *int64  `json:"EstimateMs,omitempty"`
	Channel    *string `json:"Channel,omitempty"`
}

func assignRowOf(a *workqueue.Assignment) assignRow {
	row := assignRow{ItemID: a.ItemID, HolderID: a.WorkerID, FromID: a.From, RunOrder: a.RunOrder}
	if a.Estimate > 0 {
		row.EstimateMs = new(ms(a.Estimate))
	}
	if a.Channel != "" {
		row.Channel = &a.Channel
	}
	return row
}

// write writes the rows that move an item to another worker, or those that do not.
func (a *assignTx) write(ctx context.Context, rows []assignRow, move bool) (int, error) {
	statement := "assign"
	if move {
		statement = "reassign"
	}
	of := make([]assignRow, 0, len(rows))
	for _, row := range rows {
		if (row.FromID != 0) == move {
			of = append(of, row)
		}
	}
	if len(of) == 0 {
		return 0, nil
	}
	batch, err := jsonRows(of)
	if err != nil {
		return 0, err
	}
	n, err := a.s.queries.exec(ctx, a.tx, statement, values{"rows": batch, "now": a.s.nowArg()})
	return int(n), err
}

// markTurn is the prefix of marks that record whose turn it is.
const markTurn = "turn "

// RecordPass implements workqueue.AssignTx.
func (a *assignTx) RecordPass(ctx context.Context, m workqueue.PassState) error {
	n, err := a.s.queries.exec(ctx, a.tx, "next_pass", values{"passes": m.Passes})
	if err == nil && n != 1 {
		err = errors.New("the row 'passes' of BotAssignmentMarks is missing or was changed by hand; hint: botwork db migrate")
	}
	for _, scope := range slices.Sorted(maps.Keys(m.Turns)) {
		if err != nil {
			break
		}
		v := values{"name": markTurn + scope, "value": m.Turns[scope]}
		if n, err = a.s.queries.exec(ctx, a.tx, "mark", v); err == nil && n == 0 {
			_, err = a.s.queries.exec(ctx, a.tx, "mark_new", v)
		}
	}
	if err != nil {
		return fmt.Errorf("record the pass: %w", err)
	}
	return nil
}
