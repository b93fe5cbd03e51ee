package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"

	"botwork/internal/database"
	"botwork/workqueue"
)

// connection is what all parts of a store share: the pools, the engine, the statements and the clock.
type connection struct {
	// Immutable after Open.
	statements fs.FS
	engine     engine
	dsn        string
	db         *sql.DB  // writes, and all of the hot path
	readers    *sql.DB  // listings; the same pool as db except on SQLite
	orm        *gorm.DB // on db
	listing    *gorm.DB // on readers
	now        func() time.Time

	payloadSearch int // how many items one call looks at when its filter selects by payload

	lockTimeout time.Duration
	lockNotice  time.Duration               // tests lower it
	waiting     func([]workqueue.RowHolder) // may be nil

	cipher  workqueue.Cipher // nil: no keys
	queries *queries
	reading *queries                                              // on readers
	checks  *queries                                              // read-only, on readers; never prepared
	observe func(statement string, took time.Duration, err error) // nil: nothing is observed

	schemas workqueue.Schemas // has its own lock
	history history           // likewise
}

func (s *connection) connect(ctx context.Context) error {
	var err error
	// Before the first connection: greeting it needs some of them.
	if s.queries, err = loadQueries(s.statements, s.engine.dialect(), "queries", s.db); err != nil {
		return err
	}
	if s.reading, err = loadQueries(s.statements, s.engine.dialect(), "queries", s.readers); err != nil {
		return err
	}
	if s.checks, err = loadQueries(s.statements, s.engine.dialect(), "checks", s.readers); err != nil {
		return err
	}
	s.queries.observe, s.reading.observe, s.checks.observe = s.observe, s.observe, s.observe
	// Retry, because several processes may create the same SQLite file at once: switching to
	// the write-ahead log ignores the busy timeout.
	err = failsafe.With(transient).WithContext(ctx).Run(func() error { return s.db.PingContext(ctx) })
	if err != nil {
		return err
	}
	if err := s.engine.connected(ctx, s.db); err != nil {
		return err
	}
	// Do not share one gorm.Config: both opens would add to the same clause builders.
	if s.orm, err = gorm.Open(s.engine.dialector(s.db), gormConfig()); err != nil {
		return err
	}
	if s.listing, err = gorm.Open(s.engine.dialector(s.readers), gormConfig()); err != nil {
		return err
	}
	return errors.Join(s.observeORM(s.orm), s.observeORM(s.listing))
}

func gormConfig() *gorm.Config {
	return &gorm.Config{
		Logger:                 logger.Discard, // errors are returned; SQL texts contain payloads
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		TranslateError:         true,
		NamingStrategy:         schema.NamingStrategy{NoLowerCase: true}, // columns are named like fields
	}
}

// Close closes the pools. If the file of a SQLite database is lost, it leaves them open: when
// SQLite closes the last connection it deletes the write-ahead log by its name, which may
// belong to the file that has replaced the lost one.
func (s *connection) Close() error {
	s.engine.close()
	var errs []error
	s.recordSeen(s.history.unrecorded(1))
	if s.engine.lost(atOnce) != nil {
		return nil
	}
	for _, q := range []*queries{s.queries, s.reading} {
		if q != nil {
			errs = append(errs, q.close())
		}
	}
	errs = append(errs, s.db.Close())
	if s.readers != s.db {
		errs = append(errs, s.readers.Close())
	}
	s.engine.closed()
	return errors.Join(errs...)
}

// Driver returns the name of the engine.
func (s *connection) Driver() database.Driver { return s.engine.dialect().driver }

// ThroughPooler reports whether the connections go through a pooler such as PgBouncer. It is known
// on PostgreSQL only.
func (s *connection) ThroughPooler(ctx context.Context) (bool, error) {
	if s.Driver() != database.Postgres {
		return false, nil
	}
	return database.ThroughPooler(ctx, s.db)
}

// StatementsRun returns how many statements of package sql this store has run so far, except those of
// checks and those that begin and end transactions.
func (s *connection) StatementsRun() int64 { return s.queries.asked.Load() + s.reading.asked.Load() }

// Pool returns figures of the connections: those that write, and those of listings, which are the
// same except on SQLite.
func (s *connection) Pool() (writes, listings sql.DBStats) { return s.db.Stats(), s.readers.Stats() }

// Ping checks that the database responds.
func (s *connection) Ping(ctx context.Context) error {
	return database.Redact(s.db.PingContext(ctx), s.dsn)
}

// Now returns the time in UTC by the clock that decides about leases and due times.
func (s *connection) Now(ctx context.Context) (time.Time, error) {
	var now time.Time
	err := s.retry(ctx, "read the database's clock", func() (err error) {
		now, err = s.clock(ctx, s.db)
		return err
	})
	return now, err
}

// nowArg returns the parameter @now: NULL means the database's clock. Only tests set another.
func (s *connection) nowArg() any {
	if s.now == nil {
		return nil
	}
	return s.engine.timeArg(s.now())
}
