package scheduler

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
)

// planned returns the instants of the recorded runs, and "-" for a run without one.
func planned(runs []workqueue.PipelineRun) []string {
	var list []string
	for _, r := range runs {
		text := "-"
		if r.PlannedAt != nil {
			text = r.PlannedAt.Format("15:04")
		}
		if r.PipelineHash != nil {
			text += " " + *r.PipelineHash
		}
		list = append(list, text)
	}
	return list
}

// wantRuns compares all recorded runs.
func wantRuns(t *testing.T, store *fakeStore, want ...string) {
	t.Helper()
	runs, _ := store.all()
	if diff := cmp.Diff(want, planned(runs)); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

// wantNoFirings fails if an instant was missed or skipped.
func wantNoFirings(t *testing.T, store *fakeStore) {
	t.Helper()
	if _, firings := store.all(); len(firings) > 0 {
		t.Errorf("firings = %+v, want none that was missed or skipped", firings)
	}
}

func put(t *testing.T, s *Scheduler, job Job) {
	t.Helper()
	if err := s.Put(job); err != nil {
		t.Fatal(err)
	}
}

func TestReworkDoesNotEndRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		var did []string
		work := func(name string) Work {
			return Work{Hash: name, Run: unreported(func(ctx context.Context, _ Start) error {
				sleep(ctx, 20*time.Second)
				did = append(did, name)
				return nil
			})}
		}
		job := everyMinute(t, 0)
		job.Work = work("old")
		begin(t, s, job)
		sleepUntil(at(0, 1, 10)) // the run of 00:01 is half through
		if err := s.SetWork("P", work("new")); err != nil {
			t.Fatal(err)
		}
		sleepUntil(at(0, 2, 30))
		if err := s.SetWork("Q", work("new")); err == nil || !strings.Contains(err.Error(), `"Q"`) {
			t.Errorf("Rework of an unknown schedule: %v, want an error that names it", err)
		}
		end(t, s)
		wantRuns(t, store, "00:01 old", "00:02 new")
		if diff := cmp.Diff([]string{"old", "new"}, did); diff != "" {
			t.Errorf("what ran (-want +got):\n%s", diff)
		}
		wantNoFirings(t, store)
	})
}

func TestPutAddsJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		job := everyMinute(t, 0)
		if err := s.Put(job); err == nil {
			t.Error("Put before Start succeeded, want an error: it would never ring")
		}
		begin(t, s)
		sleepUntil(at(0, 5, 30))
		job.AtStart = true // of the worker, which has started
		put(t, s, job)
		sleepUntil(at(0, 7, 30))
		end(t, s)
		if err := s.Put(job); err == nil {
			t.Error("Put after Stop succeeded, want an error")
		}
		wantRuns(t, store, "00:06", "00:07")
		wantNoFirings(t, store)
	})
}

func TestPutChangesSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		hourly := everyMinute(t, 0)
		hourly.Schedule = mustParse(t, "0 * * * *")
		begin(t, s, hourly)
		sleepUntil(at(3, 10, 30))
		put(t, s, everyMinute(t, 0)) // of the hours before, no minute was missed
		sleepUntil(at(3, 12, 30))
		put(t, s, hourly)
		sleepUntil(at(4, 30, 0))
		end(t, s)
		wantRuns(t, store, "01:00", "02:00", "03:00", "03:11", "03:12", "04:00")
		wantNoFirings(t, store)
	})
}

func TestPutCountsRunInProgress(t *testing.T) {
	for _, scope := range []Scope{ScopeEachWorker, ScopeOnce} {
		t.Run(string(scope), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(0, 0, 30))
				store := newFakeStore()
				s := newTestScheduler(t, store, 1, nil)
				job := everyMinute(t, 150*time.Second)
				job.Overlap, job.Scope = OverlapQueue, scope
				begin(t, s, job)
				sleepUntil(at(0, 2, 30)) // that of 00:01 runs, that of 00:02 waits
				changed := job
				changed.Schedule = mustParse(t, "*/10 * * * *")
				put(t, s, changed)
				sleepUntil(at(0, 3, 20))
				if runs, _ := store.all(); len(runs) != 1 {
					t.Errorf("%d runs before the first has ended, want 1", len(runs))
				}
				sleepUntil(at(0, 15, 0))
				end(t, s)
				wantRuns(t, store, "00:01", "00:02", "00:10")
			})
		})
	}
}

func TestRemove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		job := everyMinute(t, 90*time.Second)
		job.Overlap = OverlapQueue
		begin(t, s, job)
		sleepUntil(at(0, 2, 10)) // that of 00:01 runs, that of 00:02 waits
		s.Remove("P")
		s.Remove("P")
		sleepUntil(at(0, 20, 0))
		if err := s.Trigger(t.Context(), "P"); err == nil {
			t.Error("a removed pipeline could be started")
		}
		put(t, s, everyMinute(t, 0)) // and it comes back
		sleepUntil(at(0, 21, 30))
		end(t, s)
		runs, firings := store.all()
		if diff := cmp.Diff([]string{"00:01", "00:21"}, planned(runs)); diff != "" {
			t.Errorf("runs (-want +got):\n%s", diff)
		}
		if runs[0].Outcome != workqueue.RunSucceeded {
			t.Errorf("the run that was active when its schedule was removed %s, want succeeded", runs[0].Outcome)
		}
		if len(firings) != 1 || firings[0].Outcome != workqueue.Skipped || !strings.Contains(firings[0].Reason, "removed") {
			t.Errorf("firings = %+v, want that of 00:02 skipped because the schedule was removed", firings)
		}
	})
}

// TestManyChanges changes schedules while they fire, over days: no instant is fired
// twice, and no loop is left.
func TestManyChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		begin(t, s, everyMinute(t, 0))
		for i := range 500 {
			time.Sleep(time.Duration(i%97) * time.Second)
			switch i % 5 {
			case 0:
				s.Remove("P")
			default:
				put(t, s, everyMinute(t, time.Duration(i%3)*time.Second))
			}
		}
		end(t, s)
		runs, firings := store.all()
		seen := map[time.Time]bool{}
		for _, r := range runs {
			if seen[*r.PlannedAt] {
				t.Errorf("%s ran twice", r.PlannedAt)
			}
			seen[*r.PlannedAt] = true
		}
		if len(runs) < 100 {
			t.Errorf("%d runs, want hundreds", len(runs))
		}
		for _, f := range firings {
			if f.Outcome == workqueue.Missed {
				t.Errorf("missed: %+v", f)
			}
		}
	})
}
