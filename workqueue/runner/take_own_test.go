package runner_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// askingStore counts how often passes ask who the workers are, and how often they take.
type askingStore struct {
	*sqlstore.Store

	mu    sync.Mutex
	asked int
	taken int
}

func (s *askingStore) Survey(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return s.Store.Survey(ctx, func(ctx context.Context, v workqueue.AssignView) error { return read(ctx, askingView{v, s}) })
}

func (s *askingStore) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	return s.Store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error { return pass(ctx, askingTx{tx, s}) })
}

func (s *askingStore) ClaimPass(ctx context.Context, passes int64, as []workqueue.Assignment, t workqueue.PassClaim) (workqueue.Claimed, bool, error) {
	return workqueue.ClaimPassByAssign(ctx, s, passes, as, t)
}

func (s *askingStore) count(n *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*n++
}

func (s *askingStore) counts() (asked, taken int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.taken
}

type askingView struct {
	workqueue.AssignView
	s *askingStore
}

func (v askingView) ReadPass(ctx context.Context, q workqueue.PassQuery) (workqueue.PassInput, error) {
	v.s.count(&v.s.asked)
	return v.AssignView.ReadPass(ctx, q)
}

type askingTx struct {
	workqueue.AssignTx
	s *askingStore
}

func (tx askingTx) AssignAndClaim(ctx context.Context, as []workqueue.Assignment, t workqueue.PassClaim) ([]workqueue.Item, error) {
	tx.s.count(&tx.s.taken)
	return tx.AssignTx.AssignAndClaim(ctx, as, t)
}

// swift are options of a worker whose items take two milliseconds: it claims some twenty
// at a time.
func swift(store storetest.Store, name string, ran *runs) runner.Options {
	o := options(store, name, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
		ran.add(it.ID)
		time.Sleep(2 * time.Millisecond)
		return workqueue.Outcome{}
	})
	o.Spec.Capacity = 4
	return o
}

func TestAWorkerThatTakesAsksOnceASecondWhoTheOthersAre(t *testing.T) {
	for _, name := range []string{"alone", "beside others that are busy"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, sqlite *sqlstore.Store) {
				store := &askingStore{Store: sqlite}
				var ran runs
				var before, asked, taken int
				var began time.Time
				var took time.Duration
				o := swift(store, "ann", &ran)
				var begun atomic.Int32
				run := o.RunItem
				o.RunItem = func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
					if begun.Add(1) == 7000 { // before it looks for the last ones, again and again
						asked, taken = store.counts()
						took = time.Since(began)
					}
					return run(ctx, it)
				}
				r := start(t, o)
				ids := enqueue(t, sqlite, 8000, workqueue.NewItem{Estimate: time.Millisecond})
				if name != "alone" {
					busy := register(t, sqlite, "bob", 1)
					one := enqueue(t, sqlite, 1, workqueue.NewItem{Priority: 3000})[0]
					give(t, sqlite, one, busy.ID)
				}
				assignTo(t, r, assign.AssignParams{MaxPerWorker: 100})
				before, _ = store.counts()
				began = time.Now()
				if got := execute(t, r, runner.ExecuteParams{Refill: true}); got.Succeeded != 8000 {
					t.Errorf("Execute = %+v, want 8000 successes", got)
				}
				ran.wantOnce(t, ids)
				// Once a second, and once when it begins.
				if most := before + int(took/time.Second) + 2; asked > most || taken < 10*most {
					t.Errorf("asked %d times who the workers are, took %d times in %v; want at most %d, and ten times that", asked, taken, took, most)
				}
				// At the end it looks a few times more, until nothing is found.
				asked, _ = store.counts()
				if most := before + int(time.Since(began)/time.Second) + 8; asked > most {
					t.Errorf("asked %d times who the workers are until all items had ended, in %v; want at most %d", asked, time.Since(began), most)
				}
			})
		})
	}
}

// give assigns an item to a worker.
func give(t *testing.T, store storetest.Store, item, worker int64) {
	t.Helper()
	err := store.Assign(t.Context(), func(ctx context.Context, tx workqueue.AssignTx) error {
		_, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: item, WorkerID: worker}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Who comes while another worker takes all that there is gets its share soon.
func TestAWorkerThatComesIsGivenItems(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		r := start(t, swift(store, "ann", &ran))
		enqueue(t, store, 8000, workqueue.NewItem{Estimate: time.Millisecond})
		assignTo(t, r, assign.AssignParams{MaxPerWorker: 100})
		ctx, stop := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() {
			defer close(over)
			_, _ = r.Execute(ctx, runner.ExecuteParams{Refill: true})
		}()
		time.Sleep(1500 * time.Millisecond)
		register(t, store, "bob", 1)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		items, err := store.Items(t.Context(), workqueue.ItemFilter{Worker: "bob", States: []workqueue.State{workqueue.Assigned}, Limit: 10})
		if err != nil || len(items) == 0 {
			t.Errorf("bob has been given %d items, %v; want some of those that wait", len(items), err)
		}
		stop()
		<-over
	})
}

// What waits under a limit is not for one worker to take by itself.
func TestLimitsHoldForWhoTakes(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		narrow := workqueue.Queue{Name: "narrow", QueueLimits: workqueue.QueueLimits{Concurrency: 2}}
		if _, err := store.DefineQueues(t.Context(), []workqueue.Queue{narrow}, "ann"); err != nil {
			t.Fatal(err)
		}
		o := swift(store, "ann", &ran)
		var now, most atomic.Int32
		run := o.RunItem
		o.RunItem = func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
			if it.QueueName == narrow.Name {
				most.Store(max(most.Load(), now.Add(1)))
				defer now.Add(-1)
			}
			return run(ctx, it)
		}
		r := start(t, o)
		like := workqueue.NewItem{Estimate: time.Millisecond}
		ids := enqueue(t, store, 1500, like)
		like.QueueName = narrow.Name
		ids = slices.Concat(ids, enqueue(t, store, 50, like))
		like.QueueName = ""
		ids = slices.Concat(ids, enqueue(t, store, 1500, like))
		assignTo(t, r, assign.AssignParams{MaxPerWorker: 100})
		if got := execute(t, r, runner.ExecuteParams{Refill: true}); got.Succeeded != 3050 {
			t.Errorf("Execute = %+v, want 3050 successes", got)
		}
		ran.wantOnce(t, ids)
		if most.Load() > 2 {
			t.Errorf("%d items of the queue ran at a time, want 2 at the most", most.Load())
		}
	})
}
