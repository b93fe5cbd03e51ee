package sqlstore_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/pressly/goose/v3"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/internal/testgroup"
	sqlfiles "botwork/sql"
	"botwork/workqueue/sqlstore"
)

// folders are the engines' folders in package sql.
var folders = map[database.Driver]string{
	database.SQLite: "sqlite", database.SQLServer: "sqlserver", database.Postgres: "postgres",
}

// openEmpty opens a store on an empty database without a schema.
func openEmpty(t *testing.T, e testdb.Engine, dsn string) *sqlstore.Store {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(e.Driver), DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func TestMigrate(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		store := openEmpty(t, e, e.DSN(t))
		files, err := fs.Glob(sqlfiles.Files, folders[e.Driver]+"/migrations/*.sql")
		if err != nil {
			t.Fatal(err)
		}
		status := func() (applied int) {
			t.Helper()
			migrations, err := store.MigrationStatus(t.Context())
			if err != nil || len(migrations) != len(files) {
				t.Fatalf("MigrationStatus = %v, %v, want %d migrations", migrations, err, len(files))
			}
			for i, m := range migrations {
				if !strings.HasPrefix(m.Name, fmt.Sprintf("%04d_", m.Version)) || !strings.HasSuffix(files[i], m.Name) || m.Applied != (m.AppliedAt != nil) {
					t.Errorf("migration %d is %+v, want %s", i+1, m, files[i])
				}
				if m.Applied {
					applied++
				}
			}
			return applied
		}
		if n := status(); n != 0 {
			t.Errorf("%d migrations are applied in an empty database, want 0", n)
		}
		names, err := store.Migrate(t.Context())
		if err != nil || len(names) != len(files) {
			t.Fatalf("Migrate = %v, %v, want the names of %d migrations", names, err, len(files))
		}
		if n := status(); n != len(files) {
			t.Errorf("%d migrations are applied after Migrate, want %d", n, len(files))
		}
		if names, err := store.Migrate(t.Context()); err != nil || len(names) != 0 {
			t.Errorf("a second Migrate = %v, %v, want nothing to do", names, err)
		}
	})
}

func TestMigrateTogether(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		var wg sync.WaitGroup
		for range testgroup.Cases(4, 10) {
			wg.Go(func() {
				if err := migrate(e.Driver, dsn); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		wantOneSchema(t, e, dsn)
	})
}

func TestMigrateTogetherInProcesses(t *testing.T) {
	testgroup.Need(t, testgroup.Processes)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				cmd := exec.CommandContext(t.Context(), program)
				cmd.Env = append(os.Environ(), migrateDriver+"="+string(e.Driver), migrateDSN+"="+dsn)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
		wg.Wait()
		wantOneSchema(t, e, dsn)
	})
}

// wantOneSchema checks that each migration was applied once: its rows exist once, and nothing
// is left to do.
func wantOneSchema(t *testing.T, e testdb.Engine, dsn string) {
	t.Helper()
	store := openEmpty(t, e, dsn)
	if names, err := store.Migrate(t.Context()); err != nil || len(names) != 0 {
		t.Errorf("Migrate = %v, %v, want nothing to do", names, err)
	}
	if queues, err := store.Queues(t.Context()); err != nil || len(queues) != 1 {
		t.Errorf("Queues = %v, %v, want the default queue", queues, err)
	}
	migrations, err := store.MigrationStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range migrations {
		if !m.Applied {
			t.Errorf("%s is not applied", m.Name)
		}
	}
}

func TestMigrationsGoDownAndUpAgain(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		store := e.Open(t, dsn)
		provider := provider(t, e, e.SQL(t, dsn))
		results, err := provider.DownTo(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(provider.ListSources()); len(results) != n {
			t.Errorf("%d migrations were rolled back, want %d", len(results), n)
		}
		if _, err := store.Queues(t.Context()); err == nil {
			t.Error("BotQueues is still there")
		}
		if _, err := provider.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Queues(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func provider(t *testing.T, e testdb.Engine, db *sql.DB) *goose.Provider {
	t.Helper()
	files, err := fs.Sub(sqlfiles.Files, folders[e.Driver]+"/migrations")
	if err != nil {
		t.Fatal(err)
	}
	dialect := map[database.Driver]goose.Dialect{
		database.SQLite: goose.DialectSQLite3, database.SQLServer: goose.DialectMSSQL, database.Postgres: goose.DialectPostgres,
	}[e.Driver]
	p, err := goose.NewProvider(dialect, db, files)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
