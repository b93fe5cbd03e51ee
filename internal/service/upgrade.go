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

// Upgrade puts another program in the place of the one that a service runs, and of all services
// that run the same file. Whatever fails, and whenever this process is killed, a program is in
// place or can be put back: the same upgrade, done again, repairs an interrupted one.
type Upgrade struct {
	Manager Manager
	Name    string // of the service
	New     string // the program to put in place

	// Check reports whether a program can be put in place; it is given a copy beside the old one,
	// before anything is stopped.
	Check func(ctx context.Context, program string, services []Status) error

	// Watch is how long the services have to run without a stop before the upgrade
	// is taken for done.
	Watch time.Duration

	// Say receives progress messages.
	Say func(format string, args ...any)
}

// Run does the upgrade. Once services have been stopped it goes on although ctx ends:
// half of it would be worse. An error says whether the old program is back.
func (u *Upgrade) Run(ctx context.Context) error {
	services, err := u.sharing(ctx)
	if err != nil {
		return err
	}
	place := placeOf(services[0].Program)
	if err := u.mend(place); err != nil {
		return err
	}
	note := readNote(place)
	if err := stage(u.New, place); err != nil {
		return err
	}
	defer os.Remove(place.staged) //nolint:errcheck // it has been put in place, or is a copy
	next, err := sum(place.staged)
	if err != nil {
		return err
	}
	now, err := sum(place.program)
	if err != nil {
		return err
	}
	if next == now && note.New != now {
		u.Say("%s is this program already", place.program)
		return nil
	}
	if next != now {
		if err := u.Check(ctx, place.staged, services); err != nil {
			return fmt.Errorf("%s is not put in place: %w", u.New, err)
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
		u.Say("the program was put in place by an upgrade that was cut short; its services are started")
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
		return nil, fmt.Errorf("the service manager does not tell which program the service %s runs", u.Name)
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

// mend restores the old program if an interrupted upgrade has left none.
func (u *Upgrade) mend(p place) error {
	_, err := os.Stat(p.program)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(p.old); err != nil {
		return fmt.Errorf("the service's program %s is not there, nor is an earlier one: %w", p.program, err)
	}
	if err := os.Rename(p.old, p.program); err != nil {
		return fmt.Errorf("put the earlier program back: %w", err)
	}
	u.Say("an upgrade that was cut short had moved %s away; it is back", p.program)
	return nil
}

// exchange stops the services and changes the programs. On an error the services run
// with the old one.
func (u *Upgrade) exchange(ctx context.Context, p place, services []Status, running []string) error {
	for _, st := range services {
		u.Say("stopping %s: running items may go on for as long as its grace", st.Name)
		if err := u.Manager.Stop(ctx, st.Name); err != nil {
			return errors.Join(err, u.startAll(ctx, running))
		}
	}
	if err := replace(p.staged, p.program, p.old); err != nil {
		return errors.Join(fmt.Errorf("put the new program in place: %w; the old one stays", err), u.startAll(ctx, running))
	}
	u.Say("%s is in place; the old program is %s", p.program, p.old)
	return nil
}

func (u *Upgrade) startAll(ctx context.Context, names []string) error {
	var all []error
	for _, name := range names {
		all = append(all, u.Manager.Start(ctx, name))
	}
	return errors.Join(all...)
}

// bringUp starts the services and sees whether they stay up.
func (u *Upgrade) bringUp(ctx context.Context, names []string) error {
	if len(names) == 0 {
		u.Say("no service ran before: none is started")
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
	u.Say("%s: started; watching for %s whether that lasts", strings.Join(names, ", "), u.Watch)
	for end := time.Now().Add(u.Watch); ; time.Sleep(min(time.Second, u.Watch)) {
		for _, name := range names {
			st, err := u.Manager.Status(ctx, name)
			switch {
			case err != nil:
				return err
			case st.State != Running:
				return fmt.Errorf("the service %s is %s with exit code %d, want running", name, st.State, st.ExitCode)
			case st.PID != pids[name]:
				return fmt.Errorf("the service %s has ended and was started again", name)
			}
		}
		if !time.Now().Before(end) {
			return nil
		}
	}
}

// rollBack puts the old program back and starts the services with it. The note stays
// when that does not succeed: what ran before is known to the next try.
func (u *Upgrade) rollBack(ctx context.Context, p place, n note, failed error) error {
	u.Say("the new program does not come up: %v", failed)
	u.Say("going back to the old one")
	for _, name := range n.Running {
		if err := u.Manager.Stop(ctx, name); err != nil {
			u.Say("%v", err) // it may be between two starts; the program can be changed all the same
		}
	}
	if err := replace(p.old, p.program, p.failed); err != nil {
		return fmt.Errorf("the new program does not come up: %w; and the old one cannot be put back: %w", failed, err)
	}
	if err := u.startAll(ctx, n.Running); err != nil {
		return fmt.Errorf("the new program does not come up: %w; the old one is back, but: %w", failed, err)
	}
	return errors.Join(
		&hinted{fmt.Errorf("the new program does not come up: %w; the old one is back and runs", failed), "the new one is kept as " + p.failed},
		n.remove(p))
}
