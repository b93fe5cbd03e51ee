package simulation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/internal/testgroup"
	"botwork/sql"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

const (
	batchLife   = 10 * time.Minute // how long items are added, and processes die
	batchLease  = 20 * time.Second
	batchMost   = 4
	batchWait   = 5 * time.Second
	batchAtMost = 20 * time.Second
	batchSlack  = 5 * time.Second // passes are made each second; a statement may fail
)

// batchWorld is a small cluster whose items run together. Its processes die, its statements
// fail or lose their answers, and a person cancels items.
type batchWorld struct {
	t     *testing.T
	seed  uint64
	store *sqlstore.Store

	mu         sync.Mutex
	violations []string
	newest     map[int64]int64            // fence of the latest run, by item
	live       map[int64]*batchProcess    // that runs the item
	succeeded  map[workqueue.ItemRef]bool // runs that ended well
	died       time.Time                  // when a process died last: its leader is rescued when its lease ends
	runs       int
	joined     int // items that ran in a run of several
}

// batchProcess is a process of the cluster, and its store.
type batchProcess struct {
	storetest.Store
	w    *batchWorld
	name string
	dead atomic.Bool
	n    atomic.Int64
}

var errGone = errors.New("the process is gone")

func (w *batchWorld) violation(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.violations = append(w.violations, fmt.Sprintf(format, args...))
}

// Join fails at times, before or after it has changed something.
func (p *batchProcess) Join(ctx context.Context, j workqueue.JoinParams) ([]workqueue.Item, error) {
	d := roll(p.w.seed, "join of "+p.name, int(p.n.Add(1)))
	if p.dead.Load() || d.chance(5) {
		return nil, errGone
	}
	items, err := p.Store.Join(ctx, j)
	if d.chance(5) {
		return nil, errGone
	}
	return items, err
}

func (p *batchProcess) Finish(ctx context.Context, worker int64, instance string, ends []workqueue.Finish) ([]int64, error) {
	if p.dead.Load() {
		return nil, errGone
	}
	return p.Store.Finish(ctx, worker, instance, ends)
}

func (p *batchProcess) Beat(ctx context.Context, b workqueue.BeatParams) (workqueue.BeatResult, error) {
	if p.dead.Load() {
		return workqueue.BeatResult{}, errGone
	}
	return p.Store.Beat(ctx, b)
}

func (p *batchProcess) Claim(ctx context.Context, c workqueue.ClaimParams) ([]workqueue.Item, error) {
	if p.dead.Load() {
		return nil, errGone
	}
	return p.Store.Claim(ctx, c)
}

func (p *batchProcess) Begin(ctx context.Context, b workqueue.BeginParams) ([]int64, error) {
	if p.dead.Load() {
		return nil, errGone
	}
	return p.Store.Begin(ctx, b)
}

// run runs a batch, and checks what must hold when it begins.
func (p *batchProcess) run(ctx context.Context, run *workqueue.Run) workqueue.Outcome {
	w, items := p.w, run.Batch.Items
	if p.dead.Load() {
		<-ctx.Done()
		return workqueue.Outcome{Verdict: workqueue.Released}
	}
	w.begins(p, items)
	d := roll(w.seed, fmt.Sprintf("run %d/%d", run.ID, run.Fence), 0)
	select {
	case <-ctx.Done():
		w.ends(p, items, nil)
		return workqueue.Outcome{Verdict: workqueue.Released, Error: fmt.Sprint(context.Cause(ctx))}
	case <-time.After(d.between(100*time.Millisecond, 10*time.Second)):
	}
	outcome := workqueue.Outcome{}
	failed := int64(0)
	switch {
	case d.chance(10):
		outcome = workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindError, Error: "no session"}
	case d.chance(10):
		outcome = workqueue.Outcome{Verdict: workqueue.Snoozed, After: 3 * time.Second}
	case d.chance(15):
		failed = items[len(items)-1].ID
		run.Batch.Fail(failed, workqueue.KindError, "no such article")
	case d.chance(10) && len(items) > 1:
		failed = items[1].ID
		run.Batch.Leave(failed)
	}
	good := slices.DeleteFunc(slices.Clone(items), func(it *workqueue.Item) bool { return it.ID == failed || outcome.Verdict != workqueue.Succeeded })
	w.ends(p, items, good)
	return outcome
}

func (w *batchWorld) begins(p *batchProcess, items []*workqueue.Item) {
	now := time.Now()
	if most := *items[0].BatchMax; len(items) > most {
		w.violation("a run has %d items, more than %d", len(items), most)
	}
	for _, it := range items {
		switch {
		case len(items) > 1 && it.ReleaseCount > 0:
			w.violation("item %d, which a worker died with, runs with others", it.ID)
		case len(items) > 1 && (it.BatchKey == nil || *it.BatchKey != *items[0].BatchKey):
			w.violation("items of different keys run together")
		case it.AvailableAt.After(now):
			w.violation("item %d runs before it is due", it.ID)
		case it.Fence == 1 && it.StartedAt.Sub(it.AvailableAt) > batchAtMost+batchSlack && now.Sub(w.lastDeath()) > batchAtMost+2*batchLease:
			w.violation("item %d waited %s, longer than %s", it.ID, it.StartedAt.Sub(it.AvailableAt), batchAtMost)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs++
	if len(items) > 1 {
		w.joined += len(items)
	}
	for _, it := range items {
		if it.Fence <= w.newest[it.ID] {
			w.violations = append(w.violations, fmt.Sprintf("run %d/%d begins after %d", it.ID, it.Fence, w.newest[it.ID]))
		}
		if other := w.live[it.ID]; other != nil && !other.dead.Load() {
			w.violations = append(w.violations, fmt.Sprintf("item %d runs twice at the same time, in %s and %s", it.ID, other.name, p.name))
		}
		w.newest[it.ID], w.live[it.ID] = it.Fence, p
	}
}

func (w *batchWorld) lastDeath() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.died
}

func (w *batchWorld) ends(p *batchProcess, items, good []*workqueue.Item) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, it := range items {
		if w.live[it.ID] == p {
			delete(w.live, it.ID)
		}
	}
	for _, it := range good {
		w.succeeded[workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}] = true
	}
}

// start starts a process.
func (w *batchWorld) start(n int) (*batchProcess, *runner.Runner) {
	p := &batchProcess{Store: w.store, w: w, name: fmt.Sprintf("w%d", n)}
	r, err := runner.New(runner.Options{
		Store: p, RunItem: p.run, Log: zerolog.Nop(), Heartbeat: batchLease / 5, ShutdownGrace: time.Second,
		Spec: workqueue.WorkerSpec{Name: p.name, InstanceID: p.name, Host: "host", PID: n, Capacity: 12, Lease: batchLease},
	})
	if err == nil {
		err = r.Start(context.Background())
	}
	if err != nil {
		w.t.Fatal(err)
	}
	go func() {
		for !p.dead.Load() {
			_, _ = r.Assign(context.Background(), assign.AssignParams{SeenWithin: batchLease})
			go func() { _, _ = r.Execute(context.Background(), runner.ExecuteParams{}) }()
			time.Sleep(time.Second)
		}
	}()
	return p, r
}

// enqueue adds items: those of the key "steady" come one after the other, the others in groups.
func (w *batchWorld) enqueue(n int) {
	d := roll(w.seed, "enqueue", n)
	items := []workqueue.NewItem{w.item("steady", n)}
	if d.chance(30) {
		key := fmt.Sprintf("C%d", d.IntN(3))
		for range 1 + d.IntN(7) {
			items = append(items, w.item(key, n))
		}
	}
	if _, err := w.store.Enqueue(context.Background(), items); err != nil {
		w.violation("enqueue: %v", err)
	}
}

func (w *batchWorld) item(key string, n int) workqueue.NewItem {
	b := &workqueue.ItemBatch{Key: key, Max: batchMost, Wait: batchWait, AtMost: batchAtMost}
	if key == "steady" { // it is full too late, and never waits long enough for another one
		b.Max = 40
	}
	return workqueue.NewItem{
		IntegrationConfig: "lines", Priority: 600 + roll(w.seed, key, n).IntN(3), Batch: b,
		ResilienceConfig: `{"limit": 3, "delay": "2s", "factor": 1, "jitter": 0}`,
	}
}

// batchHistory runs one history and returns its world.
func batchHistory(t *testing.T, seed uint64, statements fs.FS) *batchWorld {
	dsn := filepath.Join(t.TempDir(), "botwork.db")
	testdb.Prepare(t, database.SQLite, dsn)
	w := &batchWorld{t: t, seed: seed, newest: map[int64]int64{}, live: map[int64]*batchProcess{}, succeeded: map[workqueue.ItemRef]bool{}}
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: dsn, Now: time.Now, Statements: statements})
		if err != nil {
			t.Fatal(err)
		}
		w.store = store
		w.live, w.succeeded = map[int64]*batchProcess{}, map[workqueue.ItemRef]bool{}
		var processes []*batchProcess
		var runners []*runner.Runner
		add := func() {
			p, r := w.start(len(processes) + 1)
			processes, runners = append(processes, p), append(runners, r)
		}
		add()
		add()
		for n, end := 0, time.Now().Add(batchLife); time.Now().Before(end); n++ {
			w.enqueue(n)
			d := roll(seed, "director", n)
			time.Sleep(d.between(time.Second, 4*time.Second))
			if d.chance(3) {
				processes[len(processes)-1-d.IntN(2)].dead.Store(true)
				w.mu.Lock()
				w.died = time.Now()
				w.mu.Unlock()
				add()
			}
			if d.chance(10) {
				w.cancelOne(d)
			}
		}
		time.Sleep(5 * time.Minute) // until all have ended
		w.check()
		for i, r := range runners {
			processes[i].dead.Store(true)
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_ = r.Stop(ctx)
			cancel()
		}
		time.Sleep(time.Minute)
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// cancelOne cancels an item that runs, if there is one.
func (w *batchWorld) cancelOne(d dice) {
	items, err := w.store.Items(context.Background(), workqueue.ItemFilter{States: []workqueue.State{workqueue.Blocked}, Limit: 100})
	if err != nil || len(items) == 0 {
		return
	}
	id := items[d.IntN(len(items))].ID
	if _, err := w.store.ChangeItem(context.Background(), id, workqueue.Change{Action: workqueue.Cancel}); err == nil {
		w.mu.Lock()
		delete(w.live, id)
		w.mu.Unlock()
	}
}

// check checks how all items have ended.
func (w *batchWorld) check() {
	items, err := w.store.Items(context.Background(), workqueue.ItemFilter{Limit: 100_000})
	if err != nil {
		w.violation("list: %v", err)
	}
	if w.joined == 0 {
		w.violation("no items ran together")
	}
	for i := range items {
		it := &items[i]
		switch {
		case it.State == workqueue.Processed && !w.succeeded[workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}]:
			w.violation("item %d succeeded with the fence %d, and no run of it has ended well", it.ID, it.Fence)
		case it.State != workqueue.Processed && it.State != workqueue.Cancelled:
			w.violation("item %d is lost: %s", it.ID, it.State)
		case it.RetryCount > 3:
			w.violation("item %d failed %d times", it.ID, it.RetryCount)
		}
	}
}

func TestBatches(t *testing.T) {
	for seed := range uint64(testgroup.Cases(1, 4)) {
		w := batchHistory(t, seed+1, nil)
		if len(w.violations) > 0 {
			t.Errorf("seed %d: %s", seed+1, strings.Join(w.violations[:min(len(w.violations), 5)], "\n"))
		}
		t.Logf("seed %d: %d runs, %d items ran together", seed+1, w.runs, w.joined)
	}
}

// batchMutants are careless changes to the statements of batches. That items which a worker died
// with do not join others is tested by storetest: few histories need it.
var batchMutants = []mutant{
	{"join/more than the limit", "queries/join", change{"b.Place <= @limit_rows AND ", "", 0}},
	{"join/items of other keys", "queries/join", change{" AND c.BatchKey = l.BatchKey", "", 0}},
	{"join/raises no fence", "queries/join", change{"0)) + 1 END", "0)) + 0 END", 0}},
	{"join/what is not due", "queries/join", change{"-- include: may_start row=c.", "", 0}},
	{"join/what runs", "queries/join", change{"State IN (0, 4)", "State IN (0, 1, 4)", 2}},
	{"join/leaves the items waiting", "queries/join", change{"    State = 1,\n", "", 0}},
	{"due/forgets how long a batch may wait", "fragments/batch_leads", change{" OR g.First <= ", " OR '9' <= ", 0}},
	{"due/never a batch that is not full", "fragments/batch_leads", change{"g.Place = 1 AND g.Given = 0", "g.Place = 0", 0}},
}

func TestBatchMutants(t *testing.T) {
	testgroup.Need(t, testgroup.Mutants)
	today := time.Now().YearDay()
	for i, m := range batchMutants {
		if (i+today)%*oneIn != 0 {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			path := "sqlite/" + m.file + ".sql"
			original, err := fs.ReadFile(sql.Files, path)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(original), m.change.old); n != max(m.change.times, 1) {
				t.Fatalf("%s has %q %d times, want %d", path, m.change.old, n, max(m.change.times, 1))
			}
			text := strings.ReplaceAll(string(original), m.change.old, m.change.new)
			edition, err := trial{statements: map[string]string{path: text}}.edition(0)
			if err != nil {
				t.Fatal(err)
			}
			edition.(fstest.MapFS)[path] = &fstest.MapFile{Data: []byte(text)}
			for seed := range uint64(6) {
				if w := batchHistory(t, seed+1, edition); len(w.violations) > 0 {
					return
				}
			}
			t.Error("no history caught it")
		})
	}
}
