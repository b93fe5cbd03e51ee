package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue/sqlstore"
)

func TestDrainByProcesses(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		o := DrainOptions{Common: common(t, e, nil), Items: 300, Capacity: 2, Workers: 2}
		r, err := Drain(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if *r.Lost != 0 || *r.RanTwice != 0 {
			t.Errorf("report %+v, want none lost, none twice", r)
		}
		wantPositive(t, r, ItemsPerSecond, CPUSecondsPer1000, PeakRSSMb, P50Ms)
	})
}

// TestWorkerProcessFails checks that the error of a worker process contains the message
// that the process wrote.
func TestWorkerProcessFails(t *testing.T) {
	t.Parallel()
	c := common(t, testdb.Engines[0], nil)
	err := c.inStore(t.Context(), func(_ *sqlstore.Store, dsn string) error {
		_, err := c.startChild(t.Context(), job{Driver: "oracle", DSN: dsn, Name: "w", Capacity: 1})
		if err == nil || !strings.Contains(err.Error(), `worker process w: `) || !strings.Contains(err.Error(), `database driver "oracle"`) {
			t.Errorf("error %v, want the worker's own message", err)
		}
		c.Command = []string{filepath.Join(t.TempDir(), "nothing")}
		if _, err := c.startChild(t.Context(), job{}); err == nil || !strings.Contains(err.Error(), "start a worker process") {
			t.Errorf("error %v, want that the process could not be started", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestInterruptedDrainEndsItsProcesses checks that an interrupted measurement ends its
// processes before it removes their scratch database.
func TestInterruptedDrainEndsItsProcesses(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := DrainOptions{Common: common(t, testdb.Engines[0], nil), Items: 50_000, Capacity: 2, Workers: 2}
	rounds := 0
	o.spoil = func(string, *tally) error { // after the warm-up round
		if rounds++; rounds == 1 {
			cancel()
		}
		return nil
	}
	if _, err := Drain(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	read := func() (ids []int64) {
		err := readLedger(path, func(n noted) {
			if since := time.Since(n.at); since < 0 || since > time.Hour {
				t.Errorf("recorded at %s", n.at)
			}
			ids = append(ids, n.id)
		})
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	if got := read(); got != nil {
		t.Errorf("a missing ledger holds %v", got)
	}
	l, err := openLedger(path, false)
	if err != nil {
		t.Fatal(err)
	}
	note := func(id int64) {
		if _, err := l.Handle(t.Context(), &handlers.Call{ItemID: id}); err != nil {
			t.Fatal(err)
		}
	}
	note(1)
	note(2)
	if got := read(); len(got) != 2 || got[0] != 1 || got[1] != 2 {
		t.Errorf("before Close, the ledger holds %v, want 1 and 2", got)
	}
	l.fail = func() error { return errByChance }
	if _, err := l.Handle(t.Context(), &handlers.Call{ItemID: 3}); !errors.Is(err, errByChance) {
		t.Errorf("error %v, want errByChance", err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()-5); err != nil { // as after a kill during a write
		t.Fatal(err)
	}
	if got := read(); len(got) != 1 || got[0] != 1 {
		t.Errorf("with a truncated last record, the ledger holds %v, want 1", got)
	}
}

func TestFolderOfSQLite(t *testing.T) {
	dir := t.TempDir()
	for dsn, want := range map[string]string{
		filepath.Join(dir, "x.db"):                         dir,
		"file:" + filepath.ToSlash(dir) + "/x.db?mode=rwc": dir,
		"x.db":                                   ".",
		":memory:":                               "",
		"file:x?mode=memory":                     "",
		filepath.Join(dir, "not", "yet", "x.db"): "",
	} {
		if got := folderOf(dsn); got != filepath.FromSlash(want) {
			t.Errorf("folderOf(%q) = %q, want %q", dsn, got, want)
		}
	}
	c := Common{Driver: database.SQLite, DSN: filepath.Join(dir, "x.db"), Sync: "normal"}
	err := c.inScratch(t.Context(), func(dsn string) error {
		db, err := database.Open(database.SQLite, dsn)
		if err != nil {
			return err
		}
		defer db.Close()
		var level int
		err = db.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&level)
		if level != 1 {
			t.Errorf("synchronous = %d, want 1 for normal", level)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
