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

// patience bounds every wait; none is meant to come near it.
const patience = 60 * time.Second

// Where Debian puts Wine.
const (
	wine       = "/usr/lib/wine/wine64"
	wineserver = "/usr/lib/wine/wineserver64"
)

// machine is a Windows under Wine, with a drive C: of its own.
type machine struct {
	*testing.T
	drive string // C: as this system sees it
	env   []string
}

// newMachine installs a Windows. Its services live on when nobody is at it.
func newMachine(t *testing.T) *machine {
	t.Helper()
	for _, program := range []string{wine, wineserver} {
		if _, err := os.Stat(program); err != nil {
			t.Skip("Wine is not here (apt-get install wine64):", err)
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

// boot starts the machine, and with it the services that start by themselves. The
// server is told to stay first: services die with the last program of a person
// otherwise.
func (m *machine) boot() {
	m.Helper()
	m.must(wineserver, "-p")
	m.must(wine, "wineboot")
}

// reboot ends all that runs, as a power cut does, and boots.
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

// result is what a command line came to.
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
	// A server that is started stays, with the streams of who started it.
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

// botwork carries out a command line of the program in C:\botwork.
func (m *machine) botwork(args ...string) result {
	m.Helper()
	return m.run(m.command(wine, append([]string{`C:\botwork\botwork.exe`}, args...)...))
}

// want fails unless the exit code is this one and the output says all the words.
func (r result) want(code int, words ...string) result {
	r.Helper()
	if r.code != code {
		r.Fatalf("%s: exit code %d, want %d; it said:\n%s%s", r.line, r.code, code, r.stdout, r.stderr)
	}
	for _, word := range words {
		if !strings.Contains(r.stdout+r.stderr, word) {
			r.Errorf("%s: it did not say %q:\n%s%s", r.line, word, r.stdout, r.stderr)
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

// path is a file of C: as this system sees it.
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

// await asks again and again until something is so: the service manager tells nobody.
func (m *machine) await(what string, is func() bool) {
	m.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	late := time.After(patience)
	for !is() {
		select {
		case <-ticker.C:
		case <-late:
			m.Fatalf("after %s still not: %s", patience, what)
		}
	}
}
