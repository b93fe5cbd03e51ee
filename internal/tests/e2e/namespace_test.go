//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// contained starts a worker named "w" as process 1 of its own pid namespace, like in a
// container. All workers have the same host name. The process and its children die
// with the test.
func (x *project) contained(settings ...string) *program {
	x.Helper()
	if out, err := exec.CommandContext(x.Context(), "unshare", "--pid", "--fork", "--mount-proc", "true").CombinedOutput(); err != nil {
		x.Skipf("unshare: %v: %s", err, out)
	}
	cmd := command(x.T, x.dir, append([]string{"BOTWORK_WORKER_NAME=w"}, x.environ...), "run")
	for _, s := range settings {
		cmd.Env = append(cmd.Env, "BOTWORK_WORKER_"+s)
	}
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		x.Fatal(err)
	}
	cmd.Args = append([]string{unshare, "--pid", "--fork", "--kill-child", "--mount-proc", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = unshare
	return start(x.T, cmd)
}

// worker1 is the row of the worker "w".
func (x *project) worker1() workqueue.Worker {
	x.Helper()
	workers, err := x.store.Workers(x.Context())
	if err != nil || len(workers) != 1 {
		x.Fatalf("Workers = %v, %v, want one", workers, err)
	}
	return workers[0]
}

// Two replicas with one name, such as a pod and its replacement, have the same host
// name, and both are process 1. The second must not conclude that the first is dead.
func TestWorkerInOtherContainerKeepsItsName(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		id, letGo := x.enqueueHold()
		settings := []string{"LEASE=6s", "HEARTBEAT=1s"}
		first := x.contained(settings...)
		first.await("begun, attempt 1", 1)
		before := x.worker1()
		if before.PID != 1 {
			t.Fatalf("the first worker is process %d, want 1", before.PID)
		}

		second := x.contained(settings...)
		if code := second.wait(); code != 1 {
			t.Errorf("the second worker ended with %d, want 1", code)
		}
		for _, text := range []string{"another worker of this name may still be alive", `worker name "w" is taken by process 1`, before.Host, "its lease ends, at"} {
			if !strings.Contains(second.String(), text) {
				t.Errorf("the second worker does not print %q", text)
			}
		}
		if after := x.worker1(); after.InstanceID != before.InstanceID {
			t.Errorf("the name belongs to instance %s, want %s", after.InstanceID, before.InstanceID)
		}
		letGo("done")
		if it := x.awaitState(id, workqueue.Processed); it.Fence != 1 || it.ReleaseCount != 0 {
			t.Errorf("Fence %d, ReleaseCount %d; want 1 and 0: run once", it.Fence, it.ReleaseCount)
		}
	})
}

// A restarted container has a new pid namespace: a process there cannot know whether
// the previous process has ended, so the lease decides.
func TestWorkerInRestartedContainerWaitsForLease(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		id, letGo := x.enqueueHold()
		settings := []string{"LEASE=4s", "HEARTBEAT=1s"}
		first := x.contained(settings...)
		first.await("begun, attempt 1", 1)
		first.kill()
		left := x.worker1()

		second := x.contained(settings...)
		second.await("waiting for its lease to expire", 1)
		second.await("begun, attempt 1", 1)
		if w := x.worker1(); w.StartedAt.Before(*left.LeaseExpiresAt) {
			t.Errorf("the second worker registered at %s, want after %s, when the lease of the first ended", w.StartedAt, left.LeaseExpiresAt)
		}
		letGo("")
		x.wantRescued(id)
	})
}

// If a shell restarts the worker in the same container, it takes over immediately: its
// lease is longer than any wait of this test.
func TestWorkerRestartedInContainerTakesOverImmediately(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		id, letGo := x.enqueueHold()
		if out, err := exec.CommandContext(t.Context(), "unshare", "--pid", "--fork", "--mount-proc", "true").CombinedOutput(); err != nil {
			t.Skipf("unshare: %v: %s", err, out)
		}
		cmd := command(t, x.dir, append([]string{"BOTWORK_WORKER_NAME=w", "BOTWORK_WORKER_LEASE=10m", "BOTWORK_WORKER_HEARTBEAT=1m"}, x.environ...))
		shell := exec.CommandContext(t.Context(), "unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", `"$0" run; "$0" run`, cmd.Path)
		shell.Dir, shell.Env = cmd.Dir, cmd.Env
		p := start(t, shell)
		p.await("begun, attempt 1", 1)
		killInside(t, shell.Process.Pid, "botwork run")
		p.await("taking over", 1)
		p.await("begun, attempt 1", 2)
		letGo("")
		x.wantRescued(id)
	})
}

// killInside kills the descendant of a process whose command line ends with text.
func killInside(t *testing.T, root int, text string) {
	t.Helper()
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		pid := strconv.Itoa(queue[0])
		line, err := os.ReadFile("/proc/" + pid + "/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		if words := strings.TrimRight(strings.ReplaceAll(string(line), "\x00", " "), " "); strings.HasSuffix(words, text) && !strings.Contains(words, "sh -c") {
			if err := syscall.Kill(queue[0], syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			return
		}
		children, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
		if err != nil {
			t.Fatal(err)
		}
		for child := range strings.FieldsSeq(string(children)) {
			n, err := strconv.Atoi(child)
			if err != nil {
				t.Fatal(err)
			}
			queue = append(queue, n)
		}
	}
	t.Fatalf("no descendant of process %d runs %q", root, text)
}
