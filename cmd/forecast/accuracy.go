package forecast

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/spans"
	"botwork/workqueue"
	"botwork/workqueue/forecast"
)

func (a *command) accuracyCommand() *cobra.Command {
	var p forecast.AccuracyParams
	cmd := &cobra.Command{
		Use:   "accuracy",
		Short: "Compare recorded forecasts with what happened",
		Long: `Compares forecasts that were recorded with what happened to their items, for all items
and for each queue and pipeline:

- BY P95: the part of the items that ended by the time p95 of their forecast. With good
  forecasts it is 95 %; 85 to 99 % is expected.
- NEAR P50: the part that ended within 15 % of p50, of the time from the forecast to p50.
- MEAN ERROR, MEDIAN ERROR: how far the ends were from p50. BIAS: how much later than p50
  they were in the mean; below zero: earlier.

Each forecast of an item counts, from the time on when its p95 and the 15 % after its p50
have passed; an item that has not ended by then is counted as neither by p95 nor near p50.
Until then the forecast is open. Not compared are also items that were cancelled, expired,
changed, put off, run again or removed, and forecasts that did not reach the end.

The handler RecordForecast records forecasts; the pipeline RecordForecast of new projects
runs it each hour.

` + cli.TimeForms,
		Example: `  botwork forecast accuracy
  botwork forecast accuracy --since 24h --queue invoices
  botwork forecast accuracy --output json`,
		Args: cli.NoArguments,
	}
	flags := cmd.Flags()
	since := cli.TimeFlag(cmd, &a.Streams, "since", "only forecasts that were made from this `TIME` on (default 7d)")
	flags.StringVar(&p.Queue, "queue", "", "only items of the queue `NAME`")
	flags.StringVar(&p.Pipeline, "pipeline", "", "only items of the pipeline `NAME`")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if p.Since, err = since(); err != nil {
			return err
		}
		if p.Since.After(time.Now()) {
			return cli.Usagef("--since: got %s, want a time before now", p.Since.Format(time.RFC3339))
		}
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			if p.Queue != "" {
				if _, err := store.Queue(cmd.Context(), p.Queue); err != nil {
					return cli.NoSuchQueue(cmd.Context(), store, p.Queue, err)
				}
			}
			made, err := store.ForecastAccuracy(cmd.Context(), p)
			if err != nil {
				return err
			}
			return a.Print(*output, made, func() { a.accuracy(made) })
		})
	}
	return cmd
}

// accuracy prints a comparison as a table.
func (a *command) accuracy(c *forecast.Accuracy) {
	fmt.Fprintf(a.Stdout, "forecasts of %s until %s\n\n", a.Instant(&c.Since), a.Instant(&c.At))
	g := cli.NewGrid("what", "forecasts", "compared", "by p95", "near p50", "mean error", "median error", "bias", "overdue", "open", "cancelled", "changed", "removed", "later").
		DropWhenNarrow("later", "removed", "open", "cancelled", "changed", "overdue", "mean error")
	add := func(name string, of *forecast.Agreement) {
		counts := make([]string, 0, 6)
		for _, n := range []int{of.Overdue, of.Open, of.Cancelled, of.Changed, of.Removed, of.Later} {
			counts = append(counts, fmt.Sprint(n))
		}
		g.Add(append([]string{name, fmt.Sprint(of.Forecasts), fmt.Sprint(of.Compared), share(of.Coverage), share(of.Near), span(of.MeanError), span(of.MedianError), signed(of.Bias)}, counts...)...)
	}
	add("all", &c.All)
	for i := range c.Queues {
		add("queue "+c.Queues[i].Name, &c.Queues[i])
	}
	for i := range c.Pipelines {
		add("pipeline "+c.Pipelines[i].Name, &c.Pipelines[i])
	}
	g.Print(a.Stdout)
	if !c.Complete {
		fmt.Fprintln(a.Stdout, "note: there were too many forecasts; only the latest are compared")
	}
	switch all := &c.All; {
	case all.Forecasts == 0:
		fmt.Fprintln(a.Stdout, "note: no forecast was recorded in this time; the handler RecordForecast records them")
	case all.Coverage == nil:
		fmt.Fprintln(a.Stdout, "note: none of these forecasts can be compared yet")
	case *all.Coverage < forecast.LeastCoverage:
		fmt.Fprintf(a.Stdout, "note: the forecasts are too early: %.0f to %.0f %% of the items should end by p95\n", 100*forecast.LeastCoverage, 100*forecast.MostCoverage)
	case *all.Coverage > forecast.MostCoverage:
		fmt.Fprintf(a.Stdout, "note: the forecasts are too late: %.0f to %.0f %% of the items should end by p95\n", 100*forecast.LeastCoverage, 100*forecast.MostCoverage)
	}
}

func share(part *float64) string {
	if part == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100**part)
}

func span(d *workqueue.Duration) string {
	if d == nil {
		return "-"
	}
	of := time.Duration(*d)
	if of >= time.Minute {
		of = of.Round(time.Second)
	}
	return spans.Text(of)
}

func signed(d *workqueue.Duration) string {
	switch {
	case d == nil:
		return "-"
	case *d < 0:
		return "-" + span(new(-*d))
	}
	return "+" + span(d)
}
