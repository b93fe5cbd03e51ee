package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"botwork/internal/database"
	"botwork/workqueue"
)

// EnqueueTx is Enqueue inside a transaction of the caller, begun on the same database: the items
// exist when the caller commits, together with the caller's own rows, and are gone when it rolls
// back. All policies of the queues apply. It finds the keys of items that the transaction itself
// has enqueued before.
//
// After a refused item (*BadItemError, *ConflictError, *UnknownQueueError) nothing has been
// written, and the transaction can go on. After another error, roll it back; a deadlock or a busy
// database is not retried here, because only the caller can repeat its whole transaction.
//
// The keys of items are locked until the transaction ends, so commit soon. On SQLite, begin with
// _txlock=immediate in the DSN: a transaction that has read before it writes may find the
// database busy. At an isolation above read committed, items that others enqueued after the
// transaction began are invisible to it: if one of them has a key of the new items, the error is
// that of the unique index.
//
// On PostgreSQL workers learn of the items at the commit; on the other engines within a second.
func (s *enqueuing) EnqueueTx(ctx context.Context, tx *sql.Tx, items []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	return s.enqueueIn(ctx, foreignTx{tx}, items)
}

// EnqueueGorm is EnqueueTx for a transaction of gorm: the db that its Transaction passes to the
// function, or that Begin returns.
func (s *enqueuing) EnqueueGorm(ctx context.Context, tx *gorm.DB, items []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	pool := tx.Statement.ConnPool
	if _, ok := pool.(gorm.TxCommitter); !ok {
		return nil, errors.New("enqueue: got a *gorm.DB outside a transaction, want the one that db.Transaction passes or db.Begin returns")
	}
	return s.enqueueIn(ctx, foreignTx{pool}, items)
}

// foreignTx is a transaction of a caller. Its type is not *sql.Tx, because statements that are
// prepared in the store's own pool cannot be used in it.
type foreignTx struct{ runner }

func (s *enqueuing) enqueueIn(ctx context.Context, tx foreignTx, items []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	if len(items) == 0 {
		return nil, nil
	}
	if err := s.engine.lost(atCalls); err != nil {
		return nil, fmt.Errorf("enqueue: %w", err)
	}
	// A failed statement would end the whole transaction on some engines.
	if _, err := tx.ExecContext(ctx, s.engine.dialect().savepoint); err != nil {
		return nil, fmt.Errorf("enqueue: set a savepoint: %w", database.Redact(err, s.dsn))
	}
	var err error
	for range enqueueTries {
		var e *enqueue
		if e, err = s.insertForeign(ctx, tx, items); err == nil {
			return e.results, nil
		}
		if _, rerr := tx.ExecContext(ctx, s.engine.dialect().toSavepoint); rerr != nil {
			return nil, fmt.Errorf("enqueue: %w; roll back to the savepoint: %w", database.Redact(err, s.dsn), rerr)
		}
		switch {
		case errors.Is(err, errPolicyChanged):
			if err := s.readPolicies(ctx); err != nil {
				return nil, fmt.Errorf("enqueue: %w", err)
			}
		case classify(err) != uniqueError:
			return nil, refusedItem(database.Redact(err, s.dsn))
		}
		// Another item was just committed with the same key: the next try finds it.
	}
	return nil, fmt.Errorf("enqueue: gave up after %d tries: %w", enqueueTries, err)
}

// insertForeign is one try.
func (s *enqueuing) insertForeign(ctx context.Context, tx foreignTx, items []workqueue.NewItem) (*enqueue, error) {
	e, err := s.prepareBy(ctx, items, func(doing string, do func(runner) error) error {
		if err := do(tx); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := e.insertIn(ctx, tx); err != nil {
		return nil, err
	}
	if n, some := noticeOfRows(e.rows); some {
		err = s.engine.notifyIn(ctx, s.notices, tx, n)
	}
	return e, err
}
