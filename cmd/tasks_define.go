package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

func (a *app) tasksDefineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "define",
		Short: "Write the tasks of botwork.yaml into the database",
		Long: `Writes the tasks of botwork.yaml into the database: those that are new, and those
that the file says something else of than it did. A worker does the same when it
starts. What a hand has changed in a row stays until the file changes that task. A
task that a file had defined and this one does not is set inactive; a file without
the key "tasks" changes nothing.

All mistakes in the tasks are told first, and then nothing is written.`,
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
		changed, err := a.writeTasks(cmd.Context(), store, defs)
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

func (a *app) definedTasks(defs []workqueue.TaskRow, changed []string) {
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

// writeTasks brings the database's tasks in step with the settings, unless they say
// nothing of tasks.
func (a *app) writeTasks(ctx context.Context, store *sqlstore.Store, defs []workqueue.TaskRow) ([]string, error) {
	if defs == nil {
		return nil, nil
	}
	if err := a.checkTaskQueues(ctx, store, defs); err != nil {
		return nil, err
	}
	return store.DefineTasks(ctx, defs, a.Config.Worker.Name)
}

// checkTaskQueues refuses tasks whose queue neither the database nor the settings
// have: they would make no item, and nobody would see it before their window opens.
func (a *app) checkTaskQueues(ctx context.Context, store *sqlstore.Store, defs []workqueue.TaskRow) error {
	queues, err := store.Queues(ctx)
	if err != nil {
		return err
	}
	names := make([]string, len(queues))
	for i, q := range queues {
		names[i] = q.Name
	}
	var findings strictyaml.Findings
	for _, def := range defs {
		name := cmp.Or(def.QueueName, workqueue.DefaultQueue)
		if slices.Contains(names, name) || a.Config.Queues.Get(name) != nil {
			continue
		}
		hint := cmp.Or(strictyaml.Suggest(name, names), "known queues: "+strings.Join(names, ", "))
		at := a.Config.Tasks.Get(def.Name).Get("queue")
		findings = append(findings, at.Finding("unknown-queue", fmt.Sprintf("%s: there is no queue %q", at.Path, name), hint))
	}
	findings.Sort()
	return findings.Err()
}

// defineTasks does so when a worker starts.
func (a *app) defineTasks(ctx context.Context, log zerolog.Logger, store *sqlstore.Store, defs []workqueue.TaskRow) error {
	changed, err := a.writeTasks(ctx, store, defs)
	if err == nil && len(changed) > 0 {
		log.Info().Strs("tasks", changed).Msg("updated tasks from botwork.yaml")
	}
	return err
}
