package database

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestExistingSQLite(t *testing.T) {
	for dsn, want := range map[string]string{
		"data/botwork.db":                   "file:data/botwork.db?mode=rw",
		"100%/what?#1.db":                   "file:100%25/what%3f%231.db?mode=rw",
		"file:b.db":                         "file:b.db?mode=rw",
		"file:b.db?mode=rwc&_txlock=x":      "file:b.db?mode=rw&_txlock=x",
		"file:b.db?mode=ro":                 "file:b.db?mode=ro",
		"file:b.db?immutable=1":             "file:b.db?immutable=1",
		":memory:":                          ":memory:",
		"file:x?mode=memory&cache=shared":   "file:x?mode=memory&cache=shared",
		"file:mode=ro/b.db?_pragma=user(1)": "file:mode=ro/b.db?mode=rw&_pragma=user(1)",
	} {
		if got := ExistingSQLite(dsn); got != want {
			t.Errorf("ExistingSQLite(%q)\n got %s\nwant %s", dsn, got, want)
		}
	}
}

func TestPoolConnectionDoesNotCreateDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gone.db")
	db, err := Open(SQLite, ExistingSQLite(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Ping(); err == nil {
		t.Error("a database that does not exist was opened")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was created")
	}
}

func TestCreateSQLiteKeepsExistingFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "there.db")
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dsn := range []string{path, "file:" + path + "?mode=ro", ":memory:", "file:" + filepath.Join(dir, "new.db") + "?mode=ro", dir} {
		if err := CreateSQLite(dsn); err != nil {
			t.Errorf("CreateSQLite(%q) = %v", dsn, err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "x" {
		t.Errorf("the file holds %q, %v, want what it held", text, err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("the folder holds %v, %v, want one file", files, err)
	}
}

func TestMarkerDetectsMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	if err := CheckSQLiteUsed(path); err != nil {
		t.Fatalf("a file that never existed: %v", err)
	}
	if err := errors.Join(os.WriteFile(path, []byte("x"), 0o600), MarkSQLite(path, false)); err != nil {
		t.Fatal(err)
	}
	if err := CheckSQLiteUsed(path); err != nil || ReplacedSQLite(path) {
		t.Errorf("the file that was marked: %v, replaced: %t", err, ReplacedSQLite(path))
	}
	if err := os.Rename(path, path+".aside"); err != nil {
		t.Fatal(err)
	}
	missing := (*MissingFileError)(nil)
	if err := CheckSQLiteUsed(path); !errors.As(err, &missing) || missing.Empty {
		t.Errorf("the file was deleted: %v, want a MissingFileError", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := CheckSQLiteUsed(path); !errors.As(err, &missing) || !missing.Empty {
		t.Errorf("the file is empty: %v, want a MissingFileError that says so", err)
	}
	if fileNumber(path) != "" && !ReplacedSQLite(path) {
		t.Error("a replaced file is not detected")
	}
	if err := MarkSQLite(path, false); err != nil || fileNumber(path) != "" && !ReplacedSQLite(path) {
		t.Errorf("the marker was replaced, or %v", err)
	}
	if err := MarkSQLite(path, true); err != nil || ReplacedSQLite(path) {
		t.Errorf("the marker was not replaced: %v", err)
	}
}
