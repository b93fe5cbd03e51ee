package scheduler

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"botwork/internal/cron"
	"botwork/workqueue"
)

// history records the run or firing of an instant, as if another worker or an earlier
// process of worker 1 had fired it.
func history(store *fakeStore, scope Scope, planned time.Time) {
	store.mu.Lock()
	defer store.mu.Unlock()
	if scope == ScopeOnce {
		store.firings = append(store.firings, workqueue.Firing{Schedule: "P", PlannedAt: planned, Outcome: workqueue.Fired, RecordedBy: "z"})
	}
	id, instant := int64(1), planned
	store.runs = append(store.runs, workqueue.PipelineRun{
		ID: int64(len(store.runs)) + 1, Pipeline: "P", Trigger: TriggerCron, PlannedAt: &instant, WorkerID: &id,
		Outcome: workqueue.RunSucceeded, StartedAt: planned,
	})
}

func TestCatchUpAtStart(t *testing.T) {
	tests := map[string]struct {
		spec    string
		scope   Scope
		catchUp time.Duration
		last    time.Time
		want    []string // after the run in history
	}{
		"nothing on record": {spec: "0 * * * *"},
		"nothing missed":    {spec: "0 * * * *", last: at(5, 0, 0)},
		"on time": {
			spec: "31 5 * * *", last: at(0, 0, 0),
			want: []string{"1 cron 05:31:00 at 05:31:30 succeeded"},
		},
		"no catchUp": {
			spec: "0 * * * *", last: at(3, 0, 0),
			want: []string{
				`"a" 04:00:00 missed: the worker was not running`,
				`"a" 05:00:00 missed: the worker was not running`,
			},
		},
		"too old for catchUp": {
			spec: "0 * * * *", last: at(4, 0, 0), catchUp: 31 * time.Minute,
			want: []string{`"a" 05:00:00 missed: the worker was not running`},
		},
		"the latest only": {
			spec: "0 * * * *", last: at(2, 0, 0), catchUp: 24 * time.Hour,
			want: []string{
				"1 catchUp 05:00:00 at 05:31:30 succeeded",
				`"a" 03:00:00 missed: the worker was not running`,
				`"a" 04:00:00 missed: the worker was not running`,
			},
		},
		"once, no catchUp": {
			spec: "0 * * * *", scope: ScopeOnce, last: at(4, 0, 0),
			want: []string{`"" 05:00:00 missed: no worker was running`},
		},
		"once, the latest only": {
			spec: "0 * * * *", scope: ScopeOnce, last: at(3, 0, 0), catchUp: time.Hour,
			want: []string{
				"1 catchUp 05:00:00 at 05:31:30 succeeded",
				`"" 04:00:00 missed: no worker was running`,
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(5, 31, 30))
				store := newFakeStore()
				s := newTestScheduler(t, store, 1, nil)
				want := []string{""}
				if !tt.last.IsZero() {
					history(store, tt.scope, tt.last)
					line := tt.last.Format(time.TimeOnly)
					want = []string{fmt.Sprintf("1 cron %s at %s succeeded", line, line)}
				}
				if len(tt.want) > 0 {
					want = append(want, tt.want...)
				}
				begin(t, s, Job{
					Name: "P", Schedule: mustParse(t, tt.spec), TriggerName: TriggerCron, Scope: tt.scope, CatchUp: tt.catchUp,
					Work: Work{Run: unreported(func(context.Context, Start) error { return nil })},
				})
				time.Sleep(time.Minute)
				end(t, s)
				wantSummary(t, store, want...)
			})
		})
	}
}

func TestManyMissedRunsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(12, 0, 0).Add(500 * time.Millisecond))
		store := newFakeStore()
		history(store, ScopeEachWorker, at(9, 0, 0))
		s := newTestScheduler(t, store, 1, nil)
		begin(t, s, everyMinute(t, 0))
		synctest.Wait()
		end(t, s)
		runs, firings := store.all()
		if len(runs) != 2 || !runs[1].PlannedAt.Equal(at(12, 0, 0)) {
			t.Errorf("got runs %+v, want one for 12:00", runs)
		}
		if len(firings) != maxBacklog || !firings[0].PlannedAt.Equal(at(10, 20, 0)) || !firings[99].PlannedAt.Equal(at(11, 59, 0)) {
			t.Fatalf("got %d rows from %s, want 100 from 10:20", len(firings), firings[0].PlannedAt)
		}
		if want := "; 79 earlier firings are not recorded one by one"; !strings.HasSuffix(firings[0].Reason, want) {
			t.Errorf("first reason %q, want …%s", firings[0].Reason, want)
		}
	})
}

func TestRestartInPlannedSecond(t *testing.T) {
	for _, scope := range []Scope{ScopeEachWorker, ScopeOnce} {
		t.Run(string(scope), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newFakeStore()
				job := everyMinute(t, 0)
				job.Scope = scope
				sleepUntil(at(0, 0, 30))
				a := newTestScheduler(t, store, 1, nil)
				begin(t, a, job)
				sleepUntil(at(0, 1, 0).Add(100 * time.Millisecond))
				end(t, a)
				sleepUntil(at(0, 1, 0).Add(200 * time.Millisecond))
				b := newTestScheduler(t, store, 1, nil) // after the firing
				begin(t, b, job)
				sleepUntil(at(0, 1, 59))
				end(t, b)
				sleepUntil(at(0, 2, 0).Add(100 * time.Millisecond))
				c := newTestScheduler(t, store, 1, nil) // no worker was running at the planned time
				begin(t, c, job)
				sleepUntil(at(0, 2, 30))
				end(t, c)
				wantSummary(t, store,
					"1 cron 00:01:00 at 00:01:00 succeeded",
					"1 cron 00:02:00 at 00:02:00 succeeded")
			})
		})
	}
}

// TestClockJump sets the clock of an each-worker schedule. Sleep of the machine is a jump
// as well, because timers do not run during that time.
func TestClockJump(t *testing.T) {
	tests := map[string]struct {
		jump    time.Duration
		catchUp time.Duration
		want    []string
	}{
		"forward": {
			jump: 3 * time.Minute,
			want: []string{
				"1 cron 00:01:00 at 00:01:00 succeeded",
				"1 cron 00:04:00 at 00:01:30 succeeded",
				"1 cron 00:05:00 at 00:02:00 succeeded",
				`"a" 00:02:00 missed: noticed only at 2000-01-01T00:04:30Z: the machine slept, the clock was set forward, or the process was held up`,
				`"a" 00:03:00 missed: noticed only at 2000-01-01T00:04:30Z: the machine slept, the clock was set forward, or the process was held up`,
			},
		},
		"back a little": {
			jump: -50 * time.Second,
			want: []string{
				"1 cron 00:01:00 at 00:01:00 succeeded",
				"1 cron 00:02:00 at 00:02:50 succeeded",
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(0, 0, 30))
				store := newFakeStore()
				var offset atomic.Int64
				s := newTestScheduler(t, store, 1, func() time.Duration { return time.Duration(offset.Load()) })
				begin(t, s, everyMinute(t, 0))
				sleepUntil(at(0, 1, 10))
				offset.Store(int64(tt.jump))
				sleepUntil(at(0, 2, 55))
				end(t, s)
				wantSummary(t, store, tt.want...)
			})
		})
	}
}

func TestClockSetFarBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(12, 0, 30))
		store := newFakeStore()
		var offset atomic.Int64
		s := newTestScheduler(t, store, 1, func() time.Duration { return time.Duration(offset.Load()) })
		begin(t, s, everyMinute(t, 0))
		sleepUntil(at(12, 1, 10))
		offset.Store(int64(-10 * time.Hour))
		sleepUntil(at(12, 3, 30))
		end(t, s)
		wantSummary(t, store,
			"1 cron 12:01:00 at 12:01:00 succeeded",
			"1 cron 02:02:00 at 12:02:00 succeeded",
			"1 cron 02:03:00 at 12:03:00 succeeded")
	})
}

// TestSleepForYears jumps so far that iterating over the instants would take hours.
func TestSleepForYears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		var offset atomic.Int64
		s := newTestScheduler(t, store, 1, func() time.Duration { return time.Duration(offset.Load()) })
		every, err := cron.Every(time.Second)
		if err != nil {
			t.Fatal(err)
		}
		begin(t, s, Job{
			Name: "P", Schedule: every, TriggerName: TriggerEvery,
			Work: Work{Run: unreported(func(context.Context, Start) error { return nil })},
		})
		sleepUntil(at(0, 0, 31).Add(10 * time.Millisecond))
		offset.Store(int64(30 * 366 * 24 * time.Hour))
		sleepUntil(at(0, 0, 33).Add(10 * time.Millisecond))
		end(t, s)
		runs, firings := store.all()
		if len(runs) != 3 || len(firings) != maxBacklog {
			t.Fatalf("got %d runs and %d rows, want 3 and %d", len(runs), len(firings), maxBacklog)
		}
		if want := "at least 10000 earlier firings"; !strings.Contains(firings[0].Reason, want) {
			t.Errorf("first reason %q, want …%s…", firings[0].Reason, want)
		}
	})
}

func TestOnceLeavesDueRunsToRunningWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		job := everyMinute(t, 10*time.Minute)
		job.Scope, job.Overlap = ScopeOnce, OverlapQueue
		a, b := newTestScheduler(t, store, 1, nil), newTestScheduler(t, store, 2, nil)
		begin(t, a, job)
		sleepUntil(at(0, 6, 30)) // b comes while a runs 00:01; 00:02 waits, 00:03 and on are skipped
		begin(t, b, job)
		sleepUntil(at(0, 11, 30))
		runs, firings := store.all()
		if len(runs) != 2 || !runs[1].PlannedAt.Equal(at(0, 2, 0)) {
			t.Errorf("got runs %+v, want the second one for 00:02", runs)
		}
		for _, f := range firings {
			if f.Outcome == workqueue.Missed {
				t.Errorf("recorded %s as missed: %s", f.PlannedAt, f.Reason)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := errors.Join(a.Stop(ctx), b.Stop(ctx)); err != nil {
			t.Error(err)
		}
	})
}

func TestAtStart(t *testing.T) {
	t.Run("each worker runs it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			sleepUntil(at(0, 1, 30))
			store := newFakeStore()
			job := everyMinute(t, time.Second)
			job.AtStart = true
			a, b := newTestScheduler(t, store, 1, nil), newTestScheduler(t, store, 2, nil)
			begin(t, a, job)
			synctest.Wait()
			begin(t, b, job)
			sleepUntil(at(0, 1, 40))
			end(t, a, b)
			wantSummary(t, store, "1 atStart - at 00:01:30 succeeded", "2 atStart - at 00:01:30 succeeded")
		})
	})
	t.Run("it replaces catching up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			sleepUntil(at(5, 5, 0))
			store := newFakeStore()
			history(store, ScopeEachWorker, at(4, 0, 0))
			job := everyMinute(t, time.Second)
			job.AtStart, job.CatchUp, job.Schedule = true, time.Hour, mustParse(t, "0 * * * *")
			s := newTestScheduler(t, store, 1, nil)
			begin(t, s, job)
			sleepUntil(at(5, 10, 0))
			end(t, s)
			wantSummary(t, store, "1 cron 04:00:00 at 04:00:00 succeeded", "1 atStart 05:00:00 at 05:05:00 succeeded")
		})
	})
	for name, schedule := range map[string]*cron.Schedule{"one of ten runs it": mustParse(t, "0 4 * * *"), "one of ten, without a schedule": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(5, 5, 0))
				store := newFakeStore()
				job := everyMinute(t, time.Second)
				job.AtStart, job.Scope, job.Schedule = true, ScopeOnce, schedule
				var schedulers []*Scheduler
				for id := range int64(10) {
					s := newTestScheduler(t, store, id+1, nil)
					begin(t, s, job)
					schedulers = append(schedulers, s)
				}
				sleepUntil(at(5, 6, 0))
				late := newTestScheduler(t, store, 11, nil)
				begin(t, late, job)
				sleepUntil(at(5, 7, 0))
				end(t, append(schedulers, late)...)
				runs, firings := store.all()
				if len(runs) != 1 || len(firings) != 1 || runs[0].Trigger != TriggerAtStart || runs[0].PlannedAt == nil {
					t.Errorf("got runs %+v and firings %+v, want one of each", runs, firings)
				}
			})
		})
	}
}

// stuckStore answers the first call of Now three minutes late, as a suspended process
// would see it.
type stuckStore struct {
	*fakeStore
	stuck atomic.Bool
}

func (s *stuckStore) Now(ctx context.Context) (time.Time, error) {
	if s.stuck.Swap(false) {
		time.Sleep(3 * time.Minute)
		return time.Now().UTC(), nil
	}
	return s.fakeStore.Now(ctx)
}

func TestDelayedWorkerChecksOtherWorkers(t *testing.T) {
	for _, overlap := range []Overlap{OverlapSkip, OverlapQueue} {
		synctest.Test(t, func(t *testing.T) {
			sleepUntil(at(0, 0, 30))
			store := newFakeStore()
			job := everyMinute(t, 0)
			job.Scope, job.Overlap = ScopeOnce, overlap
			a, b := newTestScheduler(t, store, 1, nil), newTestScheduler(t, store, 2, nil)
			stuck := &stuckStore{fakeStore: store}
			b.store = stuck
			begin(t, a, job)
			begin(t, b, job)
			sleepUntil(at(0, 1, 10))
			stuck.stuck.Store(true)
			sleepUntil(at(0, 4, 45)) // b saw nothing from 00:01:30 to 00:04:30
			end(t, a, b)
			runs, firings := store.all()
			if len(runs) != 4 || len(firings) != 4 {
				t.Errorf("%s: got %d runs and %d firing rows, want 4 of each", overlap, len(runs), len(firings))
			}
		})
	}
}

// TestQueuedRunOfAnotherWorkerIsNotMissed ends a run on another worker while a firing is
// queued. The queued firing must not be recorded as missed before it can start.
func TestQueuedRunOfAnotherWorkerIsNotMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 6, 30))
		store := newFakeStore()
		history(store, ScopeOnce, at(0, 1, 0))
		other := int64(2)
		store.runs[0].WorkerID, store.runs[0].Outcome = &other, workqueue.RunRunning
		job := everyMinute(t, 0)
		job.Scope, job.Overlap = ScopeOnce, OverlapQueue
		s := newTestScheduler(t, store, 1, nil)
		begin(t, s, job)
		missed := func() int { _, firings := store.all(); return len(firings) - 1 }
		sleepUntil(at(0, 6, 42))
		if err := store.FinishRun(t.Context(), 1, workqueue.RunEnd{Outcome: workqueue.RunSucceeded}); err != nil {
			t.Fatal(err)
		}
		sleepUntil(at(0, 6, 46)) // it has seen at 00:06:45 that nothing runs
		if n := missed(); n != 0 {
			t.Errorf("%d firings recorded at once, want none", n)
		}
		sleepUntil(at(0, 6, 51))
		if n := missed(); n != 5 {
			t.Errorf("%d firings recorded in the end, want 00:02 to 00:05 missed and 00:06 fired", n)
		}
		end(t, s)
	})
}

func TestFastClockDoesNotDelayOtherWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFakeStore()
		var offset atomic.Int64
		s := newTestScheduler(t, store, 1, func() time.Duration { return time.Duration(offset.Load()) })
		job := everyMinute(t, 0)
		job.Scope, job.Schedule = ScopeOnce, mustParse(t, "50 * * * * *")
		begin(t, s, job)
		sleepUntil(at(0, 0, 10))
		offset.Store(int64(40 * time.Second)) // at 00:00:30 it believes that 00:00:50 is over
		sleepUntil(at(0, 1, 10))
		end(t, s)
		wantSummary(t, store, "1 cron 00:00:50 at 00:00:50 succeeded")
	})
}
