package runner

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"

	"github.com/rs/zerolog"
)

// beatStore is a store for heartbeats only.
type beatStore struct {
	Store
	beats atomic.Int64
}

func (s *beatStore) RegisterWorker(_ context.Context, spec workqueue.WorkerSpec) (workqueue.Worker, error) {
	return workqueue.Worker{ID: 1, Name: spec.Name, InstanceID: spec.InstanceID}, nil
}

func (s *beatStore) Beat(context.Context, workqueue.BeatParams) (workqueue.BeatResult, error) {
	s.beats.Add(1)
	return workqueue.BeatResult{State: workqueue.WorkerActive}, nil
}

func (s *beatStore) CompactStatistics(context.Context, int) (int, error) { return 0, nil }
func (s *beatStore) FoldSeries(context.Context, int) (int, error)        { return 0, nil }
func (s *beatStore) SampleGauges(context.Context) (bool, error)          { return false, nil }
func (s *beatStore) Queues(context.Context) ([]workqueue.Queue, error)   { return nil, nil }

func (s *beatStore) DrainWorker(context.Context, string, string) error { return nil }
func (s *beatStore) StopWorker(context.Context, int64, string) error   { return nil }
func (s *beatStore) ReleaseAssigned(context.Context, int64, string) (int, error) {
	return 0, nil
}

// After the machine slept, the worker does not know whether its leases are valid. It checks
// them at once, without waiting for the next heartbeat.
func TestWorkerChecksLeasesAfterSleep(t *testing.T) {
	for _, c := range []struct {
		name  string
		jump  time.Duration // of the wall clock, not of the monotonic clock
		beats int64         // within two checks of the watchdog
	}{
		{"no sleep", 0, 0},
		{"a second", time.Second, 0},
		{"longer than the watchdog's margin", 7 * time.Second, 1},
		{"a night", 9 * time.Hour, 1},
		{"clock set back", -time.Hour, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &beatStore{}
				r, err := New(Options{
					Store: store, RunItem: func(context.Context, *workqueue.Run) workqueue.Outcome { return workqueue.Outcome{} }, Log: zerolog.Nop(),
					Spec: workqueue.WorkerSpec{Name: "ann", InstanceID: "1", Capacity: 1, Lease: time.Minute}, Heartbeat: 20 * time.Second,
				})
				if err != nil {
					t.Fatal(err)
				}
				var jump atomic.Int64
				r.wall = func() time.Time { return time.Now().Add(time.Duration(jump.Load())) }
				if err := r.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Second)
				jump.Store(int64(c.jump))
				time.Sleep(7 * time.Second)
				if got := store.beats.Load(); got != c.beats {
					t.Errorf("%d heartbeats, want %d", got, c.beats)
				}
				time.Sleep(20 * time.Second)
				if got := store.beats.Load(); got != c.beats+1 {
					t.Errorf("%d heartbeats in the end, want the regular ones to continue", got)
				}
				if err := r.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
