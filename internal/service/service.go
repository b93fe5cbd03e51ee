// Package service makes a program a service of the system: of Windows' service
// control manager, or of systemd. It registers and drives services, lets a program
// run as one, and replaces the program of services that run.
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

// What the managers of both systems may answer.
var (
	ErrNotInstalled = errors.New("there is no such service")
	ErrInstalled    = errors.New("there is such a service already")
	ErrNoRights     = errors.New("access is denied")
	ErrForeign      = errors.New("it is a service of another program")
	ErrUnsupported  = errors.New("services are known on Windows and on Linux with systemd only")

	// ErrByHand is the answer of Run to a program that no service manager started.
	ErrByHand = errors.New("no service manager has started this program")
)

// Spec is what a service is registered with.
type Spec struct {
	// Name is what commands call it: see CheckName. DisplayName and Description are
	// for people.
	Name, DisplayName, Description string

	// Program and Config are absolute paths.
	Program, Config string

	// Account is whom the service works as; Password is "" for accounts without one.
	// On Linux there are no passwords.
	Account, Password string

	// Manual services do not start with the system. DelayedStart ones start a while
	// after it; only Windows knows these.
	Manual, DelayedStart bool

	// RestartAfter are the waits before the manager starts a service again that
	// failed; the last one counts for all that follow. None leaves it. systemd takes
	// the first for all.
	RestartAfter []time.Duration

	// DependsOn are services that have to run before.
	DependsOn []string

	// StopWithin is how long the service may take to stop.
	StopWithin time.Duration

	// Writable are folders that a service of systemd may write; Windows goes by the
	// rights of the account alone.
	Writable []string
}

// namePattern is what both systems take: no signs that a path, a command line or a
// unit's name gives a meaning.
var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$`) })

// CheckName reports a name that no service can have.
func CheckName(name string) error {
	if !namePattern().MatchString(name) {
		return fmt.Errorf("got the service name %q, want 1 to 80 Latin letters, digits and the characters _ . -, a letter or digit in front", name)
	}
	return nil
}

// Arguments are those that the service's program is started with.
func (s *Spec) Arguments() []string {
	return []string{"service", "run", "--name", s.Name, "--config", s.Config}
}

// configOf returns the settings file in the arguments that a service was registered
// with; "" if there is none.
func configOf(arguments []string) string {
	if i := slices.Index(arguments, "--config"); i >= 0 && i+1 < len(arguments) {
		return arguments[i+1]
	}
	return ""
}

// foreign is the answer about a service that Install did not register: nothing is done
// with it.
func foreign(operation, name string) error {
	return &hinted{fmt.Errorf("%s the service %s: %w", operation, name, ErrForeign), "`botwork service status --all` lists those of Botwork"}
}

// isOurs reports whether a service was registered with [Spec.Arguments].
func isOurs(arguments []string) bool {
	return len(arguments) > 2 && arguments[0] == "service" && arguments[1] == "run"
}

// State is what a service does.
type State string

// The states.
const (
	Running  State = "running"
	Starting State = "starting"
	Stopping State = "stopping"
	Stopped  State = "stopped"

	// Failed means stopped without a request.
	Failed State = "failed"
)

// Status is what the service manager knows of a service.
type Status struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	State       State  `json:"state"`
	PID         int    `json:"pid"`   // 0 without a process
	Start       string `json:"start"` // automatic, delayed, manual or disabled
	Account     string `json:"account"`
	Program     string `json:"program"`
	Config      string `json:"config"`

	// ExitCode is that of the last end, such as the program's own: 0 for a good one.
	ExitCode int `json:"exitCode"`

	// Text is what the service says of itself; Windows keeps no such text.
	Text string `json:"text"`
}

// Manager is the service manager of this system. Services are found by their names;
// ErrNotInstalled, ErrForeign and ErrNoRights say why a call is not possible.
type Manager interface {
	// Install registers a service and does not start it. What could not be set
	// beside its command line and account comes back as warnings.
	Install(ctx context.Context, s Spec) (warnings []error, err error)

	// Uninstall removes a service that does not run.
	Uninstall(ctx context.Context, name string) (warnings []error, err error)

	// Start starts a service and waits until it runs. One that runs is left alone.
	Start(ctx context.Context, name string) error

	// Stop stops a service and waits until its process is gone, for as long as it
	// shows that it gets on. One that does not run is left alone.
	Stop(ctx context.Context, name string) error

	Status(ctx context.Context, name string) (Status, error)

	// List returns the services that Install registered, by name.
	List(ctx context.Context) ([]Status, error)
}

// hinted is an error with what to do about it.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() + "; " + e.hint }
func (e *hinted) Unwrap() error { return e.err }
