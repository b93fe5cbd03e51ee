// Package db is the command `botwork db`.
package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/database"
)

// command is one call of `botwork db`.
type command struct{ *cli.App }

// Command returns `botwork db`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).dbCommand() }

func (a *command) dbCommand() *cobra.Command {
	return cli.Group(&cobra.Command{Use: "db", Short: "Create and migrate the database's schema"},
		a.dbInitCommand(), a.dbMigrateCommand(), a.dbStatusCommand(), a.dbRestoredCommand())
}

func (a *command) dbInitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Create the database if it does not exist",
		Long: `Creates the file of a SQLite database and its tables. Only the current account may
read and write the file. "botwork run" and "botwork enqueue" also create it the
first time. They refuse if the database existed before and its file is missing,
which is usually an accident; this command creates it in that case too: all items
are lost.

It changes nothing in a database that has tables. On a server the database must
exist, and this command creates the tables, like "botwork db migrate".`,
		Example: "  botwork db init\n  botwork db init --config production.yaml",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.LoadConfig(); err != nil {
				return err
			}
			store, err := a.ConnectOrCreate(cmd.Context())
			if err != nil {
				return err
			}
			return errors.Join(a.migrate(cmd.Context(), store), store.Close())
		},
	}
}

// migrate updates the schema and prints the applied migrations.
func (a *command) migrate(ctx context.Context, store cli.Store) error {
	applied, err := store.Migrate(ctx)
	for _, name := range applied {
		fmt.Fprintf(a.Stdout, "applied %s\n", name)
	}
	if err == nil && store.Driver() == database.SQLite {
		err = database.MarkSQLite(a.Config.Database.DSN.Reveal(), true)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "the schema is up to date: %s database %s\n", store.Driver(), a.Config.Database.DSN)
	return nil
}

func (a *command) dbMigrateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Migrate the database's schema to this version",
		Long: `Creates the tables of a new database, or updates those of an older version. It is
safe while workers run, and several processes can do it at the same time.

"botwork run" migrates automatically. Run this command first if the service's login
may not change the schema.`,
		Example: "  botwork db migrate\n  botwork db migrate --config production.yaml",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withSchema(cmd, a.Connect, func(store cli.Store) error { return a.migrate(cmd.Context(), store) })
		},
	}
}

func (a *command) dbStatusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "List the schema's migrations and whether they were applied",
		Long: `Lists the migrations of this version of the program, and when each was applied to
the database. The exit code is 0 even if some are not applied yet.`,
		Example: "  botwork db status\n  botwork db status --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.withSchema(cmd, a.ConnectReadOnly, func(store cli.Store) error {
			migrations, err := store.MigrationStatus(cmd.Context())
			if err != nil {
				return err
			}
			return a.Print(*output, migrations, func() { a.migrationTable(store.Driver(), migrations) })
		})
	}
	return cmd
}

func (a *command) migrationTable(driver database.Driver, migrations []database.Migration) {
	g := cli.NewGrid("version", "name", "applied")
	waiting := 0
	for _, m := range migrations {
		applied := "no"
		if m.Applied {
			applied = a.Instant(m.AppliedAt)
		} else {
			waiting++
		}
		g.Add(fmt.Sprint(m.Version), m.Name, applied)
	}
	fmt.Fprintf(a.Stdout, "%s database %s\n", driver, a.Config.Database.DSN)
	g.Print(a.Stdout)
	if waiting > 0 {
		fmt.Fprintln(a.Stdout, "Run `botwork db migrate` to apply the others.")
	}
}

// withSchema is withStore without the automatic migration.
func (a *command) withSchema(cmd *cobra.Command, connect func(context.Context) (cli.Store, error), do func(cli.Store) error) error {
	if err := a.LoadConfig(); err != nil {
		return err
	}
	store, err := connect(cmd.Context())
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}
