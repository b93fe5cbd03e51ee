package scheduler

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
)

const pausedReason = "paused by ann at 2000-01-01T00:01:30Z: maintenance"

func TestPausedPipelineSkipsFirings(t *testing.T) {
	for _, scope := range []Scope{ScopeEachWorker, ScopeOnce} {
		t.Run(string(scope), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(0, 0, 30))
				store := newFakeStore()
				var log bytes.Buffer
				job := everyMinute(t, 0)
				job.Scope, job.CatchUp = scope, time.Hour
				s := newTestScheduler(t, store, 1, nil)
				s.log = zerolog.New(zerolog.SyncWriter(&log)).Level(zerolog.InfoLevel)
				begin(t, s, job)
				sleepUntil(at(0, 1, 30))
				store.pause("P", true)
				sleepUntil(at(0, 2, 30))
				end(t, s)
				again := newTestScheduler(t, store, 1, nil) // a restart changes nothing
				begin(t, again, job)
				sleepUntil(at(0, 3, 30))
				store.pause("P", false)
				sleepUntil(at(0, 4, 30))
				end(t, again)
				_, firings := store.all()
				got := map[string]string{}
				for _, f := range firings {
					if f.Outcome == workqueue.Skipped {
						got[f.PlannedAt.Format(time.TimeOnly)] = f.Reason
					}
				}
				if len(got) != 2 || got["00:02:00"] != pausedReason || got["00:03:00"] != pausedReason {
					t.Errorf("skipped firings: %v, want 00:02 and 00:03: %s", got, pausedReason)
				}
				runs, _ := store.all()
				if len(runs) != 2 || !runs[0].PlannedAt.Equal(at(0, 1, 0)) || !runs[1].PlannedAt.Equal(at(0, 4, 0)) {
					t.Errorf("runs are %+v, want those planned for 00:01 and 00:04", runs)
				}
				if n := strings.Count(log.String(), "pipeline paused"); n != 1 || strings.Contains(log.String(), "skipped scheduled run") {
					t.Errorf("the pause is logged %d times, want once, and no skipped run:\n%s", n, &log)
				}
			})
		})
	}
}

// TestPausedAfterClaim pauses between the claim of a firing and the start of its run.
func TestPausedAfterClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		job := everyMinute(t, 0)
		job.Scope = ScopeOnce
		store.refuse("StartRun", 1)
		s := newTestScheduler(t, store, 1, nil)
		begin(t, s, job)
		sleepUntil(at(0, 1, 0).Add(time.Millisecond)) // claimed, and the start will be retried
		store.pause("P", true)
		store.refuse("SkipFiring", 1)
		sleepUntil(at(0, 1, 40))
		end(t, s)
		wantSummary(t, store, `"" 00:01:00 skipped: paused by ann at 2000-01-01T00:01:00Z: maintenance`)
	})
}

func TestPauseEndsWorkOfActiveRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		job := everyMinute(t, 0)
		drained := make(chan struct{})
		calls := 0
		job.Run = unreported(func(context.Context, Start) error { <-drained; return nil })
		job.Pause = func() {
			if calls++; calls == 1 {
				close(drained)
			}
		}
		s := newTestScheduler(t, store, 1, nil)
		begin(t, s, job)
		sleepUntil(at(0, 1, 10))
		store.pause("P", true)
		sleepUntil(at(0, 1, 20))
		end(t, s)
		wantSummary(t, store, "1 cron 00:01:00 at 00:01:00 succeeded")
	})
}

func TestPausedPipelineIsNotWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFakeStore()
		store.pause("P", true)
		job := everyMinute(t, 0)
		job.Schedule, job.TriggerName = nil, ""
		s := newTestScheduler(t, store, 1, nil)
		begin(t, s, job)
		sleepUntil(at(0, 0, 10))
		s.WakeUp("P")
		s.Wake("P")
		synctest.Wait() // the run that was woken holds P until it has seen the pause
		var paused *workqueue.PausedError
		if err := s.Trigger(t.Context(), "P"); !errors.As(err, &paused) || paused.Reason != "maintenance" {
			t.Errorf("Trigger: %v, want a *PausedError", err)
		}
		sleepUntil(at(0, 0, 21))
		if runs, _ := store.all(); len(runs) > 0 {
			t.Errorf("runs of a paused pipeline: %+v", runs)
		}
		store.pause("P", false)
		sleepUntil(at(0, 0, 30)) // the work that was announced is not forgotten
		end(t, s)
		wantSummary(t, store, "1 wake - at 00:00:22 succeeded")
	})
}

func TestRequestedRuns(t *testing.T) {
	for _, scope := range []Scope{ScopeEachWorker, ScopeOnce} {
		t.Run(string(scope), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newFakeStore()
				job := everyMinute(t, 5*time.Second)
				job.Schedule, job.Scope = nil, scope
				var schedulers []*Scheduler
				for id := range int64(3) {
					s := newTestScheduler(t, store, id+1, nil)
					begin(t, s, job)
					schedulers = append(schedulers, s)
				}
				sleepUntil(at(0, 0, 11))
				store.ask("P")
				store.ask("P", time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC))
				store.ask("Q") // nobody has it
				sleepUntil(at(0, 1, 0))
				end(t, schedulers...)
				runs, _ := store.all()
				if len(runs) != 2 {
					t.Fatalf("runs are %+v, want one for each request", runs)
				}
				for i, trigger := range []string{TriggerRequest, TriggerBackfill} {
					if r := runs[i]; r.Trigger != trigger || *r.RequestedBy != "ann" || r.Outcome != workqueue.RunSucceeded || (r.PlannedAt != nil) != (i == 1) {
						t.Errorf("run %d is %+v, want trigger %s by ann", i, r, trigger)
					}
				}
				if scope == ScopeOnce && runs[1].StartedAt.Before(*runs[0].FinishedAt) {
					t.Errorf("the second run started at %s, before the end of the first at %s", runs[1].StartedAt, runs[0].FinishedAt)
				}
				if len(store.asked) != 1 {
					t.Errorf("pending requests are %+v, want that of Q", store.asked)
				}
			})
		})
	}
}

// TestRequestComesBeforeWork asks for a run while a run for new work waits for more.
func TestRequestComesBeforeWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFakeStore()
		leave := make(chan struct{}, 100)
		job := everyMinute(t, 0)
		job.Schedule, job.TriggerName = nil, ""
		job.Leave = func() { leave <- struct{}{} }
		job.Run = unreported(func(_ context.Context, start Start) error {
			if start.Trigger == TriggerWake {
				<-leave
			}
			return nil
		})
		s := newTestScheduler(t, store, 1, nil)
		begin(t, s, job)
		sleepUntil(at(0, 0, 1))
		s.WakeUp("P")
		sleepUntil(at(0, 0, 3))
		store.ask("P")
		s.WakeUp("P")
		sleepUntil(at(0, 0, 5))
		s.WakeUp("P")
		sleepUntil(at(0, 0, 20))
		leave <- struct{}{}
		end(t, s)
		runs, _ := store.all()
		if len(runs) < 2 || runs[1].Trigger != TriggerRequest {
			t.Errorf("runs are %+v, want the request before more work", runs)
		}
	})
}

func TestLostAnswerToRequestStartsNoSecondRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFakeStore()
		job := everyMinute(t, 0)
		store.lose["StartRequested"] = 1
		s := newTestScheduler(t, store, 1, nil)
		begin(t, s, job)
		store.ask("P")
		sleepUntil(at(0, 1, 30))
		end(t, s)
		runs, _ := store.all()
		if len(runs) != 2 || runs[0].Trigger != TriggerRequest || runs[0].Outcome != workqueue.RunFailed || runs[1].Trigger != TriggerCron {
			t.Errorf("runs are %+v, want the request as failed, and the schedule's run", runs)
		}
	})
}

func TestRunRecordsItsReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFakeStore()
		job := everyMinute(t, 0)
		job.Run = func(context.Context, Start) (Report, error) {
			return Report{Step: "load", Summary: `{"enqueued":3}`}, errors.New("no route")
		}
		s := newTestScheduler(t, store, 1, nil)
		s.by = "ann"
		if err := s.Add(job); err != nil {
			t.Fatal(err)
		}
		if err := s.Trigger(t.Context(), "P"); err == nil {
			t.Error("want the error of the run")
		}
		end(t, s)
		runs, _ := store.all()
		if r := runs[0]; *r.FailedStep != "load" || r.Summary != `{"enqueued":3}` || *r.RequestedBy != "ann" {
			t.Errorf("the run is %+v, want its step, its numbers and who asked for it", r)
		}
	})
}
