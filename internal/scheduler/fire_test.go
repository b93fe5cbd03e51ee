package scheduler

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/cron"
	"botwork/workqueue"
)

// summary writes runs and firings in one line each, for comparison.
func summary(store *fakeStore) string {
	runs, firings := store.all()
	var b strings.Builder
	for _, r := range runs {
		planned := "-"
		if r.PlannedAt != nil {
			planned = r.PlannedAt.Format(time.TimeOnly)
		}
		fmt.Fprintf(&b, "%d %s %s at %s %s\n", *r.WorkerID, r.Trigger, planned, r.StartedAt.Format(time.TimeOnly), r.Outcome)
	}
	for _, f := range firings {
		if f.Outcome != workqueue.Fired {
			fmt.Fprintf(&b, "%q %s %s: %s\n", f.Worker, f.PlannedAt.Format(time.TimeOnly), f.Outcome, f.Reason)
		}
	}
	return b.String()
}

func wantSummary(t *testing.T, store *fakeStore, want ...string) {
	t.Helper()
	got := strings.Split(strings.TrimSuffix(summary(store), "\n"), "\n")
	if !slices.Equal(got, want) {
		t.Errorf("records:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestEachWorkerRunsEveryPlannedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		a, b := newTestScheduler(t, store, 1, nil), newTestScheduler(t, store, 2, nil)
		begin(t, a, everyMinute(t, time.Second))
		sleepUntil(at(0, 1, 30))
		begin(t, b, everyMinute(t, time.Second))
		sleepUntil(at(0, 3, 30))
		end(t, a, b)
		runs, firings := store.all()
		count := map[int64]int{}
		for _, r := range runs {
			count[*r.WorkerID]++
			if !r.StartedAt.Equal(*r.PlannedAt) {
				t.Errorf("run planned for %s started at %s", r.PlannedAt, r.StartedAt)
			}
		}
		if count[1] != 3 || count[2] != 2 || len(firings) != 0 {
			t.Errorf("got runs by worker %v and %d firing rows, want 3 and 2 runs and no row", count, len(firings))
		}
	})
}

// TestOnce runs a schedule on machines with right and wrong clocks.
func TestOnce(t *testing.T) {
	tests := map[string][]time.Duration{
		"two with right clocks":  {0, 0},
		"four with right clocks": {0, 0, 0, 0},
		"ten minutes apart":      {0, 10 * time.Minute},
		"one, far ahead":         {26*time.Hour + 17*time.Second},
		"one, far behind":        {-26*time.Hour - 17*time.Second},
		"all wrong":              {10 * time.Minute, -10 * time.Minute, 31 * time.Second, -200 * time.Millisecond},
	}
	for name, offsets := range tests {
		for _, overlap := range []Overlap{OverlapSkip, OverlapQueue} {
			t.Run(fmt.Sprintf("%s/%s", name, overlap), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					sleepUntil(at(0, 0, 30))
					store := newFakeStore()
					var schedulers []*Scheduler
					for i, offset := range offsets {
						s := newTestScheduler(t, store, int64(i+1), func() time.Duration { return offset })
						s.log = s.log.Level(zerolog.Disabled) // a day of runs fills the log
						job := everyMinute(t, 7*time.Second)
						job.Scope, job.Overlap = ScopeOnce, overlap
						begin(t, s, job)
						schedulers = append(schedulers, s)
					}
					minutes := 24 * 60
					if overlap == OverlapQueue || offsets[0] != 0 {
						minutes = 100
					}
					time.Sleep(time.Duration(minutes) * time.Minute)
					end(t, schedulers...)
					runs, firings := store.all()
					if len(runs) != minutes || len(firings) != minutes {
						t.Fatalf("got %d runs and %d firings, want %d of each", len(runs), len(firings), minutes)
					}
					for i, r := range runs {
						planned := at(0, i+1, 0)
						tolerated := time.Duration(0)
						if i == 0 { // the database's clock is not known yet
							tolerated = longestNap
						}
						if late := r.StartedAt.Sub(planned); !r.PlannedAt.Equal(planned) || late < 0 || late > tolerated {
							t.Fatalf("run %d is planned for %s and started at %s, want %s", i, r.PlannedAt, r.StartedAt, planned)
						}
						if firings[i].Outcome != workqueue.Fired {
							t.Fatalf("firing %+v, want fired", firings[i])
						}
					}
				})
			})
		}
	}
}

func TestOnceWithDaylightSaving(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	for _, day := range []time.Time{
		time.Date(2000, 3, 25, 12, 0, 0, 0, zone),  // 01:00 becomes 02:00
		time.Date(2000, 10, 28, 12, 0, 0, 0, zone), // 02:00 becomes 01:00
	} {
		for _, spec := range []string{"30 1 * * *", "*/20 * * * *"} {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(day)
				schedule, err := cron.Parse(spec, zone, cron.First)
				if err != nil {
					t.Fatal(err)
				}
				store := newFakeStore()
				var schedulers []*Scheduler
				for id := range int64(2) {
					s := newTestScheduler(t, store, id+1, nil)
					begin(t, s, Job{
						Name: "P", Schedule: schedule, TriggerName: TriggerCron, Scope: ScopeOnce,
						Work: Work{Run: unreported(func(context.Context, Start) error { return nil })},
					})
					schedulers = append(schedulers, s)
				}
				time.Sleep(26*time.Hour + 10*time.Minute)
				end(t, schedulers...)
				want := schedule.Between(day, day.Add(26*time.Hour), 1000)
				runs, _ := store.all()
				var got []time.Time
				for _, r := range runs {
					got = append(got, *r.PlannedAt)
				}
				if !slices.EqualFunc(got, want, time.Time.Equal) {
					t.Errorf("%s from %s: runs for %v, want %v", spec, day, got, want)
				}
			})
		}
	}
}

func TestOverlapOnOneWorker(t *testing.T) {
	tests := map[Overlap][]string{
		OverlapSkip: {
			"1 cron 00:01:00 at 00:01:00 succeeded",
			"1 cron 00:04:00 at 00:04:00 succeeded",
			`"a" 00:02:00 skipped: previous run, started at 2000-01-01T00:01:00Z, is still going on`,
			`"a" 00:03:00 skipped: previous run, started at 2000-01-01T00:01:00Z, is still going on`,
		},
		OverlapQueue: {
			"1 cron 00:01:00 at 00:01:00 succeeded",
			"1 cron 00:02:00 at 00:03:30 succeeded",
			`"a" 00:03:00 skipped: previous run, started at 2000-01-01T00:01:00Z, is still going on, and the firing planned for 2000-01-01T00:02:00Z waits for its end`,
			`"a" 00:04:00 skipped: the worker stopped while this firing waited for the previous run to end`,
		},
	}
	for overlap, want := range tests {
		t.Run(string(overlap), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(0, 0, 30))
				store := newFakeStore()
				s := newTestScheduler(t, store, 1, nil)
				job := everyMinute(t, 150*time.Second)
				job.Overlap = overlap
				begin(t, s, job)
				sleepUntil(at(0, 4, 30))
				end(t, s)
				wantSummary(t, store, want...)
			})
		})
	}
}

func TestOverlapOnTwoWorkers(t *testing.T) {
	const since = "previous run, started at 2000-01-01T00:01:00Z"
	tests := map[Overlap][]string{
		OverlapSkip: {
			"1 cron 00:01:00 at 00:01:00 succeeded",
			"1 cron 00:04:00 at 00:04:00 succeeded",
			`"" 00:02:00 skipped: ` + since,
			`"" 00:03:00 skipped: ` + since,
		},
		OverlapQueue: {
			"1 cron 00:01:00 at 00:01:00 succeeded",
			"1 cron 00:02:00 at 00:03:30 succeeded",
			`"" 00:03:00 skipped: ` + since,
		},
	}
	for overlap, want := range tests {
		t.Run(string(overlap), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(0, 0, 30))
				store := newFakeStore()
				var schedulers []*Scheduler
				for id := range int64(4) {
					s := newTestScheduler(t, store, id+1, nil)
					job := everyMinute(t, 150*time.Second)
					job.Overlap, job.Scope = overlap, ScopeOnce
					begin(t, s, job)
					schedulers = append(schedulers, s)
				}
				sleepUntil(at(0, 4, 30))
				end(t, schedulers...)
				// The worker that fires and the worker that records are random, the rest is not.
				lines := strings.Split(strings.TrimSuffix(summary(store), "\n"), "\n")
				for i, line := range lines {
					line, _, _ = strings.Cut(line, "Z ")
					if !strings.HasPrefix(line, `"`) {
						line = "1" + line[1:]
					}
					lines[i], _, _ = strings.Cut(line, " on another")
					if at, rest, ok := strings.Cut(lines[i], "started at "); ok {
						lines[i] = at + "started at " + rest[:19] + "Z"
					}
				}
				if !slices.Equal(lines, want) {
					t.Errorf("records:\n%s\nwant:\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
				}
			})
		})
	}
}

func TestQueuedFiringMovesToAnotherWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		job := everyMinute(t, 92*time.Second)
		job.Scope, job.Overlap = ScopeOnce, OverlapQueue
		a, b := newTestScheduler(t, store, 1, nil), newTestScheduler(t, store, 2, nil)
		begin(t, a, job)
		sleepUntil(at(0, 1, 30))
		begin(t, b, job)
		sleepUntil(at(0, 2, 10))
		end(t, a) // it drains its run until 00:02:32; 00:02 waits on both
		sleepUntil(at(0, 2, 50))
		end(t, b)
		wantSummary(t, store,
			"1 cron 00:01:00 at 00:01:00 succeeded",
			"2 cron 00:02:00 at 00:02:35 succeeded")
	})
}

// TestQueuedFiringSurvivesLastWorker stops the only worker while a firing of scope once is
// queued; the skipped one after it must not hide it from the next worker.
func TestQueuedFiringSurvivesLastWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		job := everyMinute(t, 10*time.Minute)
		job.Scope, job.Overlap, job.CatchUp = ScopeOnce, OverlapQueue, time.Hour
		s := newTestScheduler(t, store, 1, nil)
		begin(t, s, job)
		sleepUntil(at(0, 3, 30))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		sleepUntil(at(0, 3, 40))
		job.Run = everyMinute(t, 0).Run
		s = newTestScheduler(t, store, 1, nil)
		begin(t, s, job)
		sleepUntil(at(0, 3, 50))
		end(t, s)
		wantSummary(t, store,
			"1 cron 00:01:00 at 00:01:00 failed",
			"1 cron 00:03:00 at 00:03:45 succeeded",
			`"" 00:02:00 missed: no worker was running`)
	})
}

// TestFirstQueuedFiringStaysFirst ends the run in between: the place is free for a later
// firing while an earlier one is still queued.
func TestFirstQueuedFiringStaysFirst(t *testing.T) {
	job := everyMinute(t, 0)
	job.Overlap, job.Scope = OverlapQueue, ScopeOnce
	store := newFakeStore()
	s := newTestScheduler(t, store, 1, nil)
	r := newRunner(s, job, s.place(job.Name))
	r.overlap(Start{Trigger: TriggerCron, PlannedAt: at(0, 1, 0)}, "a run goes on")
	if settled, err := r.fire(Start{Trigger: TriggerCron, PlannedAt: at(0, 2, 0)}); !settled || err != nil {
		t.Fatalf("fire: settled %v, error %v; want it settled", settled, err)
	}
	if runs, _ := store.all(); len(runs) != 0 || !r.waiting.PlannedAt.Equal(at(0, 1, 0)) {
		t.Errorf("got %d runs, waiting %v; want none, 00:01", len(runs), r.waiting)
	}
}

// An instant that another worker has fired is neither queued nor skipped, although that worker's run
// is active: a queued one would take the place of the next firing.
func TestFiringOfARunElsewhereIsSettled(t *testing.T) {
	for _, overlap := range []Overlap{OverlapSkip, OverlapQueue} {
		t.Run(string(overlap), func(t *testing.T) {
			job := everyMinute(t, 0)
			job.Overlap, job.Scope = overlap, ScopeOnce
			store := newFakeStore()
			other, planned := int64(2), at(0, 1, 0)
			store.firings = []workqueue.Firing{{Schedule: "P", PlannedAt: planned, Outcome: workqueue.Fired, RecordedBy: "b"}}
			store.addRun(workqueue.PipelineRun{Pipeline: "P", WorkerID: &other, PlannedAt: &planned, Outcome: workqueue.RunRunning})
			s := newTestScheduler(t, store, 1, nil)
			r := newRunner(s, job, s.place(job.Name))
			if settled, err := r.fire(Start{Trigger: TriggerCron, PlannedAt: planned}); !settled || err != nil {
				t.Fatalf("fire: settled %v, error %v; want it settled", settled, err)
			}
			if firings := r.backlog.records(); r.waiting != nil || len(firings) > 0 {
				t.Errorf("waiting %v, records %v; want none", r.waiting, firings)
			}
		})
	}
}

// A start is reported with its lateness by the schedule's clock, whatever this machine's clock
// says; starts without a planned time, and repeated ones, are not reported.
func TestStartsAreObserved(t *testing.T) {
	for name, scope := range map[string]Scope{"each worker": ScopeEachWorker, "once": ScopeOnce} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(0, 0, 30))
				store := newFakeStore()
				var late []time.Duration
				o := Options{Store: store, Worker: workqueue.Worker{ID: 1, Name: "ann"}, Log: zerolog.Nop()}
				o.Started = func(_ string, by time.Duration) { late = append(late, by) }
				if scope == ScopeOnce {
					o.Now = func() time.Time { return time.Now().Add(-17 * time.Minute) }
				}
				s := New(t.Context(), o)
				job := everyMinute(t, time.Second)
				job.Scope, job.AtStart, job.CatchUp = scope, scope == ScopeEachWorker, 10*time.Minute
				begin(t, s, job)
				sleepUntil(at(0, 1, 30)) // on time
				store.setDown(true)
				sleepUntil(at(0, 2, 30))
				store.setDown(false) // the firing of 0:02 is late
				sleepUntil(at(0, 3, 30))
				s.WakeUp(job.Name)
				sleepUntil(at(0, 3, 45))
				end(t, s)
				if len(late) != 3 || late[0] != 0 || late[2] != 0 || late[1] < 30*time.Second || late[1] > time.Minute {
					t.Errorf("got starts that are late by %v, want three: on time, after the outage, on time", late)
				}
			})
		})
	}
}
