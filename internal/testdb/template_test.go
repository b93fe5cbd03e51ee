package testdb

import (
	"context"
	"path/filepath"
	"testing"

	"botwork/internal/database"
	"botwork/workqueue/sqlstore"
)

// A prepared database is equal to a migrated one, including all rows; the migrations
// find nothing to do.
func TestPreparedIsMigrated(t *testing.T) {
	prepared, migrated := filepath.Join(t.TempDir(), "prepared.db"), filepath.Join(t.TempDir(), "migrated.db")
	Prepare(t, database.SQLite, prepared)
	Prepare(t, database.SQLite, prepared) // changes nothing
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: prepared})
	if err != nil {
		t.Fatal(err)
	}
	if applied, err := store.Migrate(t.Context()); err != nil || len(applied) > 0 {
		t.Errorf("Migrate applied %q, %v; want nothing", applied, err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	got, want := shape(t, prepared), shape(t, migrated)
	if len(got) < 50 {
		t.Fatalf("the prepared database has %d columns and indexes", len(got))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s is %q, want %q", name, got[name], want[name])
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("the prepared database also has %v", got)
	}
}

// shape lists the columns with their types and defaults, and the indexes.
func shape(t *testing.T, dsn string) map[string]string {
	t.Helper()
	if err := migrate(t.Context(), dsn); err != nil { // migrates an empty database
		t.Fatal(err)
	}
	db, err := database.Open(database.SQLite, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(context.Background(), `SELECT m.type || ' ' || m.name || '.' || COALESCE(c.name, ''),
			COALESCE(c.type || ' ' || c."notnull" || ' ' || COALESCE(c.dflt_value, 'NULL') || ' ' || c.pk, m.sql, '')
		FROM sqlite_master m LEFT JOIN pragma_table_info(m.name) c`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var name, what string
		if err := rows.Scan(&name, &what); err != nil {
			t.Fatal(err)
		}
		all[name] = what
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
