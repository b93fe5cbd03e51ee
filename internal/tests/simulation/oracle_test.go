package simulation

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest/reference"
)

// oracle is the database. It executes one statement at a time and compares its
// answer, and then all tables, with the model.
type oracle struct {
	w     *world
	store *sqlstore.Store
	eyes  *sql.DB // a second connection to the same memory

	// The text of the tables after their last change: reading all of them takes
	// longer than most statements.
	rows    *sql.Stmt
	version *sql.Stmt
	seen    int64
	text    string

	// In histories with runs that resume: the records of steps, by item, the statements that write them, and how
	// often they were sent.
	steps    map[int64][]keptStep
	stepRows *sql.Stmt
	kept     string // their text after the last change
	saves    []string
	saved    int

	localClock bool
	skew       atomic.Int64 // of the machine that sent the latest statement

	mu    sync.Mutex
	clock time.Time // of the model: the database's, to the millisecond
	model *reference.Model

	writes  int                     // of passes, so far
	changes int                     // that a user could have made just before a statement
	edited  map[int64]bool          // items that a user has interfered with
	holds   map[int64]time.Duration // when a person last began or ceased to hold an item's row
}

// ctx is the server's context: a statement that has arrived is executed.
var ctx = context.Background()

func openOracle(w *world, tr trial) *oracle {
	o := &oracle{w: w, localClock: tr.localClock, edited: map[int64]bool{}, holds: map[int64]time.Duration{}}
	o.tick()
	o.model = reference.New(&o.clock)
	dsn := fmt.Sprintf("file:simulation-%p?mode=memory&cache=shared", w)
	statements, err := tr.edition(w.seed)
	if err != nil {
		w.t.Fatal(err)
	}
	if o.store, err = sqlstore.Open(ctx, sqlstore.Options{Driver: string(database.SQLite), DSN: dsn, Now: o.storeNow, Statements: statements}); err != nil {
		w.t.Fatal(err)
	}
	testdb.Prepare(w.t, database.SQLite, dsn)
	o.model.MaxReleases = w.rules.MaxReleases
	queue := workqueue.Queue{Name: workqueue.DefaultQueue, MaxReleases: w.rules.MaxReleases, QueueSizes: workqueue.QueueSizes{MaxOutput: w.rules.MaxOutput}}
	if _, err := o.store.DefineQueues(ctx, []workqueue.Queue{queue}, "simulation"); err != nil {
		w.t.Fatal(err)
	}
	if o.eyes, err = database.Open(database.SQLite, dsn); err != nil {
		w.t.Fatal(err)
	}
	o.eyes.SetMaxOpenConns(1)
	if _, err := o.eyes.Exec(heldTable); err != nil {
		w.t.Fatal(err)
	}
	if o.rows, err = o.eyes.Prepare(strings.TrimSpace(rowsText)); err != nil {
		w.t.Fatal(err)
	}
	if w.rules.Steps {
		o.prepareSteps(statements)
	}
	if o.version, err = o.eyes.Prepare("PRAGMA data_version"); err != nil {
		w.t.Fatal(err)
	}
	return o
}

func (o *oracle) close() {
	if err := o.eyes.Close(); err != nil {
		o.w.t.Error(err)
	}
	if err := o.store.Close(); err != nil {
		o.w.t.Error(err)
	}
}

// storeNow is the clock that the store uses: the database's clock, unless the
// trial is different.
func (o *oracle) storeNow() time.Time {
	if o.localClock {
		return time.Now().Add(time.Duration(o.skew.Load())).UTC().Truncate(time.Millisecond)
	}
	return o.now()
}

// now returns the time of the database's clock.
func (o *oracle) now() time.Time {
	return time.Now().Add(o.w.clock).UTC().Truncate(time.Millisecond)
}

func (o *oracle) tick() { o.clock = o.now() }

// step runs one statement: real executes it, ideal does the same in the model and
// returns the fault in the answer. An error of real is always a fault: the simulated
// failures happen between a process and the database.
func (o *oracle) step(what string, real func() error, ideal func() string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tick()
	o.w.judge.count(&o.w.judge.figures.statements, 1)
	err := real()
	if o.w.isOver() {
		return err
	}
	wrong := o.evaluate(err, ideal)
	if wrong == "" {
		wrong = o.compare()
	}
	if wrong != "" {
		o.w.judge.violation("%s: %s", what, wrong)
	}
	return err
}

// evaluate compares with the model. The model may panic on a database that broken
// statements have corrupted.
func (o *oracle) evaluate(err error, ideal func() string) (wrong string) {
	defer func() {
		if v := recover(); v != nil {
			wrong = fmt.Sprintf("the model panicked: %v", v)
		}
	}()
	taken := (*workqueue.NameTakenError)(nil)
	if err != nil && !errors.As(err, &taken) && !errors.Is(err, workqueue.ErrWorkerReplaced) &&
		!errors.Is(err, workqueue.ErrNotFound) && !errors.Is(err, assign.ErrConcurrentPass) {
		return err.Error()
	}
	return ideal()
}

// rowsText selects all columns that correctness depends on, a line for each row.
const rowsText = `
SELECT COALESCE(group_concat(line, char(10)), '') FROM (
    SELECT 'item ' || Id || ': state ' || State || ' prio ' || Priority || ' worker ' || COALESCE(WorkerId, '-') || ' fence ' || Fence || ' failures ' || RetryCount ||
        ' releases ' || ReleaseCount || ' begun ' || COALESCE(BegunFence, '-') || ' lease ' || COALESCE(LeaseExpiresAt, '-') || ' due ' || AvailableAt || ' assigned ' || COALESCE(AssignedAt, '-') ||
        ' started ' || COALESCE(StartedAt, '-') || ' first ' || COALESCE(FirstStartedAt, '-') || ' finished ' || COALESCE(FinishedAt, '-') || ' kind ' || COALESCE(ErrorKind, '-') || ' step ' || COALESCE(Step, '-') ||
        ' output ' || COALESCE(Output, '-') || ' attempts ' || (SELECT COUNT(*) FROM BotWorkItemAttempts a WHERE a.ItemId = i.Id) AS line
    FROM BotWorkQueueItems i
    UNION ALL
    SELECT 'worker ' || Name || ': ' || InstanceId || ' ' || State || ' lease ' || COALESCE(LeaseExpiresAt, '-') || ' stuck ' || StuckSlots || ' gate ' || COALESCE(Gate, '-') AS line
    FROM BotWorkers
    ORDER BY line)`

// compare returns the first row that differs from the model.
func (o *oracle) compare() string {
	var version int64
	if err := o.version.QueryRow().Scan(&version); err != nil {
		return err.Error()
	}
	if version != o.seen {
		if err := o.rows.QueryRow().Scan(&o.text); err != nil {
			return err.Error()
		}
		if o.steps != nil {
			if err := o.stepRows.QueryRow().Scan(&o.kept); err != nil {
				return err.Error()
			}
		}
		o.seen = version
	}
	if wrong := sameLines(o.text, o.modelText()); wrong != "" || o.steps == nil {
		return wrong
	}
	return sameLines(o.kept, o.keptText())
}

// sameLines returns the first line that differs.
func sameLines(text, ideal string) string {
	if text == ideal {
		return ""
	}
	got, want := strings.Split(text, "\n"), strings.Split(ideal, "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			return fmt.Sprintf("the tables differ from the rules\n     got %v\n    want %v", at(got, i), at(want, i))
		}
	}
	return ""
}

// at returns a line, or "nothing" after the last one.
func at[T any](lines []T, i int) any {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}
