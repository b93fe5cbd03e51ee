package items

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/workqueue"
)

func (a *command) itemsListCommand() *cobra.Command {
	var (
		flags  itemFlags
		limit  int
		before int64
		order  string
		count  bool
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List items, the newest first",
		Long: `Lists items, the newest first. JSON and YAML are a list of items with all their
fields: the columns of the table in camel case, status, stateName and lifecycle.

Filters are combined with AND. --status takes several statuses, separated by
commas, and lists the items that have one of them.

--lifecycle and --state filter by lifecycle names and by database states. --state
also accepts active (Blocked), completed (Processed), archived (Cancelled),
scheduled (not due yet) and retry (failed, waits for its next attempt). With
--state, "pending" is the state Pending; --status pending lists due items in the
state Ready or Pending.

The flags that end in -since and -until take a time such as 2026-01-31 13:45, a
time of day such as 06:00 (the last one), today, yesterday, or a duration before
now such as 6h, in local time or, with --utc, in UTC.

--payload takes comparisons of values of the payload, such as address.city or
lines[0].price, with a number, a text in quotes, true, false or null:
==, !=, <, <=, >, >=, contains, startsWith, in ["a", "b"], combined with and, or,
not and parentheses. A missing value is null. The search reads the payloads of the
items that the other filters select, the newest first. After 100,000 it stops, and
the exit code is 1; continue with --before.

Encrypted metadata cannot be searched. Deleted items are listed only with
--deleted or --status deleted.

For the next page, give the last id of this page to --before.`,
		Example: `  botwork items list --status pending,retry --queue default
  botwork items list --status failed,business-error --limit 10 --output json
  botwork items list --tag urgent --meta customer=4711
  botwork items list --failed-since 06:00 --error "connection refused"
  botwork items list --payload 'amount > 1000 and customer == "Ada"' --created-since 2d
  botwork items list --created-since yesterday --sort -priority
  botwork items list --band high --before 4711`,
		Args: cli.NoArguments,
	}
	flags.register(cmd, nil)
	flags.registerDeleted(cmd)
	cmd.Flags().IntVar(&limit, "limit", 50, "list at most `N` items")
	cmd.Flags().StringVar(&order, "sort", "", "sort by this `VALUE`: "+strings.Join(sortWords(), ", ")+"; with - before it, the largest or latest first")
	cmd.Flags().BoolVar(&count, "count", false, "print only the number of items")
	cmd.Flags().Int64Var(&before, "before", 0, "only items with a smaller `ID`: the next page")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if limit < 1 {
			return cli.Usagef("--limit: got %d, want 1 or more", limit)
		}
		if before < 0 {
			return cli.Usagef("--before: got %d, want an item's id", before)
		}
		filter, err := flags.filter(cmd.Flags(), a.Zone())
		if err != nil {
			return err
		}
		flags.Widen(&filter)
		filter.Limit, filter.BeforeID = limit, before
		if order != "" {
			if filter.Sort, err = workqueue.ParseItemSort(order); err != nil {
				return cli.Usagef("--sort: %v", err)
			}
			if before > 0 {
				return cli.Usagef("got --sort and --before, want one of them: only the newest items first have pages")
			}
			if filter.Payload != nil && !filter.Sort.NewestFirst() {
				return cli.Usagef("got --sort and --payload, want one of them: a search by payload lists the newest items first")
			}
		}
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			if count {
				return a.countItems(cmd.Context(), store, filter, *output)
			}
			items, err := store.Items(cmd.Context(), filter)
			incomplete, err := searched(err)
			if err == nil && len(items) == 0 {
				err = a.checkFilter(cmd.Context(), store, filter)
			}
			if err != nil {
				return err
			}
			if *output != cli.FormatTable {
				err = a.Print(*output, items, nil)
			} else {
				err = a.itemTable(cmd.Context(), store, items, filter)
			}
			if err != nil {
				return err
			}
			return a.reportIncomplete(incomplete)
		})
	}
	return cmd
}

func sortWords() []string {
	var words []string
	for _, key := range workqueue.SortKeys() {
		words = append(words, string(key))
	}
	return words
}

// countItems prints how many items the filter selects.
func (a *command) countItems(ctx context.Context, store cli.Backend, filter workqueue.ItemFilter, output cli.Format) error {
	n, err := store.CountItems(ctx, filter)
	incomplete, err := searched(err)
	if err == nil && n == 0 {
		err = a.checkFilter(ctx, store, filter)
	}
	if err != nil {
		return err
	}
	if output == cli.FormatTable {
		fmt.Fprintln(a.Stdout, n)
	} else if err := a.Print(output, struct {
		Count int64 `json:"count"`
	}{n}, nil); err != nil {
		return err
	}
	return a.reportIncomplete(incomplete)
}

// checkFilter returns an error if the queue or the pipeline of a filter that found nothing does
// not exist, so that a mistyped name does not look like an empty queue.
func (a *command) checkFilter(ctx context.Context, store cli.Backend, filter workqueue.ItemFilter) error {
	if err := cli.CheckQueue(ctx, store, filter.QueueName); err != nil || filter.Pipeline == "" {
		return err
	}
	n, err := store.CountItems(ctx, workqueue.ItemFilter{Pipeline: filter.Pipeline, Statuses: workqueue.Statuses()})
	if err != nil || n > 0 {
		return err
	}
	if a.UsesServer() {
		return nil // its project is not here
	}
	return projectdir.CheckUnused(a.App, filter.Pipeline, "no item has the pipeline")
}

func (a *command) itemTable(ctx context.Context, store cli.Backend, items []workqueue.Item, filter workqueue.ItemFilter) error {
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
		worker := "" // or the robot that took it
		switch {
		case it.WorkerID != nil:
			worker = names[*it.WorkerID]
		case it.Robot != nil:
			worker = *it.Robot
		}
		g.Add(fmt.Sprint(it.ID), string(it.Status()), fmt.Sprint(it.Priority), it.QueueName,
			cli.Shorten(it.IntegrationConfig, 32), worker, fmt.Sprint(it.RetryCount), a.Instant(&it.CreatedAt), a.itemNote(it))
	}
	g.Print(a.Stdout)
	if len(items) == filter.Limit && filter.Sort == (workqueue.ItemSort{}) {
		fmt.Fprintf(a.Stdout, "To list older items, add: --before %d\n", items[len(items)-1].ID)
	}
	return nil
}

// itemNote returns the most important information: why an item waits, its progress, its error,
// or why it was deleted.
func (a *command) itemNote(it *workqueue.Item) string {
	switch life := it.Lifecycle; {
	case life == workqueue.LifeActive && it.Step != nil:
		return withText("at "+cli.Shorten(*it.Step, 40), it.Progress)
	case it.SnoozeReason != nil:
		return withText("due "+a.Instant(&it.AvailableAt)+", snoozed", it.SnoozeReason)
	case life == workqueue.LifeScheduled || life == workqueue.LifeRetry:
		return withText("due "+a.Instant(&it.AvailableAt), it.Error)
	case life == workqueue.LifeDeleted:
		return withText("deleted", it.DeletedReason)
	default:
		return withText("", it.Error)
	}
}

// withText adds the start of a text, if there is one.
func withText(note string, text *string) string {
	switch {
	case text == nil || *text == "":
		return note
	case note == "":
		return cli.Shorten(*text, 60)
	default:
		return note + ": " + cli.Shorten(*text, 60)
	}
}

// workerNames are the names of all workers by id.
func workerNames(ctx context.Context, store cli.ItemBackend) (map[int64]string, error) {
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
