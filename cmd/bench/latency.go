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
		Short: "Measure how soon an item starts after it was enqueued",
		Long: `Enqueues items one after the other at a steady rate, for a worker in this process
whose pipeline has the trigger {every: 1m, wake: true}. The percentiles are of the
time from the return of the enqueueing call until the item's handler starts;
those from the start of the call are printed too. After the last item, the CPU time and
the statements of the idle worker are measured. With --apart, items are enqueued
over separate connections, like from another process, so that the worker is notified
only through the database.

` + benchDoc,
		Example: `  botwork bench latency
  botwork bench latency --rate 500 --for 10s --apart`,
	}
	cmd.Flags().IntVar(&o.Rate, "rate", 100, "number of items per second")
	cmd.Flags().DurationVar(&o.For, "for", 20*time.Second, "how long to enqueue items")
	cmd.Flags().DurationVar(&o.Idle, "idle", 10*time.Second, "how long to measure the idle worker; 0s: not at all")
	cmd.Flags().BoolVar(&o.Apart, "apart", false, "enqueue over separate connections")
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

// span returns an error if a duration is too short.
func span(flag string, value, least time.Duration) error {
	if value < least {
		return cli.Usagef("--%s %s: want %s or more", flag, value, least)
	}
	return nil
}
