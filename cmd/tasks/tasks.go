// Package tasks is the command `botwork tasks`.
package tasks

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/strictyaml"
	"botwork/tasks"
	"botwork/workqueue"
)

// command is one call of `botwork tasks`.
type command struct{ *cli.App }

// Command returns `botwork tasks`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).tasksCommand() }

func (a *command) tasksCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "tasks", Aliases: []string{"task"}, Short: "List, show, define and run scheduled tasks",
		Long: `Lists, shows and runs scheduled tasks. A task names a pipeline, the windows in which
it must be started once, and its importance; the system pipeline LoadWorkQueue
creates its items.

Tasks are defined below the key "tasks" of botwork.yaml. A worker that starts
updates them in the database. Rows of BotTasks that were inserted by hand are tasks
as well.`,
	},
		a.tasksListCommand(),
		a.tasksShowCommand(),
		a.tasksDefineCommand(),
		a.tasksRunCommand(),
	)
}

// scopedItem is an item that was created for a scope value.
type scopedItem struct {
	Scope *string `json:"scope"` // null: the task has no scope
	ID    int64   `json:"id"`
}

func (a *command) tasksRunCommand() *cobra.Command {
	var scopes []string
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Create the items of a task now",
		Long: `Creates an item of the task for each of its scope values, or for the values of
--scope, whether the task is active or not. The items are Pending with priority 1000
and have no deadline. The task's windows do not change: the next window waits for an
item that has not ended.`,
		Example: "  botwork tasks run close-books\n  botwork tasks run close-books --scope lisbon --scope porto",
		Args:    cli.OneArgument("the task's name"),
	}
	cmd.Flags().StringArrayVar(&scopes, "scope", nil, "only for this scope `VALUE`; may be repeated")
	cli.ReasonFlag(cmd)
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.WithStore(cmd.Context(), func(store cli.Store) error {
			row, err := taskRow(cmd.Context(), store, args[0])
			if err != nil {
				return err
			}
			task, err := tasks.Read(row)
			if err != nil {
				return fmt.Errorf("task %q: %w", row.Name, err)
			}
			by := "botwork tasks run"
			if who, err := user.Current(); err == nil {
				by = who.Username
			}
			ids, err := task.Run(cmd.Context(), store, scopes, by)
			if unknown := (*tasks.UnknownScopeError)(nil); errors.As(err, &unknown) {
				return cli.Usagef("--scope: %v", err)
			}
			if err != nil {
				return err
			}
			if len(scopes) == 0 {
				scopes = task.Scopes()
			}
			made := make([]scopedItem, len(ids))
			for i, id := range ids {
				made[i] = scopedItem{cli.OrNull(scopes[i]), id}
			}
			return a.Print(*output, made, func() { a.madeItems(task.Name, made) })
		})
	}
	return cmd
}

func (a *command) madeItems(task string, made []scopedItem) {
	for _, it := range made {
		fmt.Fprintf(a.Stdout, "task %s: item %d", task, it.ID)
		if it.Scope != nil {
			fmt.Fprintf(a.Stdout, " for %s", *it.Scope)
		}
		fmt.Fprintln(a.Stdout)
	}
}

// taskRow finds a task by its name; the error lists the existing tasks.
func taskRow(ctx context.Context, store cli.Store, name string) (workqueue.TaskRow, error) {
	rows, err := store.Tasks(ctx)
	if err != nil {
		return workqueue.TaskRow{}, err
	}
	names := make([]string, len(rows))
	for i, row := range rows {
		if row.Name == name {
			return row, nil
		}
		names[i] = row.Name
	}
	hint := strictyaml.Suggest(name, names)
	switch {
	case hint != "":
	case len(names) == 0:
		hint = "no tasks are defined: botwork tasks define writes those of botwork.yaml into the database"
	default:
		hint = "existing tasks: " + strings.Join(names, ", ")
	}
	return workqueue.TaskRow{}, fmt.Errorf("task %q: %w; %s", name, workqueue.ErrNotFound, hint)
}
