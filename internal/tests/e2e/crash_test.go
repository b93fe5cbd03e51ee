//go:build unix

package e2e

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// wantRescued fails unless the item succeeded after one worker died while it ran the item.
func (x *project) wantRescued(id int64) {
	x.Helper()
	it := x.awaitState(id, workqueue.Processed)
	if it.ReleaseCount != 1 || it.RetryCount != 0 || it.Fence != 2 {
		x.Errorf("ReleaseCount %d, RetryCount %d, Fence %d; want 1, 0 and 2: run twice, never failed", it.ReleaseCount, it.RetryCount, it.Fence)
	}
	if diff := cmp.Diff([]string{"rescued"}, x.outcomes(id)); diff != "" {
		x.Errorf("attempts (-want +got):\n%s", diff)
	}
}

func TestItemOfKilledWorkerRunsOnAnother(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		id, letGo := x.enqueueHold()
		lease := []string{"LEASE=4s", "HEARTBEAT=1s"}
		first := x.worker("first", lease...)
		first.await("begun, attempt 1", 1)
		first.kill()
		left := x.item(id)
		if left.State != workqueue.Blocked || left.LeaseExpiresAt == nil {
			t.Fatalf("after the crash the item is %s with a lease until %v, want Blocked with a lease", left.State, left.LeaseExpiresAt)
		}

		second := x.worker("second", lease...)
		second.await("begun, attempt 1", 1) // the first attempt has not failed
		letGo("")
		x.wantRescued(id)
		attempts, err := x.store.Attempts(t.Context(), id)
		if err != nil || attempts[0].FinishedAt.Before(*left.LeaseExpiresAt) {
			t.Errorf("attempts = %+v, %v; want no rescue before %s, when its lease ended", attempts, err, left.LeaseExpiresAt)
		}
		second.wantDrained(os.Interrupt)
	})
}

func TestRestartedWorkerTakesOverImmediately(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		id, letGo := x.enqueueHold()
		// The lease is longer than any wait of this test.
		lease := []string{"LEASE=10m", "HEARTBEAT=1m"}
		killed := x.worker("w", lease...)
		killed.await("begun, attempt 1", 1)
		killed.kill()

		again := x.worker("w", lease...)
		again.await("taking over", 1)
		again.await("begun, attempt 1", 1)
		letGo("")
		x.wantRescued(id)
		again.wantDrained(os.Interrupt)
	})
}

func TestSecondWorkerWithSameNameIsRefused(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		first := x.worker("w")
		first.await("worker started", 1)
		host, err := os.Hostname()
		if err != nil {
			t.Fatal(err)
		}
		x.run("run", "--worker", "w").want(1, `"w" is taken`, host, fmt.Sprintf("process %d ", first.cmd.Process.Pid), "--worker")
		first.wantDrained(os.Interrupt)
	})
}

func TestRunOnceBesideWorkerWithSameName(t *testing.T) {
	t.Parallel()
	x := newProject(t, testdb.Engine{Driver: database.SQLite})
	first := x.worker("w")
	first.await("worker started", 1)
	x.must("run", "--once", "--worker", "w")
	first.wantDrained(os.Interrupt)
	if strings.Contains(first.String(), "taken this worker's name") {
		t.Error("the worker no longer has its name")
	}
}

// A worker that was suspended for longer than its lease resumes in the middle
// of an item that another worker has finished in the meantime. Its pending writes
// must not make other workers wait.
func TestWorkerSuspendedPastItsLease(t *testing.T) {
	eachServer(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		id, letGo := x.enqueueHold()
		lease := []string{"LEASE=4s", "HEARTBEAT=1s"}
		first := x.worker("first", lease...)
		first.await("begun, attempt 1", 1)
		first.signal(syscall.SIGSTOP)
		second := x.worker("second", lease...)
		second.await("begun, attempt 1", 1)
		letGo("")
		x.wantRescued(id)
		second.wantDrained(os.Interrupt)

		first.signal(syscall.SIGCONT)
		next, letGo := x.enqueueHold()
		letGo("")
		x.awaitState(next, workqueue.Processed)
		first.wantDrained(os.Interrupt)
		x.wantRescued(id)
		if got := x.outcomes(next); len(got) != 0 {
			t.Errorf("the next item's attempts are %v, want none", got)
		}
	})
}
