// Package check is the command `botwork check`.
package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/internal/operations"
	"botwork/pipelines"
	"botwork/workqueue"
)

// command is one call of `botwork check`.
type command struct{ *projectdir.App }

// Command returns `botwork check`.
func Command(a *projectdir.App) *cobra.Command { return cli.OverServer((&command{a}).checkCommand()) }

const checkDoc = `Reads the whole database and reports every violation of the queue's guarantees: an
item in an impossible state, an abandoned item that no pass will rescue, more
attempts than allowed, a claim that ended twice, a schedule that fired twice, an
item that waits although a worker is idle, an invalid worker row, a queue counter
that does not match its items. docs/check.md describes each check and how to fix
what it finds.

It changes nothing, and workers can continue to run. It reads in pages; a database
with many finished items takes a while. Each violation is confirmed by a second
reading a moment later, so that items in transition are not reported.

With --watch it reads repeatedly, and prints each violation when it appears and when
it is gone, until --for has passed or you press Ctrl-C.

The exit code is 0 if there are no violations, 1 if a violation was found (with
--watch: at any time) or the database cannot be read, and 2 if the command line or
the settings are wrong.`

// checkFlags are the flags of the command.
type checkFlags struct {
	watch                  bool
	interval, length, dueX time.Duration
}

func (a *command) checkCommand() *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the database for violations of the queue's guarantees",
		Long:  checkDoc,
		Example: `  botwork check
  botwork check --output json
  botwork check --watch --for 10m`,
		Args: cli.NoArguments,
	}
	cmd.Flags().BoolVar(&flags.watch, "watch", false, "read repeatedly, and print changes")
	cmd.Flags().DurationVar(&flags.interval, "interval", 5*time.Second, "with --watch: the `TIME` between two readings")
	cmd.Flags().DurationVar(&flags.length, "for", 0, "with --watch: end after this `TIME` (default: at Ctrl-C)")
	cmd.Flags().DurationVar(&flags.dueX, "due-for", 10*time.Minute, "how long an item may be due without a known reason: a `TIME`")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := flags.validate(cmd); err != nil {
			return err
		}
		return a.check(cmd.Context(), flags, *output)
	}
	return cmd
}

func (f checkFlags) validate(cmd *cobra.Command) error {
	for _, name := range []string{"interval", "for", "due-for"} {
		value, err := cmd.Flags().GetDuration(name)
		if err == nil && value <= 0 && cmd.Flags().Changed(name) {
			return cli.Usagef("--%s: got %s, want more than 0", name, value)
		}
		if name != "due-for" && cmd.Flags().Changed(name) && !f.watch {
			return &cli.UsageError{Message: fmt.Sprintf("--%s goes with --watch", name), Hint: "add --watch to read repeatedly"}
		}
	}
	return nil
}

// check opens an existing database. It must not create one.
func (a *command) check(ctx context.Context, flags checkFlags, output cli.Format) error {
	if a.UsesServer() {
		return a.WithServer(func(s *remote.Server) error {
			return a.show(ctx, func(ctx context.Context) (workqueue.CheckReport, error) { return s.Check(ctx, flags.dueX) }, flags, output)
		})
	}
	if err := a.LoadConfig(); err != nil {
		return err
	}
	policy, broken, err := a.pipelinePolicies()
	if err != nil {
		return err
	}
	if err := a.NeedDatabaseFile(); err != nil { // connect would create it
		return err
	}
	store, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	params := workqueue.CheckParams{DueFor: flags.dueX, PipelinePolicy: policy, BrokenPipelines: broken}
	read := func(ctx context.Context) (workqueue.CheckReport, error) {
		return workqueue.ConfirmedCheck(ctx, store, params)
	}
	return errors.Join(a.show(ctx, read, flags, output), store.Close())
}

// reader makes one check of the whole database.
type reader func(ctx context.Context) (workqueue.CheckReport, error)

// show prints a report, or with --watch the changes from one to the next.
func (a *command) show(ctx context.Context, read reader, flags checkFlags, output cli.Format) error {
	if flags.watch {
		return a.watch(ctx, read, flags, output)
	}
	report, err := read(ctx)
	if err != nil {
		return err
	}
	if err := a.Print(output, report, func() { a.checkTable(report) }); err != nil {
		return err
	}
	if !report.Clean {
		return &cli.ReportedError{Code: cli.ExitFailed}
	}
	return nil
}

// pipelinePolicies returns the policies of the project's pipelines and the names of the broken
// ones. Errors in pipeline files do not prevent the check of the database: the policies of
// broken files are unknown.
func (a *command) pipelinePolicies() (policy func(string) (workqueue.Resilience, time.Time, error), broken []string, err error) {
	checker, err := a.Checker()
	if err != nil {
		return nil, nil, err
	}
	catalogue, _, err := projectdir.Catalogue(a.App, checker)
	if err != nil {
		fmt.Fprintf(a.Stderr, "botwork: could not load any pipeline: %v\n", err)
		catalogue = pipelines.NewCatalogue(checker.Compiler())
	}
	policy, broken = operations.PipelinePolicies(catalogue)
	return policy, broken, nil
}

// checkTable prints what was checked, then each violation in full.
func (a *command) checkTable(report workqueue.CheckReport) {
	g := cli.NewGrid("check", "scope", "violations")
	for _, c := range report.Checks {
		found := fmt.Sprint(c.Violations)
		if c.More {
			found = "more than " + found
		}
		g.Add(c.Check, fmt.Sprintf("%s: %d", c.Of, c.Looked), found)
	}
	g.Print(a.Stdout)
	for _, c := range report.Checks {
		for _, note := range c.Notes {
			fmt.Fprintf(a.Stdout, "%s: %s\n", c.Check, note)
		}
	}
	for _, v := range report.Violations {
		fmt.Fprintf(a.Stdout, "\n%s: %s\n  found:  %s\n  wanted: %s\n  hint:   %s\n", v.Check, v.Subject(), v.Found, v.Wanted, v.Hint)
	}
	if report.Clean {
		fmt.Fprintln(a.Stdout, "no violation")
	} else {
		fmt.Fprintf(a.Stdout, "\n%s; docs/check.md describes each check\n", cli.Count(len(report.Violations), "violation"))
	}
}
