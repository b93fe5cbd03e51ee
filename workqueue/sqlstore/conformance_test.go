package sqlstore_test

import (
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

var _ storetest.Store = (*sqlstore.Store)(nil)

func TestConformance(t *testing.T) {
	t.Parallel() // together with tests that mostly wait for connections
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		storetest.Exercise(t, func(t *testing.T) storetest.Harness {
			dsn := e.DSN(t)
			return harness(t, e, dsn, e.Open(t, dsn))
		})
	})
}

func TestMachine(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		storetest.Machine(t, func(t *testing.T, now func() time.Time) storetest.Harness {
			dsn := e.DSN(t)
			e.Open(t, dsn) // migrates
			return harness(t, e, dsn, openAt(t, e, dsn, now))
		})
	})
}

// openAt opens a store whose clock is now.
func openAt(t testing.TB, e testdb.Engine, dsn string, now func() time.Time) storetest.Store {
	t.Helper()
	return openWith(t, sqlstore.Options{Driver: string(e.Driver), DSN: testdb.Unsynced(e.Driver, dsn), Now: now})
}

func openWith(t testing.TB, o sqlstore.Options) storetest.Store {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return store
}

// harness is what the suite needs besides the store.
func harness(t *testing.T, e testdb.Engine, dsn string, store storetest.Store) storetest.Harness {
	dsn = testdb.Unsynced(e.Driver, dsn)
	byHand := e.SQL(t, dsn)
	var hold func(t *testing.T, statement string) func()
	if e.Driver != database.SQLite {
		hold = func(t *testing.T, statement string) func() {
			t.Helper()
			tx, err := byHand.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
			return func() { _ = tx.Rollback() } // it is over already if the test has ended
		}
	}
	return storetest.Harness{
		Hold:    hold,
		Store:   store,
		Another: func(t *testing.T) storetest.Store { return e.Open(t, dsn) },
		At:      func(t *testing.T, now func() time.Time) storetest.Store { return openAt(t, e, dsn, now) },
		Bounded: func(t *testing.T, most int) storetest.Store {
			return openWith(t, sqlstore.Options{Driver: string(e.Driver), DSN: dsn, PayloadSearch: most})
		},
		Exec: func(t *testing.T, statement string) int64 {
			t.Helper()
			result, err := byHand.ExecContext(t.Context(), statement)
			if err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
			n, err := result.RowsAffected()
			if err != nil {
				t.Fatal(err)
			}
			return n
		},
	}
}
