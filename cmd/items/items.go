// Package items is the command `botwork items`.
package items

import (
	"strconv"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/workqueue"
)

// command is one call of `botwork items`.
type command struct{ *projectdir.App }

// Command returns `botwork items`.
func Command(a *projectdir.App) *cobra.Command { return (&command{a}).itemsCommand() }

func (a *command) itemsCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "items", Aliases: []string{"item"}, Short: "List, show and change work items",
		Long: `Lists, shows and changes work items. The status of an item is computed from its
state in the database, its times and the kind of its last failure, by the
database's clock:

  STATUS          STATE         LIFECYCLE
  Scheduled       0 or 4        scheduled  not due yet
  Pending         0 or 4        pending    due, waits for a worker
  Assigned        5 Assigned    assigned   given to a worker, not started
  Running         1 Blocked     active     claimed by a worker or a robot
  Retry           0 or 4        retry      failed, waits for its next attempt
  Succeeded       2 Processed   completed
  Failed          3 Cancelled   archived   no attempts left, or none can succeed
  Business error  3 Cancelled   archived   the data is wrong
  Expired         3 Cancelled   archived   not started, or not finished, in time
  Cancelled       3 Cancelled   archived   by a user or a rule
  Deleted         any           deleted    hidden; listed only on request

State 0 is Ready: created by a schedule, released, or to be retried. State 4 is
Pending: created on request.`,
	},
		cli.OverServer(a.itemsListCommand()),
		cli.OverServer(a.itemsShowCommand()),
		cli.OverServer(a.itemsLogsCommand()),
		cli.OverServer(a.itemsWhyCommand()),
		cli.OverServer(a.itemsBatchCommand()),
		cli.OverServer(a.itemsUpdateCommand()),
		cli.OverServer(a.itemsChangeCommand(workqueue.RunNow)),
		cli.OverServer(a.itemsChangeCommand(workqueue.Cancel)),
		cli.OverServer(a.itemsChangeCommand(workqueue.Archive)),
		cli.OverServer(a.itemsChangeCommand(workqueue.Repeat)),
		cli.OverServer(a.itemsChangeCommand(workqueue.Clone)),
		cli.OverServer(a.itemsReleaseCommand()),
		cli.OverServer(a.itemsChangeCommand(workqueue.Delete)),
	)
}

// parseIDs parses all ids before the first item is changed.
func parseIDs(args []string) ([]int64, error) {
	ids := make([]int64, len(args))
	for i, arg := range args {
		id, err := strconv.ParseInt(arg, 10, 64)
		if err != nil || id < 1 {
			return nil, cli.Usagef("item id: got %q, want a whole number from 1 on", arg)
		}
		ids[i] = id
	}
	return ids, nil
}
