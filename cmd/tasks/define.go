package tasks

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/definitions"
	"botwork/cmd/internal/projectdir"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

func (a *command) tasksDefineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "define",
		Short: "Write the tasks of botwork.yaml into the database",
		Long: `Writes the tasks of botwork.yaml into the database: those that are new, and those
that the file says something else of than it did. A worker does the same when it
starts. What a hand has changed in a row stays until the file changes that task. A
task that a file had defined and this one does not is set inactive; a file without
the key "tasks" changes nothing.

If a definition has errors, all errors are printed and nothing is written.`,
		Example: "  botwork tasks define\n  botwork tasks define --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		catalogue, findings, err := projectdir.LoadCatalogue(a.App) // reads the settings as well
		if err != nil {
			return err
		}
		judge, err := a.Checker()
		if err != nil {
			return err
		}
		defs, wrong := judge.Tasks(catalogue)
		if err := append(findings, wrong.Of(strictyaml.Error)...).Err(); err != nil {
			return err
		}
		store, err := a.OpenStore(cmd.Context())
		if err != nil {
			return err
		}
		changed, err := definitions.WriteTasks(cmd.Context(), a.App, store, defs)
		if err := errors.Join(err, store.Close()); err != nil {
			return err
		}
		if changed == nil {
			changed = []string{} // JSON: an empty list
		}
		return a.Print(*output, changed, func() { a.definedTasks(defs, changed) })
	}
	return cmd
}

func (a *command) definedTasks(defs []workqueue.TaskRow, changed []string) {
	for _, name := range changed {
		what := "set inactive, for botwork.yaml does not name it any more"
		for _, def := range defs {
			if def.Name == name {
				what = "defined"
			}
		}
		fmt.Fprintf(a.Stdout, "task %s: %s\n", name, what)
	}
	switch {
	case defs == nil:
		fmt.Fprintln(a.Stdout, "the settings say nothing of tasks: name one below the key tasks of botwork.yaml")
	case len(changed) == 0:
		fmt.Fprintf(a.Stdout, "nothing to do: the database has the %s so already\n", cli.Count(len(defs), "task"))
	}
}
