package runner

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"

	"github.com/rs/zerolog"
)

// brokenStore is a store whose heartbeats fail.
type brokenStore struct{ beatStore }

func (s *brokenStore) Beat(ctx context.Context, p workqueue.BeatParams) (workqueue.BeatResult, error) {
	_, _ = s.beatStore.Beat(ctx, p)
	return workqueue.BeatResult{}, errors.New("the database is down")
}

// A watchdog must not stop a worker because of its database: it checks only that the
// heartbeat loop runs.
func TestAfterHeartbeatIsCalledEachRound(t *testing.T) {
	good, broken := &beatStore{}, &brokenStore{}
	for _, c := range []struct {
		name  string
		store Store
		beats *atomic.Int64
		least int64 // in a minute and a second
	}{
		{"the database answers", good, &good.beats, 3},
		{"the database is down, heartbeats are retried sooner", broken, &broken.beats, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var rounds atomic.Int64
				r, err := New(Options{
					Store: c.store, RunItem: func(context.Context, *workqueue.Run) workqueue.Outcome { return workqueue.Outcome{} }, Log: zerolog.Nop(),
					Spec: workqueue.WorkerSpec{Name: "ann", InstanceID: "1", Capacity: 1, Lease: time.Minute}, Heartbeat: 20 * time.Second,
					AfterHeartbeat: func() { rounds.Add(1) },
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := r.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute + time.Second)
				synctest.Wait()
				if got, beats := rounds.Load(), c.beats.Load(); got < c.least || got != beats {
					t.Errorf("AfterHeartbeat was called %d times after %d heartbeats, want as many calls, and at least %d", got, beats, c.least)
				}
				if err := r.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// slowStore is a store whose heartbeats take some seconds.
type slowStore struct{ beatStore }

func (s *slowStore) Beat(ctx context.Context, p workqueue.BeatParams) (workqueue.BeatResult, error) {
	time.Sleep(5 * time.Second)
	return s.beatStore.Beat(ctx, p)
}

// The database may have renewed a lease at any moment while it worked on the heartbeat, so the
// worker counts it from the beginning.
func TestLeasesCountFromTheBeginningOfAHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := New(Options{
			Store: &slowStore{}, RunItem: func(context.Context, *workqueue.Run) workqueue.Outcome { return workqueue.Outcome{} }, Log: zerolog.Nop(),
			Spec: workqueue.WorkerSpec{Name: "ann", InstanceID: "1", Capacity: 1, Lease: time.Minute}, Heartbeat: 20 * time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		run, cancel := r.held.add(t.Context(), &workqueue.Item{ID: 1, Fence: 1}, began.Add(10*time.Second))
		defer cancel(nil)
		if _, err := r.beat(t.Context()); err != nil {
			t.Fatal(err)
		}
		if until := r.held.items[1].until; !until.Equal(began.Add(time.Minute)) || run.Err() != nil {
			t.Errorf("the lease ends %s after the heartbeat began, want 1m", until.Sub(began))
		}
		r.held.remove(workqueue.ItemRef{ItemID: 1, Fence: 1})
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
