package bench

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"botwork/internal/bench"
)

func (a *command) benchAPICommand() *cobra.Command {
	var o bench.APIOptions
	cmd := &cobra.Command{
		Use:   "api",
		Short: "Measure robots that take items over the HTTP API",
		Long: `Starts a server of the HTTP API as another process, and robots in this one. Each robot
waits for an item, sends a heartbeat and reports its success; with --max it does so for
several items in each request. First the robots work on
items that wait; CPU time and memory are those of the server meanwhile. Then items are
enqueued over HTTP, one after the other at a steady rate, while the robots wait: the
percentiles are of the time from the answer to the enqueueing request until a robot has
received the item. At the end, the CPU time and the statements of the server are
measured while all robots wait in vain.

` + benchDoc,
		Example: `  botwork bench api --robots 50
  botwork bench api --robots 500 --rate 100
  botwork bench api --robots 50 --max 20`,
	}
	cmd.Flags().IntVar(&o.Robots, "robots", 50, "number of robots")
	cmd.Flags().IntVar(&o.Max, "max", 1, "number of items that a robot takes and reports in one request")
	cmd.Flags().IntVar(&o.Items, "items", 2000, "number of items that wait")
	cmd.Flags().IntVar(&o.Rate, "rate", 20, "number of items per second that are enqueued while the robots wait")
	cmd.Flags().DurationVar(&o.For, "for", 10*time.Second, "how long to enqueue items")
	cmd.Flags().DurationVar(&o.Idle, "idle", 10*time.Second, "how long to measure robots that wait in vain; 0s: not at all")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := firstError(atLeast("robots", o.Robots, 1), atLeast("max", o.Max, 1), atLeast("items", o.Items, 1), atLeast("rate", o.Rate, 1),
			span("for", o.For, time.Millisecond), span("idle", o.Idle, 0)); err != nil {
			return err
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (scenario, error) {
			o.Common = common
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.API(ctx, o) }}, nil
		})
	}
	return cmd
}
