// Package demo is the command `botwork demo`.
package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/run"
	"botwork/config"
	"botwork/examples/quickstart"
)

// command is one call of `botwork demo`.
type command struct{ *projectdir.App }

// Command returns `botwork demo`.
func Command(a *projectdir.App) *cobra.Command { return (&command{a}).demoCommand() }

const demoDoc = `Writes a small project into a folder (existing files are not overwritten) and runs
it: an embedded database, the system pipelines of Botwork, and a pipeline that
creates work items for four files of sales, at the start and then every minute.
Press Ctrl-C to drain and stop.

One file has an error on purpose: its item is cancelled and shows the reason. Fix
data/sales/west.csv while it runs, and the next item succeeds.`

func (a *command) demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo [DIR]",
		Short: "Write a sample project and run it",
		Long:  demoDoc,
		Example: `  botwork demo
  botwork demo /tmp/tryout`,
		Args: cli.OptionalArgument("the project's folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "quickstart"
			if len(args) > 0 {
				dir = args[0]
			}
			return a.demo(cmd.Context(), dir)
		},
	}
	return cmd
}

func (a *command) demo(ctx context.Context, dir string) error {
	if err := quickstart.Write(dir); err != nil {
		return err
	}
	a.ConfigFile, a.Environ = filepath.Join(dir, config.DefaultFile), config.WithEnvironment(a.Environ, "")
	if err := a.LoadConfig(); err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, `The project is in %s: settings in botwork.yaml, pipelines in pipelines/.
Reports go to %s. In another terminal:

  %s --config %s items list

`, dir, filepath.Join(dir, "data", "reports"), cli.CommandIn(".", os.Args[0]), cli.QuotePath(a.ConfigFile))
	// The first items must exist when the system pipelines run at the start.
	return run.New(a.App).Run(ctx, false, quickstart.Trigger)
}
