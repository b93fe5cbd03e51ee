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
		Long: `Lists, shows and runs scheduled tasks. A task names a pipeline, the windows in
which it has to be started once, and how much it matters; the system pipeline
LoadWorkQueue makes its items.

Tasks are defined below the key "tasks" of botwork.yaml. A worker that starts
writes them into the database where they differ. Rows of BotTasks that a hand has
made are tasks as well.`,
	},
		a.tasksListCommand(),
		a.tasksShowCommand(),
		a.tasksDefineCommand(),
		a.tasksRunCommand(),
	)
}

// scopedItem is an item that was made for a scope value.
type scopedItem struct {
	Scope *string `json:"scope"` // null: the task has none
	ID    int64   `json:"id"`
}

func (a *command) tasksRunCommand() *cobra.Command {
	var scopes []string
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Make the items of a task now",
		Long: `Makes an item of the task for each of its scope values, or for those that --scope
names, whether the task is active or not. They wait as Pending with priority 1000
and have no deadline. The task's windows are not touched: an item that has not ended
keeps the next window waiting.`,
		Example: "  botwork tasks run close-books\n  botwork tasks run close-books --scope lisbon --scope porto",
		Args:    cli.OneArgument("the task's name"),
	}
	cmd.Flags().StringArrayVar(&scopes, "scope", nil, "only for this scope `VALUE`; may be given several times")
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

// taskRow finds a task by its name; an error says what there is instead.
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
		hint = "there are no tasks: botwork tasks define writes those of botwork.yaml into the database"
	default:
		hint = "there are " + strings.Join(names, ", ")
	}
	return workqueue.TaskRow{}, fmt.Errorf("task %q: %w; %s", name, workqueue.ErrNotFound, hint)
}
