package bench

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"botwork/internal/bench"
)

func (a *command) benchEventsCommand() *cobra.Command {
	var o bench.EventsOptions
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Measure clients that follow events over the HTTP API",
		Long: `Starts a server of the HTTP API as another process, and clients of its Server-Sent Events
in this one. While items are enqueued at a steady rate and 20 items change once a second,
the CPU time and the statements of the server are measured without clients, with clients
of all summaries, with clients that each follow one of the 20 items, and with clients
that do both.

` + benchPlace + `  A warm-up round is followed by the measured rounds;
the figures are medians, with the smallest and the largest in brackets. It is an
error if a stream ends early.`,
		Example: `  botwork bench events --clients 500`,
	}
	cmd.Flags().IntVar(&o.Clients, "clients", 500, "number of clients")
	cmd.Flags().IntVar(&o.Rate, "rate", 100, "number of items per second that are enqueued")
	cmd.Flags().DurationVar(&o.For, "for", 15*time.Second, "how long to measure each kind of clients")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := firstError(atLeast("clients", o.Clients, 1), atLeast("rate", o.Rate, 1), span("for", o.For, time.Second)); err != nil {
			return err
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (scenario, error) {
			o.Common = common
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.Events(ctx, o) }}, nil
		})
	}
	return cmd
}
