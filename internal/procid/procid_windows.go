package procid

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// timeOfDay is SYSTEM_TIMEOFDAY_INFORMATION.
type timeOfDay struct {
	BootTime, CurrentTime, TimeZoneBias int64
	TimeZoneID, Reserved                uint32
	BootTimeBias, SleepTimeBias         uint64
}

// currentScope names the installation, the boot and the session of the process.
//
// Cloned virtual machines can have the same MachineGuid, but not the same boot time in
// units of 100 ns. When the clock is set, the boot time changes as well, and the states of
// earlier identities can no longer be determined.
//
// A process in a container that shares the kernel of its host sees the same boot time as the
// processes of the host and of other containers, but not those processes: it has no scope. If
// such a container is not recognized, it still has its own session.
func currentScope() (string, error) {
	if inContainer() {
		return "", errors.New("processes in containers have no identity")
	}
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`, registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return "", err
	}
	defer key.Close()
	machine, _, err := key.GetStringValue("MachineGuid")
	if err != nil {
		return "", err
	}
	var t timeOfDay
	if err := windows.NtQuerySystemInformation(windows.SystemTimeOfDayInformation, unsafe.Pointer(&t), uint32(unsafe.Sizeof(t)), nil); err != nil {
		return "", err
	}
	var session uint32
	if err := windows.ProcessIdToSessionId(uint32(os.Getpid()), &session); err != nil { //nolint:gosec // the system's own id
		return "", err
	}
	scope := fmt.Sprintf("windows %s boot:%d session:%d", machine, t.BootTime, session)
	if machine == "" || t.BootTime == 0 || strings.Contains(scope, "/") || len(scope) > 100 {
		return "", fmt.Errorf("scope %q: want the id of the installation and a time of boot", scope)
	}
	return scope, nil
}

// inContainer reports whether this process runs in a Windows container. It returns true if
// that cannot be determined.
func inContainer() bool {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SYSTEM\CurrentControlSet\Control`, registry.QUERY_VALUE)
	if err != nil {
		return true
	}
	defer key.Close()
	_, _, err = key.GetIntegerValue("ContainerType")
	return !errors.Is(err, registry.ErrNotExist)
}

func startOf(pid int) (string, error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid)) //nolint:gosec // the system's own id
	if err != nil {
		return "", err
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing depends on it
	return startOfHandle(h)
}

// startOfHandle returns when the process was created, in 100 ns since 1601.
func startOfHandle(h windows.Handle) (string, error) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return "", err
	}
	return fmt.Sprint(uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime)), nil
}

// state returns the state of a process of our own scope.
func state(p identity) State {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(p.pid)) //nolint:gosec // read from what Self wrote
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return Ended // there is no process with that id
	}
	if err != nil {
		return Unknown
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing depends on it
	start, err := startOfHandle(h)
	if err != nil {
		return Unknown
	}
	if start != p.start {
		return Ended // its id was reused
	}
	// The exit code does not prove it: a process has one before its last thread has ended.
	switch event, err := windows.WaitForSingleObject(h, 0); {
	case err != nil:
		return Unknown
	case event == windows.WAIT_OBJECT_0:
		return Ended // another process still has a handle of it
	default:
		return Running
	}
}
