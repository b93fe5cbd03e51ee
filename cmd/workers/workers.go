// Package workers is the command `botwork workers`.
package workers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// command is one call of `botwork workers`.
type command struct{ *cli.App }

// Command returns `botwork workers`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).workersCommand() }

func (a *command) workersCommand() *cobra.Command {
	return cli.Group(&cobra.Command{Use: "workers", Aliases: []string{"worker"}, Short: "List, show, set, drain and resume workers"},
		cli.OverServer(a.workersListCommand()), cli.OverServer(a.workersShowCommand()), cli.OverServer(a.workersSetCommand()), cli.OverServer(a.workersDrainCommand()), cli.OverServer(a.workersResumeCommand()))
}

func (a *command) workersListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the workers that have ever registered",
		Long: `Lists all running and former workers by name. A worker is "gone" if it did not stop
gracefully and its lease has expired. A slot is stuck if its handler was cancelled
and does not stop: it runs no items until the handler returns or the worker is
restarted. Reserved slots are kept for items above priority 1000. "*" marks slots
that "botwork workers set" changed; the column "set" has all that it changed. A
worker is "gated" while its machine is beyond a bound of worker.gate: it takes no
new items, for the reason in the column "takes no items".

JSON and YAML hold the stored state (active, draining, stopped), leaseExpiresAt,
from which "gone" is computed, and gate, the reason why an active worker is gated.`,
		Example: "  botwork workers list\n  botwork workers list --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
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
	columns := []string{"name", "state", "host", "pid", "slots", "version", "started", "last seen"}
	set := slices.ContainsFunc(workers, func(w workqueue.Worker) bool { return w.Overrides != "" })
	if set {
		columns = append(columns, "set")
	}
	gated := slices.ContainsFunc(workers, func(w workqueue.Worker) bool { return w.Gated(now) != "" })
	if gated {
		columns = append(columns, "takes no items")
	}
	g := cli.NewGrid(columns...).DropWhenNarrow("pid", "version", "started")
	for _, w := range workers {
		row := []string{w.Name, workerState(&w, now), w.Host, fmt.Sprint(w.PID), slotsOf(&w), w.Version, a.Instant(&w.StartedAt), a.Instant(&w.LastSeenAt)}
		if set {
			row = append(row, cli.OrNone(strings.Join(overriddenTexts(&w), ", ")))
		}
		if gated {
			row = append(row, cli.OrNone(w.Gated(now)))
		}
		g.Add(row...)
	}
	g.Print(a.Stdout)
}
