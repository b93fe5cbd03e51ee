// Package queues is the command `botwork queues`.
package queues

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/operations"
	"botwork/workqueue"
)

// command is one call of `botwork queues`.
type command struct{ *cli.App }

// Command returns `botwork queues`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).queuesCommand() }

func (a *command) queuesCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "queues", Aliases: []string{"queue"}, Short: "List, show, define, change and pause queues",
		Long: `Lists, shows and changes queues. A queue is a named set of items with one policy:
whether workers or robots take them, how long they are kept, when they are retried,
and the limits in the whole cluster. The queue "default" always exists.

Queues are defined below the key "queues" of botwork.yaml. A worker that starts
updates them in the database, except those that "create", "set" or "delete" changed:
a command overrides the file until the next "botwork queues define".`,
	},
		cli.OverServer(a.queuesListCommand()),
		cli.OverServer(a.queuesShowCommand()),
		cli.OverServer(a.queuesStatsCommand()),
		cli.OverServer(a.queuesEscalationsCommand()),
		a.queuesDefineCommand(),
		cli.OverServer(a.queuesCreateCommand()),
		cli.OverServer(a.queuesSetCommand()),
		cli.OverServer(a.queuesPauseCommand()),
		cli.OverServer(a.queuesResumeCommand()),
		cli.OverServer(a.queuesPurgeCommand()),
		cli.OverServer(a.queuesDeleteCommand()),
	)
}

func (a *command) queuesPauseCommand() *cobra.Command {
	return changeCommand(a, &cobra.Command{
		Use:   "pause NAME...",
		Short: "Pause queues: their items no longer start",
		Long: `Pauses queues: their items are not assigned to workers, and robots cannot take them.
Running items continue, and new items can be enqueued. A queue stays paused until it
is resumed, even when a worker starts whose settings define it.

Items that are assigned to a worker and have not started do not start either. The
next pass releases them; they are assigned again when the queue is resumed.`,
		Example: "  botwork queues pause invoices\n  botwork queues pause invoices mail",
	}, func(ctx context.Context, store cli.Backend, name string) (string, error) {
		changed, err := store.PauseQueue(ctx, name)
		return unlessSo(changed, "paused"), err
	})
}

func (a *command) queuesResumeCommand() *cobra.Command {
	return changeCommand(a, &cobra.Command{
		Use:     "resume NAME...",
		Short:   "Resume paused queues",
		Long:    "Resumes paused queues: their items can be assigned and taken again.",
		Example: "  botwork queues resume invoices",
	}, func(ctx context.Context, store cli.Backend, name string) (string, error) {
		changed, err := store.ResumeQueue(ctx, name)
		return unlessSo(changed, "running"), err
	})
}

func (a *command) queuesDeleteCommand() *cobra.Command {
	return changeCommand(a, &cobra.Command{
		Use:   "delete NAME...",
		Short: "Delete queues that have no items",
		Long: `Deletes queues with their lists of robots. A queue that has items, finished and
deleted ones included, is not deleted, and the queue "default" is never deleted.

botwork.yaml defines queues; this command overrides a definition until the next
"botwork queues define". A worker that starts does not create the queue again, but
logs a warning if its file still defines it. "botwork queues list" lists such queues.
To delete one for good, remove it from the file as well.`,
		Example: "  botwork queues delete invoices",
	}, func(ctx context.Context, store cli.Backend, name string) (string, error) {
		if err := store.DeleteQueue(ctx, name); err != nil {
			return "", err
		}
		state, err := a.deletedState(ctx, store, name)
		if err != nil {
			a.Complain(fmt.Errorf("queue %s: deleted, but it is unknown whether settings or tasks still name it: %w", name, err))
		}
		return state, nil
	})
}

// deletedState describes a deleted queue: whether a worker that starts creates it again.
func (a *command) deletedState(ctx context.Context, store cli.Backend, name string) (string, error) {
	deleted, err := store.DeletedQueues(ctx)
	if err != nil {
		return "deleted", err
	}
	overrides := slices.ContainsFunc(deleted, func(q workqueue.DeletedQueue) bool {
		return workqueue.FoldQueueName(q.Name) == workqueue.FoldQueueName(name)
	})
	inFile := a.Config.Queues.Get(name) != nil
	state := "deleted"
	switch {
	case overrides && inFile:
		state += ", until `botwork queues define`; botwork.yaml still defines it"
	case overrides:
		state += ", until settings that define it are written by `botwork queues define`"
	case inFile:
		state += ", but botwork.yaml defines it: a worker that starts creates it"
	}
	if tasks, err := store.ViewTasks(ctx); err != nil {
		return state, err
	} else if names := activeTasks(tasks, name); len(names) > 0 {
		state += "; it has active tasks, which can no longer create items: " + strings.Join(names, ", ")
	}
	return state, nil
}

// activeTasks returns the names of the active tasks that create items in a queue.
func activeTasks(tasks []operations.Task, queue string) (names []string) {
	for i := range tasks {
		if t := &tasks[i]; t.Active && workqueue.FoldQueueName(t.Queue) == workqueue.FoldQueueName(queue) {
			names = append(names, t.Name)
		}
	}
	return names
}

// unlessSo returns the new state of a queue, with "already" if nothing had to be changed.
func unlessSo(changed bool, state string) string {
	if changed {
		return state
	}
	return state + " already"
}

// changeCommand returns a command that applies do to each of the named queues. do
// returns the new state of the queue.
func changeCommand(a *command, cmd *cobra.Command, do func(ctx context.Context, store cli.Backend, name string) (string, error)) *cobra.Command {
	cmd.Long += "\n\nThe exit code is 1 if this fails for any queue; the other queues are still changed."
	cmd.Args = cli.SomeArguments("the queues' names")
	cli.ReasonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		return a.WithBackend(cmd.Context(), func(store cli.Backend) error {
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
