package database

import (
	"path/filepath"
	"strings"
	"testing"

	"botwork/internal/namedsql"
)

func TestSQLiteDSN(t *testing.T) {
	const all = "_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_txlock=immediate"
	for _, c := range []struct{ name, dsn, want string }{
		{"path", "data/botwork.db", "file:data/botwork.db?" + all},
		{"path with special characters", "100%/what?#1.db", "file:100%25/what%3f%231.db?" + all},
		{"memory", ":memory:", "file::memory:?" + all},
		{"uri", "file:botwork.db", "file:botwork.db?" + all},
		{"uri with a parameter", "file:botwork.db?mode=ro", "file:botwork.db?mode=ro&" + all},
		{"own settings stay", "file:b.db?_pragma=synchronous(1)&_txlock=deferred",
			"file:b.db?_pragma=synchronous(1)&_txlock=deferred&_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)"},
		{"a folder is not a setting", "file:synchronous/journal_mode.db", "file:synchronous/journal_mode.db?" + all},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sqliteDSN(c.dsn); got != c.want {
				t.Errorf("sqliteDSN(%q)\n got %s\nwant %s", c.dsn, got, c.want)
			}
		})
	}
}

func TestJournalsInMemory(t *testing.T) {
	for dsn, want := range map[string]string{
		"100%/what?#1.db":                    "file:100%25/what%3f%231.db?_pragma=temp_store(MEMORY)",
		":memory:":                           "file::memory:?_pragma=temp_store(MEMORY)",
		"file:b.db?mode=ro":                  "file:b.db?mode=ro&_pragma=temp_store(MEMORY)",
		"file:b.db?_pragma=temp_store(FILE)": "file:b.db?_pragma=temp_store(FILE)",
	} {
		if got := JournalsInMemory(dsn); got != want {
			t.Errorf("JournalsInMemory(%q)\n got %s\nwant %s", dsn, got, want)
		}
	}
}

func TestOpenAppliesSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a%20b #1.db")
	db, err := Open(SQLite, path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "busy_timeout": "20000", "foreign_keys": "1"} {
		var got string
		if err := db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("PRAGMA %s = %s, want %s", pragma, got, want)
		}
	}
	var file string
	if err := db.QueryRow("SELECT file FROM pragma_database_list").Scan(&file); err != nil {
		t.Fatal(err)
	}
	if filepath.Base(file) != filepath.Base(path) {
		t.Errorf("the database is %s, want %s", file, path)
	}
}

func TestOpenHidesPasswords(t *testing.T) {
	for _, dsn := range []string{"sqlserver://bot:hunter2@db:port", "server=db;password=hunter2;encrypt=perhaps"} {
		if _, err := Open(SQLServer, dsn); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Open(%q) = %v, want an error without the password", SafeDSN(dsn), err)
		}
	}
}

func TestDrivers(t *testing.T) {
	styles := map[Driver]namedsql.Style{SQLite: namedsql.Question, SQLServer: namedsql.AtP, Postgres: namedsql.Dollar}
	for _, d := range Drivers {
		if got, err := ParseDriver(string(d)); got != d || err != nil {
			t.Errorf("ParseDriver(%q) = %q, %v", d, got, err)
		}
		if d.Style() != styles[d] {
			t.Errorf("%s: Style = %v, want %v", d, d.Style(), styles[d])
		}
	}
	if _, err := ParseDriver("mysql"); err == nil || !strings.Contains(err.Error(), "want sqlite, sqlserver or postgres") {
		t.Errorf("ParseDriver(mysql) = %v", err)
	}
	if _, err := Open("mysql", "x"); err == nil {
		t.Error("Open of an unknown driver succeeded")
	}
}
