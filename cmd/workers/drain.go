package workers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

func (a *command) workersDrainCommand() *cobra.Command {
	untilRestart := false
	cmd := &cobra.Command{
		Use:   "drain NAME",
		Short: "Drain a worker: let it finish its running items and start no more",
		Long: `Asks a worker to start no more items. The worker reads the request at its next
heartbeat, finishes its running items (worker.shutdownGrace limits how long) and
releases the others.

The request lasts until "botwork workers resume NAME", also when the worker is
restarted: a worker that starts while it is in force logs it and takes no items.
With --until-restart it ends with the present process.`,
		Example: "  botwork workers drain worker-2\n  botwork workers drain worker-2 --until-restart",
		Args:    cli.OneArgument("the worker's name"),
	}
	cli.ReasonFlag(cmd)
	cmd.Flags().BoolVar(&untilRestart, "until-restart", false, "the worker takes items again when it is restarted")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.WithBackend(cmd.Context(), func(store cli.Backend) error {
			lasts, err := "until `botwork workers resume "+args[0]+"`", error(nil)
			if untilRestart {
				lasts, err = "until it is restarted", store.DrainWorker(cmd.Context(), args[0], "")
			} else {
				err = store.RequestDrain(cmd.Context(), args[0])
			}
			if errors.Is(err, workqueue.ErrNotFound) {
				return noSuchWorker(cmd, store, args[0], err)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "worker %s: draining %s\n", args[0], lasts)
			return nil
		})
	}
	return cmd
}

func (a *command) workersResumeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resume NAME",
		Short: "Let a drained worker take items again",
		Long: `Ends a drain. A running worker takes items again after its next heartbeat, and a
stopped one when it starts. A worker whose process is shutting down does not resume.`,
		Example: "  botwork workers resume worker-2",
		Args:    cli.OneArgument("the worker's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.WithBackend(cmd.Context(), func(store cli.Backend) error {
				changed, err := store.ResumeWorker(cmd.Context(), args[0])
				if errors.Is(err, workqueue.ErrNotFound) {
					return unknownWorker(cmd, store, args[0], err)
				}
				if err != nil {
					return err
				}
				state := "resumed"
				if !changed {
					state = "it was not draining"
				}
				fmt.Fprintf(a.Stdout, "worker %s: %s\n", args[0], state)
				return nil
			})
		},
	}
	cli.ReasonFlag(cmd)
	return cmd
}

// workerLister lists all workers by name.
type workerLister interface {
	Workers(ctx context.Context) ([]workqueue.Worker, error)
}

// noSuchWorker adds the running workers to err.
func noSuchWorker(cmd *cobra.Command, store workerLister, name string, err error) error {
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
	return withNames(err, name, names, "no worker is running", "running workers: ")
}

// unknownWorker adds all registered workers to err.
func unknownWorker(cmd *cobra.Command, store workerLister, name string, err error) error {
	workers, listErr := store.Workers(cmd.Context())
	if listErr != nil {
		return errors.Join(err, listErr)
	}
	names := make([]string, len(workers))
	for i := range workers {
		names[i] = workers[i].Name
	}
	return withNames(err, name, names, "no worker has registered yet", "registered workers: ")
}

func withNames(err error, name string, names []string, none, list string) error {
	hint := strictyaml.Suggest(name, names)
	switch {
	case hint != "":
	case len(names) == 0:
		hint = none
	default:
		hint = list + strings.Join(names, ", ")
	}
	return fmt.Errorf("%w; %s", err, hint)
}
