package items

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// batchSummary is what `items batch` prints.
type batchSummary struct {
	Key     string     `json:"key"`
	Kind    string     `json:"kind"` // "": the batch is unknown
	Parts   int        `json:"parts"`
	Items   int        `json:"items"`
	LowID   *int64     `json:"lowId"` // of new items
	HighID  *int64     `json:"highId"`
	FirstAt *time.Time `json:"firstAt"`
	LastAt  *time.Time `json:"lastAt"`
}

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
		return a.WithReadOnlyStore(cmd.Context(), func(store cli.Store) error {
			sum := batchSummary{Key: args[0]}
			if err := store.EachBatchRecord(cmd.Context(), sum.Key, sum.add); err != nil {
				return err
			}
			return a.Print(*output, sum, func() { a.showBatch(&sum) })
		})
	}
	return cmd
}

func (s *batchSummary) add(r workqueue.BatchRecord) error {
	s.Kind = r.Kind
	s.Parts++
	s.Items += r.Items
	if s.FirstAt == nil || r.CreatedAt.Before(*s.FirstAt) {
		s.FirstAt = &r.CreatedAt
	}
	if s.LastAt == nil || r.CreatedAt.After(*s.LastAt) {
		s.LastAt = &r.CreatedAt
	}
	made := func(id int64) {
		if s.LowID == nil || id < *s.LowID {
			s.LowID = &id
		}
		if s.HighID == nil || id > *s.HighID {
			s.HighID = &id
		}
	}
	for _, e := range r.Enqueued {
		if !e.Existing {
			made(e.ID)
		}
	}
	for _, id := range r.Clones {
		made(id)
	}
	return nil
}

func (a *command) showBatch(s *batchSummary) {
	if s.Parts == 0 {
		fmt.Fprintf(a.Stdout, "batch %s: no record; nothing was done, or it was done more than %d days ago\n", s.Key, int(workqueue.BatchAge/(24*time.Hour)))
		return
	}
	done := changeTexts[workqueue.Action(s.Kind)].done
	switch s.Kind {
	case workqueue.BatchEnqueue:
		done = "in the queue"
	case workqueue.BatchPurge:
		done = "removed"
	}
	text := fmt.Sprintf("batch %s: %s %s, in %s", s.Key, cli.ItemCount(s.Items), done, cli.Count(s.Parts, "part"))
	if s.LowID != nil {
		text += fmt.Sprintf("; new ids %d to %d", *s.LowID, *s.HighID)
	}
	fmt.Fprintf(a.Stdout, "%s; %s to %s\n", text, a.Instant(s.FirstAt), a.Instant(s.LastAt))
}
