//go:build unix

package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// wantReleased fails unless the item is ready again and no failure or release was counted.
func (x *project) wantReleased(id int64) {
	x.Helper()
	it := x.item(id)
	if it.State != workqueue.Ready || it.RetryCount != 0 || it.ReleaseCount != 0 {
		x.Errorf("state %s, RetryCount %d, ReleaseCount %d; want Ready, 0, 0: released and not counted", it.State, it.RetryCount, it.ReleaseCount)
	}
	if diff := cmp.Diff([]string{"released"}, x.outcomes(id)); diff != "" {
		x.Errorf("attempts (-want +got):\n%s", diff)
	}
}

func TestSIGTERMReleasesItemsAfterGrace(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		id, letGo := x.enqueueHold()
		w := x.worker("w", "SHUTDOWNGRACE=100ms")
		w.await("begun, attempt 1", 1)
		w.wantDrained(syscall.SIGTERM)
		x.wantReleased(id)

		letGo("done")
		x.must("run", "--once", "ExecuteWorkQueue")
		if it := x.item(id); it.State != workqueue.Processed || !strings.Contains(string(it.Output), "done") {
			t.Errorf("after the next run the item is %s with the output %s, want Processed and done", it.State, it.Output)
		}
	})
}

func TestCtrlCWaitsForRunningItem(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		id, letGo := x.enqueueHold()
		w := x.worker("w")
		w.await("begun, attempt 1", 1)
		w.signal(os.Interrupt)
		w.await("draining", 1)
		letGo("")
		w.wantStopped()
		if it := x.item(id); it.State != workqueue.Processed || len(x.outcomes(id)) != 0 {
			t.Errorf("the item is %s after %v, want Processed at the first attempt", it.State, x.outcomes(id))
		}
	})
}

func TestSecondCtrlCExitsImmediately(t *testing.T) {
	t.Parallel()
	x := newProject(t, testdb.Engine{Driver: database.SQLite})
	id, letGo := x.enqueueHold()
	w := x.worker("w", "SHUTDOWNGRACE=10m")
	w.await("begun, attempt 1", 1)
	w.signal(os.Interrupt)
	w.await("draining", 1)
	w.signalAgain(os.Interrupt)
	if code := w.wait(); code != 1 {
		t.Errorf("exit code %d, want 1: its item was not finished", code)
	}
	again := x.worker("w")
	again.await("begun, attempt 1", 1)
	letGo("")
	x.wantRescued(id)
	again.wantDrained(os.Interrupt)
}

func TestCtrlCInterruptsRunOnce(t *testing.T) {
	t.Parallel()
	x := newProject(t, testdb.Engine{Driver: database.SQLite})
	id, _ := x.enqueueHold()
	x.environ = append(x.environ, "BOTWORK_WORKER_SHUTDOWNGRACE=100ms")
	once := start(t, command(t, x.dir, x.environ, "run", "--once", "ExecuteWorkQueue"))
	once.await("begun, attempt 1", 1)
	once.signal(os.Interrupt)
	if code := once.wait(); code != 1 || !strings.Contains(once.String(), "interrupted") {
		t.Errorf("exit code %d, want 1 and the word \"interrupted\": not all items were finished", code)
	}
	x.wantReleased(id)
}
