package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeManager is a service manager whose programs are texts: one that begins with "good" starts,
// one with "late" has ended at the next query, others do not start. The process can be killed at
// any of its calls.
type fakeManager struct {
	program  string
	services map[string]*Status
	started  map[string]string // what each service runs
	pid      int

	calls, killAt int
}

func (s *fakeManager) step() {
	if s.calls++; s.calls == s.killAt {
		panic(errKilled)
	}
}

var errKilled = errors.New("killed")

func (s *fakeManager) Install(context.Context, Spec) ([]error, error)     { panic("unused") }
func (s *fakeManager) Uninstall(context.Context, string) ([]error, error) { panic("unused") }

func (s *fakeManager) Start(_ context.Context, name string) error {
	s.step()
	defer s.step()
	st := s.services[name]
	if st.State == Running {
		return nil
	}
	text, err := os.ReadFile(s.program)
	if err != nil || !strings.HasPrefix(string(text), "good") && !strings.HasPrefix(string(text), "late") {
		st.State = Failed
		return fmt.Errorf("it ended at once: %w", err)
	}
	s.pid++
	st.State, st.PID, s.started[name] = Running, s.pid, string(text)
	return nil
}

func (s *fakeManager) Stop(_ context.Context, name string) error {
	s.step()
	defer s.step()
	s.services[name].State, s.services[name].PID = Stopped, 0
	delete(s.started, name)
	return nil
}

func (s *fakeManager) Status(_ context.Context, name string) (Status, error) {
	s.step()
	st, ok := s.services[name]
	if !ok {
		return Status{}, ErrNotInstalled
	}
	now := *st
	if strings.HasPrefix(s.started[name], "late") && st.State == Running {
		s.services[name].State = Failed // at the next query
	}
	return now, nil
}

func (s *fakeManager) List(ctx context.Context) ([]Status, error) {
	var list []Status
	for _, name := range []string{"a", "b", "c"} {
		if st, err := s.Status(ctx, name); err == nil {
			list = append(list, st)
		}
	}
	return list, nil
}

// newFakeManager has two running services and a stopped one, with the program "good old".
func newFakeManager(t *testing.T) *fakeManager {
	t.Helper()
	dir, err := os.MkdirTemp("", "upgrade-") //nolint:usetesting // t.TempDir fails under Wine when it removes its files
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &fakeManager{program: filepath.Join(dir, "botwork.exe"), services: map[string]*Status{}, started: map[string]string{}}
	s.write(t, s.program, "good old")
	for i, name := range []string{"a", "b", "c"} {
		s.services[name] = &Status{Name: name, State: Running, PID: i + 1, Program: s.program}
		s.started[name] = "good old"
	}
	s.pid = 3
	s.services["c"].State, s.services["c"].PID = Stopped, 0
	delete(s.started, "c")
	return s
}

func (s *fakeManager) write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// upgrade upgrades to a program with the text; killed reports that it was killed before its end.
func (s *fakeManager) upgrade(t *testing.T, text string) (err error, killed bool) {
	t.Helper()
	next := filepath.Join(filepath.Dir(s.program), "download")
	s.write(t, next, text)
	defer func() {
		if r := recover(); r == errKilled { //nolint:errorlint // it is that value
			killed = true
		} else if r != nil {
			panic(r)
		}
	}()
	u := &Upgrade{Manager: s, Name: "a", New: next, Watch: time.Millisecond, Say: t.Logf, Check: func(_ context.Context, program string, services []Status) error {
		data, err := os.ReadFile(program)
		if strings.HasPrefix(string(data), "foreign") || len(services) != 3 {
			return fmt.Errorf("not Botwork: %w", err)
		}
		return err
	}}
	return u.Run(t.Context()), false
}

// want fails unless this is the program, a and b run it, and c is stopped.
func (s *fakeManager) want(t *testing.T, program string, others ...string) {
	t.Helper()
	if got := s.read(s.program); got != program || s.started["a"] != program || s.started["b"] != program || s.started["c"] != "" {
		t.Errorf("the program is %q, a and b run %q and %q, c %q; want %q, and c stopped", got, s.started["a"], s.started["b"], s.started["c"], program)
	}
	var files []string
	for _, suffix := range []string{"old", "failed", "staged"} {
		if text := s.read(strings.TrimSuffix(s.program, ".exe") + "." + suffix + ".exe"); text != "" {
			files = append(files, suffix+" "+text)
		}
	}
	if note := s.read(strings.TrimSuffix(s.program, ".exe") + ".upgrade.json"); note != "" {
		files = append(files, "note "+note)
	}
	if !slices.Equal(files, others) {
		t.Errorf("other files in its folder: %q, want %q", files, others)
	}
}

func (s *fakeManager) read(path string) string {
	data, _ := os.ReadFile(path) // "" if it does not exist
	return string(data)
}

func TestUpgrade(t *testing.T) {
	s := newFakeManager(t)
	if err, _ := s.upgrade(t, "good new"); err != nil {
		t.Fatal(err)
	}
	s.want(t, "good new", "old good old")
	// The same upgrade again does nothing; another one keeps the previous program.
	calls := s.calls
	if err, _ := s.upgrade(t, "good new"); err != nil || s.calls > calls+4 {
		t.Errorf("the same program again: %v after %d calls, want only queries", err, s.calls-calls)
	}
	if err, _ := s.upgrade(t, "good newer"); err != nil {
		t.Fatal(err)
	}
	s.want(t, "good newer", "old good new")
	// Back to the previous program.
	if err, _ := s.upgrade(t, s.read(strings.TrimSuffix(s.program, ".exe")+".old.exe")); err != nil {
		t.Fatal(err)
	}
	s.want(t, "good new", "old good newer")
}

func TestProgramThatDoesNotStartIsRolledBack(t *testing.T) {
	for _, text := range []string{"bad", "late"} {
		s := newFakeManager(t)
		err, _ := s.upgrade(t, text)
		if err == nil || !strings.Contains(err.Error(), "the old one is restored and runs") {
			t.Errorf("upgraded to %q: %v, want an error that the old one is restored", text, err)
		}
		s.want(t, "good old", "failed "+text)
	}
}

func TestRejectedProgramStopsNoService(t *testing.T) {
	s := newFakeManager(t)
	if err, _ := s.upgrade(t, "foreign"); err == nil || !strings.Contains(err.Error(), "is not installed: not Botwork") {
		t.Errorf("upgraded to a foreign program: %v", err)
	}
	s.want(t, "good old")
	if s.pid != 3 {
		t.Error("a service was restarted")
	}
}

// If an upgrade is killed at any step, the same upgrade run again has the same result.
func TestInterruptedUpgradeIsRepaired(t *testing.T) {
	for _, c := range []struct {
		text, program string
		others        []string
	}{
		{"good new", "good new", []string{"old good old"}},
		{"bad", "good old", []string{"failed bad"}},
		{"late", "good old", []string{"failed late"}},
	} {
		kills := 0
		for at := 1; ; at++ {
			s := newFakeManager(t)
			s.killAt = at
			_, killed := s.upgrade(t, c.text)
			if s.read(s.program) == "" {
				t.Errorf("killed at step %d: no program exists", at)
			}
			if !killed {
				break
			}
			kills++
			s.killAt = 0
			_, _ = s.upgrade(t, c.text) // the result is checked below
			s.want(t, c.program, c.others...)
			if t.Failed() {
				t.Fatalf("%q was killed at step %d", c.text, at)
			}
		}
		if kills < 10 {
			t.Errorf("%q was killed %d times, want at least 10", c.text, kills)
		}
	}
}

// On Windows there is no program for a moment between two renames.
func TestMissingProgramIsRestored(t *testing.T) {
	for text, want := range map[string]struct {
		program string
		others  []string
	}{
		"good new": {"good new", []string{"old good old"}},
		"bad":      {"good old", []string{"failed bad"}},
	} {
		s := newFakeManager(t)
		p := placeOf(s.program)
		for _, name := range []string{"a", "b"} {
			if err := s.Stop(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		if err := (upgradeRecord{New: "x", Running: []string{"a", "b"}}).write(p); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(p.program, p.old); err != nil {
			t.Fatal(err)
		}
		s.write(t, p.staged, "half of it")
		_, _ = s.upgrade(t, text) // the result is checked below
		s.want(t, want.program, want.others...)
	}
}

func TestUpgradeOfMissingService(t *testing.T) {
	s := newFakeManager(t)
	delete(s.services, "a")
	if err, _ := s.upgrade(t, "good new"); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("upgrade = %v, want ErrNotInstalled", err)
	}
}
