// Package notifications is the command `botwork notifications`.
package notifications

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"botwork/client"
	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/internal/operations"
	"botwork/workqueue"
)

// command is one call of `botwork notifications`.
type command struct{ *projectdir.App }

// Command returns `botwork notifications`.
func Command(a *projectdir.App) *cobra.Command {
	c := &command{a}
	return cli.Group(&cobra.Command{
		Use: "notifications", Aliases: []string{"notification"}, Short: "List, test and mute the messages to people",
		Long: `Lists the rules of notifications in the settings with their alerts, sends test
messages to targets, and mutes rules.

Workers and servers evaluate the rules once a minute and send the messages: see
docs/notifications.md.`,
	}, cli.OverServer(c.listCommand()), cli.OverServer(c.testCommand()), cli.OverServer(c.muteCommand()), cli.OverServer(c.unmuteCommand()))
}

// messenger is what the commands call: the database with the settings of this project, or a server
// with its own.
type messenger interface {
	Notifications(ctx context.Context) (operations.Notifications, error)
	TestTarget(ctx context.Context, target string) (answer string, err error)
	MuteAlerts(ctx context.Context, m workqueue.Mute, length time.Duration) error
	UnmuteAlerts(ctx context.Context, rule, group, reason string) (changed bool, err error)
	Now(ctx context.Context) (time.Time, error)
}

// with calls do with the server of the flags, or with the database.
func (a *command) with(ctx context.Context, readOnly bool, do func(messenger) error) error {
	if a.UsesServer() {
		return a.WithServer(func(s *remote.Server) error {
			err := do(s)
			if p, ok := errors.AsType[*remote.Error](err); ok && p.Problem.Code == client.ErrNotFound {
				return &cli.UsageError{Message: p.Problem.Detail, Hint: p.Problem.Hint}
			}
			return err
		})
	}
	with := a.WithStore
	if readOnly {
		with = a.WithReadOnlyStore
	}
	return with(ctx, func(store cli.Store) error { return do(&local{store, a.App}) })
}

// local is the database with the settings of this project.
type local struct {
	cli.Store
	app *projectdir.App
}

func (l *local) Notifications(ctx context.Context) (operations.Notifications, error) {
	plan, err := l.app.NotificationPlan()
	if err != nil {
		return operations.Notifications{}, err
	}
	return operations.Notified(ctx, l.Store, &plan.Plan)
}

func (l *local) TestTarget(ctx context.Context, target string) (string, error) {
	if err := l.app.Config.CheckTarget(target); err != nil {
		return "", err
	}
	plan, err := l.app.NotificationPlan()
	if err != nil {
		return "", err
	}
	answer, err := operations.TestTarget(ctx, l.Store, &plan.Plan, plan.Sender.Send, target)
	return answer, usage(err)
}

func (l *local) MuteAlerts(ctx context.Context, m workqueue.Mute, length time.Duration) error {
	plan, err := l.app.NotificationPlan()
	if err == nil {
		err = usage(operations.CheckRule(&plan.Plan, m.Rule))
	}
	if err != nil {
		return err
	}
	return l.Store.MuteAlerts(ctx, m, length)
}

// usage turns an unknown name into an error of usage.
func usage(err error) error {
	if unknown := (*operations.UnknownNameError)(nil); errors.As(err, &unknown) {
		hint := unknown.Hint
		if hint == "" {
			hint = "`botwork notifications list` lists them"
		}
		return &cli.UsageError{Message: unknown.Error(), Hint: hint}
	}
	return err
}
