// Package workers is the command `botwork workers`.
package workers

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// command is one call of `botwork workers`.
type command struct{ *cli.App }

// Command returns `botwork workers`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).workersCommand() }

func (a *command) workersCommand() *cobra.Command {
	return cli.Group(&cobra.Command{Use: "workers", Aliases: []string{"worker"}, Short: "List, show and drain workers"},
		a.workersListCommand(), a.workersShowCommand(), a.workersDrainCommand())
}

func (a *command) workersListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the workers that have ever registered",
		Long: `Lists all running and former workers by name. A worker is "gone" if it did not stop
gracefully and its lease has expired. A slot is stuck if its handler was cancelled
and does not stop: it runs no items until the handler returns or the worker is
restarted. Reserved slots are kept for items above priority 1000.

JSON and YAML hold the stored state (active, draining, stopped) and leaseExpiresAt,
from which "gone" is computed.`,
		Example: "  botwork workers list\n  botwork workers list --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.WithReadOnlyStore(cmd.Context(), func(store cli.Store) error {
			workers, err := store.Workers(cmd.Context())
			if err != nil {
				return err
			}
			now, err := store.Now(cmd.Context())
			if err != nil {
				return err
			}
			return a.Print(*output, workers, func() { a.workerTable(workers, now) })
		})
	}
	return cmd
}

func (a *command) workerTable(workers []workqueue.Worker, now time.Time) {
	if len(workers) == 0 {
		fmt.Fprintln(a.Stdout, "no worker has registered yet: start one with `botwork run`")
		return
	}
	g := cli.NewGrid("name", "state", "host", "pid", "slots", "version", "started", "last seen").DropWhenNarrow("pid", "version", "started")
	for _, w := range workers {
		g.Add(w.Name, workerState(&w, now), w.Host, fmt.Sprint(w.PID), slotsOf(&w), w.Version, a.Instant(&w.StartedAt), a.Instant(&w.LastSeenAt))
	}
	g.Print(a.Stdout)
}

func (a *command) workersDrainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "drain NAME",
		Short: "Drain a worker: let it finish its running items and start no more",
		Long: `Asks a worker to start no more items. The worker reads the request at its next
heartbeat, finishes its running items and releases the others. It is active again
after a restart.`,
		Example: "  botwork workers drain worker-2",
		Args:    cli.OneArgument("the worker's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.WithStore(cmd.Context(), func(store cli.Store) error {
				err := store.DrainWorker(cmd.Context(), args[0], "")
				if errors.Is(err, workqueue.ErrNotFound) {
					return noSuchWorker(cmd, store, args[0], err)
				}
				if err != nil {
					return err
				}
				fmt.Fprintf(a.Stdout, "worker %s: draining\n", args[0])
				return nil
			})
		},
	}
	cli.ReasonFlag(cmd)
	return cmd
}

// noSuchWorker adds the running workers to err.
func noSuchWorker(cmd *cobra.Command, store cli.Store, name string, err error) error {
	workers, listErr := store.Workers(cmd.Context())
	if listErr != nil {
		return errors.Join(err, listErr)
	}
	var names []string
	for _, w := range workers {
		if w.Name == name {
			return fmt.Errorf("drain worker %q: it has stopped already", name)
		}
		if w.State != workqueue.WorkerStopped {
			names = append(names, w.Name)
		}
	}
	hint := strictyaml.Suggest(name, names)
	switch {
	case hint != "":
	case len(names) == 0:
		hint = "no worker is running"
	default:
		hint = "running workers: " + strings.Join(names, ", ")
	}
	return fmt.Errorf("%w; %s", err, hint)
}
