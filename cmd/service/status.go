package service

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/service"
)

// The exit codes of `service status` beside 0, as those of init scripts are.
const (
	exitNotRunning   = 3
	exitNotInstalled = 4
)

func (a *command) serviceStatusCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show whether the service runs",
		Long: `Prints what the service manager knows of the service; with --all, of every service
of this machine that ` + "`botwork service install`" + ` has made.

Exit codes: 0 it runs, 3 it is installed and does not run (it may be starting or
stopping), 4 it is not installed, 1 that could not be found out. With --all: 0 all
run, 3 one does not, 4 none is installed.

JSON and YAML: name, displayName, state (running, starting, stopping, stopped, failed),
pid (0 without a process), start (automatic, delayed, manual, disabled), account,
program, config, exitCode (of the last end), text (what the service says of itself;
empty on Windows). With --all a list of these. Of a service that is not installed
nothing is printed there.`,
		Example: "  botwork service status\n  botwork service status --name nightly --output json\n  botwork service status --all",
		Args:    cli.NoArguments,
	}
	name := nameFlag(cmd)
	output := cli.OutputFlag(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "show all services of Botwork on this machine")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.withManager(*name, func(m service.Manager) error {
			if all {
				return a.statusOfAll(cmd.Context(), m, *output)
			}
			st, err := m.Status(cmd.Context(), *name)
			if errors.Is(err, service.ErrNotInstalled) {
				a.Complain(err)
				return &cli.ReportedError{Code: exitNotInstalled}
			}
			if err != nil {
				return err
			}
			if err := a.Print(*output, st, func() { a.statusTable([]service.Status{st}) }); err != nil {
				return err
			}
			return runs([]service.Status{st})
		})
	}
	return cmd
}

func (a *command) statusOfAll(ctx context.Context, m service.Manager, f cli.Format) error {
	list, err := m.List(ctx)
	if err != nil {
		return err
	}
	if list == nil {
		list = []service.Status{} // an empty list is not null
	}
	if err := a.Print(f, list, func() { a.statusTable(list) }); err != nil {
		return err
	}
	if len(list) == 0 {
		return &cli.ReportedError{Code: exitNotInstalled}
	}
	return runs(list)
}

// runs is the exit code: nil when all run.
func runs(list []service.Status) error {
	for _, st := range list {
		if st.State != service.Running {
			return &cli.ReportedError{Code: exitNotRunning}
		}
	}
	return nil
}

func (a *command) statusTable(list []service.Status) {
	g := cli.NewGrid("name", "state", "pid", "start", "account", "exit code", "config", "says")
	for _, st := range list {
		pid := "-"
		if st.PID > 0 {
			pid = strconv.Itoa(st.PID)
		}
		g.Add(st.Name, string(st.State), pid, st.Start, st.Account, strconv.Itoa(st.ExitCode), st.Config, cli.Shorten(st.Text, 60))
	}
	g.Print(a.Stdout)
}
