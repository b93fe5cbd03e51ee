package bench

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"botwork/internal/bench"
)

func (a *command) benchDashboardCommand() *cobra.Command {
	var o bench.DashboardOptions
	cmd := &cobra.Command{
		Use:   "dashboard",
		Short: "Measure the pages of the dashboard, and what open browsers cost",
		Long: `Fills the table, starts a server as another process, and asks for all pages by turns, one
request at a time, with a pause of 21 seconds between the turns, so that most requests find
no answer that another one has left.

Then browsers keep pages open while items are enqueued: they follow events and ask for
their pages again as the script of the pages does, each with a session of its own. The
CPU time and the statements of the server are measured without and with them.

  pages             from the request to the end of the answer, of all pages together;
                    the slowest page is the one whose own p95 is the largest. In JSON and
                    YAML each page has a figure of its own
  drain             the speed of a drain while the browsers have pages open, divided by
                    that without them: medians of four drains each, by turns, in a
                    database of their own
  first load        the overview with its scripts, style sheets and icons, as they are sent
                    to a browser

` + benchPlace + `  No round warms up, but each page is asked for once before it
is measured; the figures are medians, with the smallest and the largest in brackets.
It is an error if a page cannot be shown.`,
		Example: `  botwork bench dashboard
  botwork bench dashboard --finished 10000000 --waiting 1000000 --repeat 1`,
	}
	cmd.Flags().IntVar(&o.Finished, "finished", 100_000, "number of items that have ended")
	cmd.Flags().IntVar(&o.Waiting, "waiting", 10_000, "number of items that wait")
	cmd.Flags().IntVar(&o.Workers, "workers", 200, "number of registered workers")
	cmd.Flags().IntVar(&o.Requests, "requests", 5, "how often each page is asked for")
	cmd.Flags().IntVar(&o.Browsers, "browsers", 100, "number of open browsers")
	cmd.Flags().IntVar(&o.Rate, "rate", 20, "number of items per second that are enqueued meanwhile")
	cmd.Flags().DurationVar(&o.For, "for", 30*time.Second, "how long to measure open browsers")
	cmd.Flags().IntVar(&o.Drain, "drain", 100_000, "number of items of each drain that is compared; 0: none is")
	f := newBenchFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		err := firstError(
			atLeast("finished", o.Finished, 1), atLeast("waiting", o.Waiting, 1), atLeast("workers", o.Workers, 1), atLeast("requests", o.Requests, 1),
			atLeast("browsers", o.Browsers, 1), atLeast("rate", o.Rate, 1), span("for", o.For, time.Second), atLeast("drain", o.Drain, 0),
		)
		if err != nil {
			return err
		}
		return a.measure(cmd.Context(), f, func(common bench.Common) (scenario, error) {
			o.Common = common
			return scenario{o.Work(), func(ctx context.Context) (bench.Report, error) { return bench.Dashboard(ctx, o) }}, nil
		})
	}
	return cmd
}
