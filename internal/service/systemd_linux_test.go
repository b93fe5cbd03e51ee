package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fakeSystemd is a systemd with a temporary folder, whose systemctl records its calls and returns
// fixed answers.
type fakeSystemd struct {
	systemd
	calls   []string
	answers map[string]string
	fails   map[string]error
}

func record(t *testing.T) *fakeSystemd {
	r := &fakeSystemd{answers: map[string]string{}, fails: map[string]error{}}
	r.systemd = systemd{folder: t.TempDir(), systemctl: func(_ context.Context, args ...string) (string, error) {
		r.calls = append(r.calls, strings.Join(args, " "))
		return r.answers[args[0]], r.fails[args[0]]
	}}
	return r
}

func (r *fakeSystemd) wantCalls(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, r.calls); diff != "" {
		t.Errorf("systemctl (-want +got):\n%s", diff)
	}
	r.calls = nil
}

var nightly = Spec{Name: "nightly", Description: "Works at night.", Program: "/opt/botwork", Config: "/etc/nightly.yaml", Account: "bot"}

func TestInstallWritesAndEnablesUnit(t *testing.T) {
	r := record(t)
	if warnings, err := r.Install(t.Context(), nightly); err != nil || warnings != nil {
		t.Fatal(warnings, err)
	}
	r.wantCalls(t, "daemon-reload", "enable --quiet nightly")
	if text, err := os.ReadFile(filepath.Join(r.folder, "nightly.service")); err != nil || string(text) != Unit(nightly) {
		t.Errorf("the unit is %q, %v", text, err)
	}
	if _, err := r.Install(t.Context(), nightly); !errors.Is(err, ErrInstalled) {
		t.Errorf("installed again: %v, want ErrInstalled", err)
	}
	r.calls = nil

	r.answers["show"] = "Description=Works at night.\nActiveState=active\nMainPID=4711\nUnitFileState=enabled\nUser=bot\nExecMainStatus=0\nStatusText=working as x-nightly\n"
	want := Status{Name: "nightly", DisplayName: "Works at night.", State: Running, PID: 4711, Start: "automatic", Account: "bot",
		Program: "/opt/botwork", Config: "/etc/nightly.yaml", Text: "working as x-nightly"}
	if err := os.WriteFile(filepath.Join(r.folder, "foreign.service"), []byte("[Service]\nExecStart=/bin/true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"Status":    func() error { _, err := r.Status(t.Context(), "foreign"); return err },
		"Stop":      func() error { return r.Stop(t.Context(), "foreign") },
		"Uninstall": func() error { _, err := r.Uninstall(t.Context(), "foreign"); return err },
	} {
		if err := call(); !errors.Is(err, ErrForeign) {
			t.Errorf("%s of another program's service: %v, want ErrForeign", name, err)
		}
	}
	list, err := r.List(t.Context())
	if diff := cmp.Diff([]Status{want}, list); diff != "" || err != nil {
		t.Errorf("List: %v (-want +got):\n%s", err, diff)
	}
	r.calls = nil
	if warnings, err := r.Uninstall(t.Context(), "nightly"); err != nil || warnings != nil {
		t.Error(warnings, err)
	}
	r.wantCalls(t, "disable --quiet nightly", "daemon-reload", "reset-failed nightly")
	for name, call := range map[string]func() error{
		"Status":    func() error { _, err := r.Status(t.Context(), "nightly"); return err },
		"Start":     func() error { return r.Start(t.Context(), "nightly") },
		"Stop":      func() error { return r.Stop(t.Context(), "nightly") },
		"Uninstall": func() error { _, err := r.Uninstall(t.Context(), "nightly"); return err },
	} {
		if err := call(); !errors.Is(err, ErrNotInstalled) {
			t.Errorf("%s of a removed service: %v, want ErrNotInstalled", name, err)
		}
	}
}

func TestInstallRemovesUnitThatSystemdRejects(t *testing.T) {
	r := record(t)
	r.fails["daemon-reload"] = errors.New("no bus")
	if _, err := r.Install(t.Context(), nightly); err == nil || !strings.Contains(err.Error(), "no bus") {
		t.Errorf("Install = %v, want systemd's error", err)
	}
	if _, err := os.Stat(filepath.Join(r.folder, "nightly.service")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the unit is still there: %v", err)
	}
}

func TestStatesOfUnits(t *testing.T) {
	for active, want := range map[string]State{
		"active": Running, "reloading": Running, "activating": Starting, "deactivating": Stopping, "failed": Failed, "inactive": Stopped, "": Stopped,
	} {
		r := record(t)
		if _, err := r.Install(t.Context(), nightly); err != nil {
			t.Fatal(err)
		}
		r.answers["show"] = fmt.Sprintf("ActiveState=%s\nExecMainStatus=2\n", active)
		if st, err := r.Status(t.Context(), "nightly"); err != nil || st.State != want || st.ExitCode != 2 {
			t.Errorf("%q is %s with exit code %d (%v), want %s and 2", active, st.State, st.ExitCode, err, want)
		}
	}
}

func TestExplainSystemctlErrors(t *testing.T) {
	failed := errors.New("exit status 1")
	for said, want := range map[string]string{
		"Failed to start x.service: Access denied":                         "run this as root",
		"Failed to stop x.service: Interactive authentication required.":   "run this as root",
		"System has not been booted with systemd as init system (PID 1).":  "`botwork run` needs no service manager",
		"Failed to connect to bus: No such file or directory":              "`botwork run` needs no service manager",
		"Job for x.service failed because the control process exited with": "Job for x.service failed",
		"": "exit status 1",
	} {
		if got := explainCall("start", said, failed).Error(); !strings.Contains(got, want) || !strings.HasPrefix(strings.TrimPrefix(got, "access is denied: "), "systemctl start: ") {
			t.Errorf("explained %q as %q, want %q in it", said, got, want)
		}
	}
	if err := explainCall("start", "Access denied", failed); !errors.Is(err, ErrNoRights) {
		t.Errorf("%v is not ErrNoRights", err)
	}
}
