package workqueue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
)

// rubbish is a store with this many objects to remove of each kind; a batch takes a second.
type rubbish struct {
	workqueue.CleanUpStore

	left  map[string]int
	calls []string
	stop  func(call string) error
}

func (r *rubbish) remove(kind string, limit int) (int, error) {
	r.calls = append(r.calls, kind)
	time.Sleep(time.Second)
	if r.stop != nil {
		if err := r.stop(kind); err != nil {
			return 0, err
		}
	}
	n := min(limit, r.left[kind])
	r.left[kind] -= n
	return n, nil
}

func (r *rubbish) RemoveRetained(_ context.Context, limit int) (int, error) {
	return r.remove("retained", limit)
}
func (r *rubbish) RemoveCompleted(_ context.Context, age *time.Duration, limit int) (int, error) {
	return r.remove(fmt.Sprint("completed ", age != nil), limit)
}
func (r *rubbish) RemoveArchived(_ context.Context, age *time.Duration, limit int) (int, error) {
	return r.remove(fmt.Sprint("archived ", age != nil), limit)
}
func (r *rubbish) TrimArchives(_ context.Context, keep *int, limit int) (int, error) {
	return r.remove(fmt.Sprint("trim ", keep != nil), limit)
}
func (r *rubbish) FreeTimedKeys(_ context.Context, limit int) (int, error) {
	return r.remove("keys", limit)
}
func (r *rubbish) CompactStatistics(_ context.Context, limit int) (int, error) {
	return r.remove("figures", limit)
}
func (r *rubbish) RemoveBatches(_ context.Context, _ time.Duration, limit int) (int, error) {
	return r.remove("batches", limit)
}
func (r *rubbish) CleanAccess(_ context.Context, limit int) (int, error) {
	return r.remove("access", limit)
}
func (r *rubbish) RemoveDeleted(_ context.Context, _ time.Duration, limit int) (int, error) {
	return r.remove("deleted", limit)
}
func (r *rubbish) RemoveFirings(_ context.Context, _ time.Duration, limit int) (int, error) {
	return r.remove("firings", limit)
}
func (r *rubbish) RemoveRuns(_ context.Context, _ time.Duration, limit int) (int, error) {
	return r.remove("runs", limit)
}
func (r *rubbish) RemoveWorkers(_ context.Context, _ time.Duration, limit int) (int, error) {
	return r.remove("workers", limit)
}
func (r *rubbish) RemoveDurations(_ context.Context, _ time.Duration, limit int) (int, error) {
	return r.remove("durations", limit)
}
func (r *rubbish) RemoveSteps(_ context.Context, limit int) (int, error) {
	return r.remove("steps", limit)
}
func (r *rubbish) RemoveForecasts(_ context.Context, _ time.Duration, limit int) (int, error) {
	return r.remove("forecasts", limit)
}
func (r *rubbish) RemoveAudit(_ context.Context, _ time.Duration, limit int) (int, error) {
	return r.remove("audit", limit)
}

// everything removes all kinds.
func everything() workqueue.CleanUpParams {
	month := 30 * 24 * time.Hour
	return workqueue.CleanUpParams{
		Completed: &month, Archived: &month, ArchivedItems: new(10_000), Deleted: &month, Firings: &month, Runs: &month, Workers: &month,
		Durations: &month, Forecasts: &month, Audit: &month,
	}
}

func TestCleanUpAlternates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rubbish{left: map[string]int{
			"steps": 10, "retained": 1200, "completed true": 20, "trim true": 500, "deleted": 3, "workers": 1, "figures": 1001, "keys": 2, "firings": 4, "runs": 5, "durations": 6, "forecasts": 9, "audit": 7, "access": 8,
		}}
		began := time.Now()
		got, err := workqueue.CleanUp(t.Context(), r, everything())
		want := workqueue.CleanUpResult{
			Completed: 1220, Archived: 500, Deleted: 3, Keys: 2, Steps: 10, Figures: 1001, Firings: 4, Runs: 5, Workers: 1, Durations: 6, Forecasts: 9, Audit: 7, Access: 8, Complete: true,
		}
		if err != nil || got != want {
			t.Errorf("CleanUp = %+v, %v, want %+v", got, err, want)
		}
		calls := []string{
			"steps", "retained", "completed true", "archived true", "trim true", "keys", "figures", "batches", "access", "deleted", "firings", "runs", "workers", "durations", "forecasts", "audit",
			"retained", "trim true", "figures", "retained", // two more full batches, then one that is not full
		}
		if !slices.Equal(r.calls, append(calls, "retained")) {
			t.Errorf("calls = %q, want %q", r.calls, append(calls, "retained"))
		}
		// 21 batches of a second each, and a rest of three seconds after each of the 17 that removed something.
		if took := time.Since(began); took != 21*time.Second+17*3*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestCleanUpNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rubbish{left: map[string]int{"completed false": 2}}
		got, err := workqueue.CleanUp(t.Context(), r, workqueue.CleanUpParams{})
		if want := (workqueue.CleanUpResult{Completed: 2, Complete: true}); err != nil || got != want {
			t.Errorf("CleanUp = %+v, %v, want %+v", got, err, want)
		}
		// The settings of queues and items still apply.
		if want := []string{"steps", "retained", "completed false", "archived false", "trim false", "keys", "figures", "batches", "access"}; !slices.Equal(r.calls, want) {
			t.Errorf("calls = %q, want %q", r.calls, want)
		}
	})
}

func TestCleanUpStopsAtTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rubbish{left: map[string]int{"retained": 1 << 30, "completed true": 1 << 30}}
		p := everything()
		p.For = time.Minute
		began := time.Now()
		got, err := workqueue.CleanUp(t.Context(), r, p)
		if err != nil || got.Complete || got.Completed == 0 {
			t.Errorf("CleanUp = %+v, %v, want some removed and Complete false", got, err)
		}
		if took := time.Since(began); took < time.Minute || took > time.Minute+2*time.Second {
			t.Errorf("it took %s, want at most a minute and a batch", took)
		}
	})
}

func TestCleanUpStopsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := &rubbish{left: map[string]int{"retained": 5000, "archived true": 5000}}
		r.stop = func(sort string) error {
			if sort == "archived true" {
				cancel()
				return ctx.Err()
			}
			return nil
		}
		got, err := workqueue.CleanUp(ctx, r, everything())
		if want := (workqueue.CleanUpResult{Completed: 500}); !errors.Is(err, context.Canceled) || got != want {
			t.Errorf("CleanUp = %+v, %v, want %+v and context.Canceled", got, err, want)
		}
		r.stop = nil
		got, err = workqueue.CleanUp(t.Context(), r, everything())
		if err != nil || got.Completed != 4500 || got.Archived != 5000 || !got.Complete {
			t.Errorf("the next CleanUp = %+v, %v, want the rest", got, err)
		}
	})
}

func TestCleanUpContinuesAfterError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		r := &rubbish{left: map[string]int{"retained": 700, "runs": 700}}
		r.stop = func(sort string) error {
			if sort == "firings" {
				return broken
			}
			return nil
		}
		got, err := workqueue.CleanUp(t.Context(), r, everything())
		if !errors.Is(err, broken) || got.Completed != 700 || got.Runs != 700 || got.Complete {
			t.Errorf("CleanUp = %+v, %v, want all but the firings, and the error", got, err)
		}
	})
}

func TestCleanUpParamsAreChecked(t *testing.T) {
	short, negative := time.Hour, -time.Second
	p := workqueue.CleanUpParams{Completed: &negative, Workers: &short, Firings: &short, Durations: &negative, ArchivedItems: new(-1), Batch: 501, For: negative}
	_, err := workqueue.CleanUp(t.Context(), &rubbish{}, p)
	if err == nil {
		t.Fatal("CleanUp accepts invalid parameters")
	}
	for _, want := range []string{"completed: got -1s", "durations: got -1s", "workers: got 1h0m0s, want 24h", "firings: got 1h0m0s, want 24h", "archivedItems: got -1", "batch: got 501", "for: got -1s"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %q, want one that contains %q", err, want)
		}
	}
}
