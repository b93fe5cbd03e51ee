package items

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

func (a *command) itemsListCommand() *cobra.Command {
	var (
		flags  itemFlags
		limit  int
		before int64
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List items, the newest first",
		Long: `Lists items, the newest first. JSON and YAML are a list of items with all their
fields: the columns of the table in camel case, status, stateName and lifecycle.

Filters are combined with AND. --status takes several statuses, separated by
commas, and lists the items that have one of them.

--lifecycle and --state are for those who know items by these. --lifecycle has
the lifecycle names. --state has the states of the database, and also active
(Blocked), completed (Processed), archived (Cancelled), scheduled (not due yet)
and retry (failed, waits for its next attempt). There "pending" is the state
Pending; --status pending lists what is due, in the state Ready or Pending.

Encrypted metadata cannot be searched. Deleted items are listed only with
--deleted or --status deleted.

For the next page, give the last id of this page to --before.`,
		Example: `  botwork items list --status pending,retry --queue default
  botwork items list --status failed,business-error --limit 10 --output json
  botwork items list --tag urgent --meta customer=4711
  botwork items list --band high --before 4711`,
		Args: cli.NoArguments,
	}
	flags.register(cmd)
	flags.registerDeleted(cmd)
	cmd.Flags().IntVar(&limit, "limit", 50, "list at most `N` items")
	cmd.Flags().Int64Var(&before, "before", 0, "only items with a smaller `ID`: the next page")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if limit < 1 {
			return cli.Usagef("--limit: got %d, want 1 or more", limit)
		}
		if before < 0 {
			return cli.Usagef("--before: got %d, want an item's id", before)
		}
		filter, err := flags.filter(cmd.Flags())
		if err != nil {
			return err
		}
		flags.widen(&filter)
		filter.Limit, filter.BeforeID = limit, before
		return a.WithStoreToRead(cmd.Context(), func(store cli.Store) error {
			items, err := store.Items(cmd.Context(), filter)
			if err == nil && len(items) == 0 {
				err = cli.CheckQueue(cmd.Context(), store, filter.QueueName)
			}
			if err != nil {
				return err
			}
			if *output != cli.FormatTable {
				return a.Print(*output, items, nil)
			}
			return a.itemTable(cmd.Context(), store, items, limit)
		})
	}
	return cmd
}

func (a *command) itemTable(ctx context.Context, store cli.Store, items []workqueue.Item, limit int) error {
	if len(items) == 0 {
		fmt.Fprintln(a.Stdout, "no items")
		return nil
	}
	names, err := workerNames(ctx, store)
	if err != nil {
		return err
	}
	g := cli.NewGrid("id", "status", "priority", "queue", "pipeline", "worker", "failed", "created", "note").
		DropWhenNarrow("worker", "queue", "failed", "created")
	for i := range items {
		it := &items[i]
		worker := "" // or the robot that has taken it
		switch {
		case it.WorkerID != nil:
			worker = names[*it.WorkerID]
		case it.Robot != nil:
			worker = *it.Robot
		}
		g.Add(fmt.Sprint(it.ID), string(it.Status()), fmt.Sprint(it.Priority), it.QueueName,
			cli.Shorten(it.IntegrationConfig, 32), worker, fmt.Sprint(it.RetryCount), cli.Instant(&it.CreatedAt), itemNote(it))
	}
	g.Print(a.Stdout)
	if len(items) == limit {
		fmt.Fprintf(a.Stdout, "For older ones add: --before %d\n", items[len(items)-1].ID)
	}
	return nil
}

// itemNote is what a person wants to know first: why it waits, where it is, what
// failed, why it was deleted.
func itemNote(it *workqueue.Item) string {
	switch life := it.Lifecycle; {
	case life == workqueue.LifeActive && it.Step != nil:
		return withText("at "+cli.Shorten(*it.Step, 40), it.Progress)
	case life == workqueue.LifeScheduled || life == workqueue.LifeRetry:
		return withText("due "+cli.Instant(&it.AvailableAt), it.Error)
	case life == workqueue.LifeDeleted:
		return withText("deleted", it.DeletedReason)
	default:
		return withText("", it.Error)
	}
}

// withText adds the start of a text, if there is one.
func withText(note string, text *string) string {
	switch {
	case text == nil:
		return note
	case note == "":
		return cli.Shorten(*text, 60)
	default:
		return note + ": " + cli.Shorten(*text, 60)
	}
}

// workerNames are the names of all workers by id.
func workerNames(ctx context.Context, store workqueue.WorkerStore) (map[int64]string, error) {
	workers, err := store.Workers(ctx)
	if err != nil {
		return nil, err
	}
	names := make(map[int64]string, len(workers))
	for _, w := range workers {
		names[w.ID] = w.Name
	}
	return names, nil
}
