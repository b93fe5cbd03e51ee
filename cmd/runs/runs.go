// Package runs is the command `botwork runs`.
package runs

import (
	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
)

// command is one call of `botwork runs`.
type command struct{ *cli.App }

// Command returns `botwork runs`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).runsCommand() }

func (a *command) runsCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "runs", Short: "List and show the runs of system pipelines",
		Long: `Lists and shows the runs of pipelines with a trigger, and the scheduled runs that did
not take place, with the reason. "botwork pipelines run" starts a run now, "botwork
pipelines backfill" those that were missed.`,
	},
		cli.OverServer(a.runsListCommand()),
		cli.OverServer(a.runsShowCommand()),
	)
}
