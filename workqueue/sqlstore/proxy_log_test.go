package sqlstore_test

import (
	"sync"
	"time"

	"botwork/workqueue"
)

// runLog is what the runs of workers with faulty connections record outside of the database.
// Its times are of one monotonic clock.
type runLog struct {
	mu   sync.Mutex
	runs []*loggedRun
}

type loggedRun struct {
	item, fence  int64
	began, ended time.Time
	succeeded    bool
}

func (l *runLog) begin(item, fence int64) *loggedRun {
	l.mu.Lock()
	defer l.mu.Unlock()
	run := &loggedRun{item: item, fence: fence, began: time.Now()}
	l.runs = append(l.runs, run)
	return run
}

func (l *runLog) end(run *loggedRun, succeeded bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	run.ended, run.succeeded = time.Now(), succeeded
}

// check compares the log with the database when all items are Processed.
func (l *runLog) check(x *behindProxy, ids []int64) {
	x.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	runs := map[int64][]*loggedRun{}
	for _, run := range l.runs {
		runs[run.item] = append(runs[run.item], run)
	}
	rescued, unrun := 0, 0
	for _, id := range ids {
		it := x.item(id)
		attempts, err := x.way.Attempts(x.Context(), id)
		if err != nil {
			x.Fatal(err)
		}
		outcomes := map[int64]string{}
		for _, a := range attempts {
			if outcomes[a.Fence] != "" {
				x.Errorf("item %d, fence %d: two attempts", id, a.Fence)
			}
			if outcomes[a.Fence] = a.Outcome; a.Outcome == "rescued" {
				rescued++
				it.ReleaseCount--
			}
		}
		if n := x.became(id, workqueue.Processed); n != 1 || it.State != workqueue.Processed {
			x.Errorf("item %d is %s and became Processed %d times, want once", id, it.State, n)
		}
		if it.RetryCount != 0 || it.ReleaseCount != 0 {
			x.Errorf("item %d: RetryCount %d, want 0; ReleaseCount and rescued attempts differ by %d", id, it.RetryCount, it.ReleaseCount)
		}
		unrun += int(it.Fence) - len(runs[id])
		x.checkRuns(it, runs[id], outcomes)
		delete(runs, id)
	}
	for id := range runs {
		x.Errorf("item %d ran but was not enqueued", id)
	}
	x.Logf("%d items, %d runs, %d claims without a run, %d leases lost", len(ids), len(l.runs), unrun, rescued)
}

// checkRuns compares the runs of one item with its row and with each other.
func (x *behindProxy) checkRuns(it workqueue.Item, runs []*loggedRun, outcomes map[int64]string) {
	x.Helper()
	last := false
	for i, run := range runs {
		switch {
		case run.ended.IsZero():
			x.Errorf("item %d, fence %d: still runs", it.ID, run.fence)
		case run.fence == it.Fence:
			last = run.succeeded && outcomes[run.fence] == ""
		case outcomes[run.fence] == "":
			x.Errorf("item %d, fence %d: ran, is not the last of %d, but no attempt records that it lost its lease", it.ID, run.fence, it.Fence)
		}
		for _, other := range runs[:i] {
			if run.fence == other.fence {
				x.Errorf("item %d, fence %d: ran twice", it.ID, run.fence)
			}
			if run.succeeded && other.succeeded && run.began.Before(other.ended) && other.began.Before(run.ended) {
				x.Errorf("item %d: the runs of fence %d and %d overlapped, and both succeeded", it.ID, other.fence, run.fence)
			}
		}
	}
	if !last {
		x.Errorf("item %d: Processed with fence %d, of which no run succeeded", it.ID, it.Fence)
	}
}
