package sqlstore_test

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"testing"

	sqlfiles "botwork/sql"
)

// onlySome lists the files that only some engines have, each with the reason.
var onlySome = map[string][]string{
	"queries/assignment_lock.sql":   {"postgres", "sqlserver"}, // SQLite's write transaction is the lock
	"queries/clean_session.sql":     {"postgres", "sqlserver"}, // SQLite has one writer
	"fragments/now_once.sql":        {"sqlite"},                // the others compute the time once without it
	"fragments/lock_rows.sql":       {"postgres"},              // the others lock in the order of ids without it
	"fragments/timeline_known.sql":  {"postgres"},              // the others have no timelines
	"fragments/startable_items.sql": {"postgres"},              // the others write them once, as a CTE
	"fragments/duration_class.sql":  {"postgres"},              // the others compute the class in Go
	"fragments/pipeline_of.sql":     {"postgres", "sqlite"},    // SQL Server has a column
	"queries/finish_plain.sql":      {"postgres", "sqlite"},    // the gain on SQL Server was not measured
	"queries/listening.sql":         {"postgres"},              // the others have no notices
	"queries/notify.sql":            {"postgres"},              // likewise
	"queries/held.sql":              {"sqlserver"},             // a joined UPDATE cannot return the rows that it changed
	"queries/take_order.sql":        {"sqlserver"},             // likewise: take cannot write it
	"queries/stalled_sessions.sql":  {"sqlserver"},             // SQLite has no sessions, and PostgreSQL ends them itself
	"queries/taken.sql":             {"sqlite"},                // on the others take returns the items itself
	"doctor/clock.sql":              {"postgres", "sqlserver"}, // SQLite's clock is the machine's
	"doctor/journal.sql":            {"sqlite"},                // a server hides its journal
	"doctor/rights.sql":             {"postgres", "sqlserver"}, // the permissions of SQLite are those of its file
	"doctor/stalled.sql":            {"postgres", "sqlserver"}, // SQLite has no sessions
	"doctor/session.sql":            {"postgres"},              // others have no pooler between
	"queries/open_sessions.sql":     {"postgres", "sqlserver"}, // likewise
	"queries/row_holders.sql":       {"postgres", "sqlserver"}, // likewise
	"queries/worker_current.sql":    {"postgres", "sqlserver"}, // SQLite has no locks of rows
	"queries/take_free.sql":         {"postgres"},              // take passes over held rows on SQL Server, and SQLite has none
	"fragments/take_items.sql":      {"postgres"},              // likewise
	"fragments/not_held.sql":        {"postgres"},              // SQL Server reads past such rows, SQLite has none
	"doctor/session_rights.sql":     {"sqlserver"},             // the others end such sessions, or have none
	"doctor/snapshot.sql":           {"sqlserver"},             // the others always read row versions
	"doctor/replication.sql":        {"postgres", "sqlserver"}, // SQLite has no standby
	"queries/timeline.sql":          {"postgres", "sqlserver"}, // SQLite has no timeline
	"queries/timeline_note.sql":     {"postgres", "sqlserver"}, // likewise
}

func TestEnginesHaveTheSameFiles(t *testing.T) {
	engines := slices.Sorted(maps.Values(folders))
	found := map[string][]string{}
	for _, engine := range engines {
		err := fs.WalkDir(sqlfiles.Files, engine, func(file string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				name := path.Join(path.Base(path.Dir(file)), d.Name())
				found[name] = append(found[name], engine)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) < 30 {
		t.Errorf("only %d files are embedded", len(found))
	}
	for name, has := range found {
		want := engines
		if only, ok := onlySome[name]; ok {
			want = only
		}
		if !slices.Equal(has, want) {
			t.Errorf("%s exists for %v, want %v", name, has, want)
		}
	}
	for name := range onlySome {
		if found[name] == nil {
			t.Errorf("%s does not exist for any engine", name)
		}
	}
}
