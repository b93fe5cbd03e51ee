package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"

	"botwork/internal/database"
	sqlfiles "botwork/sql"
	"botwork/workqueue"
)

// Store implements the store interfaces of workqueue over one database. It is safe for concurrent use.
type Store struct {
	// Immutable after Open.
	statements fs.FS
	engine     engine
	dsn        string
	db         *sql.DB  // writes, and all of the hot path
	readers    *sql.DB  // listings; the same pool as db except on SQLite
	orm        *gorm.DB // over db
	listing    *gorm.DB // over readers
	now        func() time.Time
	cipher     workqueue.Cipher // nil: no keys
	queries    *queries
	reading    *queries // those of surveys, over readers
	checks     *queries // read-only, over readers; never prepared

	policies policies          // guards itself
	schemas  workqueue.Schemas // likewise
	notices  notices           // likewise
	history  history           // likewise
}

// Options say which database to open and how.
type Options struct {
	Driver database.Driver
	DSN    string

	// MaxOpen and MaxIdle bound the pool; 0 means 16 and 4. SQLite ignores
	// them: it has one writer.
	MaxOpen, MaxIdle int

	// MaxLifetime closes a connection of this age; 0 means never.
	MaxLifetime time.Duration

	// Cipher seals and opens the texts of encrypted queues; nil when this
	// process has no keys.
	Cipher workqueue.Cipher

	// Now replaces the database's clock, for tests that live in virtual time.
	// nil, as everywhere else, leaves time to the database.
	Now func() time.Time

	// Statements replaces the SQL of package sql, for tests that break one; nil
	// leaves it.
	Statements fs.FS
}

// Open prepares a store and checks that the database answers. It changes
// nothing in it: see Migrate. An error names the driver and the DSN without
// its password.
func Open(ctx context.Context, o Options) (*Store, error) {
	engine, err := newEngine(o.Driver)
	if err != nil {
		return nil, err
	}
	s := &Store{statements: sqlfiles.Files, engine: engine, dsn: o.DSN, now: o.Now, cipher: o.Cipher}
	p, err := engine.open(o, s.greet)
	if err != nil {
		return nil, err
	}
	s.db, s.readers = p.db, p.readers
	s.notices.name = rand.Text()[:12]
	if o.Statements != nil {
		s.statements = o.Statements
	}
	err = s.connect(ctx)
	if err == nil {
		err = engine.lost(true) // what was opened is what is watched
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connect to %s database %s: %w",
			o.Driver, database.SafeDSN(o.DSN), database.Redact(err, o.DSN)), s.Close())
	}
	return s, nil
}

func (s *Store) connect(ctx context.Context) error {
	var err error
	// Before the first connection, which is greeted by some of them.
	if s.queries, err = loadQueries(s.statements, s.engine.dialect(), "queries", s.db); err != nil {
		return err
	}
	if s.reading, err = loadQueries(s.statements, s.engine.dialect(), "queries", s.readers); err != nil {
		return err
	}
	if s.checks, err = loadQueries(s.statements, s.engine.dialect(), "checks", s.readers); err != nil {
		return err
	}
	// Again, where several processes make one new SQLite file at a time: the
	// switch to its write-ahead log does not wait for the busy timeout.
	err = failsafe.With(transient).WithContext(ctx).Run(func() error { return s.db.PingContext(ctx) })
	if err != nil {
		return err
	}
	if err := s.engine.connected(ctx, s.db); err != nil {
		return err
	}
	// Not one gorm.Config for two opens: clause builders would leak between them.
	if s.orm, err = gorm.Open(s.engine.dialector(s.db), gormConfig()); err != nil {
		return err
	}
	s.listing, err = gorm.Open(s.engine.dialector(s.readers), gormConfig())
	return err
}

func gormConfig() *gorm.Config {
	return &gorm.Config{
		Logger:                 logger.Discard, // errors are returned; SQL texts hold payloads
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		TranslateError:         true,
		NamingStrategy:         schema.NamingStrategy{NoLowerCase: true}, // columns are named like fields
	}
}

// Close closes the pools. When the file of a SQLite database is lost it leaves them open:
// SQLite deletes the write-ahead log by its name when it closes the last connection, and
// that may be the log of the file that is in its place now.
func (s *Store) Close() error {
	s.engine.close()
	var errs []error
	if s.engine.lost(true) != nil {
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
	return errors.Join(errs...)
}

// Driver returns the engine.
func (s *Store) Driver() database.Driver { return s.engine.dialect().driver }

// Asked returns how many statements of package sql this store has run so far, without those
// of listings and those that begin and end transactions.
func (s *Store) Asked() int64 { return s.queries.asked.Load() }

// Ping checks that the database answers.
func (s *Store) Ping(ctx context.Context) error {
	return database.Redact(s.db.PingContext(ctx), s.dsn)
}

// Now returns the time by the clock that judges leases and due times, in UTC.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	var now time.Time
	err := s.retry(ctx, "read the database's clock", func() (err error) {
		now, err = s.clock(ctx, s.db)
		return err
	})
	return now, err
}

// nowArg is the parameter @now: NULL, the database's clock, but in tests.
func (s *Store) nowArg() any {
	if s.now == nil {
		return nil
	}
	return s.engine.timeArg(s.now())
}

func orDefault(n, fallback int) int {
	if n > 0 {
		return n
	}
	return fallback
}
