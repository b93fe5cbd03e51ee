package bench

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
)

// common returns options for one measured round on an engine; progress may be nil. At the
// end of the test, common checks that no scratch database is left.
func common(t *testing.T, e testdb.Engine, progress *counter) Common {
	c := Common{Driver: e.Driver, Repeat: 1, Command: []string{os.Args[0], asWorker}}
	if e.Server != "" {
		c.DSN = os.Getenv(e.Server)
	} else {
		c.DSN = filepath.Join(t.TempDir(), "configured.db")
	}
	if progress != nil {
		c.Progress = progress.add
	}
	var made []string
	c.made = func(dsn string) { made = append(made, dsn) }
	t.Cleanup(func() {
		if len(made) == 0 {
			t.Error("no scratch database was created")
		}
		for _, dsn := range made {
			wantRemoved(t, e, dsn)
		}
	})
	return c
}

// counter adds up the reported progress.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add(more int) { c.mu.Lock(); defer c.mu.Unlock(); c.n += more }
func (c *counter) sum() int     { c.mu.Lock(); defer c.mu.Unlock(); return c.n }

func wantPositive(t *testing.T, r Report, figures ...Figure) {
	t.Helper()
	for _, f := range figures {
		s, ok := r.Figures[f]
		if !ok || s.Median <= 0 || s.Smallest > s.Median || s.Median > s.Largest {
			t.Errorf("%s = %+v (measured: %t), want more than 0", f, s, ok)
		}
	}
}

// wantRemoved checks that a scratch database was removed, by looking for its tables.
func wantRemoved(t *testing.T, e testdb.Engine, dsn string) {
	t.Helper()
	if e.Driver == database.SQLite {
		path, _, _ := strings.Cut(strings.TrimPrefix(dsn, "file:"), "?")
		if _, err := os.Stat(filepath.Dir(path)); err == nil {
			t.Errorf("%s was not removed", path)
		}
		return
	}
	db, err := database.Open(e.Driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, table := range []string{`"BotWorkQueueItems"`, "limit_items"} {
		var n int
		if err := db.QueryRowContext(context.Background(), "SELECT COUNT(*) FROM "+table).Scan(&n); err == nil {
			t.Errorf("%s was not removed from %s", table, database.SafeDSN(dsn))
		}
	}
}
