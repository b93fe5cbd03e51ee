// Package enqueue is the command `botwork enqueue`.
package enqueue

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/batch"
	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/workqueue"
)

// command is one call of `botwork enqueue`.
type command struct{ *cli.App }

// Command returns `botwork enqueue`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).enqueueCommand() }

func (a *command) enqueueCommand() *cobra.Command {
	var flags enqueueFlags
	cmd := &cobra.Command{
		Use:   "enqueue [-]",
		Short: "Put work items into the queue",
		Long: `Puts one item into the queue, or many. An item waits as Pending (4) until a worker
takes it; larger priorities run first: high is above 1000, medium 500 to 1000,
low below 500. An item for robots needs no --pipeline; the queue says who takes it.

Where the queue keeps natural keys unique, an item whose --key exists is not
made: the command prints the existing item and succeeds. --unique and --unique-for do the
same in any queue, if an item with the same queue, pipeline and payload exists. The
command can then be repeated safely.

With - (or --stdin) items are read from standard input, one JSON object per
line:

  {"pipeline": "hello", "payload": {"name": "Ada"}, "priority": 1200,
   "queue": "default", "estimatedDuration": "30s", "at": "2026-01-31T13:45:00Z",
   "deadline": "2026-01-31T18:00:00Z", "key": "order-4711", "unique": "1h",
   "tags": ["urgent"], "metadata": {"customer": "4711"}, "limitKey": "4711",
   "labels": {"language": "french"}, "selectors": ["ram >= 32"], "retain": "2h"}

in ("15m") can replace at, deadlineIn can replace deadline, true can replace
unique's duration, and a whole pipeline in place of its name. What a line leaves
out is taken from the flags; tags, metadata, labels and selectors of a line replace
those of the flags.
All lines are checked before the first item is written; then they are written in
batches of up to a thousand. Of two lines with one key the first is the item. Until
all are checked they are kept in a temporary file; a line may be as long as the
largest payload of all queues (1 MB, unless a queue says more) and 1 MB.

When the answer of the database is lost, the command looks up for up to 30 seconds
what became of the batch. It reports only what the database has confirmed, or
that the result is unknown. The same command and input with the --batch KEY that
it names enqueues what is missing, and nothing twice, for seven days; botwork items
batch KEY shows what is in the queue.

Before anything is written, the pipeline must exist in the pipelines folder (where
there is one) without errors, and the payload must suit it and the queue's schema. JSON and YAML
show the item and whether it was there already (existing); with --stdin or --count
they are a list of items, each once.

Afterwards the command prints when the item is expected to start, as items why does
(expectedAt and expected in JSON and YAML); of many items, the first and the last.
It spends at most two seconds on each; an unknown time is not an error.`,
		Example: `  botwork enqueue --pipeline hello --payload '{"name": "Ada"}'
  botwork enqueue --pipeline import --payload-file order.json --priority 1200
  botwork enqueue --pipeline nightly --at "2026-01-31 23:00" --estimated-duration 20m --unique
  botwork enqueue --queue orders --pipeline ship --key order-4711 --tag urgent --meta customer=4711
  botwork enqueue --pipeline render --label language=french --selector 'gpu = true' --selector 'ram >= 32'
  botwork enqueue - --queue default < items.ndjson`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && args[0] != "-" {
				return &cli.UsageError{Message: fmt.Sprintf("got the argument %q, want - or none", args[len(args)-1]), Hint: "the pipeline is named by --pipeline"}
			}
			flags.stdin = flags.stdin || len(args) == 1
			return nil
		},
	}
	flags.register(cmd)
	_ = cmd.RegisterFlagCompletionFunc("pipeline", projectdir.CompletePipelines(a.App))
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		defaults, err := flags.defaults(cmd.Flags())
		if err != nil {
			return err
		}
		o := enqueueOptions{*output, cmp.Or(flags.batch, workqueue.NewBatchKey()), flags.batch != ""}
		if err := a.LoadConfig(); err != nil {
			return err
		}
		checker, err := a.newItemChecker(flags.noCheck)
		if err != nil {
			return err
		}
		if flags.stdin {
			return a.enqueueLines(cmd.Context(), defaults, checker, o)
		}
		limit := func() (int64, error) { return a.payloadLimit(cmd.Context(), defaults.QueueName) }
		if defaults.Payload, err = flags.payload.Read(a.Stdin, limit); err != nil {
			return err
		}
		at := flags.place()
		if findings := checker.check(&defaults, at); len(findings) > 0 {
			return findings
		}
		return a.enqueueSame(cmd, defaults, at, flags.count, o)
	}
	return cmd
}

// enqueueSame writes the item of the flags count times.
func (a *command) enqueueSame(cmd *cobra.Command, it workqueue.NewItem, at place, count int, o enqueueOptions) error {
	ctx := cmd.Context()
	return a.WithStore(ctx, func(store cli.Store) error {
		checker, err := newQueueChecker(ctx, store)
		if err != nil {
			return err
		}
		if findings := checker.check(it, at); len(findings) > 0 {
			return findings
		}
		if cmd.Flags().Changed("count") {
			return a.enqueueMany(ctx, store, sameSource(it, count), o)
		}
		longer, stop := batch.Outlive(ctx, batch.Grace)
		defer stop()
		made, err := batch.Enqueue(longer, a.App, store, workqueue.BatchPart{Key: o.batch, Part: 1}, []workqueue.NewItem{it})
		if _, unknown := errors.AsType[*workqueue.UnansweredError](err); unknown {
			return fmt.Errorf("whether the item is in the queue is unknown, since the database did not answer: %w; "+
				"hint: `botwork items batch %s` shows it, and the same command with --batch %[2]s does not enqueue it twice", err, o.batch)
		}
		if err != nil {
			return err
		}
		expect := func(id int64) expectation { return a.newStartExpectations(store).of(ctx, id) }
		return a.showOne(ctx, store, expect, &it, made[0], o.output)
	})
}

// payloadLimit is the size of the largest payload of a queue.
func (a *command) payloadLimit(ctx context.Context, queue string) (limit int64, err error) {
	limit = workqueue.DefaultMaxSize
	err = a.WithStore(ctx, func(store cli.Store) error {
		q, err := store.Queue(ctx, queue)
		if errors.Is(err, workqueue.ErrNotFound) {
			return nil // which the check of the item says
		}
		limit = q.PayloadLimit()
		return err
	})
	return limit, err
}
