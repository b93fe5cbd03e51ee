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

// InProject creates a new project and changes to its folder.
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

// OpenQueue opens the project's database directly.
func OpenQueue(t *testing.T) *sqlstore.Store {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // the clean-up runs after the test's context has ended
	testdb.Prepare(t, database.SQLite, "botwork.db")
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(database.SQLite), DSN: "botwork.db"})
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

// ByHand executes SQL in the project's database, like an administrator.
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
