package scheduler

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
)

func TestDatabaseDown(t *testing.T) {
	tests := map[string]struct {
		scope   Scope
		spec    string
		catchUp time.Duration
		back    time.Time
		want    []string
	}{
		"each worker fires the latest": {
			scope: ScopeEachWorker, spec: "* * * * *", back: at(0, 3, 20),
			want: []string{"1 cron 00:03:00", `"a" 00:01:00 missed`, `"a" 00:02:00 missed`},
		},
		"once fires the latest": {
			scope: ScopeOnce, spec: "* * * * *", back: at(0, 3, 20),
			want: []string{"1 cron 00:03:00", `"" 00:01:00 missed`, `"" 00:02:00 missed`},
		},
		"tried until the next instant": {
			scope: ScopeOnce, spec: "1 0 * * *", back: at(9, 0, 0),
			want: []string{"1 cron 00:01:00"},
		},
		"tried until catchUp ends": {
			scope: ScopeOnce, spec: "1 0 * * *", back: at(9, 0, 0), catchUp: time.Hour,
			want: []string{`"" 00:01:00 missed`},
		},
		"away from the start": {
			scope: ScopeEachWorker, spec: "* * * * *", back: at(0, 2, 20),
			want: []string{"1 cron 00:02:00", `"a" 00:01:00 missed`},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(0, 0, 30))
				store := newFakeStore()
				store.setDown(name == "away from the start")
				s := newTestScheduler(t, store, 1, nil)
				job := everyMinute(t, 0)
				job.Scope, job.Schedule, job.CatchUp = tt.scope, mustParse(t, tt.spec), tt.catchUp
				begin(t, s, job)
				sleepUntil(at(0, 0, 40))
				store.setDown(true)
				sleepUntil(tt.back)
				store.setDown(false)
				time.Sleep(35 * time.Second) // the longest pause and some more
				end(t, s)
				var got []string
				for line := range strings.Lines(summary(store)) {
					run, _, _ := strings.Cut(strings.TrimSpace(line), " at ")
					firing, reason, missed := strings.Cut(run, ": ")
					if missed && !strings.Contains(reason, "the database did not answer: ") {
						t.Errorf("reason %q, want the database", reason)
					}
					got = append(got, firing)
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// TestFailedCalls lets one call of a firing fail. There must still be exactly one run, and
// its end must be recorded.
func TestFailedCalls(t *testing.T) {
	for _, scope := range []Scope{ScopeEachWorker, ScopeOnce} {
		for _, call := range []string{"Now", "ClaimFiring", "RecordFirings", "LastFiring", "Firings", "StartRun", "FinishRun", "RunsElsewhere", "Runs"} {
			for _, lost := range []bool{false, true} {
				t.Run(string(scope)+"/"+call+map[bool]string{true: "/answer lost"}[lost], func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						sleepUntil(at(0, 0, 30))
						store := newFakeStore()
						if lost {
							store.lose[call] = 3
						} else {
							store.refuse(call, 3)
						}
						s := newTestScheduler(t, store, 1, nil)
						ran := 0
						job := everyMinute(t, 0)
						job.Scope = scope
						run := job.Run
						job.Run = func(ctx context.Context, start Start) (Report, error) { ran++; return run(ctx, start) }
						begin(t, s, job)
						sleepUntil(at(0, 1, 59))
						end(t, s)
						if ran != 1 {
							t.Errorf("ran %d times, want once", ran)
						}
						runs, _ := store.all()
						for i, r := range runs {
							want := workqueue.RunFailed // a start whose answer was lost
							if i == len(runs)-1 {
								want = workqueue.RunSucceeded
							}
							if r.Outcome != want {
								t.Errorf("run %d of %d is %s, want %s", i+1, len(runs), r.Outcome, want)
							}
						}
					})
				})
			}
		}
	}
}

// TestUnwrittenRecords lets all writes of one table fail.
func TestUnwrittenRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 10, 5))
		store := newFakeStore()
		history(store, ScopeEachWorker, at(0, 0, 0))
		store.refuse("RecordFirings", 1<<30)
		s := newTestScheduler(t, store, 1, nil)
		begin(t, s, everyMinute(t, 0))
		sleepUntil(at(0, 12, 45))
		end(t, s)
		runs, _ := store.all()
		if len(runs) != 4 {
			t.Errorf("got %d runs, want those of 00:00, 00:10, 00:11 and 00:12", len(runs))
		}
	})
}

func TestDatabaseNowAheadOfClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		store.hasty = 2 * time.Second
		s := newTestScheduler(t, store, 1, nil)
		job := everyMinute(t, 0)
		job.Scope = ScopeOnce
		begin(t, s, job)
		sleepUntil(at(0, 2, 30))
		end(t, s)
		wantSummary(t, store, "1 cron 00:01:00 at 00:01:00 succeeded", "1 cron 00:02:00 at 00:02:00 succeeded")
	})
}

func TestUnrecordedEndIsSweptLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		store.refuse("FinishRun", finishTries)
		s := newTestScheduler(t, store, 1, nil)
		job := everyMinute(t, 0)
		job.Schedule = mustParse(t, "*/10 * * * *")
		begin(t, s, job)
		sleepUntil(at(0, 19, 0))
		end(t, s)
		wantSummary(t, store, "1 cron 00:10:00 at 00:10:00 failed")
	})
}

func TestRunsOfDeadProcessAreEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(1, 30, 0))
		store := newFakeStore()
		history(store, ScopeOnce, at(1, 0, 0))
		store.runs[0].Outcome = workqueue.RunRunning
		s := newTestScheduler(t, store, 1, nil)
		job := everyMinute(t, 0)
		job.Scope, job.Schedule = ScopeOnce, mustParse(t, "0 * * * *")
		begin(t, s, job)
		synctest.Wait()
		end(t, s)
		wantSummary(t, store, "1 cron 01:00:00 at 01:00:00 failed")
	})
}

func TestRetriesWhileDatabaseIsDownBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		job := everyMinute(t, 0)
		job.Schedule = mustParse(t, "* * * * * *")
		begin(t, s, job)
		sleepUntil(at(0, 0, 10))
		store.setDown(true)
		sleepUntil(at(0, 10, 10))
		store.setDown(false)
		sleepUntil(at(0, 11, 0))
		end(t, s)
		if store.refused < 20 || store.refused > 100 {
			t.Errorf("%d calls in ten minutes, want 20 to 100: two calls every 30 seconds", store.refused)
		}
	})
}

// TestFailedClaimIsNotMistakenForEarlierOne restarts a worker right after it has fired.
// The new process, with a run at start, claims the same instant; its claim fails, and the
// existing record has the name of its own worker.
func TestFailedClaimIsNotMistakenForEarlierOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		job := everyMinute(t, 0)
		job.Scope, job.AtStart = ScopeOnce, true
		a := newTestScheduler(t, store, 1, nil)
		begin(t, a, job)
		sleepUntil(at(0, 1, 0).Add(100 * time.Millisecond))
		end(t, a)
		store.refuse("ClaimFiring", 1)
		b := newTestScheduler(t, store, 1, nil)
		begin(t, b, job)
		sleepUntil(at(0, 1, 30))
		end(t, b)
		wantSummary(t, store,
			"1 atStart 00:00:00 at 00:00:30 succeeded",
			"1 cron 00:01:00 at 00:01:00 succeeded")
	})
}

// TestFailedClaimIsNotMistakenForAnotherWorkers lets another worker fire the instant before the
// claim is tried again. Its run is not recorded yet, so only its name says who has fired.
func TestFailedClaimIsNotMistakenForAnotherWorkers(t *testing.T) {
	for by, want := range map[string]bool{"a": true, "b": false} {
		t.Run(by, func(t *testing.T) {
			job := everyMinute(t, 0)
			job.Scope = ScopeOnce
			store := newFakeStore()
			s := newTestScheduler(t, store, 1, nil)
			r := newRunner(s, job, s.place(job.Name))
			start := Start{Trigger: TriggerCron, PlannedAt: at(0, 1, 0)}
			store.refuse("ClaimFiring", 1)
			if won, settled, err := r.contend(start); won || settled || err == nil {
				t.Fatalf("won %t, settled %t, error %v; want an error", won, settled, err)
			}
			store.firings = []workqueue.Firing{{Schedule: "P", PlannedAt: start.PlannedAt, Outcome: workqueue.Fired, RecordedBy: by}}
			if won, settled, err := r.contend(start); won != want || !settled || err != nil {
				t.Errorf("won %t, settled %t, error %v; want won %t", won, settled, err, want)
			}
		})
	}
}
