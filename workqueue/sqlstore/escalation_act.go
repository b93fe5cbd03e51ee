package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"botwork/workqueue"
	"botwork/workqueue/escalation"
	"botwork/workqueue/matching"
)

// Escalate implements workqueue.EscalationStore.
func (s *escalationStore) Escalate(ctx context.Context, turn workqueue.EscalationTurn) (workqueue.EscalationResult, error) {
	var result workqueue.EscalationResult
	host := workqueue.ActorFrom(ctx).Host
	ctx = workqueue.WithActor(ctx, workqueue.Actor{Name: string(turn.Scope) + " " + turn.Owner + ": " + turn.Rule.Name, Via: workqueue.ViaRule, Host: host})
	if turn.Rule.Announces() {
		return result, s.announce(ctx, &turn)
	}
	found, err := s.due(ctx, &turn, workqueue.EscalationBatch)
	if err != nil || len(found) == 0 {
		return result, err
	}
	result.More = len(found) == workqueue.EscalationBatch
	rows := make([]escalatedRow, len(found))
	for i := range found {
		rows[i] = found[i].row(&turn)
	}
	if result.Refused, err = s.refuse(ctx, &turn, rows); err != nil {
		return result, err
	}
	result.Changed, err = s.escalate(ctx, &turn, rows)
	if classify(err) == uniqueError && turn.Rule.MoveTo != "" {
		err = s.escalateEach(ctx, &turn, rows, &result)
	}
	if err == nil && result.Changed > 0 {
		s.changes.readyIf(turn.Rule.Raise != nil || turn.Rule.Relax != nil || turn.Rule.MoveTo != "")
		if turn.Rule.Cancel {
			_ = s.changes.trimAllArchives(ctx) // the change is done; what this leaves, the next one takes
		}
	}
	return result, err
}

// change returns what a person would do to the items; ok is false if only a rule can do it.
func escalationChange(turn *workqueue.EscalationTurn) (c workqueue.Change, ok bool) {
	switch turn.Rule.Action() {
	case escalation.ActionMove:
		return workqueue.Change{Action: workqueue.Update, Update: &workqueue.ItemUpdate{Queue: turn.Rule.MoveTo}}, true
	case escalation.ActionCancel:
		return workqueue.Change{Action: workqueue.Cancel, Reason: turn.Reason()}, true
	}
	return c, false
}

// refuse marks the items that cannot move to the new queue as not to be changed.
func (s *escalationStore) refuse(ctx context.Context, turn *workqueue.EscalationTurn, rows []escalatedRow) ([]*workqueue.BadUpdateError, error) {
	c, ok := escalationChange(turn)
	if !ok {
		return nil, nil
	}
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ItemID
	}
	refused, err := s.changes.refusals(ctx, c, ids)
	for i := range refused {
		at := slices.Index(ids, refused[i].ItemID)
		rows[at].NewVersion = rows[at].OldVersion
		refused[i] = refusedText(refused[i].ItemID, refused[i].Err)
	}
	return refused, err
}

// escalateEach escalates items one by one, since one of them has a key that is in use in the new
// queue.
func (s *escalationStore) escalateEach(ctx context.Context, turn *workqueue.EscalationTurn, rows []escalatedRow, result *workqueue.EscalationResult) error {
	for i := range rows {
		n, err := s.escalate(ctx, turn, rows[i:i+1])
		if classify(err) == uniqueError {
			rows[i].NewVersion = rows[i].OldVersion
			result.Refused = append(result.Refused, refusedText(rows[i].ItemID, errors.New("its key is in use in the queue "+turn.Rule.MoveTo)))
			n, err = s.escalate(ctx, turn, rows[i:i+1])
		}
		if result.Changed += n; err != nil {
			return err
		}
	}
	return nil
}

// escalate applies the rule to a batch: all of its items or, with an error, none.
func (s *escalationStore) escalate(ctx context.Context, turn *workqueue.EscalationTurn, rows []escalatedRow) (n int, err error) {
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ItemID
	}
	err = s.retry(ctx, "apply the "+turn.String(), func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			n = 0
			// The items were found without rows that other sessions hold; one may be held since.
			if err := s.engine.yieldLocks(ctx, s.connection, tx); err != nil {
				return err
			}
			return s.changes.keepMoves(ctx, tx, ids, func() error { // locks the items
				left, err := s.still(ctx, tx, turn, rows)
				if err != nil || len(left) == 0 {
					return err
				}
				if n, err = s.act(ctx, tx, turn, left); err != nil {
					return err
				}
				if err := s.mark(ctx, tx, turn, left); err != nil || n == 0 {
					return err
				}
				_, err = s.queries.exec(ctx, tx, "escalation_acted", values{"rule": turn.ID, "items": n, "now": s.nowArg()})
				return err
			})
		})
	})
	return n, err
}

// still returns the items that still wait as they were found.
func (s *escalationStore) still(ctx context.Context, tx *sql.Tx, turn *workqueue.EscalationTurn, rows []escalatedRow) ([]escalatedRow, error) {
	batch, err := jsonRows(rows)
	if err != nil {
		return nil, err
	}
	ids, err := s.queries.ids(ctx, tx, "escalation_still", values{"rule": turn.ID, "rows": batch, "now": s.nowArg()})
	if err != nil {
		return nil, err
	}
	waits := make(map[int64]bool, len(ids))
	for _, id := range ids {
		waits[id] = true
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r escalatedRow) bool { return !waits[r.ItemID] }), nil
}

// act does what the rule says, and writes that to the audit log.
func (s *escalationStore) act(ctx context.Context, tx *sql.Tx, turn *workqueue.EscalationTurn, rows []escalatedRow) (int, error) {
	o := operation{key: turn.Operation, reason: turn.Reason()}
	entry := func(items []auditItem) auditEntry {
		e := o.entry("", items)
		e.action = workqueue.AuditItemsEscalate
		return e
	}
	if turn.Rule.Notify {
		return len(rows), s.alert(ctx, tx, turn, rows, entry)
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r escalatedRow) bool { return !r.changes() })
	if len(rows) == 0 {
		return 0, nil
	}
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ItemID
	}
	c, ok := escalationChange(turn)
	if !ok {
		batch, err := jsonRows(rows)
		if err != nil {
			return 0, err
		}
		return s.changes.audited(ctx, tx, ids, escalatedColumns, entry, func() (int, error) {
			n, err := s.queries.exec(ctx, tx, "escalate", values{"rows": batch, "now": s.nowArg()})
			return int(n), err
		})
	}
	picked, err := s.changes.pick(ctx, tx, c, ids, nil)
	if err != nil || len(picked) == 0 {
		return 0, err
	}
	return s.changes.audited(ctx, tx, ids, auditedColumns(c), entry, func() (int, error) { return s.changes.act(ctx, tx, c, picked) })
}

// escalatedColumns are the columns that the audit log records of items that the statement escalate
// changes.
var escalatedColumns = []string{"Id", "Version", "Priority", "Selectors"}

// mark records the step on the items, so that it does not act on them again.
func (s *escalationStore) mark(ctx context.Context, tx *sql.Tx, turn *workqueue.EscalationTurn, rows []escalatedRow) error {
	batch, err := jsonRows(rows)
	if err != nil {
		return err
	}
	if _, err := s.queries.exec(ctx, tx, "escalation_unmark", values{"rule": turn.ID, "rows": batch}); err != nil {
		return err
	}
	_, err = s.queries.exec(ctx, tx, "escalation_mark", values{"rule": turn.ID, "rows": batch, "now": s.nowArg()})
	return err
}

// relax removes selectors, and reports whether there were any to remove.
func (row *escalatedRow) relax(r *escalation.Relax, text string) bool {
	all, err := matching.ParseSelectors(text)
	if err != nil {
		return false // a pass reports them
	}
	left := r.Left(all)
	if len(left) == len(all) {
		return false
	}
	row.SetsSelectors, row.SelectorText, row.Expedited = 1, null(matching.SelectorsJSON(left)), bit(matching.Expedites(left))
	return true
}
