// Package tasks is the command `botwork tasks`.
package tasks

import (
	"errors"
	"fmt"
	"os/user"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/internal/operations"
	"botwork/tasks"
)

// command is one call of `botwork tasks`.
type command struct{ *projectdir.App }

// Command returns `botwork tasks`.
func Command(a *projectdir.App) *cobra.Command { return (&command{a}).tasksCommand() }

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
		cli.OverServer(a.tasksListCommand()),
		cli.OverServer(a.tasksShowCommand()),
		a.tasksDefineCommand(),
		cli.OverServer(a.tasksRunCommand()),
	)
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
		return a.WithBackend(cmd.Context(), func(store cli.Backend) error {
			by := "botwork tasks run"
			if who, err := user.Current(); err == nil {
				by = who.Username
			}
			made, err := store.RunTask(cmd.Context(), args[0], scopes, by)
			if unknown := (*tasks.UnknownScopeError)(nil); errors.As(err, &unknown) {
				return cli.Usagef("--scope: %v", err)
			}
			if err != nil {
				return err
			}
			return a.Print(*output, made, func() { a.madeItems(args[0], made) })
		})
	}
	return cmd
}

func (a *command) madeItems(task string, made []operations.ScopedItem) {
	for _, it := range made {
		fmt.Fprintf(a.Stdout, "task %s: item %d", task, it.ID)
		if it.Scope != nil {
			fmt.Fprintf(a.Stdout, " for %s", *it.Scope)
		}
		fmt.Fprintln(a.Stdout)
	}
}
