package scheduler

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
)

func TestFailedRuns(t *testing.T) {
	tests := map[string]struct {
		run  func() error
		want string
	}{
		"error":   {func() error { return errors.New("no route") }, "no route"},
		"panic":   {func() error { panic("boom") }, "panic: boom"},
		"runtime": {func() error { _ = []int{}[len(t.Name())*0]; return nil }, "panic: runtime error: index out of range [0] with length 0"},
		"goexit":  {func() error { runtime.Goexit(); return nil }, errNoReturn.Error()},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(0, 0, 30))
				store := newFakeStore()
				s := newTestScheduler(t, store, 1, nil)
				var log bytes.Buffer
				s.log = zerolog.New(zerolog.SyncWriter(&log))
				job := everyMinute(t, 0)
				job.Run = unreported(func(context.Context, Start) error { return tt.run() })
				begin(t, s, job)
				sleepUntil(at(0, 2, 30))
				end(t, s)
				runs, _ := store.all()
				if len(runs) != 2 {
					t.Fatalf("got %d runs, want 2: the schedule continues", len(runs))
				}
				if r := runs[0]; r.Outcome != workqueue.RunFailed || *r.Error != tt.want {
					t.Errorf("run on record: %s %q, want failed %q", r.Outcome, *r.Error, tt.want)
				}
				if panicked := strings.Contains(log.String(), "run_test.go"); panicked != strings.HasPrefix(tt.want, "panic") {
					t.Errorf("stack in the log: %v\n%s", panicked, &log)
				}
			})
		})
	}
}

func TestTrigger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		job := everyMinute(t, time.Minute)
		job.Schedule, job.Scope = nil, ScopeOnce
		if err := s.Add(job); err != nil {
			t.Fatal(err)
		}
		if err := s.Trigger(t.Context(), "p"); err == nil || !strings.Contains(err.Error(), `known: ["P"]`) {
			t.Errorf("unknown name: %v, want the known ones", err)
		}
		first := make(chan error)
		go func() { first <- s.Trigger(t.Context(), "P") }()
		synctest.Wait()
		var busy *BusyError
		if err := s.Trigger(t.Context(), "P"); !errors.As(err, &busy) {
			t.Errorf("while it runs: %v, want *BusyError", err)
		}
		other := newTestScheduler(t, store, 2, nil)
		if err := other.Add(job); err != nil {
			t.Fatal(err)
		}
		if err := other.Trigger(t.Context(), "P"); !errors.As(err, &busy) || !strings.Contains(busy.Reason, "on another worker") {
			t.Errorf("while it runs elsewhere: %v, want *BusyError", err)
		}
		if err := <-first; err != nil {
			t.Errorf("first: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := other.Trigger(ctx, "P"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("impatient: %v, want DeadlineExceeded", err)
		}
		end(t, s, other)
		wantSummary(t, store, "1 request - at 00:00:00 succeeded", "2 request - at 00:01:00 succeeded")
	})
}

func TestTriggerReturnsRunError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, broken := newFakeStore(), errors.New("broken")
		s := newTestScheduler(t, store, 1, nil)
		job := everyMinute(t, 0)
		job.Run = unreported(func(context.Context, Start) error { return broken })
		begin(t, s, job)
		synctest.Wait()
		if err := s.Trigger(t.Context(), "P"); !errors.Is(err, broken) {
			t.Errorf("got %v, want the run's error", err)
		}
		store.setDown(true)
		if err := s.Trigger(t.Context(), "P"); !errors.Is(err, errAway) {
			t.Errorf("without a database: %v, want its error", err)
		}
		store.setDown(false)
		end(t, s)
	})
}

func TestRequestCountsAsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 50))
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		begin(t, s, everyMinute(t, 20*time.Second))
		synctest.Wait()
		if err := s.Trigger(t.Context(), "P"); err != nil {
			t.Error(err)
		}
		end(t, s)
		wantSummary(t, store,
			"1 request - at 00:00:50 succeeded",
			`"a" 00:01:00 skipped: previous run, started at 2000-01-01T00:00:50Z, is still going on`)
	})
}

func TestAddRejectsInvalidJobs(t *testing.T) {
	good := everyMinute(t, 0)
	tests := map[string]struct {
		spoil func(*Job)
		want  string
	}{
		"name":     {func(j *Job) { j.Name = "" }, "name is empty"},
		"run":      {func(j *Job) { j.Run = nil }, "run is nil"},
		"overlap":  {func(j *Job) { j.Overlap = "wait" }, `overlap is "wait", want skip or queue`},
		"scope":    {func(j *Job) { j.Scope = "all" }, `scope is "all", want each-worker or once`},
		"catchUp":  {func(j *Job) { j.CatchUp = -1 }, "catchUp is -1ns, want 0 or more"},
		"trigger":  {func(j *Job) { j.TriggerName = "" }, `trigger is "", want cron or every for a schedule`},
		"the same": {func(*Job) {}, "added twice"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newTestScheduler(t, newFakeStore(), 1, nil)
			if err := s.Add(good); err != nil {
				t.Fatal(err)
			}
			job := good
			tt.spoil(&job)
			if err := s.Add(job); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Add: %v, want %q", err, tt.want)
			}
		})
	}
}

// TestAlarmAlwaysAdvances calls Next as gocron does when it already has a time.
func TestAlarmAlwaysAdvances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := alarm{func() time.Duration { return time.Second }}
		known := []time.Time{time.Now().Add(time.Second), time.Now().Add(time.Second + 1)}
		next := a.Next(time.Now())
		for range known {
			next = a.Next(next)
		}
		for _, k := range known {
			if !next.After(k) {
				t.Errorf("got %v, want later than %v", next, k)
			}
		}
		if got := a.Next(time.Now().Add(time.Hour)); !got.Equal(known[0]) {
			t.Errorf("after the clock was set back: %v, want %v", got, known[0])
		}
	})
}
