// Package service makes a program a service of the system: of Windows' service
// control manager, or of systemd. It registers and controls services, runs a program
// as a service, and replaces the program of running services.
package service

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"
)

// Errors of the managers of both systems.
var (
	ErrNotInstalled = errors.New("there is no such service")
	ErrInstalled    = errors.New("the service already exists")
	ErrNoRights     = errors.New("access is denied")
	ErrForeign      = errors.New("the service belongs to another program")
	ErrUnsupported  = errors.New("services are supported only on Windows and on Linux with systemd")

	// ErrByHand is the error of Run if no service manager started the program.
	ErrByHand = errors.New("no service manager has started this program")
)

// Spec is the settings with which a service is registered.
type Spec struct {
	// Name is the name for commands: see CheckName. DisplayName and Description are
	// shown to users.
	Name, DisplayName, Description string

	// Program and Config are absolute paths.
	Program, Config string

	// Environment is the environment of the settings; "" is none.
	Environment string

	// Account is the account of the service; Password is "" for accounts without a
	// password. On Linux there are no passwords.
	Account, Password string

	// Manual services do not start with the system. DelayedStart services start some
	// time after it, on Windows only.
	Manual, DelayedStart bool

	// RestartAfter are the waits before the manager restarts a failed service; the
	// last one applies to all further failures. Without any, a failed service is not
	// restarted. systemd uses only the first one.
	RestartAfter []time.Duration

	// DependsOn are services that must start before this one.
	DependsOn []string

	// StopWithin is how long the service may take to stop.
	StopWithin time.Duration

	// Writable are folders that a service of systemd may write to; on Windows only the
	// account's rights matter.
	Writable []string
}

// namePattern matches names that both systems accept, without characters that have a meaning in a
// path, a command line or a unit's name.
var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$`) })

// CheckName returns an error for a name that no service can have.
func CheckName(name string) error {
	if !namePattern().MatchString(name) {
		return fmt.Errorf("got the service name %q, want 1 to 80 Latin letters, digits and the characters _ . -, starting with a letter or digit", name)
	}
	return nil
}

// Arguments returns the arguments with which the service's program is started.
func (s *Spec) Arguments() []string {
	arguments := []string{"service", "run", "--name", s.Name, "--config", s.Config}
	if s.Environment != "" {
		arguments = append(arguments, "--environment", s.Environment)
	}
	return arguments
}

// valueOfFlag returns the value of a flag in the arguments that a service was registered
// with, such as its settings file; "" if there is none.
func valueOfFlag(arguments []string, flag string) string {
	if i := slices.Index(arguments, flag); i >= 0 && i+1 < len(arguments) {
		return arguments[i+1]
	}
	return ""
}

// foreign returns the error for a service that Install did not register. Such a service is not
// changed.
func foreign(operation, name string) error {
	return &hinted{fmt.Errorf("%s the service %s: %w", operation, name, ErrForeign), "`botwork service status --all` lists the services of Botwork"}
}

// isOurs reports whether a service was registered with [Spec.Arguments].
func isOurs(arguments []string) bool {
	return len(arguments) > 2 && arguments[0] == "service" && arguments[1] == "run"
}

// State is the state of a service.
type State string

// The states.
const (
	Running  State = "running"
	Starting State = "starting"
	Stopping State = "stopping"
	Stopped  State = "stopped"

	// Failed means that the service ended without a stop request.
	Failed State = "failed"
)

// Status is the status of a service, as the service manager reports it.
type Status struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	State       State  `json:"state"`
	PID         int    `json:"pid"`   // 0: no process
	Start       string `json:"start"` // automatic, delayed, manual or disabled
	Account     string `json:"account"`
	Program     string `json:"program"`
	Config      string `json:"config"`
	Environment string `json:"environment,omitempty"` // of the settings; "" if none was chosen

	// ExitCode is the last exit code, for example that of the program; 0 means success.
	ExitCode int `json:"exitCode"`

	// Text is the status text of the service; "" on Windows.
	Text string `json:"text"`
}

// Manager is the service manager of this system. Services are found by their names. Calls return
// ErrNotInstalled, ErrForeign or ErrNoRights if they are not possible.
type Manager interface {
	// Install registers a service and does not start it. It returns warnings for
	// settings other than the command line and account that could not be applied.
	Install(ctx context.Context, s Spec) (warnings []error, err error)

	// Uninstall removes a stopped service.
	Uninstall(ctx context.Context, name string) (warnings []error, err error)

	// Start starts a service and waits until it runs. It does nothing if the service runs.
	Start(ctx context.Context, name string) error

	// Stop stops a service and waits until its process has ended, as long as the service
	// reports progress. It does nothing if the service does not run.
	Stop(ctx context.Context, name string) error

	Status(ctx context.Context, name string) (Status, error)

	// List returns the services that Install registered, by name.
	List(ctx context.Context) ([]Status, error)
}

// hinted is an error with a hint.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() + "; " + e.hint }
func (e *hinted) Unwrap() error { return e.err }
