package runner_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// untilEnded is a run that lasts until its context ends, and reports that like a pipeline.
func untilEnded(ended *time.Time) workqueue.RunItem {
	return func(ctx context.Context, _ *workqueue.Run) workqueue.Outcome {
		<-ctx.Done()
		*ended = time.Now()
		cause := context.Cause(ctx)
		if _, expired := errors.AsType[*workqueue.FinishByError](cause); expired {
			return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindExpired, Step: "load", Error: cause.Error()}
		}
		return workqueue.Outcome{Verdict: workqueue.Released, Error: cause.Error()}
	}
}

func wantExpired(t *testing.T, store *sqlstore.Store, id int64, failed int) {
	t.Helper()
	it := wantItem(t, store, id, workqueue.Cancelled, failed)
	if it.Status() != workqueue.StatusExpired || it.Error == nil {
		t.Errorf("the item is %s with the error %v, want it Expired", it.Status(), it.Error)
	}
}

// bubbleAt is bubble with a database whose clock is off, and its DSN.
func bubbleAt(t *testing.T, off time.Duration, test func(t *testing.T, store *sqlstore.Store, dsn string)) {
	t.Helper()
	dsn := filepath.Join(t.TempDir(), "botwork.db")
	testdb.Prepare(t, database.SQLite, dsn)
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: testdb.Unsynced(database.SQLite, dsn), Now: func() time.Time { return time.Now().Add(off) }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
		test(t, store, dsn)
	})
}

// The run ends at the time by the database's clock, even if it shows another time than the
// worker's, and the item is not tried again.
func TestRunEndsAtFinishBy(t *testing.T) {
	t.Parallel() // it is one of the longest
	const within = 20 * time.Minute
	for _, off := range []time.Duration{0, 48 * time.Hour, -48 * time.Hour} {
		bubbleAt(t, off, func(t *testing.T, store *sqlstore.Store, _ string) {
			var ended time.Time
			r := start(t, options(store, "ann", untilEnded(&ended)))
			id := enqueue(t, store, 1, workqueue.NewItem{Attempts: 5, FinishIn: within})[0]
			began := time.Now()
			time.Sleep(5 * time.Minute) // it waits, which counts
			assignTo(t, r, assign.AssignParams{})
			if got := execute(t, r, runner.ExecuteParams{}); got != (runner.ExecuteResult{Failed: 1}) {
				t.Errorf("off by %s: Execute = %+v, want one failure", off, got)
			}
			if took := ended.Sub(began); took > within || took < within-time.Second {
				t.Errorf("off by %s: the run ended after %s, want %s", off, took, within)
			}
			wantExpired(t, store, id, 1)
			time.Sleep(within)
			if got := assignTo(t, r, assign.AssignParams{}); got.Assigned != 0 {
				t.Errorf("off by %s: the item was assigned again", off)
			}
			notes, err := store.Attempts(t.Context(), id)
			if err != nil || len(notes) != 1 || notes[0].Outcome != "timeout" || *notes[0].ErrorKind != workqueue.KindExpired {
				t.Errorf("off by %s: attempts %+v, %v, want one timeout of the kind expired", off, notes, err)
			}
		})
	}
}

// After a restart the item is run again, and ends at the same time.
func TestFinishByHoldsAfterARestart(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ended time.Time
		first := start(t, options(store, "ann", untilEnded(&ended)))
		id := enqueue(t, store, 1, workqueue.NewItem{FinishIn: time.Hour})[0]
		began := time.Now()
		assignTo(t, first, assign.AssignParams{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = first.Execute(context.Background(), runner.ExecuteParams{})
		}()
		time.Sleep(20 * time.Minute)
		if err := first.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
		<-done
		wantItem(t, store, id, workqueue.Ready, 0)
		second := start(t, options(store, "bob", untilEnded(&ended)))
		assignTo(t, second, assign.AssignParams{})
		execute(t, second, runner.ExecuteParams{})
		if took := ended.Sub(began); took > time.Hour || took < time.Hour-time.Second {
			t.Errorf("the second run ended after %s, want 1h", took)
		}
		wantExpired(t, store, id, 1)
	})
}

// No retry begins after the time: the failure is the last one.
func TestFinishByEndsRetries(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		r := start(t, options(store, "ann", func(context.Context, *workqueue.Run) workqueue.Outcome {
			time.Sleep(5 * time.Minute)
			return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindError, Error: "no such host"}
		}))
		id := enqueue(t, store, 1, workqueue.NewItem{ResilienceConfig: `{"limit": 9, "delay": "20m", "factor": 1, "jitter": 0}`, FinishIn: time.Hour})[0]
		for failed := 1; ; failed++ {
			assignTo(t, r, assign.AssignParams{})
			execute(t, r, runner.ExecuteParams{})
			// Attempts at 0m, 25m, 50m; the next would begin at 75m.
			if failed < 3 {
				wantItem(t, store, id, workqueue.Ready, failed)
				time.Sleep(20 * time.Minute)
				continue
			}
			it := wantItem(t, store, id, workqueue.Cancelled, failed)
			if it.Status() != workqueue.StatusFailed || !strings.Contains(*it.Error, "no such host") || !strings.Contains(*it.Error, "the time by which the item must finish") {
				t.Errorf("the item is %s with the error %q, want it Failed with both reasons", it.Status(), *it.Error)
			}
			return
		}
	})
}

// A handler that ignores its end keeps its slot, but not its item.
func TestRunIgnoresFinishBy(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		causes := make(chan error, 1)
		o := options(store, "ann", ignoreCancel(5*time.Minute, causes))
		o.Spec.Capacity = 2
		r := start(t, o)
		id := enqueue(t, store, 1, workqueue.NewItem{FinishIn: time.Minute})[0]
		assignTo(t, r, assign.AssignParams{})
		execute(t, r, runner.ExecuteParams{})
		wantExpired(t, store, id, 1)
		if cause := <-causes; !errors.As(cause, new(*workqueue.FinishByError)) {
			t.Errorf("the run's cause is %v, want a *FinishByError", cause)
		}
		synctest.Wait()
		wantExpired(t, store, id, 1) // the late success changed nothing
	})
}

// A row that was written by hand may have no deadline: its run is ended at once.
func TestFinishByOfARowWrittenByHand(t *testing.T) {
	bubbleAt(t, 0, func(t *testing.T, store *sqlstore.Store, dsn string) {
		var ended time.Time
		r := start(t, options(store, "ann", untilEnded(&ended)))
		id := enqueue(t, store, 1, workqueue.NewItem{FinishIn: time.Hour})[0]
		if _, err := testdb.Engines[0].SQL(t, dsn).ExecContext(t.Context(), `UPDATE BotWorkQueueItems SET DeadlineAt = NULL`); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		began := time.Now()
		assignTo(t, r, assign.AssignParams{})
		execute(t, r, runner.ExecuteParams{})
		if took := ended.Sub(began); took > time.Second {
			t.Errorf("the run ended after %s, want at once", took)
		}
		wantExpired(t, store, id, 1)
	})
}
