package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

func (a *app) queuesCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "queues", Aliases: []string{"queue"}, Short: "List, show, define and pause queues",
		Long: `Lists, shows and changes queues. A queue is a named set of items with one policy:
who takes them, how long they live, when they are tried again, what limits hold
over the cluster. The queue "default" is always there.

Queues are defined below the key "queues" of botwork.yaml. A worker that starts
writes them into the database where they differ.`,
	},
		a.queuesListCommand(),
		a.queuesShowCommand(),
		a.queuesStatsCommand(),
		a.queuesDefineCommand(),
		a.queuesPauseCommand(),
		a.queuesResumeCommand(),
		a.queuesPurgeCommand(),
		a.queuesDeleteCommand(),
	)
}

func (a *app) queuesPauseCommand() *cobra.Command {
	return a.queuesChangeCommand(&cobra.Command{
		Use:   "pause NAME...",
		Short: "Stop giving out a queue's items",
		Long: `Stops giving out the items of queues: they are not assigned to workers and not
given to robots. What runs goes on, and new items can come in. A queue stays
paused until it is resumed, also when a worker starts that defines it.

Items that are assigned to a worker and have not started do not start either. The
next pass takes them back; they are assigned again when the queue is resumed.`,
		Example: "  botwork queues pause invoices\n  botwork queues pause invoices mail",
	}, func(ctx context.Context, store *sqlstore.Store, name string) (string, error) {
		changed, err := store.PauseQueue(ctx, name)
		return unlessSo(changed, "paused"), err
	})
}

func (a *app) queuesResumeCommand() *cobra.Command {
	return a.queuesChangeCommand(&cobra.Command{
		Use:     "resume NAME...",
		Short:   "Give out a paused queue's items again",
		Long:    "Gives out the items of paused queues again.",
		Example: "  botwork queues resume invoices",
	}, func(ctx context.Context, store *sqlstore.Store, name string) (string, error) {
		changed, err := store.ResumeQueue(ctx, name)
		return unlessSo(changed, "running"), err
	})
}

func (a *app) queuesDeleteCommand() *cobra.Command {
	return a.queuesChangeCommand(&cobra.Command{
		Use:   "delete NAME...",
		Short: "Delete queues that have no items",
		Long: `Deletes queues with their lists of robots. A queue that has items, finished and
deleted ones included, is left as it is, and the queue "default" is never deleted.
A queue that botwork.yaml still defines is back when a worker starts.`,
		Example: "  botwork queues delete invoices",
	}, func(ctx context.Context, store *sqlstore.Store, name string) (string, error) {
		return "deleted", store.DeleteQueue(ctx, name)
	})
}

// unlessSo is what a queue is now; it says when nothing had to be done for it.
func unlessSo(changed bool, state string) string {
	if changed {
		return state
	}
	return state + " already"
}

// queuesChangeCommand makes a command that does one thing to each of the queues
// that its arguments name. do returns what the queue is then.
func (a *app) queuesChangeCommand(cmd *cobra.Command, do func(ctx context.Context, store *sqlstore.Store, name string) (string, error)) *cobra.Command {
	cmd.Long += "\n\nThe exit code is 1 when this fails for any queue; it is done to the others all the\nsame."
	cmd.Args = cli.SomeArguments("the queues' names")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		return a.WithStore(cmd.Context(), func(store *sqlstore.Store) error {
			refused := false
			for _, name := range names {
				state, err := do(cmd.Context(), store, name)
				switch {
				case errors.Is(err, context.Canceled):
					return err
				case err != nil:
					a.Complain(noSuchQueue(cmd.Context(), store, name, err))
					refused = true
				default:
					fmt.Fprintf(a.Stdout, "queue %s: %s\n", name, state)
				}
			}
			if refused {
				return &cli.ReportedError{Code: cli.ExitFailed}
			}
			return nil
		})
	}
	return cmd
}

// knownQueue is asked when a filter by queue picks nothing: a mistyped name shall
// not look like an empty queue. Rows of a queue that only a hand has named are
// found before that. "" is any queue.
func knownQueue(ctx context.Context, store *sqlstore.Store, name string) error {
	if name == "" {
		return nil
	}
	_, err := store.Queue(ctx, name)
	return noSuchQueue(ctx, store, name, err)
}

// noSuchQueue adds to an error that says so what there is instead.
func noSuchQueue(ctx context.Context, store *sqlstore.Store, name string, err error) error {
	if !errors.Is(err, workqueue.ErrNotFound) {
		return err
	}
	queues, listErr := store.Queues(ctx)
	if listErr != nil {
		return errors.Join(err, listErr)
	}
	names := make([]string, len(queues))
	for i, q := range queues {
		names[i] = q.Name
	}
	hint := strictyaml.Suggest(name, names)
	if hint == "" {
		hint = "there are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("%w; %s", err, hint)
}
