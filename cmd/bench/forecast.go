package bench

import (
	"context"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/bench"
)

func (a *command) benchForecastCommand() *cobra.Command {
	var o bench.ForecastOptions
	cmd := &cobra.Command{
		Use:   "forecast",
		Short: "Measure how well forecasts agree with what happens, and how long they take",
		Long: `Lets workers with the shipped pipelines run items whose runs take random times, and
compares when they end with what was forecast. Runs of three pipelines take 30 s, 90 s
and 5 min in the mean, times --scale, with logarithms that are distributed normally; 5 %
of the attempts fail and are repeated; a fifth of the items becomes due later; the items
have four priorities from 500 up. 240 items run before, so that the workers learn how long
such runs take. The ends of all items that wait are forecast when the items are enqueued,
and after each quarter of the time that they should take:

  ended by p95      the part of these forecasts whose item ended by p95; 95 % if they are
                    exact, 85 to 99 % is expected
  within 15 %       the part whose item ended within 15 % of p50, of the time from the
                    forecast to p50
  error, bias       between p50 and the end; the bias is how much later than p50 it was

Then it measures a forecast of --waiting items for --crowd workers, with 200 histories:
the time to read the queue and to simulate it, and the largest memory of the process.

` + benchPlace + ` No round warms up; the figures are medians, with the smallest and
the largest in brackets.

` + benchAnswer,
		Example: `  botwork bench forecast
  botwork bench forecast --repeat 1 --waiting 0 --seed 7
  botwork bench forecast --scale 0.1 --items 2000 --output json`,
	}
	cmd.Flags().IntVar(&o.Items, "items", 600, "how many items are forecast and run")
	cmd.Flags().Float64Var(&o.Scale, "scale", 0.01, "the `FACTOR` of all durations of these items: 0.01 makes 0.3s of 30 s")
	cmd.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of the load")
	cmd.Flags().IntVar(&o.Workers, "workers", 2, "how many workers run them")
	cmd.Flags().IntVar(&o.Capacity, "capacity", 4, "slots of each worker")
	cmd.Flags().IntVar(&o.Waiting, "waiting", 100_000, "how many items wait in the queue whose forecast is timed; 0: none is")
	cmd.Flags().IntVar(&o.Crowd, "crowd", 100, "how many workers that queue has")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		err := firstError(atLeast("items", o.Items, 1), atLeast("workers", o.Workers, 1), atLeast("capacity", o.Capacity, 1), atLeast("waiting", o.Waiting, 0), atLeast("crowd", o.Crowd, 1))
		if err != nil {
			return err
		}
		if !(o.Scale > 0 && o.Scale <= 1) {
			return cli.Usagef("--scale %v: want more than 0, and 1 at most", o.Scale)
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (scenario, error) {
			o.Common = common
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.Forecast(ctx, o) }}, nil
		})
	}
	return cmd
}
