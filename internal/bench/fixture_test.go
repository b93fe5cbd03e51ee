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

// common is one measured round on an engine; told may be nil. When the test has
// ended, none of the scratch places may be left.
func common(t *testing.T, e testdb.Engine, told *counter) Common {
	c := Common{Driver: e.Driver, Repeat: 1, Command: []string{os.Args[0], asWorker}}
	if e.Server != "" {
		c.DSN = os.Getenv(e.Server)
	} else {
		c.DSN = filepath.Join(t.TempDir(), "configured.db")
	}
	if told != nil {
		c.Progress = told.add
	}
	var made []string
	c.made = func(dsn string) { made = append(made, dsn) }
	t.Cleanup(func() {
		if len(made) == 0 {
			t.Error("no scratch place was made")
		}
		for _, dsn := range made {
			wantGone(t, e, dsn)
		}
	})
	return c
}

// counter adds up what progress tells.
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

// wantGone looks for a scratch place, in which a table would be.
func wantGone(t *testing.T, e testdb.Engine, dsn string) {
	t.Helper()
	if e.Driver == database.SQLite {
		path, _, _ := strings.Cut(strings.TrimPrefix(dsn, "file:"), "?")
		if _, err := os.Stat(filepath.Dir(path)); err == nil {
			t.Errorf("%s is left", path)
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
			t.Errorf("%s is left in %s", table, database.SafeDSN(dsn))
		}
	}
}
