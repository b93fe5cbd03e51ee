package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"botwork/internal/bench"
)

const benchDoc = `Measures on the configured database's server, in a scratch schema, database or
file of its own that is removed afterwards. The queue's own tables are not
touched. The exit code is 1 when an item was lost or ran twice.`

func (a *app) benchCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "bench",
		Short: "Measure how fast items move on this database",
		Long:  benchDoc,
	}, a.benchDrainCommand())
}

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
		Args: cobra.NoArgs,
	}
	cmd.Flags().IntVar(&items, "items", 20_000, "how many items")
	cmd.Flags().IntVar(&capacity, "capacity", 0, "slots of the worker (default worker.capacity)")
	output := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if items < 1 {
			return usagef("--items %d: want 1 or more", items)
		}
		if err := a.loadConfig(); err != nil {
			return err
		}
		if capacity == 0 {
			capacity = a.cfg.Worker.Capacity
		}
		if capacity < 1 {
			return usagef("--capacity %d: want 1 or more", capacity)
		}
		db := a.cfg.Database
		bar := a.newProgress("drained", items)
		report, err := bench.Drain(cmd.Context(), bench.Options{
			Driver: db.Driver, DSN: db.DSN.Reveal(), Items: items, Capacity: capacity, Progress: bar.add,
		})
		bar.stop()
		if err != nil {
			return err
		}
		return a.print(*output, report, func() { a.benchSheet(report) })
	}
	return cmd
}

func (a *app) benchSheet(r bench.Report) {
	fmt.Fprintf(a.stdout, `%s on %s, %d items
  drained    %8.0f items/s
  enqueued   %8.0f items/s
  claim to recorded end   p50 %.0f ms, p95 %.0f ms, p99 %.0f ms
  this process            %.3f CPU seconds per 1000 items, %.0f MB at most
  lost %d, ran twice %d
`, r.Scenario, r.Engine, r.N, r.ItemsPerSecond, r.EnqueuedPerSecond, r.P50Ms, r.P95Ms, r.P99Ms,
		r.CPUSecondsPer1000, r.PeakRSSMb, r.Lost, r.RanTwice)
}
