package sqlstore_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	mssql "github.com/microsoft/go-mssqldb"
	"modernc.org/sqlite"

	"botwork/internal/testdb"
	"botwork/internal/testgroup"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// hunt is how long TestDeadlocksAreRetried runs at least. It runs on until each of hunted was done.
var hunt = flag.Duration("sqlstore.hunt", time.Duration(testgroup.Cases(300, 1000))*time.Millisecond, "how long the test for deadlocks runs at least")

// hunted are the calls without which the test shows little.
var hunted = []string{"claim", "finish", "beat", "pass"}

// Processes that claim, finish, send heartbeats, run passes, enqueue and clean up at once may
// cause deadlocks and lock timeouts. The store retries these errors, none reaches the caller,
// and the rows are consistent afterwards.
func TestDeadlocksAreRetried(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		first := e.Open(t, dsn)
		h := &hunting{t: t, refusals: map[string]int{}, done: map[string]int{}}
		defer sqlstore.WatchRetries(h.refused)()
		stores := []*sqlstore.Store{first}
		for range 3 {
			stores = append(stores, e.Open(t, dsn))
		}
		ctx, cancel := context.WithTimeout(t.Context(), *hunt+testdb.Slow(time.Minute))
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() { h.end(ctx, cancel) })
		for i, store := range stores {
			w, err := store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: fmt.Sprint("w", i), Host: "h", Capacity: 40, Lease: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			one := &hunter{hunting: h, store: store, worker: w}
			for _, act := range []struct {
				name string
				do   func(context.Context) error
			}{
				{"enqueue", one.enqueue}, {"pass", one.pass}, {"claim", one.claim}, {"finish", one.finish}, {"beat", one.beat}, {"clean up", one.cleanUp},
			} {
				all.Go(func() { h.repeat(ctx, act.name, act.do) })
			}
		}
		all.Wait()
		for _, name := range slices.Sorted(maps.Keys(h.done)) {
			t.Logf("%s: %d times", name, h.done[name])
		}
		for _, what := range slices.Sorted(maps.Keys(h.refusals)) {
			t.Logf("%s, retried: %d times", what, h.refusals[what])
		}
		if len(h.refusals) == 0 {
			t.Log("no errors were retried")
		}
		report, err := first.Check(t.Context(), workqueue.CheckParams{})
		if err != nil || len(report.Violations) > 0 {
			t.Errorf("violations afterwards: %v, %v", report.Violations, err)
		}
		for _, name := range hunted {
			if h.done[name] == 0 {
				t.Errorf("%s was never done", name)
			}
		}
	})
}

// end ends the hunt when it has lasted long enough and each of hunted was done.
func (h *hunting) end(ctx context.Context, cancel context.CancelFunc) {
	defer cancel()
	for pause := *hunt; ; pause = 10 * time.Millisecond {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		h.mu.Lock()
		missing := slices.ContainsFunc(hunted, func(name string) bool { return h.done[name] == 0 })
		h.mu.Unlock()
		if !missing {
			return
		}
	}
}

// hunting counts completed calls and retried errors.
type hunting struct {
	t *testing.T

	mu             sync.Mutex
	refusals, done map[string]int // guarded by mu
}

// refused counts an error of an engine by its code.
func (h *hunting) refused(err error) {
	what := "another error"
	if ms, ok := errors.AsType[mssql.Error](err); ok {
		what = fmt.Sprint("error ", ms.Number)
	} else if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		what = "SQLSTATE " + pg.Code
	} else if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		what = fmt.Sprint("result code ", lite.Code())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refusals[what]++
}

// repeat repeats a call until ctx ends.
func (h *hunting) repeat(ctx context.Context, name string, do func(context.Context) error) {
	for ctx.Err() == nil {
		err := do(ctx)
		if _, ok := errors.AsType[*workqueue.LockedError](err); ok {
			err = nil // another of these calls holds the row for a moment; a worker tries again
		}
		if err != nil && ctx.Err() == nil {
			h.t.Errorf("%s: %v", name, err)
			return
		}
		if err == nil {
			h.mu.Lock()
			h.done[name]++
			h.mu.Unlock()
		}
		time.Sleep(time.Duration(rand.IntN(int(2 * time.Millisecond)))) // a process that writes without pause would keep SQLite's others waiting
	}
}

// hunter is a process with the items that it holds.
type hunter struct {
	*hunting
	store  *sqlstore.Store
	worker workqueue.Worker

	holding sync.Mutex
	held    []workqueue.Item // guarded by holding
}

func (h *hunter) enqueue(ctx context.Context) error {
	batch := make([]workqueue.NewItem, 1+rand.IntN(20))
	for i := range batch {
		batch[i] = workqueue.NewItem{IntegrationConfig: "Work", Priority: rand.IntN(1500), CreatedBy: "hunt"}
	}
	_, err := h.store.Enqueue(ctx, batch)
	return err
}

// pass rescues stale items, and assigns items to this worker or to the next one.
func (h *hunter) pass(ctx context.Context) error {
	return h.store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
		if _, err := tx.Rescue(ctx, time.Minute); err != nil {
			return err
		}
		due, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 50)
		if err != nil {
			return err
		}
		batch := make([]workqueue.Assignment, len(due))
		for i, d := range due {
			batch[i] = workqueue.Assignment{ItemID: d.ID, WorkerID: 1 + (h.worker.ID+int64(rand.IntN(2)))%4}
		}
		_, err = tx.Write(ctx, batch)
		return err
	})
}

func (h *hunter) claim(ctx context.Context) error {
	items, err := h.store.Claim(ctx, claimAll(h.worker, time.Minute))
	h.holding.Lock()
	defer h.holding.Unlock()
	h.held = append(h.held, items...)
	return err
}

// take removes some of the held items and returns them.
func (h *hunter) take() []workqueue.Item {
	h.holding.Lock()
	defer h.holding.Unlock()
	n := min(len(h.held), 1+rand.IntN(20))
	some := slices.Clone(h.held[:n])
	h.held = slices.Delete(h.held, 0, n)
	return some
}

func (h *hunter) finish(ctx context.Context) error {
	var ends []workqueue.Finish
	for _, it := range h.take() {
		end := workqueue.Finish{ItemID: it.ID, Fence: it.Fence, QueueName: it.QueueName, State: workqueue.Processed, RetryCount: it.RetryCount}
		if it.StartedAt != nil {
			end.StartedAt = *it.StartedAt
		}
		if rand.IntN(4) == 0 {
			end.State, end.RetryCount, end.Error, end.ErrorKind = workqueue.Ready, it.RetryCount+1, "hunted", workqueue.KindError
			end.Attempt = &workqueue.AttemptNote{Number: it.Attempt(), Outcome: "failed"}
		}
		ends = append(ends, end)
	}
	_, err := h.store.Finish(ctx, h.worker.ID, h.worker.InstanceID, ends)
	return err
}

// beat renews all leases, and reports that some items have started.
func (h *hunter) beat(ctx context.Context) error {
	h.holding.Lock()
	refs := make([]workqueue.ItemRef, len(h.held))
	for i, it := range h.held {
		refs[i] = workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}
	}
	h.holding.Unlock()
	started := refs[:len(refs)/2]
	_, err := h.store.Beat(ctx, workqueue.BeatParams{WorkerID: h.worker.ID, InstanceID: h.worker.InstanceID, Lease: time.Minute, Held: refs, Started: started})
	if err != nil || len(started) == 0 {
		return err
	}
	notes := make([]workqueue.ProgressNote, len(started))
	for i, ref := range started {
		notes[i] = workqueue.ProgressNote{ItemRef: ref, Progress: "half"}
	}
	_, err = h.store.Progress(ctx, h.worker.ID, h.worker.InstanceID, notes)
	return err
}

func (h *hunter) cleanUp(ctx context.Context) error {
	_, err := workqueue.CleanUp(ctx, h.store, workqueue.CleanUpParams{Completed: new(time.Duration), Archived: new(time.Duration), Deleted: new(time.Duration), For: 50 * time.Millisecond})
	return err
}
