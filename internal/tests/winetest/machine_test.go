//go:build linux

package winetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is the limit of every wait; no wait should come near it.
const patience = 60 * time.Second

// The folders of Debian's Wine.
const (
	wine       = "/usr/lib/wine/wine64"
	wineserver = "/usr/lib/wine/wineserver64"
)

// machine is a Windows installation under Wine, with its own drive C:.
type machine struct {
	*testing.T
	drive string // the path of C: on this system
	env   []string
}

// newMachine installs Windows. Its services run without a logged-in user.
func newMachine(t *testing.T) *machine {
	t.Helper()
	for _, program := range []string{wine, wineserver} {
		if _, err := os.Stat(program); err != nil {
			t.Fatal("Wine is not installed (apt-get install wine64):", err)
		}
	}
	prefix := t.TempDir()
	m := &machine{T: t, drive: filepath.Join(prefix, "drive_c"), env: append(os.Environ(),
		"WINEPREFIX="+prefix, "WINEARCH=win64", "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=")}
	t.Cleanup(func() { m.command(wineserver, "-k").Run(); m.command(wineserver, "-w").Run() })
	m.must(wine, "wineboot", "-i")
	m.must(wineserver, "-w")
	m.write("windows/system32/bcryptprimitives.dll", prngStandIn())
	m.boot()
	return m
}

// boot starts the machine, and with it the services that start automatically. It first
// keeps the server running: otherwise services die with the last program of a
// user.
func (m *machine) boot() {
	m.Helper()
	m.must(wineserver, "-p")
	m.must(wine, "wineboot")
}

// reboot ends all processes, like a power cut, and boots.
func (m *machine) reboot() {
	m.Helper()
	m.must(wineserver, "-k")
	m.must(wineserver, "-w")
	m.boot()
}

func (m *machine) command(name string, args ...string) *exec.Cmd {
	// Not the test's context: it has ended when the clean-up runs.
	cmd := exec.Command(name, args...)
	cmd.Env = m.env
	if _, err := os.Stat(m.drive); err == nil {
		cmd.Dir = m.drive
	}
	return cmd
}

func (m *machine) must(name string, args ...string) {
	m.Helper()
	if r := m.run(m.command(name, args...)); r.code != 0 {
		m.Fatalf("%s %s: exit code %d\n%s%s", name, strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
}

// result is the result of a command line.
type result struct {
	*machine
	line           string
	code           int
	stdout, stderr string
}

func (m *machine) run(cmd *exec.Cmd) result {
	m.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// The server continues to run, with the streams of the process that started it.
	cmd.WaitDelay = time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := cmd.Start(); err != nil {
		m.Fatal(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		m.Fatal(err)
	}
	return result{m, strings.Join(cmd.Args[1:], " "), cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// botwork runs a command line of the program in C:\botwork.
func (m *machine) botwork(args ...string) result {
	m.Helper()
	return m.run(m.command(wine, append([]string{`C:\botwork\botwork.exe`}, args...)...))
}

// want fails unless the exit code is this one and the output contains all words.
func (r result) want(code int, words ...string) result {
	r.Helper()
	if r.code != code {
		r.Fatalf("%s: exit code %d, want %d; output:\n%s%s", r.line, r.code, code, r.stdout, r.stderr)
	}
	for _, word := range words {
		if !strings.Contains(r.stdout+r.stderr, word) {
			r.Errorf("%s: the output lacks %q:\n%s%s", r.line, word, r.stdout, r.stderr)
		}
	}
	return r
}

func (r result) decode(into any) {
	r.Helper()
	if err := json.Unmarshal([]byte(r.stdout), into); err != nil {
		r.Fatalf("%s: %v in\n%s", r.line, err, r.stdout)
	}
}

// path returns the path of a file of C: on this system.
func (m *machine) path(name string) string { return filepath.Join(m.drive, filepath.FromSlash(name)) }

func (m *machine) write(name string, data []byte) {
	m.Helper()
	if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o755); err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(m.path(name), data, 0o644); err != nil {
		m.Fatal(err)
	}
}

func (m *machine) read(name string) []byte {
	m.Helper()
	data, err := os.ReadFile(m.path(name))
	if err != nil {
		m.Fatal(err)
	}
	return data
}

// await polls until a condition is true, because the service manager sends no notifications.
func (m *machine) await(what string, is func() bool) {
	m.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	late := time.After(patience)
	for !is() {
		select {
		case <-ticker.C:
		case <-late:
			m.Fatalf("timeout after %s: %s", patience, what)
		}
	}
}
