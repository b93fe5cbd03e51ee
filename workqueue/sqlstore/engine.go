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

// engine is what differs between SQLite, PostgreSQL and SQL Server in Go. What differs in
// SQL is in package sql. Each store has an engine value of its own, which also keeps what
// only that engine has to remember.
type engine interface {
	syntax
	connector
	transactor
	itemWriter
	coordinator
}

// syntax is what Go needs to know to write SQL and to name what the database compares.
type syntax interface {
	dialect() *dialect
	dialector(db *sql.DB) gorm.Dialector

	// timeArg returns a time as a parameter, cut to milliseconds: some engines round.
	timeArg(t time.Time) any

	// limitKey returns what the statements compare of a limit key, and queueKey what they
	// compare of a queue's name.
	limitKey(key string) string
	queueKey(name string) string
}

// connector opens and watches the database.
type connector interface {
	// open opens the pools. The greeting is called with each new connection for writing,
	// but not on SQLite.
	open(o Options, greet database.Greeting) (pools, error)

	// connected is called once the database has answered for the first time.
	connected(ctx context.Context, db *sql.DB) error

	// lost returns an error that is a workqueue.ErrDatabaseLost once the database is not
	// the one that was opened. With now it is checked by this call, else at intervals.
	lost(now bool) error

	// close ends what the engine itself has started.
	close()

	// lockMigrations keeps other processes from migrating until the turn ends.
	lockMigrations(ctx context.Context, s *Store) (migrationTurn, error)
}

// pools are the connections of a store.
type pools struct {
	db      *sql.DB // writes, and all of the hot path
	readers *sql.DB // listings; the same pool as db except on SQLite
}

// migrationTurn is the right to migrate.
type migrationTurn struct {
	// overtaken reports whether another process has migrated since it was last called, or
	// since the turn began. Only SQLite has no lock that prevents that.
	overtaken func() bool

	end func()
}

// transactor runs statements with the locks that they need.
type transactor interface {
	// begin begins a transaction; end is to be called after it.
	begin(ctx context.Context, db *sql.DB) (tx *sql.Tx, end func(), err error)

	// alone runs one statement as a transaction of its own.
	alone(ctx context.Context, s *Store, do func(runner) error) error

	// snapshot runs do on a connection where all statements see the database as it is at
	// the first of them. do only reads.
	snapshot(ctx context.Context, s *Store, do func(runner) error) error

	// lockAssignment takes the cluster's assignment lock until the end of the transaction.
	lockAssignment(ctx context.Context, s *Store, tx *sql.Tx) error

	// yieldLocks makes a transaction wait only briefly for locks, so that housekeeping
	// holds up nobody.
	yieldLocks(ctx context.Context, s *Store, tx *sql.Tx) error

	// oneRoundTrip reports whether several statements can be sent together.
	oneRoundTrip(on runner) bool
}

// itemWriter inserts, claims and ends items.
type itemWriter interface {
	// inserted runs the statement enqueue and adds the new ids to w.
	inserted(ctx context.Context, on runner, insert bound, w *written) error

	// claimPass is Store.ClaimPass, and claimInPass is AssignTx.AssignAndClaim.
	claimPass(ctx context.Context, s *Store, passes int64, assignments []workqueue.Assignment, c workqueue.PassClaim) (workqueue.Claimed, bool, error)
	claimInPass(ctx context.Context, a *assignTx, assignments []workqueue.Assignment, c workqueue.PassClaim) ([]workqueue.Item, error)

	// changeFenced runs a fenced statement and returns the claims whose items it changed.
	// isSingle reports whether that is one statement, which needs no transaction around it.
	changeFenced(ctx context.Context, s *Store, on runner, f fenced) ([]refRow, error)
	isSingle(f *fenced) bool

	// endsPlainly reports whether plain ends of a batch have a cheaper statement, which
	// writePlain runs. It returns the claims that it ended.
	endsPlainly(finishes []workqueue.Finish) bool
	writePlain(ctx context.Context, s *Store, on runner, p plainEnds, v values, ended map[refRow]run) ([]refRow, error)
}

// coordinator deals with other processes and with what the server does behind them.
type coordinator interface {
	// listen reports work that other processes have made ready, until ctx ends.
	listen(ctx context.Context, s *Store, tell func(workqueue.Notice), trouble func(error))

	// notify tells other processes of a notice. It returns at once.
	notify(s *Store, n workqueue.Notice)

	// timeline names the server's present history; "" where it has none, or does not show
	// it to this login.
	timeline(ctx context.Context, s *Store, db *sql.DB) (string, error)

	// endStalled is Store.EndStalledSessions.
	endStalled(ctx context.Context, s *Store, after time.Duration) ([]workqueue.StalledSession, error)
}

// dialect is how an engine writes what Go puts into its statements.
type dialect struct {
	driver database.Driver
	folder string // in sql.Files
	goose  goose.Dialect

	// clock is the engine's expression for now, to the millisecond, as the
	// files in package sql write it; one @now-like placeholder (?).
	clock string

	// randomKey is the engine's expression for a new idempotency key.
	randomKey string

	// contains is the condition that a column (?) contains a text (?), case-sensitively.
	contains string

	// jsonTime is the layout of times inside a JSON parameter.
	jsonTime string

	// finishKeeps says that the statement finish updates the statistics of the ends that it
	// writes.
	finishKeeps bool

	// prepare says that statements are worth preparing once.
	prepare bool

	// insertByShape says that the statement enqueue is a template, of which each shape of
	// rows makes a statement.
	insertByShape bool

	// setIdentity makes an id (%[2]d) the latest that a table (%[1]s) has given.
	setIdentity string

	// savepoint and toSavepoint undo a part of a transaction.
	savepoint, toSavepoint string
}

// engines makes an engine for a new store.
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

// anyEngine is what an engine does unless it has a reason to do something else.
type anyEngine struct{}

func (anyEngine) timeArg(t time.Time) any                                        { return t.UTC().Truncate(time.Millisecond) }
func (anyEngine) limitKey(key string) string                                     { return key }
func (anyEngine) queueKey(name string) string                                    { return name }
func (anyEngine) connected(context.Context, *sql.DB) error                       { return nil }
func (anyEngine) lost(bool) error                                                { return nil }
func (anyEngine) close()                                                         {}
func (anyEngine) oneRoundTrip(runner) bool                                       { return false }
func (anyEngine) notify(*Store, workqueue.Notice)                                {}
func (anyEngine) endsPlainly([]workqueue.Finish) bool                            { return false }
func (anyEngine) alone(_ context.Context, s *Store, do func(runner) error) error { return do(s.db) }

func (anyEngine) begin(ctx context.Context, db *sql.DB) (*sql.Tx, func(), error) {
	tx, err := db.BeginTx(ctx, nil)
	return tx, func() {}, err
}

func (anyEngine) listen(context.Context, *Store, func(workqueue.Notice), func(error)) {}

func (anyEngine) endStalled(context.Context, *Store, time.Duration) ([]workqueue.StalledSession, error) {
	return nil, nil
}

// inserted reads the ids that the statement returns, in no order.
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

// changeFenced relies on a statement that returns the rows that it changed.
func (anyEngine) changeFenced(ctx context.Context, s *Store, on runner, f fenced) ([]refRow, error) {
	if f.runs == nil {
		return s.queries.refs(ctx, on, f.statement, f.values)
	}
	return s.queries.runs(ctx, on, f.statement, f.values, f.runs)
}
