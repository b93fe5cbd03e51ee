// Package database opens connections to the three engines by driver name and
// DSN, with the settings that make each of them safe, and says what went wrong
// without showing a password.
package database

import (
	"context"
	"database/sql"
	"fmt"

	_ "modernc.org/sqlite" // driver "sqlite"

	"botwork/internal/namedsql"
)

// Driver names an engine as configuration files do.
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

// Style returns the engine's way to write parameters.
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

// Open prepares a pool for the engine. Like sql.Open it may not connect yet.
// A SQLite DSN is a file's path, or a URI (file:…); it gets WAL, a busy
// timeout and immediate transactions unless it says otherwise. A SQL Server
// DSN with a fedauth parameter logs in with Azure AD; integrated Windows login
// and SQL logins go by the DSN alone. On PostgreSQL a session that stalls in the
// middle of a transaction is ended by the server. A server that is frozen or gone is
// noticed, and the connections to it are closed: see servers.
func Open(driver Driver, dsn string) (*sql.DB, error) { return OpenGreeted(driver, dsn, nil) }

// Greeting is called with each new connection of a pool before anybody uses it. ask runs a
// query that returns one row; it is nil on engines other than PostgreSQL.
type Greeting func(ctx context.Context, ask func(query string, to ...any) error) error

// OpenGreeted is Open with a greeting, which may be nil. SQLite's connections, which lead to a
// file and not to a server, are not greeted.
func OpenGreeted(driver Driver, dsn string, greet Greeting) (*sql.DB, error) {
	var db *sql.DB
	var err error
	switch driver {
	case SQLite:
		db, err = sql.Open("sqlite", sqliteDSN(dsn))
	case SQLServer:
		db, err = openSQLServer(dsn, greet)
	case Postgres:
		db, err = openPostgres(dsn, greet)
	default:
		_, err := ParseDriver(string(driver))
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("open %s database: %w", driver, Redact(err, dsn))
	}
	return db, nil
}
