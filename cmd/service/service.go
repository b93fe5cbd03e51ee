// Package service is the command `botwork service`.
package service

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/run"
	"botwork/config"
	"botwork/internal/service"
)

// command is one call of `botwork service`.
type command struct {
	*projectdir.App

	supervisor run.Supervisor
	alarms     zerolog.LevelWriter // gets the warnings and errors of the log; nil if there is no destination for them
}

// Command returns `botwork service`.
func Command(a *projectdir.App) *cobra.Command { return (&command{App: a}).serviceCommand() }

const serviceDoc = `Installs and controls Botwork as a service: with the service control manager of
Windows, or with systemd on Linux. Several services can be installed on one machine,
each with its own --name and usually its own settings file.

Viewing a service needs no permissions; all other commands need an administrator or root.`

func (a *command) serviceCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "service",
		Short: "Install and control Botwork as a Windows or systemd service",
		Long:  serviceDoc,
		Example: `  botwork service install --config C:\botwork\botwork.yaml
  botwork service start
  botwork service status`,
	},
		a.serviceInstallCommand(),
		a.serviceUninstallCommand(),
		a.serviceStartCommand(),
		a.serviceStopCommand(),
		a.serviceRestartCommand(),
		a.serviceStatusCommand(),
		a.serviceLogsCommand(),
		a.serviceUpgradeCommand(),
		a.serviceRunCommand(),
	)
}

// nameFlag adds the flag --name to cmd and returns a pointer to its value.
func nameFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("name", config.ServiceName, "the service's `NAME`")
}

// withManager checks the name and opens the service manager.
func (a *command) withManager(name string, do func(m service.Manager) error) error {
	if err := service.CheckName(name); err != nil {
		return &cli.UsageError{Message: "--name: " + err.Error()}
	}
	m, err := a.Services()
	if err != nil {
		return err
	}
	return do(m)
}

// warnAll prints errors as warnings.
func (a *command) warnAll(warnings []error) {
	for _, w := range warnings {
		fmt.Fprintf(a.Stderr, "botwork: warning: %v\n", w)
	}
}

// driven runs an action on an installed service.
func (a *command) driven(cmd *cobra.Command, do func(ctx context.Context, m service.Manager, name string) error) *cobra.Command {
	cmd.Args = cli.NoArguments
	name := nameFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.withManager(*name, func(m service.Manager) error { return do(cmd.Context(), m, *name) })
	}
	return cmd
}

func (a *command) serviceStartCommand() *cobra.Command {
	return a.driven(&cobra.Command{
		Use:   "start",
		Short: "Start the service and wait until it runs",
		Long: `Starts the service and waits until it runs. A running service has settings without
errors and at least one usable system pipeline. It may still wait for a database
that does not exist yet; ` + "`botwork service logs`" + ` shows that.

If the service already runs, nothing happens.`,
		Example: "  botwork service start\n  botwork service start --name nightly",
	}, func(ctx context.Context, m service.Manager, name string) error {
		if err := m.Start(ctx, name); err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "the service %s is running\n", name)
		return nil
	})
}

func (a *command) serviceStopCommand() *cobra.Command {
	return a.driven(&cobra.Command{
		Use:   "stop",
		Short: "Drain and stop the service, and wait until it has stopped",
		Long: `Stops the service and waits until it has stopped. The service starts no more items,
releases its assigned items, and gives running items worker.shutdownGrace to finish.
If the service does not run, nothing happens.`,
		Example: "  botwork service stop",
	}, func(ctx context.Context, m service.Manager, name string) error {
		if err := m.Stop(ctx, name); err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "the service %s is stopped\n", name)
		return nil
	})
}

func (a *command) serviceRestartCommand() *cobra.Command {
	return a.driven(&cobra.Command{
		Use:     "restart",
		Short:   "Stop the service if it runs, and start it",
		Long:    "Stops the service like `stop`, if it runs, and starts it like `start`.",
		Example: "  botwork service restart",
	}, func(ctx context.Context, m service.Manager, name string) error {
		if err := m.Stop(ctx, name); err != nil {
			return err
		}
		if err := m.Start(ctx, name); err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "the service %s is running\n", name)
		return nil
	})
}

func (a *command) serviceUninstallCommand() *cobra.Command {
	return a.driven(&cobra.Command{
		Use:   "uninstall",
		Short: "Stop the service and remove it",
		Long: `Stops the service like ` + "`stop`" + ` and removes it. Settings, pipelines, logs and
the database are not removed.`,
		Example: "  botwork service uninstall --name nightly",
	}, func(ctx context.Context, m service.Manager, name string) error {
		if err := m.Stop(ctx, name); err != nil {
			return err
		}
		warnings, err := m.Uninstall(ctx, name)
		a.warnAll(warnings)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "the service %s was removed\n", name)
		return nil
	})
}

// titleOf returns the default display name of a service: two services of a machine must not
// have the same display name.
func titleOf(name string) string {
	if name == config.ServiceName {
		return "Botwork"
	}
	return "Botwork (" + name + ")"
}

// distinct removes duplicates and keeps the order.
func distinct[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}
