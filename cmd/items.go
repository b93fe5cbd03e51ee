package cmd

import (
	"strconv"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

func (a *app) itemsCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "items", Aliases: []string{"item"}, Short: "List, show and change work items",
		Long: `Lists, shows and changes work items. Their states are

  0 Ready      waits: made by a schedule, given back, or to be tried again
  4 Pending    waits: made on request
  5 Assigned   given to a worker, not started
  1 Blocked    running
  2 Processed  finished well
  3 Cancelled  finished badly, cancelled or set aside; kept for inspection

The lifecycle is told from the state and the times, by the database's clock:

  scheduled    0 or 4, waits for its time
  pending      0 or 4, due
  assigned     5
  active       1
  retry        0 or 4, has failed and waits for its next attempt
  completed    2
  archived     3
  deleted      hidden, whatever its state; listed only on demand`,
	},
		a.itemsListCommand(),
		a.itemsShowCommand(),
		a.itemsWhyCommand(),
		a.itemsBatchCommand(),
		a.itemsChangeCommand(workqueue.RunNow),
		a.itemsChangeCommand(workqueue.Cancel),
		a.itemsChangeCommand(workqueue.Archive),
		a.itemsChangeCommand(workqueue.Repeat),
		a.itemsChangeCommand(workqueue.Clone),
		a.itemsChangeCommand(workqueue.Delete),
	)
}

// parseIDs reads all ids before anything is done to the first.
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
