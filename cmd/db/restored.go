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
		Long: `Run this after you have restored a backup, or switched to a copy of the database
that lacks the latest transactions, and before workers start again. Otherwise fences
and ids of the lost transactions would be used a second time: a run that still
continues could then write to the item of another run, and a new item could get the
id of a lost one.

The command raises the epoch of the database: new fences are above all earlier ones,
and new ids of items, workers and runs are a million higher. Running workers detect
most losses themselves and do the same; it does no harm to run this command
unnecessarily.`,
		Example: "  botwork db restored --reason \"backup of 2026-01-30 restored\"",
		Args:    cli.NoArguments,
	}
	cmd.Flags().StringVar(&reason, "reason", "the database was restored", "what happened, as a `TEXT` for later reference")
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
			if err := a.Print(*output, change.After, func() { a.printEpoch(change) }); err != nil {
				return err
			}
			for _, statement := range change.Refused {
				fmt.Fprintf(a.Stderr, "botwork: this login may not raise identity values; the owner of the tables must execute: %s\n", statement)
			}
			if len(change.Refused) > 0 {
				return &cli.ReportedError{Code: cli.ExitFailed}
			}
			return nil
		})
	}
	return cmd
}

func (a *command) printEpoch(change workqueue.HistoryChange) {
	fmt.Fprintf(a.Stdout, "epoch %d after %d: the next fences are above %d\n",
		change.After.Epoch, change.Before.Epoch, change.After.Epoch*workqueue.FencesOfEpoch)
}
