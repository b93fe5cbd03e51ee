package scheduler

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
)

func TestStopBeforeStart(t *testing.T) {
	s := newTestScheduler(t, newFakeStore(), 1, nil)
	if err := s.Add(everyMinute(t, 0)); err != nil {
		t.Fatal(err)
	}
	end(t, s, s)
	if err := s.Start(t.Context()); !errors.Is(err, ErrStopped) {
		t.Errorf("Start after Stop: %v, want ErrStopped", err)
	}
	if err := s.Trigger(t.Context(), "P"); !errors.Is(err, ErrStopped) {
		t.Errorf("Trigger after Stop: %v, want ErrStopped", err)
	}
	if err := s.Add(Job{Name: "Q", Work: everyMinute(t, 0).Work}); err == nil {
		t.Error("Add after Stop: no error")
	}
}

func TestStopDirectlyAfterSecondStart(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			s := newTestScheduler(t, newFakeStore(), 1, nil)
			begin(t, s, everyMinute(t, 0))
			if err := s.Start(t.Context()); err != nil {
				t.Errorf("second Start: %v", err)
			}
			other := make(chan error)
			go func() { other <- s.Stop(t.Context()) }()
			end(t, s)
			if err := <-other; err != nil {
				t.Errorf("Stop at the same time: %v", err)
			}
		})
	}
}

func TestEndOfStartContextStopsFiring(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		if err := s.Add(everyMinute(t, 45*time.Second)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
		sleepUntil(at(0, 1, 30))
		cancel()
		sleepUntil(at(0, 5, 0))
		end(t, s)
		wantSummary(t, store, "1 cron 00:01:00 at 00:01:00 succeeded")
	})
}

func TestStopWhileRunning(t *testing.T) {
	tests := map[string]struct {
		patience time.Duration
		took     time.Duration
		want     string
	}{
		"drains":  {patience: time.Minute, took: 20 * time.Second, want: "1 cron 00:01:00 at 00:01:00 succeeded"},
		"cancels": {patience: 5 * time.Second, took: 5 * time.Second, want: "1 cron 00:01:00 at 00:01:00 failed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(0, 0, 30))
				store := newFakeStore()
				s := newTestScheduler(t, store, 1, nil)
				begin(t, s, everyMinute(t, 30*time.Second))
				sleepUntil(at(0, 1, 10))
				ctx, cancel := context.WithTimeout(t.Context(), tt.patience)
				defer cancel()
				began := time.Now()
				err := s.Stop(ctx)
				if took := time.Since(began); err != nil || took != tt.took {
					t.Errorf("Stop took %v, error %v; want %v and none", took, err, tt.took)
				}
				wantSummary(t, store, tt.want)
				runs, _ := store.all()
				if text := *runs[0].Error; tt.took == tt.patience && text != workqueue.ErrDraining.Error() {
					t.Errorf("error on record %q, want %q", text, workqueue.ErrDraining)
				}
			})
		})
	}
}

func TestStopDoesNotWaitForStuckRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		s := newTestScheduler(t, newFakeStore(), 1, nil)
		job, release := everyMinute(t, 0), make(chan struct{})
		job.Run = unreported(func(context.Context, Start) error { <-release; return nil })
		begin(t, s, job)
		sleepUntil(at(0, 1, 10))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Stop(ctx); err == nil || !strings.HasSuffix(err.Error(), "still running 5s after cancelling: P") {
			t.Errorf("Stop: %v, want an error that names P", err)
		}
		close(release)
	})
}
