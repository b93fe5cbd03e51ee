package process_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"botwork/internal/process"
	"botwork/internal/procid"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/assign"
)

func TestSecondProcessWithSameNameIsRefused(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		first := x.new(x.newOptions("w"))
		_, err := process.New(t.Context(), x.newOptions("w").Options)
		wantTaken(t, err, first.Worker().Host, os.Getpid())
		if taken := (*workqueue.NameTakenError)(nil); errors.As(err, &taken) && procid.Self() != "" && process.MayHaveExited(taken) {
			t.Error("MayHaveEnded = true for this process")
		}
		if err := first.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.new(x.newOptions("w")) // the name is free again
	})
}

func wantTaken(t *testing.T, err error, host string, pid int) {
	t.Helper()
	taken := (*workqueue.NameTakenError)(nil)
	if !errors.As(err, &taken) || taken.Host != host || taken.PID != pid {
		t.Fatalf("New = %v, want a NameTakenError of process %d on %s", err, pid, host)
	}
	for _, word := range []string{host, fmt.Sprint(pid)} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q, want it to contain %q", err, word)
		}
	}
}

// deadPID returns the id of a process that has just ended.
func deadPID(t *testing.T) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// zombiePID returns the id of a process that has ended and was not waited for. If the process
// table cannot be read, it returns the id of a process that was waited for.
func zombiePID(t *testing.T) int {
	t.Helper()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		return deadPID(t)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Fatal(err)
	}
	// Its output ends just before the process does.
	for t.Context().Err() == nil {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(stat), ") Z ") {
			break
		}
	}
	return cmd.Process.Pid
}

// crashed creates the rows that a killed process leaves: a worker whose lease is valid for another
// hour, one item that it ran and one that was assigned to it.
func (x *fixture) crashed(host string, pid int, key string) (running, assigned int64) {
	x.Helper()
	spec := workqueue.WorkerSpec{
		Name: "w", InstanceID: "dead", Host: host, PID: pid, ProcessKey: key, Version: "test", Capacity: 1, Lease: time.Hour,
	}
	w, err := x.store.RegisterWorker(x.Context(), spec)
	if err != nil {
		x.Fatal(err)
	}
	running, assigned = x.enqueue(workqueue.NewItem{Priority: 1000}), x.enqueue(workqueue.NewItem{Priority: 999})
	if _, err := assign.AssignPass(x.Context(), x.store, assign.AssignParams{}); err != nil {
		x.Fatal(err)
	}
	claimed, err := x.store.Claim(x.Context(), workqueue.ClaimParams{
		WorkerID: w.ID, InstanceID: w.InstanceID, Band: workqueue.EveryPriority, Max: 1, Lease: spec.Lease,
	})
	if err != nil || len(claimed) != 1 || claimed[0].ID != running {
		x.Fatalf("claimed %v, %v, want item %d", claimed, err, running)
	}
	x.recordStart(w, claimed[0])
	return running, assigned
}

// keyOf returns the process key of the instance "dead" on this machine with the given pid. Its
// start time differs from that of the process that has the id now.
func keyOf(t *testing.T, pid int) string {
	t.Helper()
	fields := strings.Split(procid.Self(), "/")
	if len(fields) != 3 {
		t.Skip("this system has no process identities")
	}
	start := "1"
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(stat), ") Z ") {
		start = strings.Fields(string(stat))[21]
	}
	return fmt.Sprintf("dead %s/%d/%s", fields[0], pid, start)
}

func TestDeadLocalProcessIsReplacedAtOnce(t *testing.T) {
	for name, pid := range map[string]func(*testing.T) int{
		"ended":                   deadPID,
		"our own process id":      func(*testing.T) int { return os.Getpid() },
		"id of a running process": func(*testing.T) int { return os.Getppid() },
		"zombie":                  zombiePID,
	} {
		t.Run(name, func(t *testing.T) { testReplacedAtOnce(t, pid) })
	}
}

func testReplacedAtOnce(t *testing.T, pidOf func(*testing.T) int) {
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		pid := pidOf(t)
		running, assigned := x.crashed(host, pid, keyOf(t, pid))
		b := x.newOptions("w")
		x.runOnce(b, medium)

		b.log.await(t, "the previous process with this worker name has ended; taking over")
		x.wantState(workqueue.Processed, running, assigned)
		if it := x.item(running); it.ReleaseCount != 1 || it.RetryCount != 0 {
			t.Errorf("the item that ran: ReleaseCount %d, RetryCount %d; want 1, 0", it.ReleaseCount, it.RetryCount)
		}
		if a := x.attempts(running); len(a) != 1 || a[0].Outcome != "rescued" {
			t.Errorf("attempts of the item that ran = %+v, want one that was rescued", a)
		}
		if it := x.item(assigned); it.ReleaseCount != 0 || len(x.attempts(assigned)) != 0 {
			t.Errorf("the item that was only assigned: ReleaseCount %d, want 0 and no attempts", it.ReleaseCount)
		}
	})
}

// In each case no process with the id runs here. That does not prove that the process has ended if
// the row is from another machine or container, or has no process key.
func TestProcessThatMayRunIsNotReplaced(t *testing.T) {
	here, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		name, host string
		key        func(key string) string
		may        bool // the process may have ended, so that waiting makes sense
	}{
		{"another machine", "elsewhere", func(key string) string { return key }, false},
		{"another container or boot", here, func(key string) string { return strings.Replace(key, "dead ", "dead another ", 1) }, true},
		{"version without keys", here, func(string) string { return "" }, true},
		{"version without keys, after one with keys", here, func(key string) string { return strings.Replace(key, "dead", "before", 1) }, true},
		{"unreadable", here, func(string) string { return "dead ?" }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testdb.Each(t, func(t *testing.T, e testdb.Engine) {
				x := newFixture(t, e)
				pid := deadPID(t)
				running, _ := x.crashed(tt.host, pid, tt.key(keyOf(t, pid)))
				_, err := process.New(t.Context(), x.newOptions("w").Options)
				wantTaken(t, err, tt.host, pid)
				if taken := (*workqueue.NameTakenError)(nil); errors.As(err, &taken) && process.MayHaveExited(taken) != tt.may {
					t.Errorf("MayHaveEnded = %t, want %t", !tt.may, tt.may)
				}
				x.wantState(workqueue.Blocked, running)
			})
		})
	}
}

func TestReplacedProcessIsNotified(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		b := x.newOptions("w")
		b.Heartbeat = testdb.Slow(20 * time.Millisecond)
		p := x.new(b)
		if _, err := x.store.RegisterWorker(t.Context(), workqueue.WorkerSpec{
			Name: "w", InstanceID: "next", Host: "elsewhere", PID: 1, Capacity: 1, Lease: time.Minute, Replaces: p.Worker().InstanceID,
		}); err != nil {
			t.Fatal(err)
		}
		receive(t, p.Replaced(), "notification that the worker was replaced")
	})
}
