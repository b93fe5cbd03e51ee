package queues

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/queuedefs"
	"botwork/workqueue"
)

func (a *command) queuesDefineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "define",
		Short: "Write the queues of botwork.yaml into the database",
		Long: `Writes the queues of botwork.yaml into the database: those that do not exist, and
those whose definition differs, also if "botwork queues set", "create" or "delete"
changed them. A worker does the same when it starts, but leaves what a command changed.
A queue that the file does not name is not changed, and a paused queue stays paused.

If a definition has errors, all errors are printed and nothing is written.`,
		Example: "  botwork queues define\n  botwork queues define --output json",
		Args:    cli.NoArguments,
	}
	cli.ReasonFlag(cmd)
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
		changed, err := store.DefineQueues(cmd.Context(), queues, a.Config.Worker.Name)
		if err := errors.Join(err, store.Close()); err != nil {
			return err
		}
		if changed == nil {
			changed = []string{} // JSON: an empty list
		}
		return a.Print(*output, changed, func() { a.definedQueues(queues, changed) })
	}
	return cmd
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
