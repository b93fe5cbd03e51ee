package items

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// logEvery is how often --follow reads the log. Workers write it every two seconds.
const logEvery = time.Second

// runLog is the log of one run of an item.
type runLog struct {
	Attempt    int        `json:"attempt"`
	Outcome    string     `json:"outcome"` // running, succeeded, or the outcome of an attempt
	FinishedAt *time.Time `json:"finishedAt"`
	Log        string     `json:"log"`
}

func (a *command) itemsLogsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "logs ID",
		Short: "Show the log of an item's latest run",
		Long: `Shows the end of the log of an item's latest run: its log lines and the output of
its programs. A worker records it every two seconds during a run, and at its end.
After a success the queue's "keepLog" says how much of it stays: 4 KB by default.

With --all it shows the logs of all attempts that were recorded, the oldest first.
With --follow it shows what is added, until the run ends; it waits for the first run of
an item that has not started.

JSON and YAML are a list of runs, the latest last.`,
		Example: "  botwork items logs 17\n  botwork items logs 17 --follow",
		Args:    cli.OneArgument("the item's id"),
	}
	all := cmd.Flags().Bool("all", false, "show the logs of all attempts")
	follow := cmd.Flags().BoolP("follow", "f", false, "show what is added until the run ends")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ids, err := parseIDs(args)
		if err != nil {
			return err
		}
		if *follow && (*all || *output != cli.FormatTable) {
			return cli.Usagef("--follow shows text of the latest run: leave out --all and --output")
		}
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			if *follow {
				return a.follow(cmd.Context(), store, ids[0])
			}
			runs, _, err := a.runLogs(cmd.Context(), store, ids[0])
			if err != nil {
				return err
			}
			if !*all && len(runs) > 1 {
				runs = runs[len(runs)-1:]
			}
			return a.Print(*output, runs, func() { a.printLogs(runs, *all) })
		})
	}
	return cmd
}

// runLogs reads the runs of an item (see runsOf), and whether the item has ended.
func (a *command) runLogs(ctx context.Context, store cli.Backend, id int64) (runs []runLog, ended bool, err error) {
	item, err := store.Item(ctx, id)
	if err != nil {
		return nil, false, err
	}
	attempts, err := store.Attempts(ctx, id)
	if err != nil {
		return nil, false, err
	}
	a.hideSecrets(&item, attempts, nil)
	return runsOf(&item, attempts), item.FinishedAt != nil, nil
}

// runsOf returns the runs of an item of which the database has a log, the latest last, and
// the latest run also if it has none.
func runsOf(item *workqueue.Item, attempts []workqueue.Attempt) []runLog {
	runs := []runLog{}
	for i := range attempts {
		at := &attempts[i]
		runs = append(runs, runLog{at.Attempt, at.Outcome, &at.FinishedAt, logText(at.LogTail)})
	}
	switch item.State {
	case workqueue.Blocked:
		runs = append(runs, runLog{item.Attempt(), "running", nil, logText(item.LogTail)})
	case workqueue.Processed:
		runs = append(runs, runLog{item.Attempt(), "succeeded", item.FinishedAt, logText(item.LogTail)})
	}
	return runs
}

// follow prints the log of an item's latest run until that ends.
func (a *command) follow(ctx context.Context, store cli.Backend, id int64) error {
	return followLog(ctx, a.Stdout, func() ([]runLog, bool, error) { return a.runLogs(ctx, store, id) })
}

func logText(tail *string) string {
	if tail == nil {
		return ""
	}
	return *tail
}

func (a *command) printLogs(runs []runLog, titles bool) {
	if len(runs) == 0 {
		fmt.Fprintln(a.Stdout, "The item has not run yet.")
	}
	for i, run := range runs {
		if titles {
			if i > 0 {
				fmt.Fprintln(a.Stdout)
			}
			fmt.Fprintf(a.Stdout, "attempt %d, %s %s\n", run.Attempt, run.Outcome, a.Instant(run.FinishedAt))
		}
		fmt.Fprint(a.Stdout, cmp.Or(run.Log, "No log was kept.\n"))
	}
}

// followLog prints the log of the latest run and what is added to it, until the run ends. It
// waits for the first run of an item, unless read reports that the item has ended without one.
func followLog(ctx context.Context, out io.Writer, read func() (runs []runLog, ended bool, err error)) error {
	tick := time.NewTicker(logEvery)
	defer tick.Stop()
	var last runLog
	for {
		runs, ended, err := read()
		if err != nil || ended && len(runs) == 0 {
			return err
		}
		if len(runs) > 0 {
			run := runs[len(runs)-1]
			if run.Attempt != last.Attempt {
				last.Log = ""
			}
			if _, err := io.WriteString(out, added(last.Log, run.Log)); err != nil {
				return err
			}
			if last = run; run.Outcome != "running" {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// added returns what the end of a log has gained since it was read: what follows its last
// lines of then. If these are no longer there, it returns the whole text.
func added(before, now string) string {
	if rest, ok := strings.CutPrefix(now, before); ok {
		return rest
	}
	lines := strings.SplitAfter(before, "\n")
	for n := min(len(lines)-1, 5); n > 0; n-- { // several lines: one alone may occur often
		if known := strings.Join(lines[max(len(lines)-1-n, 0):], ""); known != "" {
			if i := strings.LastIndex(now, known); i >= 0 {
				return now[i+len(known):]
			}
		}
	}
	return now
}
