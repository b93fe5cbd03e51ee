package bench

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/bench"
)

func (a *command) benchGuardCommand() *cobra.Command {
	var o bench.GuardOptions
	var against string
	cmd := &cobra.Command{
		Use:   "guard",
		Short: "Measure shares of the engine's speed, and compare them with an earlier report",
		Long: `Measures this program and the database engine alone in turns: items enqueued in bulk
and one by one, a drain, the latency, and 50 robots over HTTP. The shares of the engine's speed vary less from machine to machine than the speeds.
With --against, the exit code is 1 if a share is smaller than in that report: its
median by more than 5 %, and the best round below the earlier median.

` + benchDoc,
		Example: `  botwork bench guard --repeat 5 --output json > before.json
  botwork bench guard --repeat 5 --against before.json`,
	}
	cmd.Flags().IntVar(&o.Items, "items", 20_000, "how many items to enqueue in bulk and to drain")
	cmd.Flags().DurationVar(&o.For, "for", 5*time.Second, "how long to measure the latency")
	cmd.Flags().IntVar(&o.Capacity, "capacity", 0, "slots of the worker (default worker.capacity)")
	cmd.Flags().StringVar(&against, "against", "", "compare with the report in this JSON `FILE`")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := firstError(atLeast("items", o.Items, 1), span("for", o.For, 10*time.Millisecond)); err != nil {
			return err
		}
		if against != "" {
			o.Against = &bench.Report{}
			text, err := os.ReadFile(against)
			if err == nil {
				err = json.Unmarshal(text, o.Against)
			}
			if err != nil {
				return cli.Usagef("--against: %v; want a file that `botwork bench guard --output json` wrote", err)
			}
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (s scenario, err error) {
			o.Common = common
			o.Capacity, err = a.capacityOr(o.Capacity)
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.Guard(ctx, o) }}, err
		})
	}
	return cmd
}
