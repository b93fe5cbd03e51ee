package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"botwork/workqueue"
)

// CommitAlerts implements workqueue.NotificationStore.
func (s *notificationStore) CommitAlerts(ctx context.Context, e workqueue.Evaluation) error {
	positions, err := json.Marshal(e.Positions)
	if err != nil {
		return fmt.Errorf("write the state of the notifications: %w", err)
	}
	w := alertWrite{notificationStore: s, Evaluation: e, positions: string(positions)}
	err = s.underPolicies(ctx, func() error {
		var made *enqueue
		if len(e.Items) > 0 {
			if made, err = s.prepare(ctx, e.Items); err != nil {
				return err
			}
		}
		err := s.retry(ctx, "write the state of the notifications", func() error {
			return s.tx(ctx, func(tx *sql.Tx) error { return w.write(ctx, tx, made) })
		})
		if err == nil && made != nil {
			s.readyRows(made.rows)
		}
		return err
	})
	return err
}

// alertWrite is one evaluation to be written.
type alertWrite struct {
	*notificationStore
	workqueue.Evaluation
	positions string
}

// alertRow is an alert inside a JSON parameter.
type alertRow struct {
	Hash, RuleText, Grouping, Status, Began, Latest string
	Ended, Sent                                     *string
	Tally, Turn                                     int64
	Memory                                          *string
}

// write writes everything under the lock of the row of the state, which notify_turn takes.
func (w *alertWrite) write(ctx context.Context, tx *sql.Tx, made *enqueue) error {
	n, err := w.queries.exec(ctx, tx, "notify_turn", values{
		"version": w.Version, "positions": w.positions, "by": clean(clip(w.By, nameLen)), "now": w.nowArg(),
	})
	switch {
	case err != nil:
		return err
	case n == 0:
		return workqueue.ErrEvaluated
	}
	if err := w.writeAlerts(ctx, tx); err != nil {
		return err
	}
	if err := w.writeSeen(ctx, tx); err != nil {
		return err
	}
	if made == nil {
		return nil
	}
	return made.insertIn(ctx, tx)
}

func (w *alertWrite) writeAlerts(ctx context.Context, tx *sql.Tx) error {
	type keyRow struct{ Hash string }
	var gone []keyRow
	var rows []alertRow
	for i := range w.Alerts {
		row := w.row(&w.Alerts[i])
		gone, rows = append(gone, keyRow{row.Hash}), append(rows, row)
	}
	for i := range w.Forget {
		gone = append(gone, keyRow{alertKey(w.Forget[i].Rule, w.Forget[i].Group)})
	}
	if len(gone) == 0 {
		return nil
	}
	if err := w.execRows(ctx, tx, "alert_remove", gone); err != nil || len(rows) == 0 {
		return err
	}
	return w.execRows(ctx, tx, "alert_add", rows)
}

func (w *alertWrite) row(a *workqueue.Alert) alertRow {
	row := alertRow{
		Hash: alertKey(a.Rule, a.Group), RuleText: clean(clip(a.Rule, nameLen)), Grouping: clean(clip(a.Group, groupLen)), Status: string(a.Phase),
		Began: w.instant(a.StartedAt), Latest: w.instant(a.LastAt), Tally: a.Events, Turn: a.Occurrence, Memory: null(string(a.Memory)),
	}
	if a.EndedAt != nil {
		row.Ended = new(w.instant(*a.EndedAt))
	}
	if a.SentAt != nil {
		row.Sent = new(w.instant(*a.SentAt))
	}
	return row
}

// groupLen is the longest group of an alert, in UTF-16 units.
const groupLen = 450

// instant returns a time inside a JSON parameter.
func (w *alertWrite) instant(t time.Time) string { return t.UTC().Format(w.engine.dialect().jsonTime) }

// writeSeen remembers the happenings that were read, and forgets those that are not read again.
func (w *alertWrite) writeSeen(ctx context.Context, tx *sql.Tx) error {
	type seenRow struct {
		Origin string
		Ref    int64
		Moment string
	}
	type eventRow struct {
		EventID int64 `json:"EventId"`
	}
	var rows []seenRow
	var events []eventRow
	for i := range w.Seen {
		n := &w.Seen[i]
		if n.Source == workqueue.FromEvents {
			events = append(events, eventRow{n.ID})
			continue
		}
		rows = append(rows, seenRow{string(n.Source), n.ID, w.instant(n.At)})
	}
	if len(rows) > 0 {
		if err := w.execRows(ctx, tx, "happening_seen", rows); err != nil {
			return err
		}
	}
	if len(events) > 0 {
		if err := w.execRows(ctx, tx, "event_remove", events); err != nil {
			return err
		}
	}
	for source, position := range w.Positions {
		_, err := w.queries.exec(ctx, tx, "happening_forget", values{
			"source": string(source), "before": w.engine.timeArg(position.Add(-workqueue.HappeningOverlap)),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *alertWrite) execRows(ctx context.Context, tx *sql.Tx, statement string, rows any) error {
	batch, err := jsonRows(rows)
	if err != nil {
		return err
	}
	_, err = w.queries.exec(ctx, tx, statement, values{"rows": batch})
	return err
}
