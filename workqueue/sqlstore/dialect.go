package sqlstore

import (
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	mssql "github.com/microsoft/go-mssqldb"
	"gorm.io/driver/postgres"
	gormsqlite "gorm.io/driver/sqlite"
	"gorm.io/driver/sqlserver"
	"gorm.io/gorm"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"botwork/internal/database"
)

// dialect is what differs between the engines in Go; what differs in SQL is in package sql.
type dialect struct {
	driver database.Driver
	folder string // in sql.Files

	// clock is the engine's expression for now, to the millisecond, as the
	// files in package sql write it; one @now-like placeholder (?).
	clock string

	// randomKey is the engine's expression for a new idempotency key.
	randomKey string

	// contains is the condition that a column (?) contains a text (?), case-sensitively.
	contains string

	// jsonTime is the layout of times inside a JSON parameter.
	jsonTime string

	// finishKeeps says that the statement finish keeps the statistics of the ends
	// that it writes.
	finishKeeps bool

	// prepare says that statements are worth preparing once.
	prepare bool

	// narrow makes the statement enqueue one for rows of a shape; nil leaves it.
	narrow func(text string, s shape) string

	// idsFollow says that the ids of inserted rows are consecutive in the order of the
	// rows, and that the driver returns the last one.
	idsFollow bool

	// pipelines says that several statements can be one round trip.
	pipelines bool

	// setIdentity makes an id (%[2]d) the latest that a table (%[1]s) has given.
	setIdentity string

	// savepoint and toSavepoint undo a part of a transaction.
	savepoint, toSavepoint string

	gorm func(*sql.DB) gorm.Dialector
}

var dialects = []dialect{
	{
		driver:    database.SQLite,
		folder:    "sqlite",
		clock:     "COALESCE(?, strftime('%Y-%m-%d %H:%M:%f', 'now'))",
		randomKey: "lower(hex(randomblob(16)))",
		contains:  "instr(?, ?) > 0",
		jsonTime:  sqliteTime,
		prepare:   true,
		narrow:    narrowSQLite,
		idsFollow: true, // one writer, and AUTOINCREMENT

		setIdentity: `DELETE FROM sqlite_sequence WHERE name = '%[1]s'; INSERT INTO sqlite_sequence (name, seq) VALUES ('%[1]s', %[2]d)`,
		savepoint:   "SAVEPOINT ids", toSavepoint: "ROLLBACK TO SAVEPOINT ids",

		gorm: func(db *sql.DB) gorm.Dialector { return sqliteDialector{gormsqlite.Dialector{Conn: db}} },
	},
	{
		driver:    database.SQLServer,
		folder:    "sqlserver",
		clock:     "COALESCE(CAST(? AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))",
		randomKey: "LOWER(CONVERT(NVARCHAR(36), NEWID()))",
		contains:  "CHARINDEX(? COLLATE Latin1_General_100_BIN2, ?) > 0",
		jsonTime:  "2006-01-02T15:04:05.000",

		setIdentity: `DBCC CHECKIDENT (N'%[1]s', RESEED, %[2]d) WITH NO_INFOMSGS`,
		savepoint:   "SAVE TRANSACTION ids", toSavepoint: "ROLLBACK TRANSACTION ids",

		gorm: func(db *sql.DB) gorm.Dialector {
			return sqlServerDialector{&sqlserver.Dialector{Config: &sqlserver.Config{Conn: db}}}
		},
	},
	{
		driver:      database.Postgres,
		folder:      "postgres",
		finishKeeps: true,
		pipelines:   true,
		clock:       "CAST(COALESCE(CAST(? AS timestamptz), statement_timestamp()) AS timestamptz(3))",
		randomKey:   "CAST(gen_random_uuid() AS text)",
		contains:    "strpos(?, CAST(? AS text)) > 0",
		jsonTime:    "2006-01-02T15:04:05.000Z07:00",
		narrow:      narrowPostgres,

		setIdentity: `SELECT setval(pg_get_serial_sequence('"%[1]s"', 'Id'), %[2]d)`,
		savepoint:   "SAVEPOINT ids", toSavepoint: "ROLLBACK TO SAVEPOINT ids",

		gorm: func(db *sql.DB) gorm.Dialector { return postgres.New(postgres.Config{Conn: db}) },
	},
}

// sqliteTime is the format of times in SQLite, as strftime writes them: text that sorts
// like the time, always UTC.
const sqliteTime = "2006-01-02 15:04:05.000"

func dialectFor(driver database.Driver) (dialect, error) {
	for _, d := range dialects {
		if d.driver == driver {
			return d, nil
		}
	}
	_, err := database.ParseDriver(string(driver))
	return dialect{}, err
}

// timeArg makes a time ready to be a parameter. Cutting it to milliseconds is
// not left to the engines: some of them round.
func (d dialect) timeArg(t time.Time) any {
	if d.driver == database.SQLite {
		return t.UTC().Format(sqliteTime)
	}
	return t.UTC().Truncate(time.Millisecond)
}

// sqliteDialector translates modernc's error codes; gorm's own translation
// knows those of another driver only.
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

// errorClass sorts drivers' errors, at the one place that knows them.
type errorClass int

const (
	otherError       errorClass = iota
	transientError              // the same statement may succeed at once
	uniqueError                 // a unique key refuses the row
	foreignKeyError             // the row names another that does not exist
	noSuchTableError            // the schema is not there
)

func classify(err error) errorClass {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return transientError
	}
	switch sqliteCode(err) {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return uniqueError
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return foreignKeyError
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code {
		case "40001", "40P01", "55P03", // serialization, deadlock, lock timeout
			"57P01", "57P02", "25P03": // the server ended the connection, and with it the transaction
			return transientError
		case "23505":
			return uniqueError
		case "23503":
			return foreignKeyError
		case "42P01":
			return noSuchTableError
		}
	}
	if _, ok := errors.AsType[*database.UnavailableError](err); ok {
		return transientError
	}
	if ms, ok := errors.AsType[mssql.Error](err); ok {
		switch ms.Number {
		case 1205, 1222: // deadlock victim, lock timeout
			return transientError
		case azureBusy, azureRequests, azureSessions, azureResources, azureOperations, azureSubscription:
			return transientError
		case azureFailure, azureUnavailable:
			if nothingCommitted(err) {
				return transientError
			}
		case 2601, 2627:
			return uniqueError
		case 547:
			return foreignKeyError
		case 208:
			return noSuchTableError
		}
	}
	switch {
	case errors.Is(err, gorm.ErrDuplicatedKey):
		return uniqueError
	case errors.Is(err, gorm.ErrForeignKeyViolated):
		return foreignKeyError
	case sqliteCode(err) == sqlite3.SQLITE_ERROR && strings.Contains(err.Error(), "no such table"):
		return noSuchTableError
	}
	return otherError
}
