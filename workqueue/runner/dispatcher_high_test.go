package runner_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"botwork/internal/testgroup"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// tick is the interval of the shipped pipelines.
const tick = time.Minute

// runEveryMinute runs a pipeline at every full minute, as with overlap: skip: not while the
// previous run continues. A run is a pass for the band, then its items, step by step. It stops
// when ctx ends.
func runEveryMinute(ctx context.Context, t *testing.T, r *runner.Runner, band workqueue.Band, steps ...workqueue.Band) {
	for ctx.Err() == nil {
		if _, err := r.Assign(ctx, assign.AssignParams{Band: band}); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		for _, step := range steps {
			if _, err := r.Execute(ctx, runner.ExecuteParams{Band: step, Refill: true}); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
		next := time.NewTimer(time.Until(time.Now().Truncate(tick).Add(tick)))
		select {
		case <-ctx.Done():
		case <-next.C:
		}
		next.Stop()
	}
}

// runTimes records when runs started and ended.
type runTimes struct {
	mu             sync.Mutex
	started, ended map[int64]time.Time
}

func newRunTimes() *runTimes {
	return &runTimes{started: map[int64]time.Time{}, ended: map[int64]time.Time{}}
}

func (d *runTimes) run(id int64, took time.Duration) {
	d.mu.Lock()
	d.started[id] = time.Now()
	d.mu.Unlock()
	time.Sleep(took)
	d.mu.Lock()
	d.ended[id] = time.Now()
	d.mu.Unlock()
}

// started returns the items whose runs have started, in order.
func (r *runs) started() []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.order)
}

// start returns when the run of an item started; zero: it has not.
func (d *runTimes) start(id int64) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.started[id]
}

// firstEnd returns the first end of a run at or after a time; zero: there was none.
func (d *runTimes) firstEnd(after time.Time) (first time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, end := range d.ended {
		if !end.Before(after) && (first.IsZero() || end.Before(first)) {
			first = end
		}
	}
	return first
}

// The documented limit: while less urgent items fill the worker for hours, an item above 1000
// starts within a tick plus the rest of one running item; if a slot is reserved, within a tick.
func TestHighItemStartsSoonOnFullWorker(t *testing.T) {
	t.Parallel() // it is one of the longest
	type load struct {
		priority int
		band     workqueue.Band
		steps    []workqueue.Band
	}
	medium := load{500, urgentBand, []workqueue.Band{highBand, urgentBand}}
	low := load{100, lowBand, []workqueue.Band{lowBand}}
	for name, of := range map[string]load{"medium": medium, "low": low} {
		for _, reserved := range []int{0, 1} {
			for _, workers := range []int{1, 2} {
				if (reserved == 1) == (workers == 2) && !testgroup.Asked(testgroup.Nightly) {
					continue // the others try each alone
				}
				t.Run(fmt.Sprintf("%s, %d reserved, %d workers", name, reserved, workers), func(t *testing.T) {
					t.Parallel()
					bubble(t, func(t *testing.T, store *sqlstore.Store) {
						ctx, cancel := context.WithCancel(t.Context())
						var pipelines sync.WaitGroup
						defer pipelines.Wait()
						defer cancel()
						lesser := map[int64]bool{}
						for _, id := range enqueue(t, store, 60, workqueue.NewItem{Priority: of.priority}) {
							lesser[id] = true
						}
						var diaries []*runTimes
						var runners []*runner.Runner
						for i := range workers {
							diary := newRunTimes()
							o := options(store, fmt.Sprintf("worker-%d", i), func(ctx context.Context, it *workqueue.Run) workqueue.Outcome {
								took := 5 * time.Second
								if lesser[it.ID] {
									took = 7*time.Minute + time.Duration(it.ID%11)*43*time.Second
								}
								if ctx.Err() == nil {
									diary.run(it.ID, took)
								}
								return workqueue.Outcome{}
							})
							o.Spec.Capacity, o.Spec.ReservedSlots = 3, reserved
							runners, diaries = append(runners, start(t, o)), append(diaries, diary)
						}
						for _, r := range runners {
							pipelines.Go(func() { runEveryMinute(ctx, t, r, of.band, of.steps...) })
							if name == "low" {
								pipelines.Go(func() { runEveryMinute(ctx, t, r, medium.band, medium.steps...) })
							}
						}
						for n := range testgroup.Cases(3, 5) {
							// At different times, some of them just after an end.
							time.Sleep(11*time.Minute + time.Duration(n)*7919*time.Millisecond)
							enqueued := time.Now()
							id := enqueue(t, store, 1, workqueue.NewItem{Priority: 1001 + n})[0]
							latest := enqueued.Add(tick + time.Second)
							time.Sleep(time.Until(latest))
							at := slices.IndexFunc(diaries, func(d *runTimes) bool { return !d.start(id).IsZero() })
							if at < 0 && reserved == 0 {
								holder := item(t, store, id).WorkerID
								assignee := slices.IndexFunc(runners, func(r *runner.Runner) bool { return holder != nil && r.Worker().ID == *holder })
								if assignee < 0 {
									t.Fatalf("high item %d was not assigned to a worker within a tick", id)
								}
								time.Sleep(15 * time.Minute) // the rest of any running item
								at = slices.IndexFunc(diaries, func(d *runTimes) bool { return !d.start(id).IsZero() })
								// The next end on the worker that it was first assigned to. A pass may have moved it to another worker, where it starts sooner.
								if end := diaries[assignee].firstEnd(latest).Add(time.Second); at >= 0 {
									latest = end
								}
							}
							if at < 0 {
								t.Fatalf("high item %d came at %s and has not begun at %s", id, enqueued.Format(time.TimeOnly), time.Now().Format(time.TimeOnly))
							}
							if started := diaries[at].start(id); started.After(latest) {
								t.Errorf("high item %d came at %s and began at %s, want no later than %s",
									id, enqueued.Format(time.TimeOnly), started.Format(time.TimeOnly), latest.Format(time.TimeOnly))
							}
						}
					})
				})
			}
		}
	}
}

// Less urgent items fill the worker and more are assigned to it. None of them is claimed before
// its slot is free, so a high item that is enqueued then does not wait behind them.
func TestHighItemOvertakesAssignedItems(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		o := options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(it.ID)
			time.Sleep(time.Duration(1+it.ID) * time.Minute)
			return workqueue.Outcome{}
		})
		o.Spec.Capacity = 2
		r := start(t, o)
		ids := enqueue(t, store, 6, workqueue.NewItem{Priority: 700})
		assignTo(t, r, assign.AssignParams{Band: urgentBand})
		done := background(t, r, runner.ExecuteParams{Band: urgentBand, Refill: true})
		time.Sleep(2*time.Minute + 30*time.Second) // one has ended, the next has started
		if got := states(t, store)[workqueue.Blocked]; got != 2 {
			t.Fatalf("%d items are claimed, want the two running ones", got)
		}
		began := len(ran.started())
		high := enqueue(t, store, 1, workqueue.NewItem{Priority: 1001})[0]
		<-done
		if after := ran.started()[began:]; after[0] != high {
			t.Errorf("after the first %d runs, %v ran; want the high item %d first", began, after, high)
		}
		ran.wantOnce(t, append(ids, high))
	})
}

// A worker without refill finds an item that another worker's pass assigned to it.
func TestHighItemAssignedByAnotherWorker(t *testing.T) {
	t.Parallel() // it is one of the longest
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		diary := newRunTimes()
		o := options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			diary.run(it.ID, 20*time.Minute)
			return workqueue.Outcome{}
		})
		o.Spec.Capacity, o.Spec.ReservedSlots = 2, 1
		ann := start(t, o)
		enqueue(t, store, 1, workqueue.NewItem{Priority: 700})
		assignTo(t, ann, assign.AssignParams{})
		done := background(t, ann, runner.ExecuteParams{})
		time.Sleep(10 * time.Minute)
		high := enqueue(t, store, 1, workqueue.NewItem{Priority: 1001})[0]
		if err := store.Assign(t.Context(), func(ctx context.Context, tx workqueue.AssignTx) error {
			_, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: high, WorkerID: ann.Worker().ID}})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(tick)
		if diary.start(high).IsZero() {
			t.Error("the high item has not started within a tick although a slot is reserved")
		}
		if got := <-done; got.err != nil || got.Succeeded != 2 {
			t.Errorf("Execute = %+v, want both", got)
		}
	})
}

// A pipeline without a step for high items can use a reserved slot for one as well.
func TestHighItemUsesReservedSlotAtOnce(t *testing.T) {
	t.Parallel() // it is one of the longest
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		diary := newRunTimes()
		o := options(store, "ann", func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			diary.run(it.ID, 20*time.Minute)
			return workqueue.Outcome{}
		})
		o.Spec.Capacity, o.Spec.ReservedSlots = 2, 1
		r := start(t, o)
		enqueue(t, store, 1, workqueue.NewItem{Priority: 100})
		assignTo(t, r, assign.AssignParams{Band: lowBand})
		low := background(t, r, runner.ExecuteParams{Band: lowBand})
		time.Sleep(time.Minute)
		medium := enqueue(t, store, 1, workqueue.NewItem{Priority: 1000})[0]
		high := enqueue(t, store, 1, workqueue.NewItem{Priority: 1001})[0]
		assignTo(t, r, assign.AssignParams{Band: urgentBand})
		rest := background(t, r, runner.ExecuteParams{Band: urgentBand})
		time.Sleep(time.Second)
		if diary.start(high).IsZero() {
			t.Error("the high item does not run although a slot is reserved")
		}
		time.Sleep(10 * time.Minute)
		if !diary.start(medium).IsZero() {
			t.Error("the other item runs in the reserved slot")
		}
		<-low
		if got := <-rest; got.err != nil || got.Succeeded != 2 {
			t.Errorf("Execute = %+v, want both", got)
		}
	})
}
