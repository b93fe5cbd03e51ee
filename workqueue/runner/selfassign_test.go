package runner_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"botwork/internal/testgroup"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// countingPasses counts how often passes read the workers, and how often they claim.
type countingPasses struct {
	runner.Store

	mu          sync.Mutex
	workerReads int
	claims      int
}

func (s *countingPasses) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return s.Store.ReadUnlocked(ctx, func(ctx context.Context, v workqueue.AssignView) error { return read(ctx, countingView{v, s}) })
}

func (s *countingPasses) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	return s.Store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error { return pass(ctx, countingTx{tx, s}) })
}

func (s *countingPasses) ClaimPass(ctx context.Context, passes int64, as []workqueue.Assignment, t workqueue.PassClaim) (workqueue.Claimed, bool, error) {
	return workqueue.ClaimPassByAssign(ctx, s, passes, as, t)
}

func (s *countingPasses) count(n *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*n++
}

func (s *countingPasses) counts() (asked, claims int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.workerReads, s.claims
}

type countingView struct {
	workqueue.AssignView
	s *countingPasses
}

func (v countingView) ReadPass(ctx context.Context, q workqueue.PassQuery) (workqueue.PassInput, error) {
	v.s.count(&v.s.workerReads)
	return v.AssignView.ReadPass(ctx, q)
}

type countingTx struct {
	workqueue.AssignTx
	s *countingPasses
}

func (tx countingTx) AssignAndClaim(ctx context.Context, as []workqueue.Assignment, t workqueue.PassClaim) ([]workqueue.Item, error) {
	tx.s.count(&tx.s.claims)
	return tx.AssignTx.AssignAndClaim(ctx, as, t)
}

// shortItemOptions returns options of a worker whose items take two milliseconds: it claims about
// twenty at a time.
func shortItemOptions(store runner.Store, name string, ran *runs) runner.Options {
	o := options(store, name, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
		ran.add(it.ID)
		time.Sleep(2 * time.Millisecond)
		return workqueue.Outcome{}
	})
	o.Spec.Capacity = 4
	return o
}

func TestSelfAssignReadsWorkersOncePerSecond(t *testing.T) {
	t.Parallel() // it is one of the longest
	for _, name := range []string{"one worker", "with busy workers"} {
		if name == "one worker" && !testgroup.Asked(testgroup.Nightly) {
			continue // the other case takes as long, and shows more
		}
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, sqlite *sqlstore.Store) {
				store := &countingPasses{Store: sqlite}
				var ran runs
				var before, workerReads, claims int
				var began time.Time
				var took time.Duration
				o := shortItemOptions(store, "ann", &ran)
				var started atomic.Int32
				run := o.RunItem
				o.RunItem = func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
					if started.Add(1) == 5500 { // before it repeatedly looks for the last items
						workerReads, claims = store.counts()
						took = time.Since(began)
					}
					return run(ctx, it)
				}
				r := start(t, o)
				ids := enqueue(t, sqlite, 6000, workqueue.NewItem{Estimate: time.Millisecond})
				if name == "with busy workers" {
					busy := register(t, sqlite, "bob", 1)
					one := enqueue(t, sqlite, 1, workqueue.NewItem{Priority: 3000})[0]
					assignItem(t, sqlite, one, busy.ID)
				}
				assignTo(t, r, assign.AssignParams{MaxPerWorker: 100})
				before, _ = store.counts()
				began = time.Now()
				if got := execute(t, r, runner.ExecuteParams{Refill: true}); got.Succeeded != 6000 {
					t.Errorf("Execute = %+v, want 6000 successes", got)
				}
				ran.wantOnce(t, ids)
				// Once a second, and once at the start.
				if most := before + int(took/time.Second) + 2; workerReads > most || claims < 10*most {
					t.Errorf("%d reads of the workers, %d claims in %v; want at most %d reads, and ten times as many claims", workerReads, claims, took, most)
				}
				// At the end it makes a few more passes, until they find nothing.
				workerReads, _ = store.counts()
				if most := before + int(time.Since(began)/time.Second) + 8; workerReads > most {
					t.Errorf("%d reads of the workers until all items had ended, in %v; want at most %d", workerReads, time.Since(began), most)
				}
			})
		})
	}
}

// assignItem assigns an item to a worker.
func assignItem(t *testing.T, store storetest.Store, item, worker int64) {
	t.Helper()
	err := store.Assign(t.Context(), func(ctx context.Context, tx workqueue.AssignTx) error {
		_, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: item, WorkerID: worker}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A worker that starts while another one claims all items soon gets its share.
func TestNewWorkerGetsItems(t *testing.T) {
	t.Parallel() // it is one of the longest
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		r := start(t, shortItemOptions(store, "ann", &ran))
		enqueue(t, store, 6000, workqueue.NewItem{Estimate: time.Millisecond})
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
			t.Errorf("bob got %d items, %v; want some of the waiting items", len(items), err)
		}
		stop()
		<-over
	})
}

// A worker does not assign items of a queue with a limit to itself.
func TestSelfAssignKeepsLimits(t *testing.T) {
	t.Parallel() // it is one of the longest
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		narrow := workqueue.Queue{Name: "narrow", QueueLimits: workqueue.QueueLimits{Concurrency: 2}}
		if _, err := store.DefineQueues(t.Context(), []workqueue.Queue{narrow}, "ann"); err != nil {
			t.Fatal(err)
		}
		o := shortItemOptions(store, "ann", &ran)
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
			t.Errorf("%d items of the queue ran at a time, want at most 2", most.Load())
		}
	})
}
