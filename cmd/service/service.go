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
	"botwork/cmd/run"
	"botwork/config"
	"botwork/internal/service"
)

// command is one call of `botwork service`.
type command struct {
	*cli.App

	supervisor run.Supervisor
	alarms     zerolog.LevelWriter // gets the log lines that report trouble; nil if there is no place for them
}

// Command returns `botwork service`.
func Command(a *cli.App) *cobra.Command { return (&command{App: a}).serviceCommand() }

const serviceDoc = `Installs and drives Botwork as a service: with the service control manager of
Windows, or with systemd on Linux. Several services can be installed on one machine,
each with a --name of its own and, most often, a settings file of its own.

Looking at a service needs no rights; all else wants an administrator, or root.`

func (a *command) serviceCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "service",
		Short: "Install and drive the service of Windows or systemd",
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

// nameFlag gives cmd the flag --name and returns where its value will be.
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

// warnAll prints errors that do not matter much.
func (a *command) warnAll(warnings []error) {
	for _, w := range warnings {
		fmt.Fprintf(a.Stderr, "botwork: warning: %v\n", w)
	}
}

// driven makes a command that does one thing with a service that is installed.
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
		Long: `Starts the service and waits until it runs. That it runs says that its settings and
pipelines are without errors. After that it waits for a database that does not
exist yet; ` + "`botwork service logs`" + ` shows that.

A service that runs already is left alone.`,
		Example: "  botwork service start\n  botwork service start --name nightly",
	}, func(ctx context.Context, m service.Manager, name string) error {
		if err := m.Start(ctx, name); err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "the service %s runs\n", name)
		return nil
	})
}

func (a *command) serviceStopCommand() *cobra.Command {
	return a.driven(&cobra.Command{
		Use:   "stop",
		Short: "Drain the service, stop it, and wait until it is gone",
		Long: `Stops the service and waits until it is gone. It takes no more items, assigned ones go
back, and running ones get worker.shutdownGrace to end. A service that does not run
is left alone.`,
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
		Long:    "Stops the service as `stop` does, if it runs, and starts it as `start` does.",
		Example: "  botwork service restart",
	}, func(ctx context.Context, m service.Manager, name string) error {
		if err := m.Stop(ctx, name); err != nil {
			return err
		}
		if err := m.Start(ctx, name); err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "the service %s runs\n", name)
		return nil
	})
}

func (a *command) serviceUninstallCommand() *cobra.Command {
	return a.driven(&cobra.Command{
		Use:   "uninstall",
		Short: "Stop the service and remove it",
		Long: `Stops the service as ` + "`stop`" + ` does, and removes it. Settings, pipelines, logs and
the database stay where they are.`,
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
		fmt.Fprintf(a.Stdout, "the service %s is removed\n", name)
		return nil
	})
}

// titleOf is a service's display name if no other is given: two services of a machine must not
// have the same one.
func titleOf(name string) string {
	if name == config.ServiceName {
		return "Botwork"
	}
	return "Botwork (" + name + ")"
}

// distinct keeps the first of each.
func distinct[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}
