package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
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
	dialect    dialect
	dsn        string
	db         *sql.DB  // writes, and all of the hot path
	readers    *sql.DB  // listings; the same pool as db except on SQLite
	orm        *gorm.DB // over db
	listing    *gorm.DB // over readers
	now        func() time.Time
	cipher     workqueue.Cipher    // nil: no keys
	file       *database.FileWatch // nil: not a file of SQLite
	queries    *queries
	reading    *queries // those of surveys, over readers
	checks     *queries // read-only, over readers; never prepared

	lockTimeout time.Duration // how long SQLite waits for a lock by the DSN; 0: another engine

	lost        atomic.Pointer[error] // why nothing is written any more; set once
	fileChecked atomic.Int64          // when the file was last compared, in nanoseconds of Unix

	contended atomic.Int64 // when SQLite's lock was last waited for, in nanoseconds of Unix

	policies policies          // guards itself
	schemas  workqueue.Schemas // likewise
	notices  notices           // likewise
	history  history           // likewise
	stalled  stalled           // likewise
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
	d, err := dialectFor(o.Driver)
	if err != nil {
		return nil, err
	}
	dsn, readersDSN := o.DSN, o.DSN
	var file *database.FileWatch
	if o.Driver == database.SQLite {
		if file, err = sqliteFile(o.DSN); err != nil {
			return nil, err
		}
		readersDSN = database.ExistingSQLite(o.DSN)
		dsn = database.JournalsInMemory(readersDSN)
	}
	s := &Store{statements: sqlfiles.Files, dialect: d, dsn: o.DSN, now: o.Now, cipher: o.Cipher}
	db, err := database.OpenGreeted(o.Driver, dsn, s.greet)
	if err != nil {
		return nil, err
	}
	s.db, s.readers = db, db
	s.file = file
	s.notices.name = rand.Text()[:12]
	if o.Statements != nil {
		s.statements = o.Statements
	}
	if o.Driver == database.SQLite {
		db.SetMaxOpenConns(1)
		db.SetConnMaxIdleTime(0)
		if !inMemory(o.DSN) {
			if s.readers, err = database.Open(o.Driver, readersDSN); err != nil {
				return nil, errors.Join(err, db.Close())
			}
			s.readers.SetMaxOpenConns(4)
		}
	} else {
		db.SetMaxOpenConns(orDefault(o.MaxOpen, 16))
		db.SetMaxIdleConns(orDefault(o.MaxIdle, 4))
		db.SetConnMaxLifetime(o.MaxLifetime)
	}
	err = s.connect(ctx)
	if err == nil {
		err = s.checkFile() // what was opened is what is watched
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
	if s.queries, err = loadQueries(s.statements, s.dialect, "queries", s.db); err != nil {
		return err
	}
	if s.reading, err = loadQueries(s.statements, s.dialect, "queries", s.readers); err != nil {
		return err
	}
	if s.checks, err = loadQueries(s.statements, s.dialect, "checks", s.readers); err != nil {
		return err
	}
	// Again, where several processes make one new SQLite file at a time: the
	// switch to its write-ahead log does not wait for the busy timeout.
	err = failsafe.With(transient).WithContext(ctx).Run(func() error { return s.db.PingContext(ctx) })
	if err != nil {
		return err
	}
	if err := s.readLockTimeout(ctx); err != nil {
		return err
	}
	// Not one gorm.Config for two opens: clause builders would leak between them.
	if s.orm, err = gorm.Open(s.dialect.gorm(s.db), gormConfig()); err != nil {
		return err
	}
	s.listing, err = gorm.Open(s.dialect.gorm(s.readers), gormConfig())
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
	s.notices.sender.close()
	var errs []error
	if s.checkFile() != nil {
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
func (s *Store) Driver() database.Driver { return s.dialect.driver }

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
	return s.dialect.timeArg(s.now())
}

func inMemory(dsn string) bool {
	return dsn == ":memory:" || strings.Contains(dsn, "mode=memory") || strings.HasPrefix(dsn, "file::memory:")
}

func orDefault(n, fallback int) int {
	if n > 0 {
		return n
	}
	return fallback
}
