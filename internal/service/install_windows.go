package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc/eventlog"
	"golang.org/x/sys/windows/svc/mgr"
)

// Install implements Manager. It creates the service with only its account and the settings that
// every system accepts; all others are set afterwards, one by one.
func (controlManager) Install(_ context.Context, spec Spec) ([]error, error) {
	h, err := windows.OpenSCManager(nil, nil, windows.SC_MANAGER_CONNECT|windows.SC_MANAGER_CREATE_SERVICE)
	if err != nil {
		return nil, explain("install", spec.Name, err)
	}
	defer windows.CloseServiceHandle(h) //nolint:errcheck // nothing is buffered
	start := uint32(mgr.StartAutomatic)
	if spec.Manual {
		start = mgr.StartManual
	}
	s, err := (&mgr.Mgr{Handle: h}).CreateService(spec.Name, spec.Program, mgr.Config{
		DisplayName: spec.DisplayName, StartType: start, ErrorControl: mgr.ErrorNormal, Dependencies: spec.DependsOn,
		ServiceStartName: accountOf(spec.Account), Password: spec.Password,
	}, spec.Arguments()...)
	if err != nil {
		return nil, explain("install", spec.Name, err)
	}
	defer s.Close() //nolint:errcheck // nothing is buffered
	var warnings []error
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"the description", func() error { return describe(s, spec.Description) }},
		{"the delayed start", func() error { return delay(s, spec.DelayedStart) }},
		{"the restart after a failure", func() error { return recovery(s, spec.RestartAfter) }},
		{"the restart after an exit code", func() error { return recoveryOnExit(s, spec.RestartAfter) }},
		{"the time to stop when the system shuts down", func() error { return preshutdown(s, spec.StopWithin) }},
		{"the source of events", func() error { return registerSource(spec.Name) }},
	} {
		if err := step.do(); err != nil {
			warnings = append(warnings, fmt.Errorf("%s could not be set: %w", step.what, err))
		}
	}
	return warnings, nil
}

// accountOf returns the name of an account as Windows expects it.
func accountOf(account string) string {
	switch strings.ToLower(account) {
	case "", "localsystem":
		return "" // "" is LocalSystem
	case "localservice":
		return `NT AUTHORITY\LocalService`
	case "networkservice":
		return `NT AUTHORITY\NetworkService`
	}
	if !strings.ContainsAny(account, `\@`) {
		return `.\` + account // an account of this machine
	}
	return account
}

func change(s *mgr.Service, level uint32, info unsafe.Pointer) error {
	return windows.ChangeServiceConfig2(s.Handle, level, (*byte)(info))
}

func describe(s *mgr.Service, text string) error {
	description, err := windows.UTF16PtrFromString(text)
	if err != nil {
		return err
	}
	return change(s, windows.SERVICE_CONFIG_DESCRIPTION, unsafe.Pointer(&windows.SERVICE_DESCRIPTION{Description: description}))
}

func delay(s *mgr.Service, delayed bool) error {
	if !delayed {
		return nil
	}
	return change(s, windows.SERVICE_CONFIG_DELAYED_AUTO_START_INFO, unsafe.Pointer(&windows.SERVICE_DELAYED_AUTO_START_INFO{IsDelayedAutoStartUp: 1}))
}

// recovery makes the manager restart a service that crashed. After a day without a
// failure it starts again with the first wait.
func recovery(s *mgr.Service, waits []time.Duration) error {
	if len(waits) == 0 {
		return nil
	}
	actions := make([]mgr.RecoveryAction, len(waits))
	for i, wait := range waits {
		actions[i] = mgr.RecoveryAction{Type: mgr.ServiceRestart, Delay: wait}
	}
	return s.SetRecoveryActions(actions, uint32((24 * time.Hour).Seconds()))
}

// recoveryOnExit makes exit codes other than 0 count as failures: otherwise only a
// crash counts.
func recoveryOnExit(s *mgr.Service, waits []time.Duration) error {
	if len(waits) == 0 {
		return nil
	}
	return s.SetRecoveryActionsOnNonCrashFailures(true)
}

// preshutdown makes the system wait for a drain when it shuts down. The default is three minutes,
// or ten seconds since Windows 10.
func preshutdown(s *mgr.Service, within time.Duration) error {
	info := struct{ TimeoutMS uint32 }{uint32(within.Milliseconds())}
	return change(s, windows.SERVICE_CONFIG_PRESHUTDOWN_INFO, unsafe.Pointer(&info))
}

// registerSource makes events of this name readable in the Event Viewer, with the
// messages of a file that every Windows has.
func registerSource(name string) error {
	_ = eventlog.Remove(name) // of an earlier service
	return eventlog.InstallAsEventCreate(name, eventlog.Error|eventlog.Warning|eventlog.Info)
}

// Uninstall implements Manager.
func (controlManager) Uninstall(_ context.Context, name string) ([]error, error) {
	const remove = 0x10000 // DELETE
	if err := open("remove", name, remove, func(s *mgr.Service) error { return s.Delete() }); err != nil {
		return nil, err
	}
	var warnings []error
	if err := eventlog.Remove(name); err != nil && !errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
		warnings = append(warnings, fmt.Errorf("the source of events could not be removed: %w", err))
	}
	return warnings, nil
}

// NeedsPassword reports whether an account logs on with a password: system, service and managed
// accounts do not.
func NeedsPassword(account string) bool {
	upper := strings.ToUpper(accountOf(account))
	return upper != "" && !strings.HasSuffix(upper, "$") &&
		!slices.ContainsFunc([]string{`NT AUTHORITY\`, `NT SERVICE\`}, func(p string) bool { return strings.HasPrefix(upper, p) })
}
