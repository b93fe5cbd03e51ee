package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	mssql "github.com/microsoft/go-mssqldb"
	sqlite3 "modernc.org/sqlite/lib"
)

// tx runs do in a transaction.
func (s *connection) tx(ctx context.Context, do func(*sql.Tx) error) error {
	tx, end, err := s.engine.begin(ctx, s.db)
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
	if err := s.engine.lost(atCommits); err != nil {
		return &uncommittedError{err}
	}
	if err := tx.Commit(); err != nil {
		return &commitError{err}
	}
	return nil
}

// commitError is the error of a commit. Unlike an error of an earlier statement, it may mean
// that the commit succeeded and only the response was lost.
type commitError struct{ err error }

func (e *commitError) Error() string { return e.err.Error() }

func (e *commitError) Unwrap() error { return e.err }

// unknown reports whether the transaction may have been committed nevertheless. If the server
// itself returned the error, it has rolled back.
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

// single runs one statement, and retries it after transient errors.
func (s *connection) single(ctx context.Context, doing string, do func(runner) error) error {
	return s.retry(ctx, doing, func() error { return s.engine.alone(ctx, s, do) })
}

// execAlone runs one statement of package sql in its own transaction, and returns how many rows it
// changed.
func (s *connection) execAlone(ctx context.Context, name string, v values) (n int64, err error) {
	err = s.engine.alone(ctx, s, func(on runner) error {
		n, err = s.queries.exec(ctx, on, name, v)
		return err
	})
	return n, err
}
