package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	gormsqlite "gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"botwork/internal/database"
	"botwork/workqueue"
)

// sqliteLabel is the beginning of a condition on the label @name.
const sqliteLabel = "EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(@column) THEN @column END) l WHERE l.key = @name AND "

var sqliteDialect = dialect{
	driver:   database.SQLite,
	folder:   "sqlite",
	goose:    goose.DialectSQLite3,
	clock:    "COALESCE(?, strftime('%Y-%m-%d %H:%M:%f', 'now'))",
	contains: "instr(@column, @text) > 0",
	hasLabel: sqliteLabel + "l.atom IS NOT NULL)",
	labelIs: sqliteLabel + "(l.type = 'text' AND l.value = @text OR l.type IN ('true', 'false') AND l.type = @text " +
		"OR l.type IN ('integer', 'real') AND l.value = CAST(@number AS REAL)))",
	jsonTime:      database.TimeText,
	prepare:       true,
	insertByShape: true,

	setIdentity: `DELETE FROM sqlite_sequence WHERE name = '%[1]s'; INSERT INTO sqlite_sequence (name, seq) VALUES ('%[1]s', %[2]d)`,
	savepoint:   "SAVEPOINT botwork", toSavepoint: "ROLLBACK TO SAVEPOINT botwork",
}

// sqliteEngine is a file that all processes of one machine share. One connection writes and the
// others read. A transaction holds the only write lock from its beginning.
type sqliteEngine struct {
	anyEngine
	file fileWatch
	lock writerLock

	inMemory bool // there is no file, and no other process sees the database
}

func (*sqliteEngine) dialect() *dialect { return &sqliteDialect }

func (*sqliteEngine) dialector(db *sql.DB) gorm.Dialector {
	return sqliteDialector{gormsqlite.Dialector{Conn: db}}
}

func (*sqliteEngine) timeArg(t time.Time) any { return t.UTC().Format(database.TimeText) }

// open implements engine. It creates the file if it does not exist.
func (e *sqliteEngine) open(ctx context.Context, o Options, greet database.Greeting) (p pools, err error) {
	if err := e.file.open(ctx, o.DSN); err != nil {
		return p, err
	}
	e.inMemory = inMemory(o.DSN)
	existing := database.ExistingSQLite(o.DSN)
	if p.db, err = database.OpenGreeted(database.SQLite, database.JournalsInMemory(existing), greet); err != nil {
		return p, err
	}
	p.readers = p.db
	p.db.SetMaxOpenConns(1)
	p.db.SetConnMaxIdleTime(0)
	if e.inMemory {
		return p, nil
	}
	if p.readers, err = database.Open(database.SQLite, existing); err != nil {
		return p, errors.Join(err, p.db.Close())
	}
	p.readers.SetMaxOpenConns(8)
	return p, nil
}

func inMemory(dsn string) bool {
	return dsn == ":memory:" || strings.Contains(dsn, "mode=memory") || strings.HasPrefix(dsn, "file::memory:")
}

func (e *sqliteEngine) connected(ctx context.Context, db *sql.DB) error {
	return e.lock.readTimeout(ctx, db)
}

func (e *sqliteEngine) lost(within time.Duration) error { return e.file.check(within) }

func (e *sqliteEngine) seen() database.Seen { return e.file.seen }

func (e *sqliteEngine) record(epoch, item int64) { e.file.record(epoch, item) }

func (e *sqliteEngine) closed() { _ = e.file.watch.Closed() }

// begin begins a transaction that holds the write lock.
func (e *sqliteEngine) begin(ctx context.Context, db *sql.DB) (*sql.Tx, func(), error) {
	return e.lock.begin(ctx, db)
}

// alone runs the statement in an explicit transaction, so that it waits for the lock as all
// transactions do.
func (*sqliteEngine) alone(ctx context.Context, s *connection, do func(runner) error) error {
	return s.tx(ctx, func(tx *sql.Tx) error { return do(tx) })
}

// snapshot does not use a transaction of database/sql, which would take the only write lock.
func (*sqliteEngine) snapshot(ctx context.Context, s *connection, do func(runner) error) (err error) {
	conn, err := s.readers.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return err
	}
	defer func() {
		_, rerr := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, rerr)
	}()
	return do(conn)
}

// lockAssignment does nothing: a transaction already holds the only write lock.
func (*sqliteEngine) lockAssignment(context.Context, *connection, *sql.Tx) error { return nil }

// yieldLocks does nothing: a transaction that has begun waits for no more locks.
func (*sqliteEngine) yieldLocks(context.Context, *connection, *sql.Tx) error { return nil }

// timeline returns "": a file has no standby and no timelines.
func (*sqliteEngine) timeline(context.Context, *connection, *sql.DB) (string, error) { return "", nil }

func (e *sqliteEngine) listen(ctx context.Context, s *notices, report func(workqueue.Notice), _ func(error)) {
	if !e.inMemory {
		watchChanges(ctx, s.db, report)
	}
}

// inserted relies on AUTOINCREMENT and a single writer: the ids are consecutive in the order of
// the rows, and the driver returns the last one.
func (*sqliteEngine) inserted(ctx context.Context, on runner, insert bound, w *written) error {
	result, err := insert.exec(ctx, on)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return err
	}
	last, err := result.LastInsertId()
	for id := last - n + 1; err == nil && id <= last; id++ {
		w.ids = append(w.ids, id)
	}
	w.inOrder = true
	return err
}

// isSingle implements engine. Plain ends have their own statement.
func (*sqliteEngine) isSingle(f *fenced) bool { return !f.more && len(f.plain) == 0 }

// lockMigrations implements engine. SQLite has no lock that outlives a transaction: of two
// processes that migrate at once, the second fails because the first has already made the
// change. During migrations, temporary data goes to files instead of memory, since it may be a
// whole table.
func (e *sqliteEngine) lockMigrations(ctx context.Context, s *connection) (migrationTurn, error) {
	var set int
	if err := s.db.QueryRowContext(ctx, "PRAGMA temp_store").Scan(&set); err != nil {
		return migrationTurn{}, err
	}
	if _, err := s.db.ExecContext(ctx, "PRAGMA temp_store = FILE"); err != nil {
		return migrationTurn{}, err
	}
	known := e.schemaVersion(ctx, s.db)
	return migrationTurn{
		overtaken: func() bool {
			before := known
			known = e.schemaVersion(ctx, s.db)
			return known != before
		},
		end: func() {
			_, _ = s.db.ExecContext(context.WithoutCancel(ctx), fmt.Sprintf("PRAGMA temp_store = %d", set)) // the default is faster
		},
	}, nil
}

// schemaVersion returns -1 if there is no schema.
func (*sqliteEngine) schemaVersion(ctx context.Context, db *sql.DB) int64 {
	version := int64(-1)
	row := db.QueryRowContext(ctx, "SELECT MAX(version_id) FROM goose_db_version WHERE is_applied")
	_ = row.Scan(&version)
	return version
}

// sqliteDialector translates the error codes of modernc's driver; gorm only knows those of
// another driver.
type sqliteDialector struct{ gormsqlite.Dialector }

func (d sqliteDialector) Translate(err error) error {
	switch sqliteCode(err) {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return gorm.ErrDuplicatedKey
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return gorm.ErrForeignKeyViolated
	}
	return err
}

func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}

func classifySQLite(err error) errorClass {
	switch code := sqliteCode(err); code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return uniqueError
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return foreignKeyError
	default:
		switch code & 0xff {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return transientError
		}
		if code == sqlite3.SQLITE_ERROR && strings.Contains(err.Error(), "no such table") {
			return noSuchTableError
		}
	}
	return otherError
}
