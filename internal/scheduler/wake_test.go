package scheduler

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
)

// stayingJob returns a job whose runs for new work stay until they are asked to leave.
func stayingJob(t *testing.T) (Job, chan struct{}) {
	leave := make(chan struct{}, 100)
	job := everyMinute(t, 0)
	job.Run = unreported(func(ctx context.Context, start Start) error {
		if start.Trigger != TriggerWake {
			return nil
		}
		select {
		case <-leave:
		case <-ctx.Done():
		}
		return nil
	})
	job.Leave = func() { leave <- struct{}{} }
	return job, leave
}

// triggers are those of the recorded runs, with the seconds at which they started.
func wantTriggers(t *testing.T, store *fakeStore, want ...string) {
	t.Helper()
	runs, _ := store.all()
	var got []string
	for _, r := range runs {
		got = append(got, r.Trigger+" "+r.StartedAt.Format("04:05"))
	}
	if len(got) != len(want) {
		t.Fatalf("runs %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("run %d is %q, want %q", i+1, got[i], want[i])
		}
	}
}

func TestManyWakesStartOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 10))
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		job := everyMinute(t, 300*time.Millisecond)
		s.WakeUp("P") // before Start and without a job: nothing
		begin(t, s, job)
		for range 100 {
			s.WakeUp("P")
		}
		s.WakeUp("Q")
		time.Sleep(100 * time.Millisecond)
		for range 100 { // during the run: one more, a second after the first one's begin
			s.WakeUp("P")
		}
		sleepUntil(at(0, 0, 30))
		end(t, s)
		wantTriggers(t, store, "wake 00:10", "wake 00:11")
		wantNoFirings(t, store)
	})
}

func TestWaitingRunEndsAtTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 10))
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		job, _ := stayingJob(t)
		begin(t, s, job)
		s.WakeUp("P")
		sleepUntil(at(0, 1, 30))
		s.WakeUp("P")
		sleepUntil(at(0, 2, 30))
		end(t, s)
		wantTriggers(t, store, "wake 00:10", "cron 01:00", "wake 01:30", "cron 02:00")
		wantNoFirings(t, store)
	})
}

// A run that was woken in the second before a tick, and ended for it, does not delay work after
// the tick.
func TestEndingRunBlocksNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 59).Add(900 * time.Millisecond))
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		job, _ := stayingJob(t)
		begin(t, s, job)
		s.WakeUp("P")
		sleepUntil(at(0, 1, 0).Add(300 * time.Millisecond))
		s.WakeUp("P")
		sleepUntil(at(0, 2, 30))
		end(t, s)
		wantTriggers(t, store, "wake 00:59", "cron 01:00", "wake 01:00", "cron 02:00")
		wantNoFirings(t, store)
		runs, _ := store.all()
		if late := runs[2].StartedAt.Sub(at(0, 1, 0).Add(300 * time.Millisecond)); late > 10*time.Millisecond {
			t.Errorf("the last run began %v after it was woken", late)
		}
	})
}

// A run with work does not end on request; then the job's overlap applies.
func TestRunThatDoesNotLeaveCountsAsActive(t *testing.T) {
	for overlap, runs := range map[Overlap][]string{
		OverlapSkip:  {"wake 00:50", "cron 02:00"},
		OverlapQueue: {"wake 00:50", "cron 01:20", "cron 02:00"},
	} {
		synctest.Test(t, func(t *testing.T) {
			sleepUntil(at(0, 0, 50))
			store := newFakeStore()
			s := newTestScheduler(t, store, 1, nil)
			job := everyMinute(t, 0)
			job.Overlap = overlap
			job.Run = unreported(func(ctx context.Context, start Start) error {
				if start.Trigger == TriggerWake {
					sleep(ctx, 30*time.Second)
				}
				return nil
			})
			asked := 0
			job.Leave = func() { asked++ }
			begin(t, s, job)
			s.WakeUp("P")
			sleepUntil(at(0, 2, 10))
			end(t, s)
			wantTriggers(t, store, runs...)
			if asked == 0 {
				t.Error("the run was not asked to leave")
			}
			_, firings := store.all()
			if skipped := len(firings) == 1 && firings[0].Outcome == workqueue.Skipped; skipped != (overlap == OverlapSkip) {
				t.Errorf("%s: firings = %+v", overlap, firings)
			}
		})
	}
}

func TestWokenRunsThatFailBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 1))
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		job := everyMinute(t, 0)
		job.Schedule = nil
		job.Run = unreported(func(context.Context, Start) error { return errors.New("broken") })
		begin(t, s, job)
		for time.Now().Before(at(0, 2, 1)) {
			s.WakeUp("P")
			time.Sleep(10 * time.Millisecond)
		}
		end(t, s)
		runs, _ := store.all()
		if len(runs) < 5 || len(runs) > 10 { // 1, 2, 4, 8, 16, 30, 30 s, each a little shorter
			t.Errorf("%d runs in two minutes, want 5 to 10", len(runs))
		}
	})
}

func TestWakeIsKeptWhileDatabaseIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 10))
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		begin(t, s, everyMinute(t, 0))
		synctest.Wait()
		store.setDown(true)
		s.WakeUp("P")
		sleepUntil(at(0, 0, 20))
		store.setDown(false)
		sleepUntil(at(0, 0, 50))
		end(t, s)
		runs, _ := store.all()
		if len(runs) != 1 || runs[0].Trigger != TriggerWake {
			t.Errorf("runs = %+v, want one for the new work", runs)
		}
	})
}
