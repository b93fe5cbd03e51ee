package queues

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/queuedefs"
	"botwork/workqueue"
	"botwork/workqueue/assign"
)

func (a *command) queuesDefineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "define",
		Short: "Write the queues of botwork.yaml into the database",
		Long: `Writes the queues of botwork.yaml into the database: those that do not exist, and
those whose definition differs, also if "botwork queues set", "create" or "delete"
changed them. A worker does the same when it starts, but leaves what a command changed.
A queue that the file does not name is not changed, and a paused queue stays paused.

If a definition has errors, all errors are printed and nothing is written. A
definition that would end waiting items, or strand them, such as another consumer,
needs --yes. A worker that starts leaves such a queue as it is, and logs how many
items wait.`,
		Example: "  botwork queues define\n  botwork queues define --output json\n  botwork queues define --yes",
		Args:    cli.NoArguments,
	}
	var yes bool
	cli.ReasonFlag(cmd)
	yesFlag(cmd, &yes)
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := a.LoadConfig(); err != nil {
			return err
		}
		queues, findings := queuedefs.Decode(a.Config.Queues, nil)
		if err := findings.Err(); err != nil {
			return err
		}
		store, err := a.OpenStore(cmd.Context())
		if err != nil {
			return err
		}
		if !yes {
			if err := checkStranded(cmd.Context(), store, queues); err != nil {
				return errors.Join(needsYes(err), store.Close())
			}
		}
		changed, err := store.DefineQueues(cmd.Context(), queues, a.Config.Worker.Name)
		if err != nil {
			return errors.Join(err, store.Close())
		}
		if changed == nil {
			changed = []string{} // JSON: an empty list
		}
		return errors.Join(a.Print(*output, changed, func() { a.definedQueues(queues, changed) }), store.Close())
	}
	return cmd
}

// checkStranded returns an error for the first definition that would strand waiting items.
func checkStranded(ctx context.Context, store cli.Store, queues []workqueue.Queue) error {
	for i := range queues {
		before, err := store.Queue(ctx, queues[i].Name)
		if errors.Is(err, workqueue.ErrNotFound) {
			continue
		}
		if err == nil {
			err = assign.CheckStranded(ctx, store, &before, &queues[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *command) definedQueues(queues []workqueue.Queue, changed []string) {
	for _, name := range changed {
		fmt.Fprintf(a.Stdout, "queue %s: defined\n", name)
	}
	switch {
	case len(queues) == 0:
		fmt.Fprintln(a.Stdout, "the settings define no queues: add them below the key queues of botwork.yaml")
	case len(changed) == 0:
		fmt.Fprintf(a.Stdout, "nothing to do: the %s in the database are up to date\n", cli.Count(len(queues), "queue"))
	}
}
