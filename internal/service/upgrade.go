package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Upgrade replaces the program of a service, and of all services that run the same file. If a step
// fails, or this process is killed, a program exists or can be restored: the same upgrade, run
// again, repairs an interrupted one.
type Upgrade struct {
	Manager Manager
	Name    string // of the service
	New     string // the new program

	// Check returns an error if a program cannot replace the old one. It gets a copy in the same
	// folder, before any service is stopped.
	Check func(ctx context.Context, program string, services []Status) error

	// Watch is how long the services must run before the upgrade counts as successful.
	Watch time.Duration

	// Say receives progress messages.
	Say func(format string, args ...any)
}

// Run runs the upgrade. After services were stopped, it continues even if ctx ends, because an
// incomplete upgrade would be worse. The error states whether the old program is restored.
func (u *Upgrade) Run(ctx context.Context) error {
	services, err := u.sharing(ctx)
	if err != nil {
		return err
	}
	place := placeOf(services[0].Program)
	if err := u.restoreProgram(place); err != nil {
		return err
	}
	note := readRecord(place)
	if err := stage(u.New, place); err != nil {
		return err
	}
	defer os.Remove(place.staged) //nolint:errcheck // it was renamed, or is a copy
	next, err := sum(place.staged)
	if err != nil {
		return err
	}
	now, err := sum(place.program)
	if err != nil {
		return err
	}
	if next == now && note.New != now {
		u.Say("%s already is this program", place.program)
		return nil
	}
	if next != now {
		if err := u.Check(ctx, place.staged, services); err != nil {
			return fmt.Errorf("%s is not installed: %w", u.New, err)
		}
	}

	ctx = context.WithoutCancel(ctx)
	note.New = next
	for _, st := range services {
		if st.State != Stopped && st.State != Failed && !slices.Contains(note.Running, st.Name) {
			note.Running = append(note.Running, st.Name)
		}
	}
	if err := note.write(place); err != nil {
		return err
	}
	if next == now {
		u.Say("an interrupted upgrade had already installed the program; starting its services")
	} else if err := u.exchange(ctx, place, services, note.Running); err != nil {
		return errors.Join(err, note.remove(place))
	}
	if failed := u.bringUp(ctx, note.Running); failed != nil {
		return u.rollBack(ctx, place, note, failed)
	}
	return note.remove(place)
}

// sharing returns the services that run the program of the named one, that one first.
func (u *Upgrade) sharing(ctx context.Context) ([]Status, error) {
	named, err := u.Manager.Status(ctx, u.Name)
	if err != nil {
		return nil, err
	}
	if named.Program == "" {
		return nil, fmt.Errorf("the service manager does not report which program the service %s runs", u.Name)
	}
	all, err := u.Manager.List(ctx)
	if err != nil {
		return nil, err
	}
	services := []Status{named}
	for _, st := range all {
		if st.Name != named.Name && samePath(st.Program, named.Program) {
			services = append(services, st)
		}
	}
	return services, nil
}

// restoreProgram restores the old program if an interrupted upgrade has left none.
func (u *Upgrade) restoreProgram(p place) error {
	_, err := os.Stat(p.program)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(p.old); err != nil {
		return fmt.Errorf("neither the service's program %s nor an earlier one exists: %w", p.program, err)
	}
	if err := os.Rename(p.old, p.program); err != nil {
		return fmt.Errorf("restore the earlier program: %w", err)
	}
	u.Say("restored %s, which an interrupted upgrade had renamed", p.program)
	return nil
}

// exchange stops the services and replaces the program. On an error the services run with the old
// program.
func (u *Upgrade) exchange(ctx context.Context, p place, services []Status, running []string) error {
	for _, st := range services {
		u.Say("stopping %s: running items may continue until its shutdown timeout", st.Name)
		if err := u.Manager.Stop(ctx, st.Name); err != nil {
			return errors.Join(err, u.startAll(ctx, running))
		}
	}
	if err := replace(p.staged, p.program, p.old); err != nil {
		return errors.Join(fmt.Errorf("install the new program: %w; the old one is kept", err), u.startAll(ctx, running))
	}
	u.Say("installed %s; the old program is %s", p.program, p.old)
	return nil
}

func (u *Upgrade) startAll(ctx context.Context, names []string) error {
	var all []error
	for _, name := range names {
		all = append(all, u.Manager.Start(ctx, name))
	}
	return errors.Join(all...)
}

// bringUp starts the services and checks that they continue to run.
func (u *Upgrade) bringUp(ctx context.Context, names []string) error {
	if len(names) == 0 {
		u.Say("no service was running, so none is started")
		return nil
	}
	pids := make(map[string]int, len(names))
	for _, name := range names {
		if err := u.Manager.Start(ctx, name); err != nil {
			return err
		}
		st, err := u.Manager.Status(ctx, name)
		if err != nil {
			return err
		}
		pids[name] = st.PID
	}
	u.Say("%s: started; checking for %s that it continues to run", strings.Join(names, ", "), u.Watch)
	for end := time.Now().Add(u.Watch); ; time.Sleep(min(time.Second, u.Watch)) {
		for _, name := range names {
			st, err := u.Manager.Status(ctx, name)
			switch {
			case err != nil:
				return err
			case st.State != Running:
				return fmt.Errorf("the service %s is %s with exit code %d, want running", name, st.State, st.ExitCode)
			case st.PID != pids[name]:
				return fmt.Errorf("the service %s ended and was restarted", name)
			}
		}
		if !time.Now().Before(end) {
			return nil
		}
	}
}

// rollBack restores the old program and starts the services with it. If that fails, the record is
// kept, so that the next try knows which services were running.
func (u *Upgrade) rollBack(ctx context.Context, p place, n upgradeRecord, failed error) error {
	u.Say("the new program does not start: %v", failed)
	u.Say("restoring the old one")
	for _, name := range n.Running {
		if err := u.Manager.Stop(ctx, name); err != nil {
			u.Say("%v", err) // it may be restarting; the program can be replaced anyway
		}
	}
	if err := replace(p.old, p.program, p.failed); err != nil {
		return fmt.Errorf("the new program does not start: %w; and the old one cannot be restored: %w", failed, err)
	}
	if err := u.startAll(ctx, n.Running); err != nil {
		return fmt.Errorf("the new program does not start: %w; the old one is restored, but: %w", failed, err)
	}
	return errors.Join(
		&hinted{fmt.Errorf("the new program does not start: %w; the old one is restored and runs", failed), "the new one is kept as " + p.failed},
		n.remove(p))
}
