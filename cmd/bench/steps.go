package bench

import (
	"context"

	"github.com/spf13/cobra"

	"botwork/internal/bench"
)

func (a *command) benchStepsCommand() *cobra.Command {
	var o bench.StepsOptions
	cmd := &cobra.Command{
		Use:   "steps",
		Short: "Time what a step of a pipeline costs over its handler's own work",
		Long: `Runs pipelines of handlers that do nothing, without a database, and tells what ten
more steps add to one: plain steps, with a condition, with an expression in a
parameter, and with the output of another step, a list of a thousand objects. One
round that warms up is followed by those that are measured; the figures are medians,
in brackets the smallest and the largest.

` + benchAnswer,
		Example: `  botwork bench steps
  botwork bench steps --runs 50000 --cpuprofile steps.pprof`,
	}
	cmd.Flags().IntVar(&o.Runs, "runs", 5_000, "how many runs of each pipeline")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := atLeast("runs", o.Runs, 1); err != nil {
			return err
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (scenario, error) {
			o.Common = common
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.Steps(ctx, o) }}, nil
		})
	}
	return cmd
}
