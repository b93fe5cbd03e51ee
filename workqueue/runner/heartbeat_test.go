package runner

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/storetest"

	"github.com/rs/zerolog"
)

// deafStore takes no heartbeat.
type deafStore struct{ beatStore }

func (s *deafStore) Beat(ctx context.Context, p workqueue.BeatParams) (workqueue.BeatResult, error) {
	_, _ = s.beatStore.Beat(ctx, p)
	return workqueue.BeatResult{}, errors.New("the database is away")
}

// A watchdog must not fell a worker for its database: what counts is that the
// loop comes round.
func TestBeatenIsToldOfEachTurn(t *testing.T) {
	good, deaf := &beatStore{}, &deafStore{}
	for _, c := range []struct {
		name  string
		store storetest.Store
		beats *atomic.Int64
		least int64 // in a minute and a second
	}{
		{"the database answers", good, &good.beats, 3},
		{"the database is away, beats are tried sooner", deaf, &deaf.beats, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var turns atomic.Int64
				r, err := New(Options{
					Store: c.store, RunItem: func(context.Context, *workqueue.Run) workqueue.Outcome { return workqueue.Outcome{} }, Log: zerolog.Nop(),
					Spec: workqueue.WorkerSpec{Name: "ann", InstanceID: "1", Capacity: 1, Lease: time.Minute}, Heartbeat: 20 * time.Second,
					Beaten: func() { turns.Add(1) },
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := r.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute + time.Second)
				synctest.Wait()
				if got, beats := turns.Load(), c.beats.Load(); got < c.least || got != beats {
					t.Errorf("told of %d turns after %d beats, want as many, and %d or more", got, beats, c.least)
				}
				if err := r.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
