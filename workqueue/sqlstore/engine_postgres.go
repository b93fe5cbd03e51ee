package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
)

// postgresLabel is the value of the label @name. The pattern takes much longer than all else, so it comes
// last: what has neither the text nor an escape of one cannot have the label.
const postgresLabel = `(CASE WHEN (strpos(@column, CAST(@part AS text)) > 0 OR strpos(@column, '\') > 0) AND @column ~ CAST(@object AS text) ` +
	"THEN CAST(@column AS jsonb) END -> CAST(@name AS text))"

var postgresDialect = dialect{
	driver:        database.Postgres,
	folder:        "postgres",
	goose:         goose.DialectPostgres,
	finishCounts:  true,
	enqueueCounts: true,
	passesOver:    true,
	clock:         "CAST(COALESCE(CAST(? AS timestamptz), statement_timestamp()) AS timestamptz(3))",
	contains:      "strpos(@column, CAST(@text AS text)) > 0",
	hasLabel:      postgresLabel + " IS NOT NULL",
	labelIs:       postgresLabel + " IN (to_jsonb(CAST(@text AS text)), CAST(@literal AS jsonb))",
	jsonTime:      "2006-01-02T15:04:05.000Z07:00",
	insertByShape: true,

	setIdentity: `SELECT setval(pg_get_serial_sequence('"%[1]s"', 'Id'), %[2]d)`,
	savepoint:   "SAVEPOINT botwork", toSavepoint: "ROLLBACK TO SAVEPOINT botwork",
}

// postgresEngine is a server that runs several statements in one round trip and delivers
// notices between processes.
type postgresEngine struct {
	serverEngine
	sender    notifier
	freeUntil atomic.Int64 // until then, items are taken by take_free; in nanoseconds since 1970
}

func (*postgresEngine) dialect() *dialect { return &postgresDialect }

func (*postgresEngine) dialector(db *sql.DB) gorm.Dialector {
	return postgresDialector{postgres.New(postgres.Config{Conn: db}).(*postgres.Dialector)}
}

// postgresDialector writes limits as numbers. One plan is made for all values of a parameter: for a limit
// the planner would expect a tenth of all rows, and sort a million of them for a page of fifty.
type postgresDialector struct{ *postgres.Dialector }

// Initialize implements gorm.Dialector.
func (d postgresDialector) Initialize(db *gorm.DB) error {
	if err := d.Dialector.Initialize(db); err != nil {
		return err
	}
	db.ClauseBuilders["LIMIT"] = func(c clause.Clause, to clause.Builder) {
		limit, ok := c.Expression.(clause.Limit)
		if !ok || limit.Limit == nil || limit.Offset != 0 {
			c.Expression.Build(to)
			return
		}
		_, _ = to.WriteString("LIMIT " + strconv.Itoa(*limit.Limit)) // into memory
	}
	return nil
}

func (e *postgresEngine) open(_ context.Context, o Options, greet database.Greeting) (pools, error) {
	return e.openPool(database.Postgres, o, greet)
}

func (e *postgresEngine) close() { e.sender.close() }

// lockMigrations takes a lock that belongs to a separate connection, as lockByConnection. It is the
// lock of a transaction: through a pooler such as PgBouncer another session would release a session's lock, so
// that it is held for ever. Who finds it taken leaves the connection to others and tries again
// later, as a pooler may have fewer connections than there are processes that wait.
func (e *postgresEngine) lockMigrations(ctx context.Context, s *connection) (migrationTurn, error) {
	db, err := database.Open(s.Driver(), s.dsn)
	if err != nil {
		return migrationTurn{}, err
	}
	for {
		tx, err := lockInTransaction(ctx, db)
		if err != nil {
			return migrationTurn{}, errors.Join(err, db.Close())
		}
		if tx != nil {
			return migrationTurn{
				overtaken: func() bool { return false },
				end:       func() { _, _ = tx.Rollback(), db.Close() },
			}, nil
		}
		select {
		case <-time.After(migrationLockEvery):
		case <-ctx.Done():
			return migrationTurn{}, errors.Join(ctx.Err(), db.Close())
		}
	}
}

// migrationLockEvery is how often a process that waits for another one's migrations tries again.
const migrationLockEvery = 200 * time.Millisecond

// lockInTransaction returns a transaction that has the lock of the migrations, or nil if another
// process has it. The transaction goes on when ctx ends, until the migrations have.
func lockInTransaction(ctx context.Context, db *sql.DB) (*sql.Tx, error) {
	tx, err := db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return nil, err
	}
	var locked bool
	if _, err = tx.ExecContext(ctx, `SET LOCAL idle_in_transaction_session_timeout = 0`); err == nil {
		err = tx.QueryRowContext(ctx, `SELECT pg_try_advisory_xact_lock(hashtext('`+migrationLock+`'))`).Scan(&locked)
	}
	if err != nil || !locked {
		_ = tx.Rollback()
		return nil, err
	}
	return tx, nil
}

func (e *postgresEngine) snapshot(ctx context.Context, s *connection, do func(runner) error) error {
	return e.readOnly(ctx, s, sql.LevelRepeatableRead, do)
}

// lockAssignment waits until the lock is free.
func (*postgresEngine) lockAssignment(ctx context.Context, s *connection, tx *sql.Tx) error {
	_, err := s.queries.exec(ctx, tx, lockStatement, nil)
	return err
}

// oneRoundTrip reports whether on is the pool: in a transaction each statement is a round trip.
func (*postgresEngine) oneRoundTrip(on runner) bool {
	_, pool := on.(*sql.DB)
	return pool
}

func (*postgresEngine) holdersEnd() string { return "SELECT pg_terminate_backend(%d)" }

func (e *postgresEngine) listen(ctx context.Context, s *notices, report func(workqueue.Notice), trouble func(error)) {
	s.listenForNotices(ctx, report, trouble)
}

func (e *postgresEngine) notify(s *notices, n workqueue.Notice) { e.sender.send(s, n) }

// notifyIn implements engine. The server drops the notice if the transaction is rolled back.
func (*postgresEngine) notifyIn(ctx context.Context, s *notices, tx runner, n workqueue.Notice) error {
	_, err := s.notifyListeners(ctx, tx, s.payload(callersName, n), nil)
	return err
}

// isSingle implements engine: all ends of a batch are in one statement.
func (*postgresEngine) isSingle(f *fenced) bool { return !f.more }

func classifyPostgres(err error) errorClass {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return otherError
	}
	switch pg.Code {
	case "40001", "40P01", "55P03", // serialization, deadlock, lock timeout
		"57P01", "57P02", "25P03": // the server ended the connection and thus the transaction
		return transientError
	case "23505":
		return uniqueError
	case "23503":
		return foreignKeyError
	case "42P01":
		return noSuchTableError
	}
	return otherError
}
