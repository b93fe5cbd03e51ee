package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"botwork/internal/database"
)

// migrationLock is the name of the lock for migrations.
const migrationLock = "botwork.migrations"

// idleFor is how long a connection that is not used is kept, so that many processes do not keep the connections of their
// busiest moment.
const idleFor = time.Minute

// serverEngine is the common part of the engines that are servers.
type serverEngine struct{ anyEngine }

func (serverEngine) openPool(driver database.Driver, o Options, greet database.Greeting) (pools, error) {
	db, err := database.OpenGreeted(driver, o.DSN, greet)
	if err != nil {
		return pools{}, err
	}
	db.SetMaxOpenConns(orDefault(o.MaxOpen, 16))
	db.SetMaxIdleConns(orDefault(o.MaxIdle, 10))
	db.SetConnMaxIdleTime(idleFor)
	db.SetConnMaxLifetime(o.MaxLifetime)
	return pools{db: db, readers: db}, nil
}

// lockByConnection takes a lock that belongs to a separate connection: the pool may have only
// the one that the migrations use.
func (serverEngine) lockByConnection(ctx context.Context, s *connection, lock, release string) (migrationTurn, error) {
	db, err := database.Open(s.Driver(), s.dsn)
	if err != nil {
		return migrationTurn{}, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return migrationTurn{}, errors.Join(err, db.Close())
	}
	if _, err := conn.ExecContext(ctx, lock); err != nil {
		return migrationTurn{}, errors.Join(err, conn.Close(), db.Close())
	}
	return migrationTurn{
		overtaken: func() bool { return false },
		end: func() {
			// Release it at once, even if ctx has ended: the server may take a while to notice
			// that the connection is closed.
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), release)
			_ = conn.Close()
			_ = db.Close()
		},
	}, nil
}

// readOnly runs do in a transaction that is rolled back.
func (serverEngine) readOnly(ctx context.Context, s *connection, isolation sql.IsolationLevel, do func(runner) error) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: isolation})
	if err != nil {
		return err
	}
	defer tx.Rollback() // it only reads
	return do(tx)
}

// yieldLocks implements engine.
func (serverEngine) yieldLocks(ctx context.Context, s *connection, tx *sql.Tx) error {
	_, err := s.queries.exec(ctx, tx, "clean_session", nil)
	return err
}

// timeline implements engine.
func (serverEngine) timeline(ctx context.Context, s *connection, db *sql.DB) (string, error) {
	var present nullText
	rows, err := s.queries.query(ctx, db, "timeline", nil)
	if err == nil {
		err = eachRow(rows, func() error { return rows.Scan(&present) })
	}
	if refuses(err) {
		return "", nil
	}
	return string(present), err
}
