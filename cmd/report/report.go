// Package report is the command `botwork report`.
package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/moments"
	"botwork/workqueue/report"
)

// formatText is the report as a mail has it.
const formatText cli.Format = "text"

// defaultSince is the start of the night.
const defaultSince = "18:00"

// command is one call of `botwork report`.
type command struct{ *cli.App }

// Command returns `botwork report`.
func Command(a *cli.App) *cobra.Command { return cli.OverServer((&command{a}).reportCommand()) }

func (a *command) reportCommand() *cobra.Command {
	var p report.Params
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Report what failed, last night or in another stretch of time",
		Long: `Reports what went wrong since 18:00, or in another stretch of time:

- failed attempts, and items that ended without success, grouped by pipeline, step,
  error kind and message; numbers, ids, times and paths in messages are replaced, such
  as by <n>. Items count once, whatever the number of their attempts. Items that a
  user or a rule cancelled are left out;
- how many items failed in the same way in the same stretch of the day before;
- runs of system pipelines that failed, were interrupted, missed, expired or started
  more than a minute late, as in "botwork runs list";
- workers that died, with the items that were taken from them;
- queues whose limits are used up now while items wait, or that are above them.

` + cli.TimeForms + `
A report of more than a day is compared with as many days before.

The report reads at most 50,000 failed attempts, 50,000 failed items and 10,000 runs,
the latest. If there are more, it says what it left out, and compares nothing.

--output text is plain text of at most 78 columns, for a mail; the handler Report has
it as its output. JSON and YAML are one object with all groups. The exit code is 0
whatever the report says.`,
		Example: `  botwork report
  botwork report --since "yesterday 22:00" --until 06:00
  botwork report --queue invoices --since 7d --output text
  botwork report --output json`,
		Args: cli.NoArguments,
	}
	flags := cmd.Flags()
	var since string
	flags.StringVar(&since, "since", defaultSince, "report from this `TIME` on")
	until := cli.TimeFlag(cmd, &a.Streams, "until", "report until this `TIME` (default now)")
	flags.StringVar(&p.Queue, "queue", "", "only failures of items of the queue `NAME`, and its limits")
	flags.StringVar(&p.Pipeline, "pipeline", "", "only failures of items of the pipeline `NAME`, or its runs")
	output := cli.OutputFlagOf(cmd, cli.FormatTable, cli.FormatJSON, cli.FormatYAML, formatText)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		p.Zone = a.Zone()
		if p.Since, err = moments.Parse(since, time.Now(), p.Zone); err != nil {
			return cli.Usagef("--since: %v", err)
		}
		if p.Until, err = until(); err != nil {
			return err
		}
		if !p.Until.IsZero() && !p.Since.Before(p.Until) {
			return cli.Usagef("got --since %s and --until %s, want an earlier --since", p.Since.Format(time.RFC3339), p.Until.Format(time.RFC3339))
		}
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			if p.Queue != "" {
				if _, err := store.Queue(cmd.Context(), p.Queue); err != nil {
					return cli.NoSuchQueue(cmd.Context(), store, p.Queue, err)
				}
			}
			r, err := store.Report(cmd.Context(), p)
			if err != nil {
				return err
			}
			if *output == formatText {
				fmt.Fprint(a.Stdout, r.Text())
				return nil
			}
			return a.Print(*output, r, func() { a.tables(r) })
		})
	}
	return cmd
}

// tables prints a table for each part that has something to show.
func (a *command) tables(r *report.Report) {
	fmt.Fprintf(a.Stdout, "%s to %s: %s\n", a.Instant(&r.Since), a.Instant(&r.Until), r.Headline())
	if len(r.Failures) > 0 {
		a.failures(r.Failures)
	}
	if r.Failed.Deleted > 0 {
		fmt.Fprintf(a.Stdout, "\n%s deleted since: they are counted, but no longer shown\n", cli.ItemCount(r.Failed.Deleted))
	}
	if len(r.Runs) > 0 {
		a.runs(r.Runs)
	}
	if len(r.Workers) > 0 {
		a.workers(r.Workers)
	}
	if len(r.Queues) > 0 {
		a.queues(r.Queues)
	}
	for _, b := range r.Bounds {
		fmt.Fprintln(a.Stdout, "\nnot complete: "+b)
	}
}

func (a *command) failures(groups []report.Group) {
	fmt.Fprintln(a.Stdout)
	g := cli.NewGrid("pipeline", "step", "kind", "items", "given up", "attempts", "day before", "last", "samples", "message").
		DropWhenNarrow("attempts", "given up", "last", "samples", "step")
	for i := range groups {
		one := &groups[i]
		before := "unknown"
		if one.ItemsBefore != nil {
			before = fmt.Sprintf("%d (%s)", *one.ItemsBefore, one.Trend)
		}
		g.Add(one.Pipeline, cli.OrNone(one.Step), string(one.Kind), fmt.Sprint(one.Items), fmt.Sprint(one.GivenUp), fmt.Sprint(one.Attempts), before,
			a.Instant(&one.Last), cli.OrNone(ids(one.Samples)), cli.OrNone(one.Message))
	}
	g.Print(a.Stdout)
}

func (a *command) runs(groups []report.Runs) {
	fmt.Fprintln(a.Stdout)
	g := cli.NewGrid("pipeline", "runs", "problem", "step", "first", "last", "delay", "samples", "message").DropWhenNarrow("first", "samples", "step", "delay")
	for i := range groups {
		one := &groups[i]
		delay := "-"
		if one.MaxDelayMs != nil {
			delay = (time.Duration(*one.MaxDelayMs) * time.Millisecond).Round(time.Second).String()
		}
		g.Add(one.Pipeline, fmt.Sprint(one.Count), string(one.Problem), cli.OrNone(one.Step), a.Instant(&one.First), a.Instant(&one.Last), delay,
			cli.OrNone(ids(one.Samples)), cli.OrNone(one.Message))
	}
	g.Print(a.Stdout)
}

func (a *command) workers(workers []report.Worker) {
	fmt.Fprintln(a.Stdout)
	g := cli.NewGrid("worker", "host", "state", "last seen", "items lost", "first", "last").DropWhenNarrow("host", "first")
	for i := range workers {
		w := &workers[i]
		state := "back"
		if w.Gone || w.LastSeenAt == nil {
			state = "gone"
		}
		g.Add(w.Name, cli.OrNone(w.Host), state, cli.OrNone(a.Instant(w.LastSeenAt)), fmt.Sprint(w.Items), cli.OrNone(a.Instant(w.First)), cli.OrNone(a.Instant(w.Last)))
	}
	g.Print(a.Stdout)
}

func (a *command) queues(queues []report.Queue) {
	fmt.Fprintln(a.Stdout)
	g := cli.NewGrid("queue", "limits used now", "waiting", "oldest since")
	for i := range queues {
		q := &queues[i]
		g.Add(q.Queue, q.Use(), fmt.Sprint(q.Waiting), cli.OrNone(a.Instant(q.OldestAt)))
	}
	g.Print(a.Stdout)
}

func ids(samples []int64) string { return strings.Trim(fmt.Sprint(samples), "[]") }
