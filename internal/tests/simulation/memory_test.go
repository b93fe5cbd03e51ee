package simulation

import (
	"database/sql"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue/sqlstore"
)

var memories atomic.Int64

// openMemory opens a store on a new database in memory, and a second connection to it. now is the
// clock of the database.
func openMemory(t *testing.T, statements fs.FS, now func() time.Time) (*sqlstore.Store, *sql.DB) {
	t.Helper()
	dsn := fmt.Sprintf("file:simulation-%d?mode=memory&cache=shared", memories.Add(1))
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(database.SQLite), DSN: dsn, Now: now, Statements: statements})
	if err != nil {
		t.Fatal(err)
	}
	testdb.Prepare(t, database.SQLite, dsn)
	eyes, err := database.Open(database.SQLite, dsn)
	if err != nil {
		t.Fatal(err)
	}
	eyes.SetMaxOpenConns(1)
	return store, eyes
}

// chronicle is the log of a history in which one event happens at a time, with its violations.
type chronicle struct {
	now        time.Time // the database's clock
	lines      []string
	violations []string
}

func (c *chronicle) log(format string, args ...any) {
	c.lines = append(c.lines, c.now.Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

func (c *chronicle) violation(format string, args ...any) {
	c.violations = append(c.violations, fmt.Sprintf(format, args...))
	c.log("VIOLATION: "+format, args...)
}

// clock returns the time of the database's clock, as a store reads it.
func (c *chronicle) clock() time.Time { return c.now.UTC().Truncate(time.Millisecond) }

func (c *chronicle) tail(n int) string {
	return strings.Join(c.lines[max(0, len(c.lines)-n):], "\n")
}

// few is how many histories with one event at a time a run has at most, unless the flags ask for so
// many that a twentieth of them is more: they take longer than the others.
const few = 20

// eachChronicle runs some of the histories that the flags ask for, or one with its log.
func eachChronicle(t *testing.T, history func(seed uint64) *chronicle) {
	t.Helper()
	fails := func(seed uint64, c *chronicle) {
		if len(c.violations) > 0 {
			t.Errorf("seed %d: %s\n\n%s\n\nto repeat it with the complete log: go test ./internal/tests/simulation -run %s -seed %d -v",
				seed, c.violations[0], c.tail(40), t.Name(), seed)
		}
	}
	if *seed != 0 {
		c := history(*seed)
		t.Log(c.tail(1_000_000))
		fails(*seed, c)
		return
	}
	var next atomic.Uint64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for n := next.Add(1); n <= uint64(min(*seeds, max(few, *seeds/20))) && !t.Failed(); n = next.Add(1) {
				fails(n, history(n))
			}
		})
	}
	wg.Wait()
}

// caughtByChronicle checks that a history finds a violation of a mutant: that of the known seed, or
// one of the first.
func caughtByChronicle(t *testing.T, known uint64, history func(seed uint64) *chronicle) {
	t.Helper()
	for n := range uint64(few + 1) {
		seed := n
		if n == 0 {
			seed = known
		}
		if seed == 0 {
			continue // no seed is known
		}
		if c := history(seed); len(c.violations) > 0 {
			t.Logf("caught by seed %d: %s", seed, c.violations[0])
			return
		}
	}
	t.Errorf("none of %d histories has a violation", few)
}
