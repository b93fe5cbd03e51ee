package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"

	"botwork/internal/database"
	"botwork/workqueue"
)

// engine is what differs between SQLite, PostgreSQL and SQL Server in Go; what differs in SQL
// is in package sql. Each store has its own engine value, which may hold state.
type engine interface {
	syntax
	connector
	transactor
	itemWriter
	coordinator
}

// syntax is what Go needs to write SQL and to know which names are equal to the database.
type syntax interface {
	dialect() *dialect
	dialector(db *sql.DB) gorm.Dialector

	// timeArg returns a time as a parameter, truncated to milliseconds: some engines would
	// round it.
	timeArg(t time.Time) any

	// limitKey returns the part of a limit key that the database compares, and queueKey the
	// form of a queue name that it compares.
	limitKey(key string) string
	queueKey(name string) string
}

// connector opens and watches the database.
type connector interface {
	// open opens the pools. Each new connection for writing is greeted, except on SQLite.
	open(ctx context.Context, o Options, greet database.Greeting) (pools, error)

	// connected is called after the first successful connection.
	connected(ctx context.Context, db *sql.DB) error

	// lost returns an error that wraps workqueue.ErrDatabaseLost if the database is no longer
	// the one that was opened. It does not check again within the interval.
	lost(within time.Duration) error

	// seen returns what this machine has recorded of the database before it was opened, and
	// record records what this process has seen of it. Only SQLite has such a record: a file
	// beside the database.
	seen() database.Seen
	record(epoch, item int64)

	// close stops what the engine itself has started, and closed is called when the pools are
	// closed.
	close()
	closed()

	// lockMigrations prevents other processes from migrating until the turn ends.
	lockMigrations(ctx context.Context, s *connection) (migrationTurn, error)
}

// pools are the connections of a store.
type pools struct {
	db      *sql.DB // writes, and all of the hot path
	readers *sql.DB // listings; the same pool as db except on SQLite
}

// migrationTurn is the right to migrate.
type migrationTurn struct {
	// overtaken reports whether another process has migrated since the last call, or since the
	// turn began. Only on SQLite can that happen: it has no lock for it.
	overtaken func() bool

	end func()
}

// transactor runs statements with the locks that they need.
type transactor interface {
	// begin begins a transaction. The caller calls end after it.
	begin(ctx context.Context, db *sql.DB) (tx *sql.Tx, end func(), err error)

	// alone runs one statement in its own transaction.
	alone(ctx context.Context, s *connection, do func(runner) error) error

	// snapshot runs do on a connection where all statements see the database as of the first
	// statement. do only reads.
	snapshot(ctx context.Context, s *connection, do func(runner) error) error

	// lockAssignment locks assignment for the whole cluster until the transaction ends.
	lockAssignment(ctx context.Context, s *connection, tx *sql.Tx) error

	// yieldLocks limits how long a transaction waits for locks, so that housekeeping does not
	// delay other statements.
	yieldLocks(ctx context.Context, s *connection, tx *sql.Tx) error

	// oneRoundTrip reports whether on sends several statements in one round trip.
	oneRoundTrip(on runner) bool
}

// itemWriter inserts, claims and ends items.
type itemWriter interface {
	// inserted runs the statement enqueue and adds the new ids to w.
	inserted(ctx context.Context, on runner, insert bound, w *written) error

	// claimPass implements Store.ClaimPass, and claimInPass AssignTx.AssignAndClaim.
	claimPass(ctx context.Context, s *assignStore, passes int64, assignments []workqueue.Assignment, c workqueue.PassClaim) (workqueue.Claimed, bool, error)
	claimInPass(ctx context.Context, a *assignTx, assignments []workqueue.Assignment, c workqueue.PassClaim) ([]workqueue.Item, error)

	// changeFenced runs a fenced statement and returns the claims that it changed. isSingle
	// reports whether that is one statement, which needs no transaction.
	changeFenced(ctx context.Context, s *connection, on runner, f fenced) ([]refRow, error)
	isSingle(f *fenced) bool

	// endsPlainly reports whether the plain ends of a batch have a cheaper statement.
	// writePlain runs it and returns the claims that it ended.
	endsPlainly(finishes []workqueue.Finish) bool
	writePlain(ctx context.Context, s *connection, on runner, p plainEnds, v values, ended map[refRow]run) ([]refRow, error)
}

// coordinator handles other processes, and what the server does on its own.
type coordinator interface {
	// listen reports work that other processes have made ready, until ctx ends.
	listen(ctx context.Context, s *notices, report func(workqueue.Notice), trouble func(error))

	// notify sends a notice to other processes. It returns at once.
	notify(s *notices, n workqueue.Notice)

	// notifyIn sends a notice to all processes, this one included, when the transaction commits.
	notifyIn(ctx context.Context, s *notices, tx runner, n workqueue.Notice) error

	// timeline returns the name of the server's current timeline, or "" if it has none or hides
	// it from this login.
	timeline(ctx context.Context, s *connection, db *sql.DB) (string, error)

	// holdersEnd is the statement that ends a session (%d) that holds rows; "" if the engine has
	// no such sessions.
	holdersEnd() string

	// endStalled implements Store.EndStalledSessions.
	endStalled(ctx context.Context, s *connection, after time.Duration) ([]workqueue.StalledSession, error)
}

// dialect is the engine's SQL for what Go adds to statements.
type dialect struct {
	driver database.Driver
	folder string // in sql.Files
	goose  goose.Dialect

	// clock is the engine's expression for the current time in milliseconds, as the files in
	// package sql write it. It has one placeholder (?) for a given time.
	clock string

	// contains is the case-sensitive condition that @column contains @text.
	contains string

	// hasLabel is the condition that the labels in @column have the name @name, and labelIs that its value is
	// written as @text. If that is a number, or true or false, @literal is the same as JSON, and @number if it
	// is a number; otherwise they are NULL. @part is a text that the column has if it has no escapes, and
	// @object is flatObject. Users write the column, too: what is not JSON has no labels, and is no error.
	hasLabel, labelIs string

	// jsonTime is the layout of times inside a JSON parameter.
	jsonTime string

	// finishCounts reports whether the statement finish itself updates the statistics.
	finishCounts bool

	// enqueueCounts reports whether the statement enqueue itself counts the items, and
	// countsByID whether another statement counts them by their ids. Otherwise Go counts.
	enqueueCounts, countsByID bool

	// passesOver reports whether statements pass over rows that another session holds. Otherwise
	// a session holds the whole database.
	passesOver bool

	// prepare reports whether preparing statements pays off.
	prepare bool

	// insertByShape reports whether the statement enqueue is a template, compiled for each
	// shape of rows.
	insertByShape bool

	// setIdentity sets the last id (%[2]d) that a table (%[1]s) has assigned.
	setIdentity string

	// savepoint and toSavepoint undo part of a transaction.
	savepoint, toSavepoint string
}

// engines create an engine for a new store.
var engines = map[database.Driver]func() engine{
	database.SQLite:    func() engine { return &sqliteEngine{} },
	database.Postgres:  func() engine { return &postgresEngine{} },
	database.SQLServer: func() engine { return &sqlServerEngine{} },
}

func newEngine(driver database.Driver) (engine, error) {
	if make, ok := engines[driver]; ok {
		return make(), nil
	}
	_, err := database.ParseDriver(string(driver))
	return nil, err
}

// anyEngine has the default behaviour of an engine.
type anyEngine struct{}

func (anyEngine) timeArg(t time.Time) any                  { return t.UTC().Truncate(time.Millisecond) }
func (anyEngine) limitKey(key string) string               { return key }
func (anyEngine) queueKey(name string) string              { return name }
func (anyEngine) connected(context.Context, *sql.DB) error { return nil }
func (anyEngine) lost(time.Duration) error                 { return nil }
func (anyEngine) close()                                   {}
func (anyEngine) closed()                                  {}
func (anyEngine) seen() database.Seen                      { return database.Seen{} }
func (anyEngine) record(int64, int64)                      {}
func (anyEngine) oneRoundTrip(runner) bool                 { return false }
func (anyEngine) notify(*notices, workqueue.Notice)        {}
func (anyEngine) notifyIn(context.Context, *notices, runner, workqueue.Notice) error {
	return nil
}
func (anyEngine) endsPlainly([]workqueue.Finish) bool { return false }
func (anyEngine) alone(_ context.Context, s *connection, do func(runner) error) error {
	return do(s.db)
}

func (anyEngine) begin(ctx context.Context, db *sql.DB) (*sql.Tx, func(), error) {
	tx, err := db.BeginTx(ctx, nil)
	return tx, func() {}, err
}

func (anyEngine) listen(context.Context, *notices, func(workqueue.Notice), func(error)) {}

func (anyEngine) holdersEnd() string { return "" }

func (anyEngine) endStalled(context.Context, *connection, time.Duration) ([]workqueue.StalledSession, error) {
	return nil, nil
}

// inserted reads the ids that the statement returns, in any order.
func (anyEngine) inserted(ctx context.Context, on runner, insert bound, w *written) error {
	rows, err := insert.query(ctx, on)
	if err != nil {
		return err
	}
	return eachRow(rows, func() error {
		var id int64
		var ticket *string
		if err := rows.Scan(&id, &ticket); err != nil {
			return err
		}
		if ticket != nil {
			w.tickets[*ticket] = id
		} else {
			w.ids = append(w.ids, id)
		}
		return nil
	})
}

// changeFenced needs a statement that returns the rows that it changed.
func (anyEngine) changeFenced(ctx context.Context, s *connection, on runner, f fenced) ([]refRow, error) {
	if f.runs == nil {
		return s.queries.refs(ctx, on, f.statement, f.values)
	}
	return s.queries.runs(ctx, on, f.statement, f.values, f.runs)
}
