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
whether workers or robots take them, how long they are kept, when they are retried,
and the limits in the whole cluster. The queue "default" always exists.

Queues are defined below the key "queues" of botwork.yaml. A worker that starts
updates them in the database.`,
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
		Short: "Pause queues: their items no longer start",
		Long: `Pauses queues: their items are not assigned to workers, and robots cannot take them.
Running items continue, and new items can be enqueued. A queue stays paused until it
is resumed, even when a worker starts whose settings define it.

Items that are assigned to a worker and have not started do not start either. The
next pass releases them; they are assigned again when the queue is resumed.`,
		Example: "  botwork queues pause invoices\n  botwork queues pause invoices mail",
	}, func(ctx context.Context, store cli.Store, name string) (string, error) {
		changed, err := store.PauseQueue(ctx, name)
		return unlessSo(changed, "paused"), err
	})
}

func (a *command) queuesResumeCommand() *cobra.Command {
	return a.queuesChangeCommand(&cobra.Command{
		Use:     "resume NAME...",
		Short:   "Resume paused queues",
		Long:    "Resumes paused queues: their items can be assigned and taken again.",
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
deleted ones included, is not deleted, and the queue "default" is never deleted. A
queue that botwork.yaml still defines is created again when a worker starts.`,
		Example: "  botwork queues delete invoices",
	}, func(ctx context.Context, store cli.Store, name string) (string, error) {
		return "deleted", store.DeleteQueue(ctx, name)
	})
}

// unlessSo returns the new state of a queue, with "already" if nothing had to be changed.
func unlessSo(changed bool, state string) string {
	if changed {
		return state
	}
	return state + " already"
}

// queuesChangeCommand returns a command that applies do to each of the named queues. do
// returns the new state of the queue.
func (a *command) queuesChangeCommand(cmd *cobra.Command, do func(ctx context.Context, store cli.Store, name string) (string, error)) *cobra.Command {
	cmd.Long += "\n\nThe exit code is 1 if this fails for any queue; the other queues are still changed."
	cmd.Args = cli.SomeArguments("the queues' names")
	cli.ReasonFlag(cmd)
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
