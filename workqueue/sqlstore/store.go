package sqlstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"botwork/internal/database"
	sqlfiles "botwork/sql"
	"botwork/workqueue"
)

// Store implements the store interfaces of workqueue over one database, each by a type of its
// own. It is safe for concurrent use.
type Store struct {
	*connection
	*migrations
	*epochs
	*sessions
	*policies
	*notices
	*itemRows
	*bookkeeping
	*archive
	*batches
	*auditing

	*itemLists
	*enqueuing
	*itemChanges
	*waitingStore
	*markStore
	*workerStore
	*assignStore
	*leaseStore
	*stepStore
	*queueStore
	*auditLog
	*checkouts
	*holds
	*taskStore
	*scheduleStore
	*durationStore
	*statisticsStore
	*seriesStore
	*textStore
	*failureStore
	*housekeepingStore
	*tokenStore
	*userStore
	*answerStore
	*notificationStore
	*escalationStore
	*forecastStore
}

// newStore makes a store of its parts: what a part uses of others it embeds.
func newStore(c *connection) *Store {
	s := &Store{
		connection: c, migrations: &migrations{c}, epochs: &epochs{c, &auditing{c}}, sessions: &sessions{c},
		policies: &policies{connection: c}, notices: &notices{connection: c, name: rand.Text()[:12]},
		itemRows: &itemRows{c}, bookkeeping: &bookkeeping{c}, batches: &batches{c}, auditing: &auditing{c}, auditLog: &auditLog{c},
		waitingStore: &waitingStore{c}, markStore: &markStore{c}, textStore: &textStore{c}, failureStore: &failureStore{c}, forecastStore: &forecastStore{c},
	}
	s.durationStore = &durationStore{c, s.auditing}
	s.scheduleStore = &scheduleStore{c, s.batches, s.auditing}
	s.archive = &archive{c, s.policies, s.bookkeeping}
	s.itemLists = &itemLists{c, s.itemRows}
	s.enqueuing = &enqueuing{connection: c, policies: s.policies, notices: s.notices, batches: s.batches, itemRows: s.itemRows, bookkeeping: s.bookkeeping}
	s.workerStore = &workerStore{c, s.notices, s.auditing}
	s.assignStore = &assignStore{c, s.notices, s.itemRows, s.bookkeeping, s.archive}
	s.leaseStore = &leaseStore{c, s.epochs, s.notices, s.itemRows, s.bookkeeping, s.archive}
	s.stepStore = &stepStore{connection: c, itemRows: s.itemRows}
	s.queueStore = &queueStore{c, s.notices, s.auditing}
	s.itemChanges = &itemChanges{c, s.policies, s.notices, s.batches, s.itemLists, s.itemRows, s.bookkeeping, s.archive, s.auditing, s.queueStore}
	s.housekeepingStore = &housekeepingStore{c, s.bookkeeping, s.batches, s.itemLists, s.auditing, s.queueStore}
	s.checkouts = &checkouts{connection: c, policies: s.policies, notices: s.notices, itemRows: s.itemRows, enqueuing: s.enqueuing, queueStore: s.queueStore, assignStore: s.assignStore}
	s.holds = &holds{connection: c, itemRows: s.itemRows, bookkeeping: s.bookkeeping, archive: s.archive, queueStore: s.queueStore, auditing: s.auditing, leaseStore: s.leaseStore, itemChanges: s.itemChanges, checkouts: s.checkouts}
	s.extensions.together, s.endings.together = s.extendTogether, s.endTogether
	s.statisticsStore = &statisticsStore{c, s.bookkeeping, s.auditing, s.queueStore}
	s.seriesStore = &seriesStore{c}
	s.tokenStore = &tokenStore{c, s.auditing}
	s.userStore = &userStore{c, s.auditing}
	s.answerStore = &answerStore{c}
	s.notificationStore = &notificationStore{c, s.notices, s.enqueuing, s.auditing}
	s.escalationStore = &escalationStore{c, s.itemChanges}
	s.taskStore = &taskStore{c, s.notices, s.enqueuing, s.bookkeeping, s.auditing, s.scheduleStore}
	return s
}

// Options configure Open.
type Options struct {
	// Driver is the engine: "sqlite", "sqlserver" or "postgres". DSN is in its syntax.
	Driver string
	DSN    string

	// MaxOpen and MaxIdle limit the pool; 0 means 16 and 10. SQLite ignores them: it has one
	// writer.
	MaxOpen, MaxIdle int

	// MaxLifetime is the age at which connections are closed; 0 means never.
	MaxLifetime time.Duration

	// Cipher seals and opens the texts of encrypted queues; nil if this process has no keys.
	Cipher workqueue.Cipher

	// PayloadSearch is how many items one call looks at when its filter selects by payload; 0
	// means workqueue.MaxPayloadSearch. Tests set it, because that many items take long.
	PayloadSearch int

	// LockTimeout is how long a change of items that a caller waits for waits for rows that
	// another session holds in an open transaction; 0 means 30 seconds. Waiting is called once
	// for a change that has waited for two seconds, with those sessions; may be nil. Not on
	// SQLite, where an open transaction holds the whole database.
	LockTimeout time.Duration
	Waiting     func(holders []workqueue.RowHolder)

	// Now replaces the database's clock, for tests with virtual time. If nil, the database's
	// clock is used.
	Now func() time.Time

	// Observe is called after each hand-written statement with its name, the time until its
	// first answer, and its error. It must return at once; it is called from several goroutines.
	// nil: nothing is observed.
	Observe func(statement string, took time.Duration, err error)

	// Statements replaces the SQL of package sql, for tests that break a statement; nil means
	// package sql.
	Statements fs.FS
}

// Open opens a store and checks that the database responds. It does not change the database:
// see Migrate. Errors name the driver and the DSN without its password.
func Open(ctx context.Context, o Options) (*Store, error) {
	engine, err := newEngine(database.Driver(o.Driver))
	if err != nil {
		return nil, err
	}
	if o.DSN != "" {
		if err := database.CheckDSN(database.Driver(o.Driver), o.DSN); err != nil {
			return nil, err // before SQLite creates a file whose name contains a password
		}
	}
	if o.Driver == string(database.SQLite) {
		o.DSN = database.PlainSQLite(o.DSN)
	}
	s := newStore(&connection{statements: sqlfiles.Files, engine: engine, dsn: o.DSN, now: o.Now, cipher: o.Cipher, observe: o.Observe,
		payloadSearch: orDefault(o.PayloadSearch, workqueue.MaxPayloadSearch), lockTimeout: cmp.Or(o.LockTimeout, lockTimeout), lockNotice: lockNotice, waiting: o.Waiting})
	p, err := engine.open(ctx, o, s.greet)
	if err != nil {
		return nil, err
	}
	s.db, s.readers = p.db, p.readers
	if o.Statements != nil {
		s.statements = o.Statements
	}
	err = s.connect(ctx)
	if err == nil {
		err = engine.lost(atOnce) // check that the watched file is the opened one
	}
	if err == nil {
		err = s.compareSeen(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connect to %s database %s: %w",
			o.Driver, database.SafeDSN(o.DSN), database.Redact(err, o.DSN)), s.Close())
	}
	return s, nil
}

func orDefault(n, fallback int) int {
	if n > 0 {
		return n
	}
	return fallback
}
