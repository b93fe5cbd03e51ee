package bench

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/bench"
)

func (a *command) benchMixedCommand() *cobra.Command {
	var o bench.MixedOptions
	cmd := &cobra.Command{
		Use:   "mixed",
		Short: "Measure when and in which order items of all priorities start under load",
		Long: `Lets items come to worker processes with the shipped pipelines and judges when each
run begins. What an item's run takes is drawn from a bounded Pareto distribution, 1 ms
to 5 min with an index of 0.2, times --scale; 15 % of the items are high (above 1000),
30 % low (below 500). 10 % are scheduled ahead, 5 % fail once, 5 % snooze once, 5 % have a
deadline, and 5 % are cancelled by a person; these times are scaled as well. All runs
together fill all slots for the time of --for. A twentieth of the items waits when the
workers start; the others come at 0.45 times the rate that fills the slots in the first
third of --for, at 1.8 times that rate in the second, and at 0.6 times in the last. Each
worker is asked once a second to run ExecuteLowPriorityWorkQueue, so that low items
compete at all times. The ticks of the shipped pipelines are not scaled.

Handlers and callers record what happened, with the machine's clock; the queue's own
times are not used. The results are:

  slots in use      the share of the slots' time in which a handler ran, over those
                    moments in which an item was due and had not begun. With
                    the allowance both an item that has waited for less and a slot that
                    has been free for less do not count.
  waits             from due until the run begins
  before due        runs that began before the item's time, backoff or snooze was over
  after deadline    first runs that began after the item's deadline
  after cancel      runs that began after the call that cancelled the item had returned
  inversions        runs that began although a more urgent item had been due for longer
                    than the allowance and did not begin within 20 ms either

For slots and inversions a low item counts as due a second later, when its pipeline has
been asked for. 2 ms are allowed for what databases round, 20 ms between a worker's last
look at an item and the first line of its handler. The percentiles are of the waits of all items; CPU is
the sum of the workers' processes, memory that of the largest.

` + benchPlace + ` No round warms up, since each
has processes of its own; the figures are medians, in brackets the smallest and
the largest.

The exit code is 1 if an item was lost or ran twice, or started before it was due,
after its deadline, after it was cancelled, or before a more urgent one. JSON and
YAML are one object with the same fields for every measurement; values that are not
measured are null: docs/benchmarks.md.`,
		Example: `  botwork bench mixed
  botwork bench mixed --for 2m --repeat 1 --allowance 1s
  botwork bench mixed --scale 0.1 --for 1m --seed 7 --output json`,
	}
	cmd.Flags().DurationVar(&o.For, "for", 12*time.Second, "how long to enqueue items")
	cmd.Flags().Float64Var(&o.Scale, "scale", 0.01, "the `FACTOR` of all durations of the load: 0.01 makes 3s of 5 min")
	cmd.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of the load, the same for all rounds")
	cmd.Flags().IntVar(&o.Workers, "workers", 4, "how many processes")
	cmd.Flags().IntVar(&o.Capacity, "capacity", 4, "slots of each process")
	cmd.Flags().DurationVar(&o.Allowance, "allowance", 100*time.Millisecond, "how long a free slot or a more urgent item may wait before that counts")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		err := firstError(atLeast("workers", o.Workers, 1), atLeast("capacity", o.Capacity, 1), span("for", o.For, time.Millisecond), span("allowance", o.Allowance, 0))
		if err != nil {
			return err
		}
		if !(o.Scale > 0 && o.Scale <= 1) {
			return cli.Usagef("--scale %v: want more than 0, and 1 at most", o.Scale)
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (scenario, error) {
			o.Common = common
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.Mixed(ctx, o) }}, nil
		})
	}
	return cmd
}
