// Package queues is the command `botwork queues`.
package queues

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
)

// command is one call of `botwork queues`.
type command struct{ *cli.App }

// Command returns `botwork queues`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).queuesCommand() }

func (a *command) queuesCommand() *cobra.Command {
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

func (a *command) queuesPauseCommand() *cobra.Command {
	return a.queuesChangeCommand(&cobra.Command{
		Use:   "pause NAME...",
		Short: "Stop giving out a queue's items",
		Long: `Stops giving out the items of queues: they are not assigned to workers and not
given to robots. Running items continue, and new items can be enqueued. A queue stays
paused until it is resumed, also when a worker starts that defines it.

Items that are assigned to a worker and have not started do not start either. The
next pass takes them back; they are assigned again when the queue is resumed.`,
		Example: "  botwork queues pause invoices\n  botwork queues pause invoices mail",
	}, func(ctx context.Context, store cli.Store, name string) (string, error) {
		changed, err := store.PauseQueue(ctx, name)
		return unlessSo(changed, "paused"), err
	})
}

func (a *command) queuesResumeCommand() *cobra.Command {
	return a.queuesChangeCommand(&cobra.Command{
		Use:     "resume NAME...",
		Short:   "Give out a paused queue's items again",
		Long:    "Gives out the items of paused queues again.",
		Example: "  botwork queues resume invoices",
	}, func(ctx context.Context, store cli.Store, name string) (string, error) {
		changed, err := store.ResumeQueue(ctx, name)
		return unlessSo(changed, "running"), err
	})
}

func (a *command) queuesDeleteCommand() *cobra.Command {
	return a.queuesChangeCommand(&cobra.Command{
		Use:   "delete NAME...",
		Short: "Delete queues that have no items",
		Long: `Deletes queues with their lists of robots. A queue that has items, finished and
deleted ones included, is not deleted, and the queue "default" is never deleted.
A queue that botwork.yaml still defines is back when a worker starts.`,
		Example: "  botwork queues delete invoices",
	}, func(ctx context.Context, store cli.Store, name string) (string, error) {
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
func (a *command) queuesChangeCommand(cmd *cobra.Command, do func(ctx context.Context, store cli.Store, name string) (string, error)) *cobra.Command {
	cmd.Long += "\n\nThe exit code is 1 when this fails for any queue; it is done to the others all the\nsame."
	cmd.Args = cli.SomeArguments("the queues' names")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		return a.WithStore(cmd.Context(), func(store cli.Store) error {
			refused := false
			for _, name := range names {
				state, err := do(cmd.Context(), store, name)
				switch {
				case errors.Is(err, context.Canceled):
					return err
				case err != nil:
					a.Complain(cli.NoSuchQueue(cmd.Context(), store, name, err))
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
