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

// The bounds of docs/workers.md, for a worker with the shipped pipelines: atOnce is
// that of work that this process has enqueued, within that of work that it has to look for.
const (
	atOnce = 100 * time.Millisecond
	within = time.Second
)

// inBubble runs a test in virtual time, over an SQLite database whose clock is that
// time. It begins 20 s after a full minute, so that no tick is near.
func inBubble(t *testing.T, test func(x *virtual)) {
	t.Helper()
	dsn := filepath.Join(t.TempDir(), "botwork.db")
	testdb.Prepare(t, database.SQLite, dsn)
	synctest.Test(t, func(t *testing.T) {
		x := &virtual{fixture: &fixture{
			T: t, engine: testdb.Engine{Driver: database.SQLite}, dsn: dsn, now: time.Now,
			files: map[string]string{"work": "steps:\n  - handler: Work\n"}, kinds: map[string]handle{},
		}, began: map[int64]time.Time{}}
		x.store = x.open()
		x.kinds["Work"] = x.work
		time.Sleep(20 * time.Second)
		test(x)
	})
}

// virtual is a fixture whose items take the time that their payload says.
type virtual struct {
	*fixture
	began map[int64]time.Time // the latest begin of each; guarded by mu
}

// work takes payload.ms milliseconds, and does then what payload.end says.
func (x *virtual) work(ctx context.Context, call *handlers.Call) (any, error) {
	x.mu.Lock()
	x.began[call.ItemID] = time.Now()
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

// started starts a worker, and waits until its pipelines of the start have ended.
func (x *virtual) started(name string, change func(*bot)) *process.Process {
	x.Helper()
	b := x.bot(name)
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

// add enqueues an item of a priority by another process.
func (x *virtual) add(priority int, payload string, more ...func(*workqueue.NewItem)) int64 {
	x.Helper()
	it := workqueue.NewItem{Priority: priority, Payload: workqueue.JSONText(payload), IntegrationConfig: "work"}
	for _, change := range more {
		change(&it)
	}
	return x.enqueue(it)
}

// begin is when the latest run of an item began; zero: none has.
func (x *virtual) begin(id int64) time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.began[id]
}

// wantBegun fails unless a run of the item began in a span of time.
func (x *virtual) wantBegun(id int64, from time.Time, at time.Duration) {
	x.Helper()
	switch began := x.begin(id); {
	case began.IsZero():
		x.Errorf("item %d has not begun, want it within %s (%s)", id, at, x.item(id).State)
	case began.Before(from):
		x.Errorf("item %d began %s before its time", id, from.Sub(began))
	case began.Sub(from) > at:
		x.Errorf("item %d began after %s, want it within %s", id, began.Sub(from), at)
	}
}
