package procid_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"botwork/internal/procid"
)

// unshared starts a child as process 1 of a new pid namespace.
func unshared(t *testing.T, options ...string) *child {
	t.Helper()
	self(t)
	if out, err := exec.CommandContext(t.Context(), "unshare", "--pid", "--fork", "--mount-proc", "true").CombinedOutput(); err != nil {
		t.Skipf("unshare: %v: %s", err, out)
	}
	args := append([]string{"--pid", "--fork", "--kill-child"}, options...)
	return startChild(t, exec.CommandContext(t.Context(), "unshare", append(args, os.Args[0])...))
}

func TestProcessOfAnotherNamespaceIsUnknown(t *testing.T) {
	a, b := unshared(t, "--mount-proc"), unshared(t, "--mount-proc")
	for _, c := range []*child{a, b} {
		if !strings.Contains(c.id, "/1/") {
			t.Fatalf("the child is %q, want process 1 of a new namespace", c.id)
		}
	}
	if a.id == b.id {
		t.Errorf("two processes have the identity %q", a.id)
	}
	a.end()
	for _, c := range []*child{a, b} {
		if got := procid.StateOf(c.id); got != procid.Unknown {
			t.Errorf("Look(%q) = %v, want Unknown", c.id, got)
		}
	}
}

// If /proc is that of the host, process 1 in it is another process.
func TestProcessWithForeignProcHasNoIdentity(t *testing.T) {
	if c := unshared(t); c.id != "" {
		t.Errorf("its identity is %q, want none", c.id)
	}
}

func TestZombieHasEnded(t *testing.T) {
	self(t)
	c := startChild(t, exec.CommandContext(t.Context(), os.Args[0]))
	_ = c.in.Close()
	// Its threads end one after the other. It runs until the last one has ended.
	for late := time.Now().Add(10 * time.Second); procid.StateOf(c.id) != procid.Ended; {
		if time.Now().After(late) {
			t.Fatalf("Look(%q) = %v, want Ended", c.id, procid.StateOf(c.id))
		}
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	if err != nil || !strings.Contains(string(stat), ") Z ") {
		t.Errorf("its stat: %q, %v, want state Z: its parent has not waited for it", stat, err)
	}
}
