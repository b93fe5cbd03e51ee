package bench

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/bench"
)

func (a *command) benchLatencyCommand() *cobra.Command {
	var o bench.LatencyOptions
	cmd := &cobra.Command{
		Use:   "latency",
		Short: "Time how soon an item begins after it was enqueued",
		Long: `Enqueues items one after the other at a steady rate, for a worker of this process
whose pipeline has the trigger {every: 1m, wake: true}. The percentiles are of the
time from the return of the call that enqueued until the item's handler begins;
those from the start of the call stand beside them. Then no more items come, and the
worker's CPU time and its statements are counted. With --apart items are enqueued
over connections of their own, as another process does it, so that the worker hears of
them from the database alone.

` + benchDoc,
		Example: `  botwork bench latency
  botwork bench latency --rate 500 --for 10s --apart`,
	}
	cmd.Flags().IntVar(&o.Rate, "rate", 100, "how many items come in a second")
	cmd.Flags().DurationVar(&o.For, "for", 20*time.Second, "how long items come")
	cmd.Flags().DurationVar(&o.Idle, "idle", 10*time.Second, "how long the worker is watched without items; 0s: not")
	cmd.Flags().BoolVar(&o.Apart, "apart", false, "enqueue as another process would")
	cmd.Flags().IntVar(&o.Capacity, "capacity", 0, "slots of the worker (default worker.capacity)")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := firstError(atLeast("rate", o.Rate, 1), span("for", o.For, time.Millisecond), span("idle", o.Idle, 0)); err != nil {
			return err
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (s scenario, err error) {
			o.Common = common
			o.Capacity, err = a.capacityOr(o.Capacity)
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.Latency(ctx, o) }}, err
		})
	}
	return cmd
}

// span refuses a length of time that is too short.
func span(flag string, value, least time.Duration) error {
	if value < least {
		return cli.Usagef("--%s %s: want %s or more", flag, value, least)
	}
	return nil
}
