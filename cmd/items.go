package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

func (a *app) itemsCommand() *cobra.Command {
	return group(&cobra.Command{
		Use: "items", Aliases: []string{"item"}, Short: "List, show and change work items",
		Long: `Lists, shows and changes work items. Their states are

  0 Ready      waits: made by a schedule, given back, or to be tried again
  4 Pending    waits: made on request
  5 Assigned   given to a worker, not started
  1 Blocked    running
  2 Processed  finished well
  3 Cancelled  finished badly, or cancelled; kept for inspection`,
	},
		a.itemsListCommand(),
		a.itemsShowCommand(),
		a.itemsCancelCommand(),
		a.itemsChangeCommand(workqueue.Repeat, "repeated", "Run finished items again",
			`Makes items that are Processed or Cancelled Ready again, due at once, with their
counters at zero. An item in another state is left as it is.`, nil),
		a.itemsChangeCommand(workqueue.Delete, "deleted", "Delete items and their attempts",
			`Deletes items for good, with the records of their attempts. A running item is
left as it is.`, nil),
	)
}

func (a *app) itemsCancelCommand() *cobra.Command {
	var reason string
	cmd := a.itemsChangeCommand(workqueue.Cancel, "cancelled", "Cancel items that wait or run",
		`Makes items that wait, are assigned or run Cancelled. The run of a running item
is stopped, and it does not come back. A finished item is left as it is.`, &reason)
	cmd.Example += "\n  botwork items cancel 17 --reason \"wrong file\""
	cmd.Flags().StringVar(&reason, "reason", "cancelled on the command line", "`TEXT` to keep as the item's error")
	return cmd
}

// itemsChangeCommand makes a command that does one thing to each of the items
// that its arguments name. reason may be nil.
func (a *app) itemsChangeCommand(verb workqueue.Action, done, short, long string, reason *string) *cobra.Command {
	return &cobra.Command{
		Use:   string(verb) + " ID...",
		Short: short,
		Long:  long + "\n\nThe exit code is 1 when any item was not " + done + "; the others are all the same.",
		Example: fmt.Sprintf("  botwork items %s 17\n  botwork items %s 17 18 19",
			verb, verb),
		Args: someArguments("the items' ids"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := parseIDs(args)
			if err != nil {
				return err
			}
			change := workqueue.Change{Action: verb}
			if reason != nil {
				change.Reason = *reason
			}
			return a.withStore(cmd.Context(), func(store *sqlstore.Store) error {
				refused := false
				for _, id := range ids {
					if _, err := store.ChangeItem(cmd.Context(), id, change); errors.Is(err, context.Canceled) {
						return err
					} else if err != nil {
						a.complain(err)
						refused = true
						continue
					}
					fmt.Fprintf(a.stdout, "item %d: %s\n", id, done)
				}
				if refused {
					return &reportedError{exitFailed}
				}
				return nil
			})
		},
	}
}

// parseIDs reads all ids before anything is done to the first.
func parseIDs(args []string) ([]int64, error) {
	ids := make([]int64, len(args))
	for i, arg := range args {
		id, err := strconv.ParseInt(arg, 10, 64)
		if err != nil || id < 1 {
			return nil, usagef("item id: got %q, want a whole number from 1 on", arg)
		}
		ids[i] = id
	}
	return ids, nil
}
