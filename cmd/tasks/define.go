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
		Long: `Writes the tasks of botwork.yaml into the database: new tasks, and tasks whose
definition in the file has changed. A worker does the same when it starts. Changes
that a person made to a row stay until the file changes that task. A task that is no
longer defined in the file is set inactive; a file without the key "tasks" changes
nothing.

If a definition has errors, all errors are printed and nothing is written.`,
		Example: "  botwork tasks define\n  botwork tasks define --output json",
		Args:    cli.NoArguments,
	}
	cli.ReasonFlag(cmd)
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
		if err := append(findings, wrong.WithSeverity(strictyaml.Error)...).Err(); err != nil {
			return err
		}
		store, err := a.OpenStore(cmd.Context())
		if err != nil {
			return err
		}
		changed, err := definitions.WriteTasks(cmd.Context(), a.App.App, store, defs)
		if err != nil {
			return errors.Join(err, store.Close())
		}
		if changed == nil {
			changed = []string{} // JSON: an empty list
		}
		return errors.Join(a.Print(*output, changed, func() { a.definedTasks(defs, changed) }), store.Close())
	}
	return cmd
}

func (a *command) definedTasks(defs []workqueue.TaskRow, changed []string) {
	for _, name := range changed {
		what := "set inactive, because botwork.yaml no longer defines it"
		for _, def := range defs {
			if def.Name == name {
				what = "defined"
			}
		}
		fmt.Fprintf(a.Stdout, "task %s: %s\n", name, what)
	}
	switch {
	case defs == nil:
		fmt.Fprintln(a.Stdout, "the settings define no tasks: add them below the key tasks of botwork.yaml")
	case len(changed) == 0:
		fmt.Fprintf(a.Stdout, "nothing to do: the %s in the database are up to date\n", cli.Count(len(defs), "task"))
	}
}
