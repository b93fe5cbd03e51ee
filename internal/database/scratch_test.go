package database

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"
)

// TestScratchDSN checks for all forms of a DSN, with any database name, that the driver
// opens the scratch database.
func TestScratchDSN(t *testing.T) {
	for _, dsn := range []string{
		"sqlserver://bot:hun%2Fter@db:1433",
		"sqlserver://bot:hun%2Fter@db:1433?database=master&encrypt=disable",
		"sqlserver://bot:hun%2Fter@db:1433?Database=master&Encrypt=disable",
		"server=db;user id=bot;password=hun/ter;port=1433",
		"Server=db,1433;User Id=bot;Password=hun/ter;Initial Catalog=master;",
		"Server=db,1433;User Id=bot;Password=\"hun/ter\";Database=master; ",
		"odbc:server=db;port=1433;user id=bot;password={hun/ter};database=master",
	} {
		c, err := msdsn.Parse(withParameter(SQLServer, dsn, "database", "scratch"))
		if err != nil {
			t.Errorf("%s: %v", SafeDSN(dsn), err)
		} else if c.Database != "scratch" || c.Host != "db" || c.User != "bot" || c.Password != "hun/ter" {
			t.Errorf("%s: got database %q on %q as %q, want scratch on db as bot with its password", SafeDSN(dsn), c.Database, c.Host, c.User)
		}
	}
	if c, err := msdsn.Parse(withParameter(SQLServer, "server=db", "database", "scratch")); err != nil || c.Host != "db" || c.Database != "scratch" {
		t.Errorf("server alone: host %q, database %q, %v; want db, scratch", c.Host, c.Database, err)
	}
}

func TestScratchRetriesTemporaryErrors(t *testing.T) {
	wrap := func(number int32, text string) error {
		return fmt.Errorf("CREATE DATABASE x: %w", mssql.Error{Number: number, Message: text})
	}
	busy, denied := wrap(1807, "Could not obtain exclusive lock on database 'model'."), wrap(262, "CREATE DATABASE permission denied")
	for _, tt := range []struct {
		name  string
		mends func(error) bool
		err   error
		tries int
	}{
		{"the model database is locked", notYet, busy, 3},
		{"only one database allowed", notYet, wrap(33557097, `Only one user database allowed under single-db mode. User database "y" already exists`), 3},
		{"no permission", notYet, denied, 1},
		{"open sessions", inUse, wrap(3702, "Cannot drop database \"x\" because it is currently in use."), 3},
		{"open sessions, Babelfish error", inUse, wrap(547, `Cannot drop database "x" because it is currently in use in another session`), 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				err := patiently(t.Context(), time.Minute, tt.mends, func() error {
					if tries++; tries == 3 {
						return nil
					}
					return tt.err
				})
				if tries != tt.tries || (err == nil) != (tt.tries == 3) {
					t.Errorf("%d tries, %v, want %d", tries, err, tt.tries)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		err := patiently(t.Context(), time.Minute, notYet, func() error { return busy })
		if took := time.Since(started); !errors.Is(err, busy) || took < time.Minute || took > 2*time.Minute {
			t.Errorf("gave up after %s with %v, want about a minute and the server's error", took, err)
		}
	})
}
