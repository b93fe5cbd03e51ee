package sqlstore_test

import (
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	sqlfiles "botwork/sql"
	"botwork/workqueue/learned"
	"botwork/workqueue/sqlstore"
)

// copyStatements returns a copy of the files of package sql, which the caller may change.
func copyStatements(t testing.TB) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(sqlfiles.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(sqlfiles.Files, path)
		files[path] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// unlocked returns the statements of package sql, except that reading learned durations takes
// no locks, as if the server ignored the hints.
func unlocked(t *testing.T) fs.FS {
	t.Helper()
	statements := copyStatements(t)
	for path, hint := range map[string]string{
		"postgres/queries/durations_of.sql": "\nFOR UPDATE OF d;", "sqlserver/queries/durations_of.sql": " WITH (UPDLOCK, ROWLOCK)",
	} {
		file := statements[path]
		if n := strings.Count(string(file.Data), hint); n != 1 {
			t.Fatalf("%s has %q %d times, want once", path, hint, n)
		}
		file.Data = []byte(strings.Replace(string(file.Data), hint, "", 1))
	}
	return statements
}

// The versions alone keep all runs; the locks only avoid retries.
func TestLearnKeepsAllRunsWithoutLocks(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver == database.SQLite {
			t.Skip("SQLite has one writer, with or without hints")
		}
		const processes, rounds, keys = 4, 30, 3
		dsn := e.DSN(t)
		reader := e.Open(t, dsn)
		statements := unlocked(t)
		var wg sync.WaitGroup
		for n := range processes {
			s, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(e.Driver), DSN: dsn, Statements: statements})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			wg.Go(func() {
				for round := range rounds {
					var batch []learned.Runs
					for k := range keys {
						key := learned.Key{Kind: learned.OfPipeline, Pipeline: fmt.Sprint("p", k)}
						batch = append(batch, learned.Runs{Key: key, Runs: []learned.Run{{Took: time.Second}}})
					}
					if err := s.Learn(t.Context(), batch); err != nil {
						t.Errorf("process %d, round %d: %v", n, round, err)
						return
					}
				}
			})
		}
		wg.Wait()
		all, err := reader.Durations(t.Context(), learned.Filter{})
		if err != nil || len(all) != keys {
			t.Fatalf("Durations = %v, %v, want %d", all, err, keys)
		}
		for _, l := range all {
			if l.Runs != processes*rounds {
				t.Errorf("%s has %d runs, want %d", l.Pipeline, l.Runs, processes*rounds)
			}
		}
	})
}

// manyDurations inserts the keys p1, p2, …, on SQLite and PostgreSQL.
func manyDurations(e testdb.Engine, n int, updated string) string {
	return fmt.Sprintf(`INSERT INTO "BotDurations" ("KeyHash", "Kind", "Pipeline", "Name", "Runs", "MeanMs", "P90Ms", "ErrorMs", "Histogram", "UpdatedAt")
		SELECT CONCAT('hash-', n), 'pipeline', CONCAT('p', n), '', 1, 1, 1, 0, '{}', %s FROM %s`, updated, series(e, n))
}

// The clean-up keeps only the latest hundred thousand keys, whatever their age.
func TestDurationsAreBounded(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		const kept, more = 100_000, 30
		dsn := e.DSN(t)
		s := e.Open(t, dsn)
		db := e.SQL(t, dsn)
		// Every key has its own second, p1 the latest.
		updated := map[database.Driver]string{
			database.SQLite:   `strftime('%Y-%m-%d %H:%M:%f', 'now', (-n) || ' seconds')`,
			database.Postgres: `statement_timestamp() - n * INTERVAL '1 second'`,
		}[e.Driver]
		if _, err := db.ExecContext(t.Context(), manyDurations(e, kept+more, updated)); err != nil {
			t.Fatal(err)
		}
		removed := 0
		for {
			n, err := s.RemoveDurations(t.Context(), 90*24*time.Hour, 20)
			if err != nil {
				t.Fatal(err)
			}
			if removed += n; n == 0 {
				break
			}
		}
		if removed != more {
			t.Errorf("%d keys were removed, want %d", removed, more)
		}
		for pipeline, want := range map[string]int{"p1": 1, fmt.Sprint("p", kept): 1, fmt.Sprint("p", kept+1): 0, fmt.Sprint("p", kept+more): 0} {
			if all, err := s.Durations(t.Context(), learned.Filter{Pipeline: pipeline}); err != nil || len(all) != want {
				t.Errorf("%s: %d keys are left, %v, want %d", pipeline, len(all), err, want)
			}
		}
	})
}

// Reading and writing learned durations uses the indexes, however many rows there are.
func TestDurationsAreFoundByIndex(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		exec := func(statement string) {
			t.Helper()
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		exec(manyDurations(e, planned(e, 50_000), `'2026-01-31 13:45:00.000'`))
		countRows(t, e, db, "BotDurations")
		row := `[{"KeyHash": "hash-7", "OldVersion": 1, "Runs": 2, "MeanMs": 1.5, "P90Ms": 1, "ErrorMs": 0, "Histogram": "{}"}]`
		for _, c := range []struct {
			statement string
			values    map[string]any
			indexes   []string
		}{
			{"durations_of", map[string]any{"rows": row}, []string{"UQ_BotDurations_KeyHash", "sqlite_autoindex_BotDurations"}},
			{"learn", map[string]any{"rows": row, "now": nil}, []string{"UQ_BotDurations_KeyHash", "sqlite_autoindex_BotDurations"}},
			{"learned", map[string]any{"limit_rows": 20_000}, []string{"IX_BotDurations_Updated"}},
			{"clean_durations", map[string]any{"age_ms": 1000, "keep": 10, "limit_rows": 100, "now": nil}, []string{"IX_BotDurations_Updated"}},
		} {
			plan := explain(t, e, db, c.statement, c.values)
			found := false
			for _, index := range c.indexes {
				found = found || strings.Contains(plan, index)
			}
			if !found {
				t.Errorf("%s uses none of %v:\n%s", c.statement, c.indexes, plan)
			}
		}
	})
}
