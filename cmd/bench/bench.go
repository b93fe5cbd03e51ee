// Package bench is the command `botwork bench`.
package bench

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/bench"
)

// command is one call of `botwork bench`.
type command struct{ *cli.App }

// Command returns `botwork bench`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).benchCommand() }

// The common parts of the help of all measurements.
const (
	benchPlace = `The measurement runs on the configured database's server, in a temporary schema,
database or file that is removed afterwards, also after Ctrl-C. The queue's own
tables are not used.`

	benchAnswer = `The exit code is 1 if an item was lost or ran twice. JSON and YAML are one object
with the same fields for every measurement; values that are not measured are null:
docs/benchmarks.md.`

	benchDoc = benchPlace + `  A warm-up round is followed by the measured rounds;
the figures are medians, with the smallest and the largest in brackets.

` + benchAnswer
)

func (a *command) benchCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "bench",
		Short: "Measure how fast items move on this database",
		Long:  benchDoc,
	},
		a.benchDrainCommand(),
		a.benchEnqueueCommand(),
		a.benchLatencyCommand(),
		a.benchAPICommand(),
		a.benchEventsCommand(),
		a.benchDashboardCommand(),
		a.benchBacklogCommand(),
		a.benchAssignCommand(),
		a.benchStepsCommand(),
		a.benchSoakCommand(),
		a.benchMixedCommand(),
		a.benchForecastCommand(),
		a.benchLimitCommand(),
		a.benchGuardCommand(),
		a.benchWorkerCommand(),
	)
}

// benchFlags are the flags of every measurement.
type benchFlags struct {
	repeat  int
	sync    string
	in      string
	yes     bool
	profile profileFlags
	output  *cli.Format
}

// newBenchFlags adds the common flags to a measurement.
func newBenchFlags(cmd *cobra.Command) *benchFlags {
	f := newSoakFlags(cmd)
	cmd.Flags().IntVar(&f.repeat, "repeat", 3, "measure `N` rounds")
	return f
}

// newSoakFlags adds the flags of a measurement with one long round.
func newSoakFlags(cmd *cobra.Command) *benchFlags {
	f := &benchFlags{repeat: 1}
	cmd.Args = cli.NoArguments
	cmd.Flags().StringVar(&f.sync, "sync", "", "SQLite's synchronous pragma: full or normal (default full)")
	_ = cmd.RegisterFlagCompletionFunc("sync", cobra.FixedCompletions([]string{"full", "normal"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVar(&f.in, "in", "", "measure in this `PLACE`, a schema of PostgreSQL or a file of SQLite, instead of a new one; it is emptied")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "with --in: confirm that the items in it are removed")
	f.profile.add(cmd)
	f.output = cli.OutputFlag(cmd)
	return f
}

// scenario is a measurement and its amount of work.
type scenario struct {
	work int
	run  func(ctx context.Context) (bench.Report, error)
}

// measure reads the settings, calls make for the measurement, runs it and prints its report,
// also if it is a bad one.
func (a *command) measure(ctx context.Context, f *benchFlags, make func(bench.Common) (scenario, error)) (err error) {
	if err := atLeast("repeat", f.repeat, 1); err != nil {
		return err
	}
	if f.sync != "" && f.sync != "full" && f.sync != "normal" {
		return cli.Usagef("--sync %q: want full or normal", f.sync)
	}
	if f.yes && f.in == "" {
		return cli.Usagef("--yes without --in: a temporary place holds no items")
	}
	if err := a.LoadConfig(); err != nil {
		return err
	}
	db := a.Config.Database
	self, err := os.Executable()
	if err != nil {
		return err
	}
	common := bench.Common{
		Driver: db.Driver, DSN: db.DSN.Reveal(), Sync: f.sync, In: f.in, Yes: f.yes, Repeat: f.repeat,
		Command: []string{self, "bench", "worker"},
	}
	var bar *cli.ProgressBar
	common.Progress = func(more int) { bar.Add(more) }
	s, err := make(common)
	if err != nil {
		return err
	}
	stop, err := f.profile.start()
	if err != nil {
		return err
	}
	bar = a.NewProgress("measured", s.work)
	report, err := s.run(ctx)
	bar.Stop()
	if err = errors.Join(err, stop()); err != nil && !measured(err) {
		return err
	}
	return errors.Join(err, a.Print(*f.output, report, func() { a.benchSheet(report) }))
}

// measured reports whether an error is the result of a measurement.
func measured(err error) bool {
	return errors.Is(err, bench.ErrWrongCount) || errors.Is(err, bench.ErrWrongStart) || errors.Is(err, bench.ErrDrift)
}

// atLeast returns an error if the value of a flag is too small.
func atLeast(flag string, value, least int) error {
	if value < least {
		return cli.Usagef("--%s %d: want %d or more", flag, value, least)
	}
	return nil
}

// capacityOr returns the value of --capacity, or worker.capacity of the settings.
func (a *command) capacityOr(flag int) (int, error) {
	if flag == 0 {
		flag = a.Config.Worker.Capacity
	}
	return flag, atLeast("capacity", flag, 1)
}

// firstError returns the first error that is not nil: only one flag error is reported.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
