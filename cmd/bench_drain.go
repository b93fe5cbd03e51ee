package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"botwork/internal/bench"
)

func (a *app) benchDrainCommand() *cobra.Command {
	var items, capacity int
	cmd := &cobra.Command{
		Use:   "drain",
		Short: "Enqueue no-op items and time how long one worker takes to run them all",
		Long: `Enqueues items that do nothing, then times one worker that assigns, claims, runs
and finishes them by the shipped pipeline ExecuteWorkQueue. The percentiles are
of the time from an item's claim to its recorded end; CPU and memory are those
of this process.

` + benchDoc,
		Example: `  botwork bench drain --items 20000
  BOTWORK_DATABASE_DRIVER=postgres BOTWORK_DATABASE_DSN=postgres://… botwork bench drain --output json`,
	}
	cmd.Flags().IntVar(&items, "items", 20_000, "how many items")
	cmd.Flags().IntVar(&capacity, "capacity", 0, "slots of the worker (default worker.capacity)")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := atLeast("items", items, 1); err != nil {
			return err
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (scenario, error) {
			slots, err := a.capacityOr(capacity)
			o := bench.DrainOptions{Common: common, Items: items, Capacity: slots}
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.Drain(ctx, o) }}, err
		})
	}
	return cmd
}
