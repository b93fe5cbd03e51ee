package bench

import (
	"context"

	"github.com/spf13/cobra"

	"botwork/internal/bench"
)

func (a *command) benchAssignCommand() *cobra.Command {
	var o bench.AssignOptions
	cmd := &cobra.Command{
		Use:   "assign",
		Short: "Measure one pass that assigns ready items to workers",
		Long: `Creates ready items and rows of workers, then measures one pass of
AssignTasksToWorker that assigns all items, from the first read to the last write,
and its memory. No item runs: an item counts as lost if the pass did not assign it.

` + benchDoc,
		Example: `  botwork bench assign
  botwork bench assign --items 1000000 --workers 1000 --repeat 1`,
	}
	cmd.Flags().IntVar(&o.Items, "items", 100_000, "how many items are ready")
	cmd.Flags().IntVar(&o.Workers, "workers", 10, "how many workers there are")
	cmd.Flags().IntVar(&o.Capacity, "capacity", 0, "slots of each worker (default worker.capacity)")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := firstError(atLeast("items", o.Items, 1), atLeast("workers", o.Workers, 1)); err != nil {
			return err
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (s scenario, err error) {
			o.Common = common
			o.Capacity, err = a.capacityOr(o.Capacity)
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.Assign(ctx, o) }}, err
		})
	}
	return cmd
}
