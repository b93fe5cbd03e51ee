package process_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"botwork/handlers"
	"botwork/internal/database"
	"botwork/internal/process"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// The limits of docs/workers.md for a worker with the shipped pipelines: atOnce for items that
// this process has enqueued, within for items that it must find by polling.
const (
	atOnce = 100 * time.Millisecond
	within = time.Second
)

// inBubble runs a test in virtual time with an SQLite database that has the same clock. It starts
// 20 s after a full minute, so that no tick is near.
func inBubble(t *testing.T, test func(x *virtual)) {
	t.Helper()
	dsn := filepath.Join(t.TempDir(), "botwork.db")
	testdb.Prepare(t, database.SQLite, dsn)
	synctest.Test(t, func(t *testing.T) {
		x := &virtual{fixture: &fixture{
			T: t, engine: testdb.Engine{Driver: database.SQLite}, dsn: dsn, now: time.Now,
			files: map[string]string{"work": "steps:\n  - handler: Work\n"}, kinds: map[string]handle{},
		}, startTimes: map[int64]time.Time{}}
		x.store = x.open()
		x.kinds["Work"] = x.work
		time.Sleep(20 * time.Second)
		test(x)
	})
}

// virtual is a fixture whose items take the time in their payload.
type virtual struct {
	*fixture
	startTimes map[int64]time.Time // the latest start of each item; guarded by mu
}

// work takes payload.ms milliseconds, and then ends as payload.end specifies.
func (x *virtual) work(ctx context.Context, call *handlers.Call) (any, error) {
	x.mu.Lock()
	x.startTimes[call.ItemID] = time.Now()
	x.ran = append(x.ran, ran{Item: call.ItemID})
	x.mu.Unlock()
	payload := call.Payload.(map[string]any)
	select {
	case <-time.After(time.Duration(payload["ms"].(int)) * time.Millisecond):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if end, _ := payload["end"].(string); end == "snooze" && call.Attempt == 1 && call.Fence == 1 {
		return nil, handlers.Snooze(5*time.Second, "not yet")
	} else if end == "fail" && call.Fence == 1 {
		return nil, context.Canceled
	}
	return nil, nil
}

// startWorker starts a worker, and waits until the pipelines that run at its start have ended.
func (x *virtual) startWorker(name string, change func(*testProcess)) *process.Process {
	x.Helper()
	b := x.newOptions(name)
	if change != nil {
		change(b)
	}
	p := x.new(b)
	if err := p.Start(x.Context()); err != nil {
		x.Fatal(err)
	}
	synctest.Wait()
	return p
}

// add enqueues an item as another process.
func (x *virtual) add(priority int, payload string, more ...func(*workqueue.NewItem)) int64 {
	x.Helper()
	it := workqueue.NewItem{Priority: priority, Payload: workqueue.JSONText(payload), IntegrationConfig: "work"}
	for _, change := range more {
		change(&it)
	}
	return x.enqueue(it)
}

// startOf returns when the latest run of an item started; zero: it has not run.
func (x *virtual) startOf(id int64) time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.startTimes[id]
}

// wantStarted fails unless a run of the item started within a duration after a time.
func (x *virtual) wantStarted(id int64, from time.Time, at time.Duration) {
	x.Helper()
	switch began := x.startOf(id); {
	case began.IsZero():
		x.Errorf("item %d has not started, want it within %s (%s)", id, at, x.item(id).State)
	case began.Before(from):
		x.Errorf("item %d started %s before its time", id, from.Sub(began))
	case began.Sub(from) > at:
		x.Errorf("item %d started after %s, want it within %s", id, began.Sub(from), at)
	}
}
