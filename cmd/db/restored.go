package db

import (
	"fmt"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

func (a *command) dbRestoredCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "restored",
		Short: "Start a new epoch after the database has lost transactions",
		Long: `Run this after you have restored a backup, or switched to a copy of the database that
lacked its latest transactions, and before workers start again. Fences and ids that
were given in what is lost would be given again: a run that still continues could
then write into another one, and an item could get the id of one that is lost.

The command raises the epoch of the database: fences go on above all earlier ones,
and the ids of items, workers and runs a million ahead. Workers that run notice most
losses themselves and do the same; doing it once too often does no harm.`,
		Example: "  botwork db restored --reason \"backup of 2026-01-30 restored\"",
		Args:    cli.NoArguments,
	}
	cmd.Flags().StringVar(&reason, "reason", "a person said that the database was restored", "what happened, as a `TEXT` for those who look later")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := a.LoadConfig(); err != nil {
			return err
		}
		if err := a.NeedDatabaseFile(); err != nil {
			return err
		}
		return a.withSchema(cmd, a.Connect, func(store cli.Store) error {
			change, err := store.RaiseEpoch(cmd.Context(), reason)
			if err != nil {
				return err
			}
			if err := a.Print(*output, change.After, func() { a.tellEpoch(change) }); err != nil {
				return err
			}
			for _, statement := range change.Refused {
				fmt.Fprintf(a.Stderr, "botwork: this login may not move an identity ahead; have the owner of the tables execute: %s\n", statement)
			}
			if len(change.Refused) > 0 {
				return &cli.ReportedError{Code: cli.ExitFailed}
			}
			return nil
		})
	}
	return cmd
}

func (a *command) tellEpoch(change workqueue.HistoryChange) {
	fmt.Fprintf(a.Stdout, "epoch %d after %d: the next fences are above %d\n",
		change.After.Epoch, change.Before.Epoch, change.After.Epoch*workqueue.FencesOfEpoch)
}
