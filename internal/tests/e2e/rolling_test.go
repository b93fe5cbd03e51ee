//go:build unix

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// book is a pipeline whose item writes a line with its fence into a file when it begins
// and when it ends, and takes some time in between.
const book = `
steps:
  - handler: Exec
    with:
      program: sh
      args: [-c, 'echo "begin $1" >> "$2"; sleep "$3"; echo "end $1" >> "$2"', book,
        "${{ item.id }} ${{ item.fence }}", "${{ payload.file }}", "${{ payload.seconds }}"]
`

// rolling is a cluster of three workers that are restarted one after the other
// while items are enqueued.
type rolling struct {
	*project
	file    string
	seconds string   // duration of an item
	worker  []string // settings

	mu  sync.Mutex
	ids []int64
}

// feed adds items until ctx ends, more than the remaining workers can run
// at the same time.
func (r *rolling) feed(ctx context.Context) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		items := make([]workqueue.NewItem, 3)
		for i := range items {
			items[i] = workqueue.NewItem{
				IntegrationConfig: "book", Priority: 500, Estimate: 300 * time.Millisecond,
				Payload: workqueue.JSONText(fmt.Sprintf(`{"file": %q, "seconds": %q}`, r.file, r.seconds)),
			}
		}
		enqueued, err := r.store.Enqueue(r.Context(), items)
		if err != nil {
			r.Error(err)
			return
		}
		r.mu.Lock()
		r.ids = append(r.ids, workqueue.IDs(enqueued)...)
		r.mu.Unlock()
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// roll restarts each of three workers twice while items are enqueued, waits until
// all of them are Processed, and returns the lines of each item.
func (r *rolling) roll() map[int64]map[string]int {
	r.Helper()
	names := []string{"one", "two", "three"}
	workers := map[string]*program{}
	for _, name := range names {
		workers[name] = r.project.worker(name, r.worker...)
	}
	for _, w := range workers {
		w.await("worker started", 1)
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	var feeding sync.WaitGroup
	feeding.Go(func() { r.feed(ctx) })
	for range 2 {
		for _, name := range names {
			// The worker must have a running item.
			r.awaitRunning(name)
			workers[name].wantDrained(syscall.SIGTERM)
			workers[name] = r.project.worker(name, r.worker...)
			workers[name].await("worker started", 1)
		}
	}
	cancel()
	feeding.Wait()
	for _, id := range r.ids {
		r.awaitState(id, workqueue.Processed)
	}
	for _, name := range names {
		workers[name].wantDrained(syscall.SIGTERM)
	}
	return r.read()
}

// awaitRunning waits until the worker runs an item.
func (r *rolling) awaitRunning(name string) {
	r.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for late := time.After(patience); ; {
		items, err := r.store.Items(r.Context(), workqueue.ItemFilter{States: []workqueue.State{workqueue.Blocked}, Worker: name, Limit: 1})
		if err != nil {
			r.Fatal(err)
		}
		if len(items) > 0 {
			return
		}
		select {
		case <-ticker.C:
		case <-late:
			r.Fatalf("worker %s ran no item within %v", name, patience)
		}
	}
}

// read counts the lines of the file by item: "begin 1" is the begin of fence 1.
func (r *rolling) read() map[int64]map[string]int {
	r.Helper()
	text, err := os.ReadFile(r.file)
	if err != nil {
		r.Fatal(err)
	}
	lines := map[int64]map[string]int{}
	for line := range bytes.Lines(text) {
		var what string
		var id, fence int64
		if _, err := fmt.Sscanf(string(line), "%s %d %d\n", &what, &id, &fence); err != nil {
			r.Fatalf("%v in %q", err, line)
		}
		if lines[id] == nil {
			lines[id] = map[string]int{}
		}
		lines[id][fmt.Sprintf("%s %d", what, fence)]++
	}
	return lines
}

func newRolling(t *testing.T, e testdb.Engine, seconds, grace string) *rolling {
	x := newProject(t, e)
	x.write("pipelines/book.yaml", book)
	return &rolling{
		project: x, file: filepath.Join(x.dir, "book.txt"), seconds: seconds,
		worker: []string{"CAPACITY=3", "LEASE=20s", "HEARTBEAT=1s", "SHUTDOWNGRACE=" + grace},
	}
}

// wantUncounted fails unless the item succeeded and no restart was counted as
// a failure or release.
func (r *rolling) wantUncounted(it workqueue.Item) {
	r.Helper()
	if it.State != workqueue.Processed || it.RetryCount != 0 || it.ReleaseCount != 0 {
		r.Errorf("item %d is %s with RetryCount %d and ReleaseCount %d, want Processed, 0 and 0", it.ID, it.State, it.RetryCount, it.ReleaseCount)
	}
}

func TestRollingRestartLosesNoItem(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		r := newRolling(t, e, "0.2", "20s")
		lines := r.roll()
		for _, id := range r.ids {
			it := r.item(id)
			r.wantUncounted(it)
			got := lines[id]
			if len(got) != 2 || got[fmt.Sprintf("begin %d", it.Fence)] != 1 || got[fmt.Sprintf("end %d", it.Fence)] != 1 {
				t.Errorf("item %d, fence %d: its lines are %v, want one begin and one end", id, it.Fence, got)
			}
			if got := r.outcomes(id); len(got) != 0 {
				t.Errorf("item %d has attempts %v, want none: every run could finish", id, got)
			}
		}
		if len(lines) != len(r.ids) {
			t.Errorf("%d items ran, want %d", len(lines), len(r.ids))
		}
		t.Logf("%d items", len(r.ids))
	})
}

// The items take longer than the grace period: running items are cancelled when their
// worker stops, and start again on another one.
func TestRollingRestartWithShortGrace(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		r := newRolling(t, e, "0.6", "50ms")
		lines := r.roll()
		cancelled := 0
		for _, id := range r.ids {
			it := r.item(id)
			r.wantUncounted(it)
			attempts, err := r.store.Attempts(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			released := map[int64]bool{}
			for _, a := range attempts {
				released[a.Fence] = a.Outcome == "released"
			}
			got := lines[id]
			for fence := range it.Fence + 1 {
				starts, ended := got[fmt.Sprintf("begin %d", fence)], got[fmt.Sprintf("end %d", fence)]
				switch {
				case fence == it.Fence:
					if starts != 1 || ended != 1 || len(attempts) > 0 && released[fence] {
						t.Errorf("item %d, fence %d, its last: %d begins, %d ends, released: %v; want 1, 1, false", id, fence, starts, ended, released[fence])
					}
				case starts > 1 || ended > starts || starts == 1 && !released[fence]:
					t.Errorf("item %d, fence %d of %d: %d begins, %d ends, released: %v; want it cancelled and released if it began", id, fence, it.Fence, starts, ended, released[fence])
				case released[fence]:
					cancelled++
				}
			}
		}
		if cancelled == 0 {
			t.Error("no item was cancelled: the grace was not short")
		}
		t.Logf("%d items, %d runs cancelled", len(r.ids), cancelled)
	})
}
