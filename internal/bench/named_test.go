package bench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
)

// TestNamedPlaceIsRefused checks a schema or file that contains items or other tables,
// and the configured one. The errors must name the reason, and nothing may be removed.
func TestNamedPlaceIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "place.db")
	c := Common{Driver: database.SQLite, DSN: filepath.Join(dir, "configured.db"), In: file}
	if _, _, err := (Common{Driver: database.SQLite, DSN: file, In: file, Yes: true}).scratch(t.Context()); err == nil || !strings.Contains(err.Error(), "configured database itself") {
		t.Errorf("the configured file: %v", err)
	}
	if err := alter(file, `CREATE TABLE invoices (id INTEGER)`); err != nil {
		t.Fatal(err)
	}
	c.Yes = true
	if _, _, err := c.scratch(t.Context()); err == nil || !strings.Contains(err.Error(), `has a table "invoices", which is not Botwork's`) {
		t.Errorf("a table of another program: %v", err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("a refused file was removed: %v", err)
	}
	if _, _, err := (Common{Driver: database.SQLServer, In: "x"}).scratch(t.Context()); err == nil {
		t.Error("no error, although SQL Server does not support named schemas")
	}
}

func TestNamedSchema(t *testing.T) {
	postgres := testdb.Engines[1]
	if os.Getenv(postgres.Server) == "" {
		t.Skipf("%s is not set", postgres.Server)
	}
	t.Parallel()
	given := postgres.DSN(t) // a schema that already exists
	db := postgres.SQL(t, given)
	var name string
	if err := db.QueryRowContext(t.Context(), "SELECT current_schema()").Scan(&name); err != nil {
		t.Fatal(err)
	}
	c := Common{Driver: database.Postgres, DSN: os.Getenv(postgres.Server), In: name, Repeat: 1}
	drain := func() error {
		_, err := Drain(t.Context(), DrainOptions{Common: c, Items: 20, Capacity: 2})
		return err
	}
	if err := drain(); err != nil {
		t.Fatal(err)
	}
	var tables int
	if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM pg_tables WHERE schemaname = $1", name).Scan(&tables); err != nil || tables != 0 {
		t.Errorf("%d tables are left in the schema, %v; want none", tables, err)
	}
	var functions int
	if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM pg_proc WHERE pronamespace = $1::regnamespace", name).Scan(&functions); err != nil || functions != 0 {
		t.Errorf("%d functions are left in the schema, %v; want none", functions, err)
	}
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE "BotWorkQueueItems" ("Id" bigint); INSERT INTO "BotWorkQueueItems" VALUES (1)`); err != nil {
		t.Fatal(err)
	}
	if err := drain(); !errors.Is(err, ErrHoldsItems) {
		t.Errorf("with an item: %v, want ErrHoldsItems", err)
	}
	c.Yes = true
	if err := drain(); err != nil {
		t.Errorf("with an item and yes: %v", err)
	}
	c.DSN = given
	if err := drain(); err == nil || !strings.Contains(err.Error(), "the schema of the configured database itself") {
		t.Errorf("the configured schema: %v", err)
	}
	c.In = `x"; DROP`
	if err := drain(); err == nil || !strings.Contains(err.Error(), "is not a valid schema name") {
		t.Errorf("an invalid name: %v", err)
	}
}
