package clitest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue/sqlstore"
)

// InProject makes a new project and works in it.
func InProject(t *testing.T) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	Must(t, "init", dir)
	t.Chdir(dir)
}

// WriteFile writes a file or fails the test.
func WriteFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// ReadFile reads a file or fails the test.
func ReadFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Decode reads JSON that a command printed.
func Decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// OpenQueue opens the project's database beside the program.
func OpenQueue(t *testing.T) *sqlstore.Store {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // the clean-up outlives the test's context
	testdb.Prepare(t, database.SQLite, "botwork.db")
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: database.SQLite, DSN: "botwork.db"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := store.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	return store
}

// ByHand writes into the project's database as a person does.
func ByHand(t *testing.T, statement string) {
	t.Helper()
	db, err := database.Open(database.SQLite, "botwork.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}
