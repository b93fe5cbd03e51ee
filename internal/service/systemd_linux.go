package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// New returns the manager of this system.
func New() (Manager, error) {
	if _, err := exec.LookPath("systemctl"); err != nil {
		return nil, &hinted{fmt.Errorf("%w: systemctl was not found", ErrUnsupported), "`botwork run` needs no service manager"}
	}
	return &systemd{folder: "/etc/systemd/system", systemctl: systemctl}, nil
}

// systemd controls units with the command systemctl.
type systemd struct {
	folder    string
	systemctl func(ctx context.Context, args ...string) (string, error)
}

func systemctl(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "systemctl", append([]string{"--no-pager", "--no-ask-password"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "SYSTEMD_COLORS=0")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return "", explainCall(args[0], strings.TrimSpace(stderr.String()), err)
	}
	return out.String(), nil
}

// explainCall returns an error with the meaning of a failed call of systemctl.
func explainCall(verb, message string, err error) error {
	if message == "" {
		return fmt.Errorf("systemctl %s: %w", verb, err)
	}
	err = fmt.Errorf("systemctl %s: %s", verb, message)
	switch lower := strings.ToLower(message); {
	case strings.Contains(lower, "access denied"), strings.Contains(lower, "interactive authentication"), strings.Contains(lower, "permission denied"):
		return &hinted{fmt.Errorf("%w: %w", ErrNoRights, err), "run this as root, for example with sudo"}
	case strings.Contains(lower, "not been booted with systemd"), strings.Contains(lower, "failed to connect to bus"):
		return &hinted{err, "systemd does not run on this machine; most containers have none; `botwork run` needs no service manager"}
	}
	return err
}

func (m *systemd) unitFile(name string) string { return filepath.Join(m.folder, name+".service") }

// Install implements Manager.
func (m *systemd) Install(ctx context.Context, s Spec) ([]error, error) {
	file := m.unitFile(s.Name)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, &hinted{fmt.Errorf("install the service %s: %w: %s", s.Name, ErrInstalled, file),
			"`botwork service uninstall` removes it; use --name for a second service"}
	}
	if err != nil {
		return nil, explainFile("install", s.Name, err)
	}
	_, err = f.WriteString(Unit(s))
	if err = errors.Join(err, f.Close()); err == nil {
		_, err = m.systemctl(ctx, "daemon-reload")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("install the service %s: %w", s.Name, err), os.Remove(file))
	}
	if s.Manual {
		return nil, nil
	}
	if _, err := m.systemctl(ctx, "enable", "--quiet", s.Name); err != nil {
		return []error{fmt.Errorf("could not enable the start with the system: %w", err)}, nil
	}
	return nil, nil
}

// Uninstall implements Manager.
func (m *systemd) Uninstall(ctx context.Context, name string) ([]error, error) {
	if _, err := m.readUnit(name); err != nil {
		return nil, err
	}
	var warnings []error
	if _, err := m.systemctl(ctx, "disable", "--quiet", name); err != nil {
		warnings = append(warnings, err)
	}
	if err := os.Remove(m.unitFile(name)); err != nil {
		return warnings, explainFile("remove", name, err)
	}
	if _, err := m.systemctl(ctx, "daemon-reload"); err != nil {
		warnings = append(warnings, err)
	}
	// systemd remembers a failed unit; for other units the call fails.
	_, _ = m.systemctl(ctx, "reset-failed", name)
	return warnings, nil
}

// Start implements Manager. systemctl waits until the service is ready.
func (m *systemd) Start(ctx context.Context, name string) error {
	if _, err := m.readUnit(name); err != nil {
		return err
	}
	if _, err := m.systemctl(ctx, "start", name); err != nil {
		return &hinted{fmt.Errorf("start the service %s: %w", name, err), "`botwork service logs` shows the reason"}
	}
	return nil
}

// Stop implements Manager. systemctl waits until the service has ended.
func (m *systemd) Stop(ctx context.Context, name string) error {
	if _, err := m.readUnit(name); err != nil {
		return err
	}
	if _, err := m.systemctl(ctx, "stop", name); err != nil {
		return fmt.Errorf("stop the service %s: %w", name, err)
	}
	return nil
}

// readUnit returns the text of a unit that Install wrote.
func (m *systemd) readUnit(name string) (string, error) {
	text, err := os.ReadFile(m.unitFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", &hinted{fmt.Errorf("query the service %s: %w: %s is missing", name, ErrNotInstalled, m.unitFile(name)),
			"`botwork service install` creates it; `botwork service status --all` lists the services of this machine"}
	}
	if err != nil {
		return "", explainFile("query", name, err)
	}
	if line := wordsOf(valueOf(string(text), "ExecStart")); len(line) == 0 || !isOurs(line[1:]) {
		return "", foreign("query", name)
	}
	return string(text), nil
}

// Status implements Manager.
func (m *systemd) Status(ctx context.Context, name string) (Status, error) {
	text, err := m.readUnit(name)
	if err != nil {
		return Status{}, err
	}
	out, err := m.systemctl(ctx, "show", name, "--property=Description,ActiveState,MainPID,UnitFileState,User,ExecMainStatus,StatusText")
	if err != nil {
		return Status{}, fmt.Errorf("query the service %s: %w", name, err)
	}
	st := Status{Name: name, DisplayName: valueOf(out, "Description"), Account: valueOf(out, "User"), Text: valueOf(out, "StatusText")}
	st.PID, _ = strconv.Atoi(valueOf(out, "MainPID"))
	st.ExitCode, _ = strconv.Atoi(valueOf(out, "ExecMainStatus"))
	if line := wordsOf(valueOf(text, "ExecStart")); len(line) > 0 {
		st.Program, st.Config, st.Environment = line[0], valueOfFlag(line[1:], "--config"), valueOfFlag(line[1:], "--environment")
	}
	st.State = map[string]State{
		"active": Running, "reloading": Running, "activating": Starting, "deactivating": Stopping, "failed": Failed,
	}[valueOf(out, "ActiveState")]
	if st.State == "" {
		st.State = Stopped
	}
	if st.State != Running && st.State != Stopping {
		st.Text = "" // from an earlier run
	}
	st.Start = map[string]string{"enabled": "automatic", "disabled": "manual", "masked": "disabled"}[valueOf(out, "UnitFileState")]
	return st, nil
}

// List implements Manager.
func (m *systemd) List(ctx context.Context) ([]Status, error) {
	files, err := filepath.Glob(m.unitFile("*"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var ours []Status
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".service")
		if _, err := m.readUnit(name); err != nil {
			continue // a service of another program, or one that was just removed
		}
		st, err := m.Status(ctx, name)
		if err != nil {
			return nil, err
		}
		ours = append(ours, st)
	}
	return ours, nil
}
