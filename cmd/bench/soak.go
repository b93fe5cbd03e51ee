package bench

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/bench"
)

func (a *command) benchSoakCommand() *cobra.Command {
	var o bench.SoakOptions
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Run workers that fail and are killed under load for a long time",
		Long: `Enqueues items at a steady rate for processes whose runs fail at random, regularly
kills one of them (kill -9) and restarts it, and verifies at the end that every item
was processed. Each process records its successful runs in its own file. A second
successful run of an item is counted as "ran again after a kill" if the process of
the first run was killed before it recorded the end. Any other counts as run twice.
Of several processes the first is never killed: its memory is measured, with the
medians of the first and the last quarter of the time.

` + benchPlace + "\n\n" + benchAnswer,
		Example: `  botwork bench soak --for 10m
  botwork bench soak --for 1h --rate 500 --workers 4 --failures 0.1 --kill-every 30s`,
	}
	cmd.Flags().IntVar(&o.Rate, "rate", 200, "number of items per second")
	cmd.Flags().DurationVar(&o.For, "for", 10*time.Minute, "how long to enqueue items")
	cmd.Flags().IntVar(&o.Workers, "workers", 2, "how many processes")
	cmd.Flags().IntVar(&o.Capacity, "capacity", 0, "slots of each process (default worker.capacity)")
	cmd.Flags().Float64Var(&o.Failures, "failures", 0.05, "the share of runs that fail: a `NUMBER` from 0 to 0.5")
	cmd.Flags().DurationVar(&o.KillEvery, "kill-every", 15*time.Second, "how often a process is killed; 0s: never")
	f := newSoakFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		err := firstError(atLeast("rate", o.Rate, 1), atLeast("workers", o.Workers, 1), span("for", o.For, time.Second), span("kill-every", o.KillEvery, 0))
		if err != nil {
			return err
		}
		if o.Failures < 0 || o.Failures > 0.5 {
			return cli.Usagef("--failures %v: want 0 to 0.5", o.Failures)
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (s scenario, err error) {
			o.Common = common
			o.Capacity, err = a.capacityOr(o.Capacity)
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.Soak(ctx, o) }}, err
		})
	}
	return cmd
}
