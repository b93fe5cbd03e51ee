package queues

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// allStatistics is what `botwork queues stats` prints as JSON and YAML; its
// field names are part of the command line's contract.
type allStatistics struct {
	All    *workqueue.QueueStatistics  `json:"all"`
	Queues []workqueue.QueueStatistics `json:"queues"`
}

func (a *command) queuesStatsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stats [NAME]",
		Short: "Show the number of items in the queues and their throughput",
		Long: `Shows how many items of each queue, or of one queue, are waiting, running and
finished, and for the last minute, five minutes, hour and day: how many items were
completed, how many attempts failed, how many items were archived, and how long
successful runs took. Without a name, it prints a line for each queue and a line for
the total.

The command reads counters, so it is fast with any number of items. The counters do
not include changes made with SQL: --recount counts all items, which can take a
while, and corrects the counters. No worker waits for it. On SQL Server it counts up
to five times if items end meanwhile; queues in which they end each time are named
and stay as they are, and the exit code is 1.

JSON and YAML are one object: the queue, or "all" and "queues". Rates are per
minute, failureRate is 0 to 1, and a missing value is null.`,
		Example: "  botwork queues stats\n  botwork queues stats invoices --output json\n  botwork queues stats --recount",
		Args:    cli.OptionalArgument("the queue's name"),
	}
	output := cli.OutputFlag(cmd)
	cli.ReasonFlag(cmd)
	recount := cmd.Flags().Bool("recount", false, "count all items first, and correct the counters")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *recount && a.UsesServer() {
			return cli.Usagef("--recount needs the database, not a server")
		}
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			if name != "" { // fail before the long recount
				if _, err := store.Queue(cmd.Context(), name); err != nil {
					return cli.NoSuchQueue(cmd.Context(), store, name, err)
				}
			}
			if *recount {
				if err := a.recount(cmd.Context()); err != nil {
					return err
				}
			}
			queues, err := store.Statistics(cmd.Context(), name)
			if err != nil {
				return err
			}
			if name != "" {
				return a.Print(*output, queues[0], func() { a.statisticsSheet(&queues[0]) })
			}
			all := allStatistics{workqueue.OverallStatistics(queues), queues}
			return a.Print(*output, all, func() { a.statisticsTable(all) })
		})
	}
	return cmd
}

// recount counts all items and prints the corrections on standard error.
func (a *command) recount(ctx context.Context) error {
	return a.WithStore(ctx, func(store cli.Store) error { return a.recountOver(ctx, store) })
}

func (a *command) recountOver(ctx context.Context, store cli.Store) error {
	var bar *cli.ProgressBar
	var shown int64
	corrections, err := store.RecountStatistics(ctx, func(done, of int64) {
		if bar == nil {
			bar = a.NewProgress("counting", int(of))
		}
		bar.Add(int(done - shown))
		shown = done
	})
	if bar != nil {
		bar.Stop()
	}
	if err != nil && !errors.As(err, new(*workqueue.RecountMovedError)) {
		return err
	}
	for _, c := range corrections {
		fmt.Fprintf(a.Stderr, "queue %s: %d are %s; the counter was %d\n", c.Queue, c.Counted, c.Lifecycle, c.Kept)
	}
	fmt.Fprintf(a.Stderr, "counted all items: %s\n", cli.Count(len(corrections), "correction"))
	return err
}

// statisticsTable shows a line for each queue, over the last hour.
func (a *command) statisticsTable(all allStatistics) {
	g := cli.NewGrid("queue", "waiting", "oldest", "assigned", "active", "completed", "archived", "per minute", "failed", "mean", "p95")
	line := func(name string, q *workqueue.QueueStatistics) {
		hour := &q.Windows[hourWindow]
		waiting := q.Items[workqueue.LifePending] + q.Items[workqueue.LifeScheduled] + q.Items[workqueue.LifeRetry]
		g.Add(name, number(waiting), age(q.OldestWaiting), number(q.Items[workqueue.LifeAssigned]), number(q.Items[workqueue.LifeActive]),
			number(q.Items[workqueue.LifeCompleted]), number(q.Items[workqueue.LifeArchived]),
			rateText(hour.CompletedPerMinute), percent(hour.FailureRate), age(hour.MeanDuration), age(hour.P95Duration))
	}
	for i := range all.Queues {
		line(all.Queues[i].Queue, &all.Queues[i])
	}
	line("(all)", all.All)
	g.Print(a.Stdout)
	fmt.Fprintln(a.Stdout, "per minute, failed, mean and p95: of the last hour")
}

// hourWindow is the index of the hour among the windows.
const hourWindow = 2

// statisticsSheet shows all statistics of a queue.
func (a *command) statisticsSheet(q *workqueue.QueueStatistics) {
	g := cli.NewGrid()
	g.Add("queue", q.Queue)
	g.Add("at", a.Instant(&q.At))
	for _, l := range workqueue.Lifecycles() {
		g.Add(string(l), number(q.Items[l]))
	}
	g.Add("oldest due", age(q.OldestWaiting))
	g.Print(a.Stdout)
	fmt.Fprintln(a.Stdout)
	g = cli.NewGrid("last", "completed", "per minute", "attempts failed", "of all", "archived", "mean", "p95")
	for i := range q.Windows {
		w := &q.Windows[i]
		g.Add(w.Window.String(), number(w.Completed), rateText(w.CompletedPerMinute), number(w.Failed), percent(w.FailureRate),
			number(w.Archived), age(w.MeanDuration), age(w.P95Duration))
	}
	g.Print(a.Stdout)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// rateText returns a rate per minute.
func rateText(perMinute float64) string {
	if perMinute >= 100 {
		return strconv.FormatFloat(perMinute, 'f', 0, 64)
	}
	return strconv.FormatFloat(perMinute, 'f', 2, 64)
}

func percent(part *float64) string {
	if part == nil {
		return "-"
	}
	return strconv.FormatFloat(100**part, 'f', 1, 64) + " %"
}

// age returns a duration rounded to three digits.
func age(d *workqueue.Duration) string {
	if d == nil {
		return "-"
	}
	t := time.Duration(*d)
	for _, unit := range []time.Duration{time.Hour, time.Minute, time.Second, 10 * time.Millisecond} {
		if t >= 100*unit {
			return t.Round(unit).String()
		}
	}
	return t.Round(time.Millisecond).String()
}
