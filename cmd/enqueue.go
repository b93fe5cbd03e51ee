package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"botwork/internal/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

func (a *app) enqueueCommand() *cobra.Command {
	var flags enqueueFlags
	cmd := &cobra.Command{
		Use:   "enqueue [-]",
		Short: "Put work items into the queue",
		Long: `Puts one item into the queue, or many. An item waits as Pending (4) until a worker
takes it; larger priorities run first: high is above 1000, medium 500 to 1000,
low below 500.

With - (or --stdin) items are read from standard input, one JSON object per
line:

  {"pipeline": "hello", "payload": {"name": "Ada"}, "priority": 1200,
   "queue": "default", "estimatedDuration": "30s", "at": "2026-01-31T13:45:00Z"}

in ("15m") may stand in place of at, and a whole pipeline in place of its name.
What a line leaves out is taken from the flags. All lines are checked before the
first item is written; then they are written a thousand at a time.

Before anything is written, the pipeline must exist in the pipelines folder (where
there is one) and the payload must suit it. JSON and YAML show the item; with
--stdin or --count they are a list of items.`,
		Example: `  botwork enqueue --pipeline hello --payload '{"name": "Ada"}'
  botwork enqueue --pipeline import --payload-file order.json --priority 1200
  botwork enqueue --pipeline nightly --at "2026-01-31 23:00" --estimated-duration 20m
  botwork enqueue - --queue default < items.ndjson`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && args[0] != "-" {
				return &usageError{fmt.Sprintf("got the argument %q, want - or none", args[len(args)-1]), "the pipeline is named by --pipeline"}
			}
			flags.stdin = flags.stdin || len(args) == 1
			return nil
		},
	}
	flags.register(cmd)
	_ = cmd.RegisterFlagCompletionFunc("pipeline", a.completePipelines)
	output := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		defaults, err := flags.defaults()
		if err != nil {
			return err
		}
		if err := a.loadConfig(); err != nil {
			return err
		}
		checker, err := a.newItemChecker(flags.noCheck)
		if err != nil {
			return err
		}
		if flags.stdin {
			return a.enqueueLines(cmd.Context(), defaults, checker, *output)
		}
		if defaults.Payload, err = flags.payload.read(a.stdin); err != nil {
			return err
		}
		if findings := checker.check(&defaults, place{file: "--pipeline"}); len(findings) > 0 {
			return findings
		}
		return a.enqueueSame(cmd, defaults, flags.count, *output)
	}
	return cmd
}

// enqueueSame writes the item of the flags count times.
func (a *app) enqueueSame(cmd *cobra.Command, it workqueue.NewItem, count int, output format) error {
	return a.withQueues(cmd.Context(), []workqueue.NewItem{it}, []place{{file: "--queue"}}, func(store *sqlstore.Store) error {
		if cmd.Flags().Changed("count") {
			items := make([]workqueue.NewItem, count)
			for i := range items {
				items[i] = it
			}
			return a.enqueueMany(cmd.Context(), store, items, nil, output)
		}
		made, err := store.Enqueue(cmd.Context(), []workqueue.NewItem{it})
		if err != nil {
			return err
		}
		item, err := store.Item(cmd.Context(), made[0].ID)
		if err != nil {
			return err
		}
		return a.print(output, item, func() {
			fmt.Fprintf(a.stdout, "item %d: %s, priority %d, queue %s, due %s\n",
				item.ID, item.State, item.Priority, item.QueueName, instant(&item.AvailableAt))
		})
	})
}

// withQueues opens the store for items whose queues exist.
func (a *app) withQueues(ctx context.Context, items []workqueue.NewItem, places []place, do func(*sqlstore.Store) error) error {
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	err = a.checkQueues(ctx, store, items, places)
	if err == nil {
		err = do(store)
	}
	return errors.Join(err, store.Close())
}

func (a *app) checkQueues(ctx context.Context, store *sqlstore.Store, items []workqueue.NewItem, places []place) error {
	queues, err := store.Queues(ctx)
	if err != nil {
		return err
	}
	known := make([]string, len(queues))
	for i, q := range queues {
		known[i] = q.Name
	}
	var findings strictyaml.Findings
	for i, it := range items {
		findings = append(findings, checkQueue(it.QueueName, known, places[i])...)
	}
	return findings.Err()
}
