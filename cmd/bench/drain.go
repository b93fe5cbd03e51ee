package bench

import (
	"context"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"botwork/cmd/version"
	"botwork/internal/bench"
)

func (a *command) benchDrainCommand() *cobra.Command {
	var items, capacity, workers int
	cmd := &cobra.Command{
		Use:   "drain",
		Short: "Measure how long workers take to run no-op items",
		Long: `Enqueues items that do nothing, then measures a worker that assigns, claims, runs
and finishes them with the shipped pipeline ExecuteWorkQueue. With more than one of
--workers, each is a separate process, and all start together. The percentiles are
of the time from an item's assignment to its recorded end; CPU is the sum of all
worker processes, memory that of the largest. Profiles are of this process, and so
are traces, if the settings have tracing.

` + benchDoc,
		Example: `  botwork bench drain --items 20000
  botwork bench drain --workers 4 --items 100000
  BOTWORK_DATABASE_DRIVER=postgres BOTWORK_DATABASE_DSN=postgres://… botwork bench drain --output json`,
	}
	cmd.Flags().IntVar(&items, "items", 20_000, "how many items")
	cmd.Flags().IntVar(&capacity, "capacity", 0, "slots of a worker (default worker.capacity)")
	cmd.Flags().IntVar(&workers, "workers", 1, "how many workers")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := firstError(atLeast("items", items, 1), atLeast("workers", workers, 1)); err != nil {
			return err
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (scenario, error) {
			slots, err := a.capacityOr(capacity)
			o := bench.DrainOptions{Common: common, Items: items, Capacity: slots, Workers: workers}
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) {
				ctx, stop := a.StartTracing(ctx, version.Current().Version, zerolog.Nop())
				defer stop()
				return bench.Drain(ctx, o)
			}}, err
		})
	}
	return cmd
}
