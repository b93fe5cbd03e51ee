package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	mssql "github.com/microsoft/go-mssqldb"
	sqlite3 "modernc.org/sqlite/lib"

	"botwork/internal/database"
)

const (
	// lockWait is how long SQLite waits by itself for the lock of its writer before it is
	// asked again. It sleeps ever longer between two looks, up to 100 ms: while several
	// processes write all the time, one that waits would miss most of the moments when the
	// lock is free.
	lockWait = 20 * time.Millisecond

	// lockPause is the pause between two such tries: SQLite may refuse without waiting.
	lockPause = time.Millisecond

	// A lock that took lockSeen to get has others who want it, for contendedFor at least.
	// While no other process writes, the two statements that set how long SQLite waits
	// are left out.
	lockSeen     = 2 * time.Millisecond
	contendedFor = time.Second
)

// tx runs do in a transaction.
func (s *Store) tx(ctx context.Context, do func(*sql.Tx) error) error {
	tx, end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	// If do panics, the locks must be released: a caller that recovers would otherwise
	// leave the cluster without assignments, and SQLite without a writer.
	defer tx.Rollback()
	if err := do(tx); err != nil {
		if rerr := tx.Rollback(); rerr != nil && !errors.Is(rerr, sql.ErrTxDone) {
			return errors.Join(&uncommittedError{err}, fmt.Errorf("roll back: %w", rerr))
		}
		return &uncommittedError{err}
	}
	if err := tx.Commit(); err != nil {
		return &commitError{err}
	}
	return nil
}

// commitError is the error of a commit. Unlike one of a statement before, it may mean
// that all is done and only the answer was lost.
type commitError struct{ err error }

func (e *commitError) Error() string { return e.err.Error() }

func (e *commitError) Unwrap() error { return e.err }

// unknown reports whether the transaction may have been committed all the same. What the
// server itself refused, it has undone.
func (e *commitError) unknown() bool {
	if errors.Is(e.err, sql.ErrTxDone) || classify(e.err) != otherError {
		return false
	}
	if code := sqliteCode(e.err); code != 0 {
		return code&0xff == sqlite3.SQLITE_IOERR
	}
	_, postgres := errors.AsType[*pgconn.PgError](e.err)
	_, sqlserver := errors.AsType[mssql.Error](e.err)
	return !postgres && !sqlserver
}

// begin begins a transaction; end is to be called after it. On SQLite it has the lock of
// the writer from its beginning.
func (s *Store) begin(ctx context.Context) (tx *sql.Tx, end func(), err error) {
	if s.lockTimeout <= lockWait { // another engine, or a DSN that waits for little
		tx, err = s.db.BeginTx(ctx, nil)
		return tx, func() {}, err
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	end = func() { _ = conn.Close() } // back to the pool
	since := time.Now()
	if since.UnixNano()-s.contended.Load() > int64(contendedFor) {
		tx, err = conn.BeginTx(ctx, nil)
	} else {
		tx, err = s.beginInSteps(ctx, conn)
	}
	if now := time.Now(); now.Sub(since) > lockSeen {
		s.contended.Store(now.UnixNano())
	}
	if err != nil {
		end()
	}
	return tx, end, err
}

func (s *Store) beginInSteps(ctx context.Context, conn *sql.Conn) (*sql.Tx, error) {
	if err := setLockTimeout(ctx, conn, lockWait); err != nil {
		return nil, err
	}
	defer func() { _ = setLockTimeout(context.WithoutCancel(ctx), conn, s.lockTimeout) }()
	for until := time.Now().Add(s.lockTimeout); ; {
		tx, err := conn.BeginTx(ctx, nil)
		if err == nil || classify(err) != transientError || time.Now().After(until) {
			return tx, err
		}
		time.Sleep(lockPause)
	}
}

func setLockTimeout(ctx context.Context, conn *sql.Conn, timeout time.Duration) error {
	_, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", timeout.Milliseconds()))
	return err
}

// readLockTimeout notes how long SQLite waits for a lock by the DSN.
func (s *Store) readLockTimeout(ctx context.Context) error {
	if s.dialect.driver != database.SQLite {
		return nil
	}
	var milliseconds int64
	err := s.db.QueryRowContext(ctx, "PRAGMA busy_timeout").Scan(&milliseconds)
	s.lockTimeout = time.Duration(milliseconds) * time.Millisecond
	return err
}

// single runs one statement, and repeats it when the engine asks for that.
func (s *Store) single(ctx context.Context, doing string, do func(runner) error) error {
	return s.retry(ctx, doing, func() error { return s.alone(ctx, do) })
}

// alone runs one statement as a transaction of its own, which it is by itself. SQLite gets
// an explicit one, so that it waits for its lock as tx does.
func (s *Store) alone(ctx context.Context, do func(runner) error) error {
	if s.dialect.driver == database.SQLite {
		return s.tx(ctx, func(tx *sql.Tx) error { return do(tx) })
	}
	return do(s.db)
}
