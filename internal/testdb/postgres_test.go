package testdb

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/workqueue/sqlstore"

	"github.com/google/go-cmp/cmp"
)

// A prepared schema is described like a migrated one, and the
// migrations find nothing to do.
func TestPreparedPostgresIsMigrated(t *testing.T) {
	e := Engines[1]
	if os.Getenv(e.Server) == "" {
		t.Skipf("%s is not set", e.Server)
	}
	dsn := e.DSN(t)
	for range 3 {
		if _, err := postgresTemplate(t.Context(), dsn); err != nil {
			t.Fatal(err)
		}
	}
	Prepare(t, e.Driver, dsn)
	Prepare(t, e.Driver, dsn) // changes nothing
	got, err := describePostgres(t.Context(), e.SQL(t, dsn))
	if err != nil {
		t.Fatal(err)
	}
	// PostgreSQL prints a list of texts differently when it has parsed its own
	// output.
	casts := regexp.MustCompile(`::(character varying|text)(\[\])?|[()\[\]]`)
	lines := func(script string) []string { return strings.Split(casts.ReplaceAllString(script, ""), ";\n") }
	if diff := cmp.Diff(lines(postgresSchema.text), lines(got)); diff != "" || len(got) < 5_000 {
		t.Errorf("a prepared schema of %d characters (-migrated +prepared):\n%s", len(got), diff)
	}
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.Postgres), DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if applied, err := store.Migrate(t.Context()); err != nil || len(applied) > 0 {
		t.Errorf("Migrate applied %q, %v; want nothing", applied, err)
	}
}
