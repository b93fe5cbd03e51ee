package sqlstore_test

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"testing"

	sqlfiles "botwork/sql"
)

// own lists the files that only some engines have, each with its reason.
var own = map[string][]string{
	"queries/assignment_lock.sql":   {"postgres", "sqlserver"}, // SQLite's write transaction is the lock
	"queries/clean_session.sql":     {"postgres", "sqlserver"}, // SQLite has one writer
	"fragments/now_once.sql":        {"sqlite"},                // the others compute now once by themselves
	"fragments/lock_rows.sql":       {"postgres"},              // the others lock in the order of ids by themselves
	"fragments/timeline_known.sql":  {"postgres"},              // the others have no timelines
	"fragments/startable_items.sql": {"postgres"},              // the others write them once, as a CTE
	"queries/finish_plain.sql":      {"postgres", "sqlite"},    // what it would gain on SQL Server is not measured
	"queries/listening.sql":         {"postgres"},              // the others carry no notices
	"queries/notify.sql":            {"postgres"},              // likewise
	"queries/held.sql":              {"sqlserver"},             // a joined UPDATE cannot tell which rows it changed
	"queries/take_order.sql":        {"sqlserver"},             // likewise: it cannot be one with take
	"queries/stalled_sessions.sql":  {"sqlserver"},             // SQLite has none, and PostgreSQL ends them itself
	"queries/taken.sql":             {"sqlite"},                // elsewhere nobody waits for what take returns
	"doctor/clock.sql":              {"postgres", "sqlserver"}, // SQLite's clock is the machine's
	"doctor/journal.sql":            {"sqlite"},                // a server keeps its journal to itself
	"doctor/rights.sql":             {"postgres", "sqlserver"}, // SQLite's rights are those of its file
	"doctor/stalled.sql":            {"sqlserver"},             // the others end such sessions, or have none
	"doctor/session_rights.sql":     {"sqlserver"},             // likewise
	"doctor/snapshot.sql":           {"sqlserver"},             // the others read row versions always
	"doctor/replication.sql":        {"postgres", "sqlserver"}, // SQLite has no standby
	"queries/timeline.sql":          {"postgres", "sqlserver"}, // nor a name for its history
	"queries/timeline_note.sql":     {"postgres", "sqlserver"}, // likewise
}

func TestEnginesHaveTheSameFiles(t *testing.T) {
	engines := slices.Sorted(maps.Values(folders))
	there := map[string][]string{}
	for _, engine := range engines {
		err := fs.WalkDir(sqlfiles.Files, engine, func(file string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				name := path.Join(path.Base(path.Dir(file)), d.Name())
				there[name] = append(there[name], engine)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(there) < 30 {
		t.Errorf("only %d files are embedded", len(there))
	}
	for name, has := range there {
		want := engines
		if only, ok := own[name]; ok {
			want = only
		}
		if !slices.Equal(has, want) {
			t.Errorf("%s is there for %v, want %v", name, has, want)
		}
	}
	for name := range own {
		if there[name] == nil {
			t.Errorf("%s is there for nobody", name)
		}
	}
}
