// Package database opens connections to the three engines by driver name and DSN, with
// safe settings for each engine. Its errors never contain a password.
package database

import (
	"context"
	"database/sql"
	"fmt"

	_ "modernc.org/sqlite" // driver "sqlite"

	"botwork/internal/namedsql"
)

// Driver is the name of an engine, as in configuration files.
type Driver string

// The engines.
const (
	SQLite    Driver = "sqlite"
	SQLServer Driver = "sqlserver"
	Postgres  Driver = "postgres"
)

// Drivers lists the engines in the order in which messages name them.
var Drivers = []Driver{SQLite, SQLServer, Postgres}

// ParseDriver checks a driver's name.
func ParseDriver(name string) (Driver, error) {
	for _, d := range Drivers {
		if string(d) == name {
			return d, nil
		}
	}
	return "", fmt.Errorf("database driver %q: want sqlite, sqlserver or postgres", name)
}

// Style returns the engine's syntax for parameters.
func (d Driver) Style() namedsql.Style {
	switch d {
	case SQLServer:
		return namedsql.AtP
	case Postgres:
		return namedsql.Dollar
	default:
		return namedsql.Question
	}
}

// Open prepares a pool for the engine. Like sql.Open it may not connect yet. A SQLite DSN
// is a path or a URI (file:…); unless it has its own settings, it gets WAL, a busy
// timeout and immediate transactions. A SQL Server DSN with a fedauth parameter uses an
// Azure AD login; for integrated Windows logins and SQL logins the DSN is enough. On
// PostgreSQL the server ends sessions that are idle in a transaction. If a server is
// frozen or unreachable, the connections to it are closed: see servers.
func Open(driver Driver, dsn string) (*sql.DB, error) { return OpenGreeted(driver, dsn, nil) }

// Greeting is called with each new connection of a pool before its first use. ask runs a
// query that returns one row; it is nil on engines other than PostgreSQL.
type Greeting func(ctx context.Context, ask func(query string, to ...any) error) error

// OpenGreeted is like Open with a greeting, which may be nil. The greeting is not called
// for SQLite, which has no server.
func OpenGreeted(driver Driver, dsn string, greet Greeting) (*sql.DB, error) {
	if err := checkForm(driver, dsn); err != nil {
		return nil, err
	}
	var db *sql.DB
	var err error
	switch driver {
	case SQLite:
		db, err = sql.Open("sqlite", sqliteDSN(PlainSQLite(dsn)))
	case SQLServer:
		db, err = openSQLServer(dsn, greet)
	case Postgres:
		db, err = openPostgres(dsn, greet)
	default:
		_, err := ParseDriver(string(driver))
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("open %s database: %w", driver, redactParse(err, dsn))
	}
	return db, nil
}
