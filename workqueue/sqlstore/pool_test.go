package sqlstore_test

import (
	"context"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue/sqlstore"
)

// The lock for migrations must not use the connection that the migrations need.
func TestMigrateWithOneConnection(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(e.Driver), DSN: e.DSN(t), MaxOpen: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if applied, err := store.Migrate(ctx); err != nil || len(applied) == 0 {
			t.Errorf("Migrate = %v, %v, want all migrations", applied, err)
		}
	})
}

func TestAskedCountsStatements(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		store := e.Open(t, e.DSN(t))
		before := store.StatementsRun()
		if _, err := store.Now(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := store.StatementsRun() - before; got != 1 {
			t.Errorf("reading the clock counts as %d statements, want 1", got)
		}
	})
}
