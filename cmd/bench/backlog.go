package bench

import (
	"context"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/bench"
)

func (a *command) benchBacklogCommand() *cobra.Command {
	var o bench.BacklogOptions
	var cleanUp bool
	var old int
	cmd := &cobra.Command{
		Use:   "backlog",
		Short: "Measure whether other rows in the table slow down a drain",
		Long: `Drains items alternately from an empty table and from one with processed items,
items that wait in another band, and items that are due a day later; the share is
the remaining part of the speed. With --cleanup it drains once more in each round
while the pipeline CleanUp removes old items at the same time.

` + benchDoc,
		Example: `  botwork bench backlog
  botwork bench backlog --processed 10000000 --waiting 1000000 --scheduled 1000000 --cleanup`,
	}
	cmd.Flags().IntVar(&o.Items, "items", 20_000, "how many items to drain")
	cmd.Flags().IntVar(&o.Processed, "processed", 100_000, "how many processed items are in the table")
	cmd.Flags().IntVar(&o.Waiting, "waiting", 10_000, "how many items wait in another band")
	cmd.Flags().IntVar(&o.Scheduled, "scheduled", 10_000, "how many items are due later")
	cmd.Flags().BoolVar(&cleanUp, "cleanup", false, "also drain while CleanUp runs")
	cmd.Flags().IntVar(&old, "old", 1_000_000, "with --cleanup: how many old items CleanUp finds in each round")
	cmd.Flags().IntVar(&o.Capacity, "capacity", 0, "slots of the worker (default worker.capacity)")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		err := firstError(atLeast("items", o.Items, 1), atLeast("processed", o.Processed, 0), atLeast("waiting", o.Waiting, 0),
			atLeast("scheduled", o.Scheduled, 0), atLeast("old", old, 1))
		if err != nil {
			return err
		}
		if cleanUp {
			o.CleanUp = old
		} else if cmd.Flags().Changed("old") {
			return cli.Usagef("--old without --cleanup: nothing removes them")
		}
		if f.in != "" {
			return cli.Usagef("--in %s: a backlog is measured in two places, which must be new", f.in)
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (s scenario, err error) {
			o.Common = common
			o.Capacity, err = a.capacityOr(o.Capacity)
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.Backlog(ctx, o) }}, err
		})
	}
	return cmd
}
