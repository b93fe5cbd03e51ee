// Package doctor is the command `botwork doctor`.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/examine"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/cmd/version"
	"botwork/config"
	"botwork/internal/doctor"
	"botwork/internal/service"
)

// command is one call of `botwork doctor`.
type command struct{ *projectdir.App }

// Command returns `botwork doctor`.
func Command(a *projectdir.App) *cobra.Command { return cli.OverServer((&command{a}).doctorCommand()) }

const doctorDoc = `Checks everything that a worker needs on this machine and in its database, and
reports for each check whether it passed, what was found, and what to do: settings,
secrets and keys, accounts and their permissions on folders, disk space, pipelines,
whether the database can be reached, its version, schema, permissions, settings and
clock, workers and their names, connections. docs/doctor.md describes each check.

It changes nothing: it creates no database and applies no migration, and workers can
continue to run. In folders that must be writable it creates a file and removes it.
A check that depends on a failed check is skipped and reported as skipped; no check
takes longer than --timeout.

Run it with the settings of the service, preferably as the service's account. When
another account runs it and the service is installed, permissions are checked for
the account of the service, as far as they can be read.

Over a server, it examines the server's machine and settings.

The exit code is 0 if there are no faults (there may be warnings), 1 if there is a
fault, including errors in the settings, or the command was interrupted, and 2 if
the command line is wrong.`

func (a *command) doctorCommand() *cobra.Command {
	var timeout time.Duration
	var name string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find problems that prevent a worker from working, and suggest fixes",
		Long:  doctorDoc,
		Example: `  botwork doctor
  botwork doctor --config C:\ProgramData\Botwork\botwork.yaml
  botwork doctor --output json`,
		Args: cli.NoArguments,
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 10*time.Second, "how long one check may take: a `TIME`")
	cmd.Flags().StringVar(&name, "service", config.ServiceName, "the `NAME` under which the service is installed")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if timeout <= 0 {
			return cli.Usagef("--timeout: got %s, want more than 0", timeout)
		}
		if a.UsesServer() && cmd.Flags().Changed("service") {
			return cli.Usagef("--service: over a server, got %q, want none: the server knows its own service", name)
		}
		if err := service.CheckName(name); err != nil {
			return &cli.UsageError{Message: "--service: " + err.Error()}
		}
		return a.doctor(cmd.Context(), name, timeout, *output)
	}
	return cmd
}

func (a *command) doctor(ctx context.Context, name string, timeout time.Duration, output cli.Format) error {
	report, err := a.report(ctx, name, timeout)
	if err != nil {
		return err
	}
	err = a.Print(output, report, func() { a.doctorTable(report) })
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && !report.Sound {
		return &cli.ReportedError{Code: cli.ExitFailed}
	}
	return err
}

// report examines this machine, or that of the server.
func (a *command) report(ctx context.Context, name string, timeout time.Duration) (report doctor.Report, err error) {
	if a.UsesServer() {
		err = a.WithServer(func(s *remote.Server) (err error) {
			report, err = s.Doctor(ctx, timeout)
			return err
		})
		return report, err
	}
	d := doctor.New(examine.Options(a.App, name))
	report = d.Report(ctx, timeout)
	report.Version, report.Settings = version.Current().Version, cmp.Or(a.Config.File, a.ConfigFile)
	return report, d.Close()
}

// doctorTable prints one line for each check that passed, then the other results in full.
func (a *command) doctorTable(report doctor.Report) {
	g := cli.NewGrid("check", "state", "found")
	for _, r := range report.Results {
		g.Add(r.Check, string(r.State), cli.Shorten(doctorSubject(r)+r.Found, 160))
	}
	g.Print(a.Stdout)
	for _, r := range report.Results {
		if r.State == doctor.Warning || r.State == doctor.Fault {
			fmt.Fprintf(a.Stdout, "\n%s: %s\n  found: %s\n  do:    %s\n", r.State, r.Check, indented(doctorSubject(r)+r.Found), indented(r.Advice))
		}
	}
	c := report.Counts
	fmt.Fprintf(a.Stdout, "\n%s, %s", cli.Count(c.Fault, "fault"), cli.Count(c.Warning, "warning"))
	if c.Skipped > 0 {
		fmt.Fprintf(a.Stdout, ", %s not made", cli.Count(c.Skipped, "check"))
	}
	fmt.Fprintln(a.Stdout)
}

func doctorSubject(r doctor.Result) string {
	if r.About == "" {
		return ""
	}
	return r.About + ": "
}

// indented aligns the following lines of a text with its first line.
func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n         ") }
