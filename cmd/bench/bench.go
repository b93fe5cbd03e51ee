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

// What the help of every measurement says, in two parts.
const (
	benchPlace = `Measures on the configured database's server, in a scratch schema, database or
file of its own that is removed afterwards, also after Ctrl-C. The queue's own
tables are not touched.`

	benchAnswer = `The exit code is 1 when an item was lost or ran twice. JSON and YAML are one object
with the same fields for every measurement, where null stands for what is not
measured: docs/benchmarks.md.`

	benchDoc = benchPlace + ` One round that warms up is followed by those that are
measured; the figures are medians, in brackets the smallest and the largest.

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
		a.benchBacklogCommand(),
		a.benchAssignCommand(),
		a.benchStepsCommand(),
		a.benchSoakCommand(),
		a.benchMixedCommand(),
		a.benchLimitCommand(),
		a.benchWorkerCommand(),
	)
}

// benchFlags are those of every measurement.
type benchFlags struct {
	repeat  int
	sync    string
	in      string
	yes     bool
	profile profileFlags
	output  *cli.Format
}

// newBenchFlags gives a measurement its flags.
func newBenchFlags(cmd *cobra.Command) *benchFlags {
	f := newSoakFlags(cmd)
	cmd.Flags().IntVar(&f.repeat, "repeat", 3, "measure `N` rounds")
	return f
}

// newSoakFlags are those of a measurement that is one long round.
func newSoakFlags(cmd *cobra.Command) *benchFlags {
	f := &benchFlags{repeat: 1}
	cmd.Args = cli.NoArguments
	cmd.Flags().StringVar(&f.sync, "sync", "", "SQLite's synchronous pragma: full or normal (default full)")
	_ = cmd.RegisterFlagCompletionFunc("sync", cobra.FixedCompletions([]string{"full", "normal"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVar(&f.in, "in", "", "measure in this `PLACE`, a schema of PostgreSQL or a file of SQLite, instead of a new one; it is emptied")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "with --in: although it holds items, which are removed")
	f.profile.add(cmd)
	f.output = cli.OutputFlag(cmd)
	return f
}

// scenario is a measurement and how much there is to do in it.
type scenario struct {
	work int
	run  func(ctx context.Context) (bench.Report, error)
}

// measure reads the settings, lets make build the measurement from them, runs
// it and prints its report, also one that tells of lost items or of wrong starts.
func (a *command) measure(ctx context.Context, f *benchFlags, make func(bench.Common) (scenario, error)) (err error) {
	if err := atLeast("repeat", f.repeat, 1); err != nil {
		return err
	}
	if f.sync != "" && f.sync != "full" && f.sync != "normal" {
		return cli.Usagef("--sync %q: want full or normal", f.sync)
	}
	if f.yes && f.in == "" {
		return cli.Usagef("--yes without --in: a place that is made for the measurement holds nothing")
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
	if err = errors.Join(err, stop()); err != nil && !errors.Is(err, bench.ErrWrongCount) && !errors.Is(err, bench.ErrWrongStart) {
		return err
	}
	return errors.Join(err, a.Print(*f.output, report, func() { a.benchSheet(report) }))
}

// atLeast refuses the value of a flag that is too small.
func atLeast(flag string, value, least int) error {
	if value < least {
		return cli.Usagef("--%s %d: want %d or more", flag, value, least)
	}
	return nil
}

// capacityOr is the value of --capacity, or the worker's of the settings.
func (a *command) capacityOr(flag int) (int, error) {
	if flag == 0 {
		flag = a.Config.Worker.Capacity
	}
	return flag, atLeast("capacity", flag, 1)
}

// firstError is the first that is one: an answer tells one mistake of a flag.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
