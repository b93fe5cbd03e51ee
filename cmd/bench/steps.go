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
		Short: "Measure the overhead of a pipeline step without its handler's work",
		Long: `Runs pipelines of handlers that do nothing, without a database, and measures the
cost of ten additional steps: plain steps, with a condition, with an expression in a
parameter, and with the output of another step, a list of a thousand objects. A
warm-up round is followed by the measured rounds; the figures are medians, with the
smallest and the largest in brackets.

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
