package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

func (a *app) itemsListCommand() *cobra.Command {
	var flags itemFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List items, the newest first",
		Long: `Lists items, the newest first. JSON and YAML are a list of items with all their
fields: the columns of the table in camel case, and stateName.

Beside the states, --state knows: active (Blocked), completed (Processed),
archived (Cancelled), scheduled (waits for its time) and retry (failed, waits
for its next attempt). "pending" is the state Pending.

To page, give --before the last id of the page before.`,
		Example: `  botwork items list --state Ready,Pending --queue default
  botwork items list --state archived --limit 10 --output json
  botwork items list --band high --before 4711`,
		Args: noArguments,
	}
	flags.register(cmd)
	output := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		query, err := flags.query()
		if err != nil {
			return err
		}
		return a.withStore(cmd.Context(), func(store *sqlstore.Store) error {
			items, err := query.items(cmd.Context(), store)
			if err != nil {
				return err
			}
			if *output != formatTable {
				return a.print(*output, items, nil)
			}
			return a.itemTable(cmd.Context(), store, items, flags.limit)
		})
	}
	return cmd
}

func (a *app) itemTable(ctx context.Context, store *sqlstore.Store, items []workqueue.Item, limit int) error {
	if len(items) == 0 {
		fmt.Fprintln(a.stdout, "no items")
		return nil
	}
	names, err := workerNames(ctx, store)
	if err != nil {
		return err
	}
	now, err := store.Now(ctx)
	if err != nil {
		return err
	}
	g := newGrid("id", "state", "priority", "queue", "pipeline", "worker", "failed", "created", "note")
	for i := range items {
		it := &items[i]
		worker := ""
		if it.WorkerID != nil {
			worker = names[*it.WorkerID]
		}
		g.add(fmt.Sprint(it.ID), it.State.String(), fmt.Sprint(it.Priority), it.QueueName, short(it.IntegrationConfig, 32),
			worker, fmt.Sprint(it.RetryCount), instant(&it.CreatedAt), itemNote(it, now))
	}
	g.writeTo(a.stdout)
	if len(items) == limit {
		fmt.Fprintf(a.stdout, "For older ones add: --before %d\n", items[len(items)-1].ID)
	}
	return nil
}

// itemNote is what a person wants to know first: why it waits, where it is, what
// failed.
func itemNote(it *workqueue.Item, now time.Time) string {
	note := ""
	if it.State == workqueue.Blocked && it.Step != nil {
		note = "at " + short(*it.Step, 40)
		if it.Progress != nil {
			note += ": " + short(*it.Progress, 60)
		}
		return note
	}
	if waits := it.State == workqueue.Ready || it.State == workqueue.Pending; waits && it.AvailableAt.After(now) {
		note = "due " + instant(&it.AvailableAt)
	}
	if it.Error != nil {
		if note != "" {
			note += ": "
		}
		note += short(*it.Error, 60)
	}
	return note
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
