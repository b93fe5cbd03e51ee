package runner_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

var errDown = errors.New("the database is down")

// faults are the faults that a faultStore injects. A nil function does nothing;
// the others run before or after the call, and their error is the answer.
type faults struct {
	beforeFinish func(ctx context.Context, fs []workqueue.Finish) error
	afterFinish  func() error
	beforeBeat   func(ctx context.Context) error
	beforeClaim  func(ctx context.Context) error
	afterClaim   func(ctx context.Context) error
	beforePass   func(ctx context.Context) error
	always       error // the answer of all calls; nil: the store's
}

// faultStore is a store with faults that a test turns on and off.
type faultStore struct {
	storetest.Store

	mu  sync.Mutex
	now faults
}

func (s *faultStore) set(f faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = f
}

// faults returns a copy, so that no fault runs under the lock.
func (s *faultStore) faults() faults {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *faultStore) Finish(ctx context.Context, workerID int64, instanceID string, fs []workqueue.Finish) ([]int64, error) {
	f := s.faults()
	if f.always != nil {
		return nil, f.always
	}
	if f.beforeFinish != nil {
		if err := f.beforeFinish(ctx, fs); err != nil {
			return nil, err
		}
	}
	lost, err := s.Store.Finish(ctx, workerID, instanceID, fs)
	if f.afterFinish != nil && err == nil {
		if err := f.afterFinish(); err != nil {
			return nil, err
		}
	}
	return lost, err
}

func (s *faultStore) Beat(ctx context.Context, p workqueue.BeatParams) (workqueue.BeatResult, error) {
	f := s.faults()
	if f.always != nil {
		return workqueue.BeatResult{}, f.always
	}
	if f.beforeBeat != nil {
		if err := f.beforeBeat(ctx); err != nil {
			return workqueue.BeatResult{}, err
		}
	}
	return s.Store.Beat(ctx, p)
}

func (s *faultStore) Claim(ctx context.Context, p workqueue.ClaimParams) ([]workqueue.Item, error) {
	f := s.faults()
	if f.always != nil {
		return nil, f.always
	}
	if f.beforeClaim != nil {
		if err := f.beforeClaim(ctx); err != nil {
			return nil, err
		}
	}
	items, err := s.Store.Claim(ctx, p)
	if f.afterClaim != nil && err == nil {
		if err := f.afterClaim(ctx); err != nil {
			return nil, err
		}
	}
	return items, err
}

func (s *faultStore) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	if f := s.faults(); f.beforePass != nil {
		if err := f.beforePass(ctx); err != nil {
			return err
		}
	}
	return s.Store.ReadUnlocked(ctx, read)
}

func (s *faultStore) Queues(ctx context.Context) ([]workqueue.Queue, error) {
	f := s.faults()
	if f.always != nil {
		return nil, f.always
	}
	return s.Store.Queues(ctx)
}

func (s *faultStore) StopWorker(ctx context.Context, id int64, instance string) error {
	f := s.faults()
	if f.always != nil {
		return f.always
	}
	return s.Store.StopWorker(ctx, id, instance)
}

func TestResultsAreKeptWhileTheDatabaseRefusesThem(t *testing.T) {
	tests := []struct {
		name   string
		faults faults
		last   time.Duration
	}{
		{"Finish alone, for most of a lease",
			faults{beforeFinish: func(context.Context, []workqueue.Finish) error { return errDown }}, 45 * time.Second},
		{"everything, within the lease", faults{always: errDown}, 45 * time.Second},
		{"everything, for an hour without a rescue", faults{always: errDown}, time.Hour},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				faulty := &faultStore{Store: store}
				var ran runs
				o := options(faulty, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
					ran.add(it.ID)
					time.Sleep(time.Second)
					return workqueue.Outcome{Output: "1"}
				})
				o.Spec.Capacity = 3
				r := start(t, o)
				ids := enqueue(t, store, 3, workqueue.NewItem{})
				assignTo(t, r, assign.AssignParams{})
				done := background(t, r, runner.ExecuteParams{})
				time.Sleep(500 * time.Millisecond) // the items run
				faulty.set(test.faults)
				time.Sleep(test.last)
				select {
				case got := <-done:
					t.Fatalf("Execute returned %+v with unwritten results", got)
				default:
				}
				faulty.set(faults{})
				if got := <-done; got.Succeeded != 3 {
					t.Errorf("Execute = %+v, want 3 successes", got)
				}
				ran.wantOnce(t, ids)
				for _, id := range ids {
					if it := wantItem(t, store, id, workqueue.Processed, 0); it.Fence != 1 || it.Output != "1" {
						t.Errorf("item %d: fence %d, output %s, want the result of its only claim", id, it.Fence, it.Output)
					}
				}
			})
		})
	}
}

func TestFinishAnswerLostAfterCommit(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		lost := false
		faulty := &faultStore{Store: store, now: faults{afterFinish: func() error {
			if lost {
				return nil
			}
			lost = true
			return errors.New("connection reset")
		}}}
		var ran runs
		r := start(t, options(faulty, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(it.ID)
			if it.Priority > 0 {
				return workqueue.Outcome{}
			}
			return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindError, Error: "boom"}
		}))
		good := enqueue(t, store, 1, workqueue.NewItem{Priority: 1})[0]
		bad := enqueue(t, store, 1, workqueue.NewItem{})[0]
		assignTo(t, r, assign.AssignParams{})
		if got := execute(t, r, runner.ExecuteParams{}); got != (runner.ExecuteResult{Succeeded: 1, Failed: 1}) {
			t.Errorf("Execute = %+v", got)
		}
		if !lost {
			t.Fatal("no answer was lost")
		}
		ran.wantOnce(t, []int64{good, bad})
		wantItem(t, store, good, workqueue.Processed, 0)
		wantItem(t, store, bad, workqueue.Ready, 1)
		if notes, err := store.Attempts(t.Context(), bad); err != nil || len(notes) != 1 {
			t.Errorf("%d attempts recorded (%v), want 1", len(notes), err)
		}
	})
}

func TestRunsAreCancelledBeforeTheirLeaseEnds(t *testing.T) {
	for name, beat := range map[string]func(context.Context) error{
		"heartbeats are refused": func(context.Context) error { return errDown },
		"heartbeats hang until their context ends": func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		},
		"a heartbeat hangs and ignores its context": func(ctx context.Context) error {
			time.Sleep(10 * lease)
			return errDown
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				faulty := &faultStore{Store: store}
				var started, ended time.Time
				var cause error
				r, ids, done := busy(t, faulty, 4, func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
					started = time.Now()
					faulty.set(faults{beforeBeat: beat})
					<-ctx.Done()
					ended, cause = time.Now(), context.Cause(ctx)
					time.Sleep(9 * time.Second) // it stops too slowly: the lease ends before
					return workqueue.Outcome{}
				}, nil)
				got := <-done
				if !errors.Is(cause, workqueue.ErrLeaseLost) {
					t.Errorf("cause %v, want ErrLeaseLost", cause)
				}
				// The lease began with the claim or with the last heartbeat before.
				if held := ended.Sub(started); held < lease/2 || held > lease-lease/20 {
					t.Errorf("cancelled %s after its start, want before %s and with time to stop", held, lease)
				}
				// The items behind it must not start on a worker that cannot renew leases.
				if got.Succeeded != 2 || got.Failed+got.Released+got.Snoozed != 0 {
					t.Errorf("Execute = %+v, want only the two started items", got)
				}
				for _, id := range ids[2:] {
					if it := item(t, store, id); it.Fence != 0 {
						t.Errorf("item %d was claimed", id)
					}
				}
				faulty.set(faults{})
				if err := r.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestHeartbeatsKeepLongRunsAlive(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		_, ids, done := busy(t, store, 2, sleepFor(20*lease), nil)
		other := start(t, options(store, "bob", succeed))
		for range 20 {
			time.Sleep(lease)
			if got := assignTo(t, other, assign.AssignParams{}); got.Rescued+got.Released+got.Assigned != 0 {
				t.Fatalf("pass: %+v, want it to leave a live worker's items alone", got)
			}
		}
		<-done
		for _, id := range ids {
			if it := item(t, store, id); it.Fence > 1 {
				t.Errorf("item %d was claimed %d times", id, it.Fence)
			}
		}
	})
}

func TestLateResultOfRescuedItemIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		faulty := &faultStore{Store: store}
		_, ids, done := busy(t, faulty, 2, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			faulty.set(faults{always: errDown})
			time.Sleep(5 * lease) // ignores its context
			return workqueue.Outcome{Output: `"old"`}
		}, nil)
		time.Sleep(2 * lease)
		bob := start(t, options(store, "bob", func(context.Context, *workqueue.Run) workqueue.Outcome {
			return workqueue.Outcome{Output: `"new"`}
		}))
		if got := assignTo(t, bob, assign.AssignParams{}); got.Rescued != 1 || got.Assigned != 1 {
			t.Fatalf("pass: %+v, want the dead worker's item rescued and assigned", got)
		}
		execute(t, bob, runner.ExecuteParams{})
		time.Sleep(5 * lease)
		faulty.set(faults{})
		<-done
		it := wantItem(t, store, ids[1], workqueue.Processed, 0)
		if it.Output != `"new"` || it.Fence != 2 || it.ReleaseCount != 1 {
			t.Errorf("output %s, fence %d, %d releases, want those of the new worker", it.Output, it.Fence, it.ReleaseCount)
		}
	})
}

func TestRefusedResultBlocksNoOther(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var refused int64
		refusals := 0
		faulty := &faultStore{Store: store, now: faults{beforeFinish: func(_ context.Context, fs []workqueue.Finish) error {
			if slices.ContainsFunc(fs, func(f workqueue.Finish) bool { return f.ItemID == refused && f.State == workqueue.Processed }) {
				refusals++
				return errors.New("value out of range")
			}
			return nil
		}}}
		o := options(faulty, "ann", succeed)
		o.Spec.Capacity = 20
		r := start(t, o)
		ids := enqueue(t, store, 100, workqueue.NewItem{})
		refused = ids[7]
		assignTo(t, r, assign.AssignParams{})
		done := background(t, r, runner.ExecuteParams{})
		time.Sleep(heartbeat / 2)
		want := map[workqueue.State]int{workqueue.Processed: 99, workqueue.Blocked: 1}
		if diff := cmp.Diff(want, states(t, store)); diff != "" {
			t.Errorf("after %d refusals: -want +got\n%s", refusals, diff)
		}
		got := <-done // it ends, because the refused item is finally cancelled
		if got.err != nil || got.Succeeded != 100 {
			t.Errorf("Execute = %+v, want 100 successes", got)
		}
		it := wantItem(t, store, refused, workqueue.Cancelled, 0)
		if it.Error == nil || !strings.Contains(*it.Error, "refused its result: value out of range") {
			t.Errorf("error %v, want the database's reason", it.Error)
		}
	})
}

func TestStopReportsUnwrittenResults(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		faulty := &faultStore{Store: store}
		r, ids, done := busy(t, faulty, 2, sleepFor(time.Second), nil)
		faulty.set(faults{always: errDown})
		err := r.Stop(t.Context())
		if err == nil || !strings.Contains(err.Error(), "could not be written") || !errors.Is(err, errDown) {
			t.Errorf("stop: %v, want the lost results and the reason", err)
		}
		if got := <-done; !errors.Is(got.err, workqueue.ErrDraining) {
			t.Errorf("Execute: %v, want it to end with the worker", got.err)
		}
		time.Sleep(2 * lease)
		bob := start(t, options(store, "bob", succeed))
		if got := assignTo(t, bob, assign.AssignParams{}); got.Rescued == 0 {
			t.Errorf("pass: %+v, want a rescue", got)
		}
		execute(t, bob, runner.ExecuteParams{})
		wantItem(t, store, ids[1], workqueue.Processed, 0)
	})
}

// A worker that lost its database reports that, also if it was asked to stop at the same time.
func TestStopReportsLostDatabase(t *testing.T) {
	for name, lostAfter := range map[string]time.Duration{"before the drain": -2 * lease, "at the drain": 0, "during the drain": lease / 2} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				faulty := &faultStore{Store: store}
				r, _, _ := busy(t, faulty, 2, sleepFor(10*lease), nil)
				lost := faults{always: workqueue.ErrDatabaseLost}
				if lostAfter <= 0 {
					faulty.set(lost)
					time.Sleep(-lostAfter)
				} else {
					time.AfterFunc(lostAfter, func() { faulty.set(lost) })
				}
				err := r.Stop(t.Context())
				if !errors.Is(err, workqueue.ErrDatabaseLost) || strings.Count(err.Error(), workqueue.ErrDatabaseLost.Error()) != 1 {
					t.Errorf("stop: %v, want once that the database is lost", err)
				}
			})
		})
	}
}

// If a claim were cancelled, its items would stay blocked although no worker runs them.
func TestDrainDuringAClaim(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		claiming := make(chan struct{})
		var once sync.Once
		faulty := &faultStore{Store: store, now: faults{afterClaim: func(ctx context.Context) error {
			once.Do(func() { close(claiming) })
			select {
			case <-time.After(5 * time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}}
		o := options(faulty, "ann", func(context.Context, *workqueue.Run) workqueue.Outcome {
			t.Error("an item started on a draining worker")
			return workqueue.Outcome{}
		})
		r := start(t, o)
		ids := enqueue(t, store, 3, workqueue.NewItem{})
		assignTo(t, r, assign.AssignParams{})
		done := background(t, r, runner.ExecuteParams{})
		<-claiming
		if err := r.Stop(t.Context()); err != nil {
			t.Errorf("stop: %v", err)
		}
		if got := <-done; got.err != nil || got.ExecuteResult != (runner.ExecuteResult{}) {
			t.Errorf("Execute = %+v, want no items and no error", got)
		}
		for _, id := range ids {
			wantItem(t, store, id, workqueue.Ready, 0)
		}
	})
}

func TestDrainDuringARefill(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		faulty := &faultStore{Store: store}
		r := start(t, options(faulty, "ann", succeed))
		enqueue(t, store, 1, workqueue.NewItem{})
		assignTo(t, r, assign.AssignParams{})
		asked := make(chan struct{})
		faulty.set(faults{beforePass: func(ctx context.Context) error {
			close(asked)
			<-ctx.Done()
			return ctx.Err()
		}})
		done := background(t, r, runner.ExecuteParams{Refill: true})
		<-asked
		r.Drain(t.Context())
		if got := <-done; got.err != nil || got.Succeeded != 1 {
			t.Errorf("Execute = %+v, want its success and no error", got)
		}
	})
}

func TestExecuteOnStoppedWorkerMakesNoCalls(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		faulty := &faultStore{Store: store}
		r := start(t, options(faulty, "ann", succeed))
		if err := r.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		faulty.set(faults{always: errDown})
		if got := execute(t, r, runner.ExecuteParams{}); got != (runner.ExecuteResult{}) {
			t.Errorf("Execute = %+v", got)
		}
	})
}

func TestHangingClaimTimesOut(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		faulty := &faultStore{Store: store, now: faults{beforeClaim: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}}
		r := start(t, options(faulty, "ann", succeed))
		if _, err := r.Execute(t.Context(), runner.ExecuteParams{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Execute: %v, want the deadline", err)
		}
	})
}
