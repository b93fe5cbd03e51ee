package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"botwork/internal/database"
	"botwork/workqueue"
)

// aheadBy is how far ids and counters advance with each epoch: more than a server can have
// lost.
const aheadBy = 1_000_000

// counters are values that running processes remember: the number of passes, and the revisions
// of queues and tasks.
var counters = []string{
	fmt.Sprintf(`UPDATE "BotAssignmentMarks" SET "Value" = "Value" + %d WHERE "Name" = 'passes'`, aheadBy),
	fmt.Sprintf(`UPDATE "BotQueues" SET "Revision" = "Revision" + %d`, aheadBy),
	fmt.Sprintf(`UPDATE "BotTasks" SET "Revision" = "Revision" + %d`, aheadBy),
}

// Installation implements workqueue.HistoryStore.
func (s *epochs) Installation(ctx context.Context) (workqueue.Installation, error) {
	var i workqueue.Installation
	err := s.retry(ctx, "read the history of the database", func() error {
		var raised database.Time
		var timeline, reason nullText
		rows, err := s.queries.query(ctx, s.db, "installation", nil)
		if err != nil {
			return err
		}
		err = eachRow(rows, func() error { return rows.Scan(&i.Epoch, &timeline, &raised, &reason) })
		i.Timeline, i.RaisedAt, i.Reason = string(timeline), raised.Pointer(), string(reason)
		return err
	})
	return i, err
}

// RaiseEpoch implements workqueue.HistoryStore.
func (s *epochs) RaiseEpoch(ctx context.Context, reason string) (change workqueue.HistoryChange, err error) {
	if change.Before, err = s.Installation(ctx); err != nil {
		return change, err
	}
	err = s.retry(ctx, "raise the epoch", func() error {
		for range raiseTries {
			x, err := s.sight(ctx, s.db, beater{})
			if err != nil || x.epoch > change.Before.Epoch {
				return err
			}
			if err := s.raiseEpoch(ctx, s.db, x, reason, true); err != nil {
				return err
			}
		}
		return errors.New("BotInstallation does not store the new epoch")
	})
	if err != nil {
		return change, err
	}
	change.After, err = s.Installation(ctx)
	s.history.mu.Lock()
	change.Refused, s.history.refused = s.history.refused, nil
	s.history.mu.Unlock()
	return change, err
}

// openPlain opens a pool whose connections are not greeted.
func (s *connection) openPlain() (db *sql.DB, end func(), err error) {
	db, err = database.Open(s.engine.dialect().driver, s.dsn)
	return db, func() { _ = db.Close() }, err
}

// raiseEpoch starts the next epoch, unless another process has done so since x was read. What a user
// has requested is in the audit log. What workers do on their own is not: they may connect to a
// schema that has no such table yet, and BotInstallation has the reason.
func (s *epochs) raiseEpoch(ctx context.Context, db *sql.DB, x sighting, reason string, requested bool) error {
	s.history.mu.Lock()
	next := max(x.epoch, s.history.epoch) + 1
	s.history.mu.Unlock()
	var refused []string
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("raise the epoch: %w", err)
	}
	defer tx.Rollback()
	raised, err := s.queries.exec(ctx, tx, "epoch_raise", values{
		"epoch": x.epoch, "next_epoch": next, "timeline": null(x.present), "reason": reason, "now": s.nowArg(),
	})
	if err == nil && raised > 0 {
		refused, err = s.advance(ctx, tx)
		if err == nil && requested {
			err = s.audit(ctx, tx, auditEntry{
				action: workqueue.AuditRestored, kind: workqueue.TargetDatabase, changed: 1, reason: reason,
				before: auditValues{"epoch": valueOf(x.epoch)}, after: auditValues{"epoch": valueOf(next)},
			})
		}
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return fmt.Errorf("raise the epoch: %w", err)
	}
	s.history.mu.Lock()
	s.history.refused = append(s.history.refused, refused...)
	s.history.mu.Unlock()
	return nil
}

// advance moves ids and counters beyond all that any process can have seen. It returns the
// statements that the login is not permitted to execute.
func (s *epochs) advance(ctx context.Context, tx *sql.Tx) (refused []string, err error) {
	rows, err := s.queries.query(ctx, tx, "identities", nil)
	if err != nil {
		return nil, err
	}
	var statements []string
	err = eachRow(rows, func() error {
		var table string
		var latest sql.NullInt64
		if err := rows.Scan(&table, &latest); err != nil {
			return err
		}
		next := latest.Int64
		if table == (itemRow{}).TableName() {
			next = max(next, s.history.item.Load())
		}
		statements = append(statements, fmt.Sprintf(s.engine.dialect().setIdentity, table, next+aheadBy))
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, s.engine.dialect().savepoint); err != nil {
			return nil, err
		}
		if _, err := tx.ExecContext(ctx, statement); err == nil {
			continue
		} else if !refuses(err) {
			return nil, err
		}
		if _, err := tx.ExecContext(ctx, s.engine.dialect().toSavepoint); err != nil {
			return nil, err
		}
		refused = append(refused, statement)
	}
	for _, statement := range counters {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	return refused, nil
}
