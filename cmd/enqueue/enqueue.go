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
	"botwork/cmd/internal/itemcheck"
	"botwork/cmd/internal/projectdir"
	"botwork/internal/newitems"
	"botwork/workqueue"
)

// command is one call of `botwork enqueue`.
type command struct{ *projectdir.App }

// Command returns `botwork enqueue`.
func Command(a *projectdir.App) *cobra.Command { return cli.OverServer((&command{a}).enqueueCommand()) }

func (a *command) enqueueCommand() *cobra.Command {
	var flags enqueueFlags
	cmd := &cobra.Command{
		Use:   "enqueue [-]",
		Short: "Add work items to a queue",
		Long: `Adds one or more items to a queue. An item waits as Pending (4) until a worker runs
it; larger priorities run first: high is above 1000, medium 500 to 1000, low below
500. An item in a queue for robots needs no --pipeline.

If the queue keeps natural keys unique and an item with the same --key exists, no
item is created: the command prints the existing item and succeeds. --unique and
--unique-for do the same in any queue, if an item with the same queue, pipeline and
payload exists. The command can then be repeated safely. With --conflict fail, it
fails instead, names each existing item, and enqueues nothing.

--attempts, --timeout and --backoff are the item's own policy; what they leave out
is as its pipeline and queue define. --deadline is when the item must have started,
--finish-by when it must have finished: its run is then ended, and it is not tried
again. Both are judged by the database's clock; times that have passed are refused.

With - (or --stdin) items are read from standard input, one JSON object per
line:

  {"pipeline": "hello", "payload": {"name": "Ada"}, "priority": 1200,
   "queue": "default", "estimatedDuration": "30s", "at": "2026-01-31T13:45:00Z",
   "deadline": "2026-01-31T18:00:00Z", "finishBy": "2026-01-31T20:00:00Z",
   "attempts": 5, "timeout": "2m", "backoff": "10s", "key": "order-4711",
   "unique": "1h", "conflict": "fail", "tags": ["urgent"], "metadata": {"customer": "4711"}, "limitKey": "4711",
   "labels": {"language": "french"}, "selectors": ["ram >= 32"], "retain": "2h"}

in ("15m") can replace at, deadlineIn deadline, finishIn finishBy, true or "done"
can replace unique's duration, resilience ({"limit": 5}) the keys of the policy, and
a whole pipeline can replace its name. Values that a line
leaves out are taken from the flags; tags, metadata, labels and selectors of a line
replace those of the flags. All lines are checked before the first item is enqueued;
then they are enqueued in batches of up to a thousand, or, if conflict is fail, all
or none of at most 50,000. If two lines have the same key, the first one is used. Until all lines are checked they are kept in a temporary
file; the maximum length of a line is the largest payload of all queues (1 MB,
unless a queue allows more) plus 1 MB.

If the database does not answer, the command tries for up to 30 seconds to find out
whether the batch was enqueued. It reports only what the database has confirmed, or
that the result is unknown. To enqueue the missing items, repeat the command with
the same input and the printed --batch KEY: for seven days, no item is enqueued
twice. botwork items batch KEY shows the enqueued items.

Before items are enqueued, the pipeline must exist without errors in the pipelines
folder (if there is one), and the payload must match its input and the queue's
schema. JSON and YAML show the item and whether it already existed (existing); with
--stdin or --count they are a list of items, each once.

Then the command prints when the item is expected to start, like items why
(expectedAt and expected in JSON and YAML); for many items, the first and the last.
The forecast takes at most two seconds for each; an unknown time is not an error.`,
		Example: `  botwork enqueue --pipeline hello --payload '{"name": "Ada"}'
  botwork enqueue --pipeline import --payload-file order.json --priority 1200
  botwork enqueue --pipeline nightly --at "2026-01-31 23:00" --estimated-duration 20m --unique
  botwork enqueue --queue orders --pipeline ship --key order-4711 --tag urgent --meta customer=4711
  botwork enqueue --pipeline render --label language=french --selector 'gpu = true' --selector 'ram >= 32'
  botwork enqueue --pipeline import --attempts 5 --timeout 2m --backoff 10s --finish-by "2026-01-31 18:00"
  botwork enqueue --queue orders --pipeline ship --key order-4711 --conflict fail
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
	a.RegisterLockTimeout(cmd)
	_ = cmd.RegisterFlagCompletionFunc("pipeline", projectdir.CompletePipelines(a.App))
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		defaults, err := flags.defaults(cmd.Flags())
		if err != nil {
			return err
		}
		o := enqueueOptions{*output, cmp.Or(flags.batch, workqueue.NewBatchKey()), flags.batch != ""}
		if !a.UsesServer() {
			if err := a.LoadConfig(); err != nil {
				return err
			}
		}
		a.NoCheck = flags.noCheck
		checker, err := itemcheck.New(a.App, "enqueues", flags.noCheck)
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
		if findings := checker.Check(&defaults, at); len(findings) > 0 {
			return findings
		}
		return a.enqueueSame(cmd, defaults, at, flags.count, o)
	}
	return cmd
}

// enqueueSame enqueues the item of the flags count times.
func (a *command) enqueueSame(cmd *cobra.Command, it workqueue.NewItem, at newitems.Place, count int, o enqueueOptions) error {
	ctx := cmd.Context()
	return a.WithBackend(ctx, func(store cli.Backend) error {
		checker, err := newitems.NewQueueChecker(ctx, store)
		if err != nil {
			return err
		}
		if findings := checker.Check(it, at); len(findings) > 0 {
			return findings
		}
		if cmd.Flags().Changed("count") {
			return a.enqueueMany(ctx, store, sameSource(it, count), o)
		}
		longer, stop := batch.WithGrace(ctx, batch.Grace)
		defer stop()
		made, err := batch.Enqueue(longer, a.App.App, store, workqueue.BatchPart{Key: o.batch, Part: 1}, []workqueue.NewItem{it})
		if _, unknown := errors.AsType[*workqueue.UnansweredError](err); unknown {
			return fmt.Errorf("it is unknown whether the item is in the queue, because the %s did not answer: %w; "+
				"hint: `botwork items batch %s` shows it, and the same command with --batch %[3]s does not enqueue it twice", a.Answerer(), err, o.batch)
		}
		if err != nil {
			return a.refusedItem(err, at)
		}
		expect := func(id int64) expectation { return a.newStartExpectations(store).of(ctx, id) }
		return a.showOne(ctx, store, expect, &it, made[0], o.output)
	})
}

// payloadLimit returns the maximum payload size of a queue.
func (a *command) payloadLimit(ctx context.Context, queue string) (limit int64, err error) {
	limit = workqueue.DefaultMaxSize
	err = a.WithBackend(ctx, func(store cli.Backend) error {
		q, err := store.Queue(ctx, queue)
		if errors.Is(err, workqueue.ErrNotFound) {
			return nil // the check of the item reports it
		}
		limit = q.PayloadLimit()
		return err
	})
	return limit, err
}
