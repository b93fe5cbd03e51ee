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

// shop is a service manager whose programs are texts: one that begins with "good"
// comes up, one with "late" ends when it is looked at again, others do not start. It
// can be killed at one of its calls, as a machine can.
type shop struct {
	program  string
	services map[string]*Status
	started  map[string]string // what each service runs
	pid      int

	calls, killAt int
}

func (s *shop) step() {
	if s.calls++; s.calls == s.killAt {
		panic(errKilled)
	}
}

var errKilled = errors.New("killed")

func (s *shop) Install(context.Context, Spec) ([]error, error)     { panic("unused") }
func (s *shop) Uninstall(context.Context, string) ([]error, error) { panic("unused") }

func (s *shop) Start(_ context.Context, name string) error {
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

func (s *shop) Stop(_ context.Context, name string) error {
	s.step()
	defer s.step()
	s.services[name].State, s.services[name].PID = Stopped, 0
	delete(s.started, name)
	return nil
}

func (s *shop) Status(_ context.Context, name string) (Status, error) {
	s.step()
	st, ok := s.services[name]
	if !ok {
		return Status{}, ErrNotInstalled
	}
	now := *st
	if strings.HasPrefix(s.started[name], "late") && st.State == Running {
		s.services[name].State = Failed // by the next look
	}
	return now, nil
}

func (s *shop) List(ctx context.Context) ([]Status, error) {
	var list []Status
	for _, name := range []string{"a", "b", "c"} {
		if st, err := s.Status(ctx, name); err == nil {
			list = append(list, st)
		}
	}
	return list, nil
}

// newShop has two services that run and one that does not, over the program "good old".
func newShop(t *testing.T) *shop {
	t.Helper()
	dir, err := os.MkdirTemp("", "upgrade-") //nolint:usetesting // t.TempDir fails under Wine when it removes what it made
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &shop{program: filepath.Join(dir, "botwork.exe"), services: map[string]*Status{}, started: map[string]string{}}
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

func (s *shop) write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// upgrade upgrades to a program with the text; killed tells that it did not come to
// an end.
func (s *shop) upgrade(t *testing.T, text string) (err error, killed bool) {
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
			return fmt.Errorf("no botwork: %w", err)
		}
		return err
	}}
	return u.Run(t.Context()), false
}

// want fails unless the program is this one, a and b run it, and c does not run.
func (s *shop) want(t *testing.T, program string, others ...string) {
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
		t.Errorf("beside it are %q, want %q", files, others)
	}
}

func (s *shop) read(path string) string {
	data, _ := os.ReadFile(path) // "" if it is not there
	return string(data)
}

func TestUpgrade(t *testing.T) {
	s := newShop(t)
	if err, _ := s.upgrade(t, "good new"); err != nil {
		t.Fatal(err)
	}
	s.want(t, "good new", "old good old")
	// Once more is nothing to do; a further one keeps the one before.
	calls := s.calls
	if err, _ := s.upgrade(t, "good new"); err != nil || s.calls > calls+4 {
		t.Errorf("the same program again: %v after %d calls, want none but looks", err, s.calls-calls)
	}
	if err, _ := s.upgrade(t, "good newer"); err != nil {
		t.Fatal(err)
	}
	s.want(t, "good newer", "old good new")
	// And back.
	if err, _ := s.upgrade(t, s.read(strings.TrimSuffix(s.program, ".exe")+".old.exe")); err != nil {
		t.Fatal(err)
	}
	s.want(t, "good new", "old good newer")
}

func TestAProgramThatDoesNotComeUpIsTakenBack(t *testing.T) {
	for _, text := range []string{"bad", "late"} {
		s := newShop(t)
		err, _ := s.upgrade(t, text)
		if err == nil || !strings.Contains(err.Error(), "the old one is back and runs") {
			t.Errorf("upgraded to %q: %v, want it told that the old one is back", text, err)
		}
		s.want(t, "good old", "failed "+text)
	}
}

func TestWhatIsNoBotworkStopsNothing(t *testing.T) {
	s := newShop(t)
	if err, _ := s.upgrade(t, "foreign"); err == nil || !strings.Contains(err.Error(), "is not put in place: no botwork") {
		t.Errorf("upgraded to a foreign program: %v", err)
	}
	s.want(t, "good old")
	if s.pid != 3 {
		t.Error("a service was started anew")
	}
}

// Killed at any of its steps, the same upgrade once more comes to the same end.
func TestAnUpgradeThatWasCutShortIsMended(t *testing.T) {
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
			s := newShop(t)
			s.killAt = at
			_, killed := s.upgrade(t, c.text)
			if s.read(s.program) == "" {
				t.Errorf("killed at step %d: no program is in place", at)
			}
			if !killed {
				break
			}
			kills++
			s.killAt = 0
			_, _ = s.upgrade(t, c.text) // the end tells
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

// On Windows there is a moment between two renames.
func TestAProgramThatWasMovedAwayComesBack(t *testing.T) {
	for text, want := range map[string]struct {
		program string
		others  []string
	}{
		"good new": {"good new", []string{"old good old"}},
		"bad":      {"good old", []string{"failed bad"}},
	} {
		s := newShop(t)
		p := placeOf(s.program)
		for _, name := range []string{"a", "b"} {
			if err := s.Stop(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		if err := (note{New: "x", Running: []string{"a", "b"}}).write(p); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(p.program, p.old); err != nil {
			t.Fatal(err)
		}
		s.write(t, p.staged, "half of it")
		_, _ = s.upgrade(t, text) // the end tells
		s.want(t, want.program, want.others...)
	}
}

func TestAnUpgradeOfNothing(t *testing.T) {
	s := newShop(t)
	delete(s.services, "a")
	if err, _ := s.upgrade(t, "good new"); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("upgrade = %v, want ErrNotInstalled", err)
	}
}
