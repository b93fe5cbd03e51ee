package doctor_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/internal/doctor"
	"botwork/internal/testdb"
)

func TestSQLiteFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }

	found := examine(t, optionsFor(t, database.SQLite, path("new.db")))
	want(t, found, "database", doctor.Warning, "new.db does not exist yet", "botwork db migrate")
	want(t, found, "schema", doctor.Skipped, "does not exist yet")
	want(t, found, "sqlite-file", doctor.OK, "can be created")
	if _, err := os.Stat(path("new.db")); err == nil {
		t.Error("the doctor has created the database")
	}

	found = examine(t, optionsFor(t, database.SQLite, path("none/new.db")))
	want(t, found, "database", doctor.Fault, "none does not exist")
	want(t, found, "sqlite-file", doctor.Fault)

	writeFile(t, path("text.db"), strings.Repeat("this is no database\n", 100))
	want(t, examine(t, optionsFor(t, database.SQLite, path("text.db"))), "database", doctor.Fault, "is not a SQLite database")

	found = examine(t, optionsFor(t, database.SQLite, ":memory:"))
	want(t, found, "database", doctor.Warning, "lost when its process ends")
	want(t, found, "version", doctor.OK, "SQLite 3.")
}

// The doctor does not change the file, even if a worker would.
func TestSQLiteFileIsNotChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	e := testdb.Engine{Driver: database.SQLite}
	db := e.SQL(t, "file:"+path+"?_pragma=journal_mode(DELETE)")
	exec(t, db, `CREATE TABLE x (y)`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want(t, examine(t, optionsFor(t, database.SQLite, path)), "sqlite-file", doctor.OK, `its journal is "delete" and becomes a write-ahead log`)
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the file was changed, or cannot be read: %v", err)
	}
	want(t, examine(t, optionsFor(t, database.SQLite, "file:"+path+"?_pragma=journal_mode(DELETE)")), "sqlite-file", doctor.Warning, "another journal")
}

// The write-ahead log of a process is deleted: the doctor does not open the database, which would
// create another log.
func TestSQLiteLogIsMissing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not delete open files")
	}
	path := filepath.Join(t.TempDir(), "a.db")
	db := testdb.Engine{Driver: database.SQLite}.SQL(t, path)
	exec(t, db, `CREATE TABLE x (y)`)
	watch, err := database.WatchSQLite(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := watch.Record(0, 0); err != nil {
		t.Fatal(err)
	}
	want(t, examine(t, optionsFor(t, database.SQLite, path)), "database", doctor.OK, "a.db")
	if err := os.Remove(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	want(t, examine(t, optionsFor(t, database.SQLite, path)), "database", doctor.Fault, "write-ahead log", "raises the epoch")
	if _, err := os.Stat(path + "-wal"); err == nil {
		t.Error("the doctor has created another log")
	}
}
