package items

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

func (a *command) itemsBatchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "batch KEY",
		Short: "Show what a command did before it lost the connection",
		Long: `Shows what a command that works in batches has done. botwork enqueue, the commands
that change items, and botwork queues purge print the KEY if the database does not
answer. Each part of a batch is recorded in the same transaction as its changes, and
the record is kept for seven days.

A part whose answer was lost may be missing for a moment, while the database is
still processing it.

JSON and YAML are one object; an unknown batch has no parts.`,
		Example: "  botwork items batch q3v2ls5lqd2gyn4m7wzvb3mlfi",
		Args:    cli.OneArgument("the batch's key"),
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := workqueue.CheckBatchKey(args[0]); err != nil {
			return cli.Usagef("%v", err)
		}
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			sum := workqueue.BatchSummary{Key: args[0]}
			if err := store.EachBatchRecord(cmd.Context(), sum.Key, sum.Add); err != nil {
				return err
			}
			return a.Print(*output, sum, func() { a.showBatch(&sum) })
		})
	}
	return cmd
}

func (a *command) showBatch(s *workqueue.BatchSummary) {
	if s.Parts == 0 {
		fmt.Fprintf(a.Stdout, "batch %s: no record; nothing was done, or it was done more than %d days ago\n", s.Key, int(workqueue.BatchAge/(24*time.Hour)))
		return
	}
	what, done := cli.ItemCount(s.Items), changeTexts[workqueue.Action(s.Kind)].done
	switch s.Kind {
	case workqueue.BatchEnqueue:
		done = "in the queue"
	case workqueue.BatchPurge:
		done = "removed"
	case workqueue.BatchRequest:
		what, done = cli.Count(s.Items, "run"), "requested"
	}
	text := fmt.Sprintf("batch %s: %s %s, in %s", s.Key, what, done, cli.Count(s.Parts, "part"))
	if s.LowID != nil {
		text += fmt.Sprintf("; new ids %d to %d", *s.LowID, *s.HighID)
	}
	fmt.Fprintf(a.Stdout, "%s; %s to %s\n", text, a.Instant(s.FirstAt), a.Instant(s.LastAt))
}
