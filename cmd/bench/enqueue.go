package bench

import (
	"context"

	"github.com/spf13/cobra"

	"botwork/internal/bench"
)

func (a *command) benchEnqueueCommand() *cobra.Command {
	var items, single int
	cmd := &cobra.Command{
		Use:   "enqueue",
		Short: "Measure how fast items are enqueued, in bulk and one by one",
		Long: `Enqueues items in bulk, 10,000 per call, and then one per call. The items of a call
are durable when it returns. The percentiles are of calls with one item; CPU and
memory are of the bulk calls.

` + benchDoc,
		Example: `  botwork bench enqueue
  botwork bench enqueue --sync normal --items 500000 --output json`,
	}
	cmd.Flags().IntVar(&items, "items", 100_000, "how many items in bulk")
	cmd.Flags().IntVar(&single, "single", 2_000, "how many items one by one")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := firstError(atLeast("items", items, 1), atLeast("single", single, 1)); err != nil {
			return err
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (scenario, error) {
			o := bench.EnqueueOptions{Common: common, Items: items, Single: single}
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.Enqueue(ctx, o) }}, nil
		})
	}
	return cmd
}
