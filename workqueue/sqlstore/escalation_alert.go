package sqlstore

import (
	"context"
	"database/sql"

	"botwork/workqueue"
)

// announce reports that the condition of a rule has become true, once for each time: the process
// that found it true may have died before it reported that, or not know that it has.
func (s *escalationStore) announce(ctx context.Context, turn *workqueue.EscalationTurn) error {
	if !turn.Began {
		return nil
	}
	return s.retry(ctx, "apply the "+turn.String(), func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			n, err := s.queries.exec(ctx, tx, "escalation_announce", values{"rule": turn.ID, "now": s.nowArg()})
			if err != nil || n == 0 {
				return err
			}
			return s.alert(ctx, tx, turn, nil, func([]auditItem) auditEntry {
				return auditEntry{
					action: workqueue.AuditItemsEscalate, kind: string(turn.Scope), target: turn.Owner,
					operation: turn.Operation, reason: turn.Reason(),
				}
			})
		})
	})
}

// alert raises the alert of a rule with notify, in the transaction of the pass: about items that
// have waited for too long or, without rows, about the condition of the rule. Once for each step of an
// item, and once for each time that a condition becomes true. Rules of notifications for the event
// escalation send it to people.
func (s *escalationStore) alert(ctx context.Context, tx *sql.Tx, turn *workqueue.EscalationTurn, rows []escalatedRow, entry func([]auditItem) auditEntry) error {
	items := make([]auditItem, len(rows))
	for i := range rows {
		items[i] = auditItem{ItemID: rows[i].ItemID}
	}
	if err := s.changes.audit(ctx, tx, entry(items)); err != nil {
		return err
	}
	event := workqueue.Event{Kind: "escalation", Detail: turn.Reason()}
	if turn.Scope == workqueue.EscalatePipeline {
		event.Pipeline = turn.Owner
	} else {
		event.Queue = turn.Owner
	}
	events := []workqueue.Event{event}
	if len(rows) > 0 {
		events = make([]workqueue.Event, len(rows))
		for i := range rows {
			events[i] = event
			events[i].ItemID = rows[i].ItemID
		}
	}
	return s.raise(ctx, tx, events)
}
