package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/mgr"
)

// New returns the manager of this system.
func New() (Manager, error) { return controlManager{}, nil }

// controlManager is Windows' service control manager. Each call opens it with only the
// rights that it needs: every account may query a service.
type controlManager struct{}

// open calls do with a service that Install registered, opened with the rights and the right to
// query it.
func open(operation, name string, rights uint32, do func(s *mgr.Service) error) error {
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return explain(operation, name, err)
	}
	m, err := windows.OpenSCManager(nil, nil, windows.SC_MANAGER_CONNECT)
	if err != nil {
		return explain(operation, name, err)
	}
	defer windows.CloseServiceHandle(m) //nolint:errcheck // it was used to look only
	h, err := windows.OpenService(m, text, rights|windows.SERVICE_QUERY_STATUS|windows.SERVICE_QUERY_CONFIG)
	if err != nil {
		return explain(operation, name, err)
	}
	defer windows.CloseServiceHandle(h) //nolint:errcheck // nothing is buffered
	c, err := configuration(h)
	if err != nil {
		return explain(operation, name, err)
	}
	if line, err := windows.DecomposeCommandLine(windows.UTF16PtrToString(c.BinaryPathName)); err != nil || len(line) == 0 || !isOurs(line[1:]) {
		return foreign(operation, name)
	}
	return explain(operation, name, do(&mgr.Service{Name: name, Handle: h}))
}

// Status implements Manager.
func (controlManager) Status(_ context.Context, name string) (Status, error) {
	var st Status
	err := open("query", name, 0, func(s *mgr.Service) (err error) {
		st, err = queryStatus(s)
		return err
	})
	return st, err
}

func queryStatus(s *mgr.Service) (Status, error) {
	now, err := s.Query()
	if err != nil {
		return Status{}, err
	}
	c, err := configuration(s.Handle)
	if err != nil {
		return Status{}, err
	}
	st := Status{
		Name: s.Name, DisplayName: windows.UTF16PtrToString(c.DisplayName), State: stateOf(now), PID: int(now.ProcessId),
		Start: startOf(s.Handle, c.StartType), Account: windows.UTF16PtrToString(c.ServiceStartName), ExitCode: exitCodeOf(now),
	}
	if line, err := windows.DecomposeCommandLine(windows.UTF16PtrToString(c.BinaryPathName)); err == nil && len(line) > 0 {
		st.Program, st.Config, st.Environment = line[0], valueOfFlag(line[1:], "--config"), valueOfFlag(line[1:], "--environment")
	}
	return st, nil
}

// configuration is like mgr.Service.Config without settings that some systems do not support, such
// as a delayed start: mgr.Service.Config fails on those systems.
func configuration(h windows.Handle) (*windows.QUERY_SERVICE_CONFIG, error) {
	size := uint32(1024)
	for {
		b := make([]byte, size)
		c := (*windows.QUERY_SERVICE_CONFIG)(unsafe.Pointer(&b[0]))
		err := windows.QueryServiceConfig(h, c, size, &size)
		if err == nil || !errors.Is(err, windows.ERROR_INSUFFICIENT_BUFFER) || size <= uint32(len(b)) {
			return c, err
		}
	}
}

func stateOf(s svc.Status) State {
	switch s.State {
	case svc.Stopped:
		if exitCodeOf(s) != 0 {
			return Failed
		}
		return Stopped
	case svc.StartPending:
		return Starting
	case svc.StopPending:
		return Stopping
	default:
		return Running
	}
}

// exitCodeOf returns the service's own exit code if it has one. A service that was never started
// has none.
func exitCodeOf(s svc.Status) int {
	switch windows.Errno(s.Win32ExitCode) {
	case windows.ERROR_SERVICE_SPECIFIC_ERROR:
		return int(s.ServiceSpecificExitCode)
	case windows.ERROR_SERVICE_NEVER_STARTED:
		return 0
	default:
		return int(s.Win32ExitCode)
	}
}

func startOf(h windows.Handle, kind uint32) string {
	switch kind {
	case mgr.StartManual:
		return "manual"
	case mgr.StartDisabled:
		return "disabled"
	}
	var delayed windows.SERVICE_DELAYED_AUTO_START_INFO
	var needed uint32
	err := windows.QueryServiceConfig2(h, windows.SERVICE_CONFIG_DELAYED_AUTO_START_INFO, (*byte)(unsafe.Pointer(&delayed)), uint32(unsafe.Sizeof(delayed)), &needed)
	if err == nil && delayed.IsDelayedAutoStartUp != 0 {
		return "delayed"
	}
	return "automatic"
}

// List implements Manager. It leaves out services that this account may not query.
func (m controlManager) List(ctx context.Context) ([]Status, error) {
	h, err := windows.OpenSCManager(nil, nil, windows.SC_MANAGER_CONNECT|windows.SC_MANAGER_ENUMERATE_SERVICE)
	if err != nil {
		return nil, explain("list", "manager", err)
	}
	defer windows.CloseServiceHandle(h) //nolint:errcheck // it was used to look only
	names, err := (&mgr.Mgr{Handle: h}).ListServices()
	if err != nil {
		return nil, explain("list", "manager", err)
	}
	var ours []Status
	for _, name := range names {
		if st, err := m.Status(ctx, name); err == nil {
			ours = append(ours, st)
		}
	}
	slices.SortFunc(ours, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
	return ours, nil
}

// pause is the wait between two queries of a service's state: the manager does not report
// changes.
const pause = 100 * time.Millisecond
