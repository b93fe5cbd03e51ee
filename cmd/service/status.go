package service

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/service"
)

// The exit codes of `service status` other than 0 follow the convention of init scripts.
const (
	exitNotRunning   = 3
	exitNotInstalled = 4
)

func (a *command) serviceStatusCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show whether the service runs",
		Long: `Prints the service manager's information about the service; with --all, about every
service on this machine that was created by ` + "`botwork service install`" + `.

Exit codes: 0 running, 3 installed but not running (it may be starting or stopping),
4 not installed, 1 the state could not be determined. With --all: 0 all are running,
3 at least one is not, 4 none is installed.

JSON and YAML: name, displayName, state (running, starting, stopping, stopped,
failed), pid (0 without a process), start (automatic, delayed, manual, disabled),
account, program, config, exitCode (of the last run), text (the service's own status
text; empty on Windows). With --all it is a list of these. For a service that is not
installed, nothing is printed.`,
		Example: "  botwork service status\n  botwork service status --name nightly --output json\n  botwork service status --all",
		Args:    cli.NoArguments,
	}
	name := nameFlag(cmd)
	output := cli.OutputFlag(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "show all Botwork services on this machine")
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

// runs returns an error with the exit code; nil if all services run.
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
