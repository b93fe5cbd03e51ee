package bench

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"botwork/internal/bench"
)

func (a *command) benchLimitCommand() *cobra.Command {
	var o bench.LimitOptions
	cmd := &cobra.Command{
		Use:   "limit",
		Short: "Measure the database engine alone, as the upper limit for any queue on it",
		Long: `Enqueues items into a narrow table with the fastest known statements for the engine,
in bulk and one by one, and drains them in batches: one statement claims, one
finishes. There is no framework, no worker and no lease; the batches are as large as
Botwork's. Then items are enqueued one by one; the percentiles are of the time from
the return of the enqueueing call until the claim that it wakes has returned. With
--compare, Botwork does the same in turns, and its share of the limit is printed.

` + benchDoc,
		Example: `  botwork bench limit
  botwork bench limit --compare --items 100000 --output json`,
	}
	cmd.Flags().IntVar(&o.Items, "items", 100_000, "how many items to enqueue in bulk and to drain")
	cmd.Flags().IntVar(&o.Single, "single", 2_000, "how many items to enqueue one by one")
	cmd.Flags().IntVar(&o.Batch, "batch", 1_000, "how many items to claim, and to finish, at a time")
	cmd.Flags().IntVar(&o.Workers, "workers", 1, "how many connections drain at a time")
	cmd.Flags().IntVar(&o.Rate, "rate", 100, "number of items per second for the latency")
	cmd.Flags().DurationVar(&o.For, "for", 5*time.Second, "how long to measure the latency; 0s: not at all")
	cmd.Flags().BoolVar(&o.Compare, "compare", false, "measure Botwork in turns with the engine alone")
	cmd.Flags().IntVar(&o.Capacity, "capacity", 0, "with --compare: slots of the worker (default worker.capacity)")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		err := firstError(atLeast("items", o.Items, 1), atLeast("single", o.Single, 1), atLeast("batch", o.Batch, 1), atLeast("workers", o.Workers, 1),
			atLeast("rate", o.Rate, 1), span("for", o.For, 0))
		if err != nil {
			return err
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (s scenario, err error) {
			o.Common = common
			o.Capacity, err = a.capacityOr(o.Capacity)
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.Limit(ctx, o) }}, err
		})
	}
	return cmd
}
