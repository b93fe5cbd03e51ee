package procid_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"botwork/internal/procid"
)

// TestMain lets a test start this binary as a process that prints its identity and
// then runs until its input ends.
func TestMain(m *testing.M) {
	if os.Getenv("PROCID_CHILD") != "" {
		os.Stdout.WriteString(procid.Self() + "\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is a process that runs until end is called.
type child struct {
	id  string
	cmd *exec.Cmd
	in  io.Closer
}

func startChild(t *testing.T, cmd *exec.Cmd) *child {
	t.Helper()
	cmd.Env = append(os.Environ(), "PROCID_CHILD=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: cmd, in: in}
	t.Cleanup(func() { _ = cmd.Process.Kill(); c.end() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	c.id = strings.TrimSpace(line)
	return c
}

func (c *child) end() {
	_ = c.in.Close()
	_ = c.cmd.Wait()
}

func self(t *testing.T) string {
	t.Helper()
	id := procid.Self()
	if id == "" {
		t.Skip("this system has no process identities")
	}
	return id
}

func TestThisProcessIsRunning(t *testing.T) {
	id := self(t)
	t.Log(id)
	if len(id) > 150 {
		t.Errorf("%q has %d characters, want at most 150", id, len(id))
	}
	if again := procid.Self(); again != id {
		t.Errorf("Self = %q, and %q when called again", id, again)
	}
	if got := procid.StateOf(id); got != procid.Running {
		t.Errorf("Look(%q) = %v, want Running", id, got)
	}
}

func TestWindowsAndLinuxChildRunsAndEnds(t *testing.T) {
	self(t)
	c := startChild(t, exec.CommandContext(t.Context(), os.Args[0]))
	if got := procid.StateOf(c.id); got != procid.Running {
		t.Errorf("Look(%q) = %v while it runs, want Running", c.id, got)
	}
	c.end()
	if got := procid.StateOf(c.id); got != procid.Ended {
		t.Errorf("Look(%q) = %v after its end, want Ended", c.id, got)
	}
}

// withField returns id with the scope, the process id or the start time replaced.
func withField(id string, field int, text string) string {
	fields := strings.Split(id, "/")
	fields[field] = text
	return strings.Join(fields, "/")
}

func TestProcessesOfOtherScopesAreUnknown(t *testing.T) {
	id := self(t)
	parent := strconv.Itoa(os.Getppid())
	for _, tt := range []struct {
		name, id string
		want     procid.State
	}{
		{"our process id, another start", withField(id, 2, "1"), procid.Ended},
		{"running process id, another start", withField(withField(id, 1, parent), 2, "1"), procid.Ended},
		{"another scope", withField(id, 0, "linux other"), procid.Unknown},
		{"nothing", "", procid.Unknown},
		{"no start", withField(id, 2, ""), procid.Unknown},
		{"no scope", withField(id, 0, ""), procid.Unknown},
		{"no number", withField(id, 1, "one"), procid.Unknown},
		{"process 0", withField(id, 1, "0"), procid.Unknown},
		{"a negative process id, which would name a group", withField(id, 1, "-1"), procid.Unknown},
		{"additional field", id + "/1", procid.Unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := procid.StateOf(tt.id); got != tt.want {
				t.Errorf("Look(%q) = %v, want %v", tt.id, got, tt.want)
			}
		})
	}
}
