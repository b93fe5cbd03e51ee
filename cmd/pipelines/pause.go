package pipelines

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/internal/operations"
	"botwork/workqueue"
)

func (a *command) pipelinesPauseCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "pause NAME...",
		Short: "Pause system pipelines: no run of them starts",
		Long: `Pauses pipelines with a trigger on all workers: no run starts, neither on schedule nor
for new items nor on request. Active runs continue, but an active ExecuteWorkItems
step starts no more items. A pause is stored in the database with who made it, and
lasts until the pipeline is resumed, also when workers restart or files change.

Planned times during the pause are recorded as skipped; they are not caught up when
the pipeline is resumed. "botwork pipelines backfill" runs them.`,
		Example: "  botwork pipelines pause nightly --reason \"database maintenance\"\n  botwork pipelines pause nightly ExecuteWorkQueue",
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that explains the pause")
	return a.pipelinesChangeCommand(cmd, func(ctx context.Context, store cli.Backend, name string) (string, error) {
		changed, err := store.PausePipeline(ctx, workqueue.PipelinePause{Pipeline: name, Reason: reason, By: cli.UserName()})
		if changed || err != nil {
			return "paused", err
		}
		c, err := store.Controls(ctx)
		return "already " + a.PauseText(c.Paused[name]), err
	})
}

func (a *command) pipelinesResumeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "resume NAME...",
		Short:   "Resume paused system pipelines",
		Long:    "Resumes paused pipelines: their next planned time starts a run again.",
		Example: "  botwork pipelines resume nightly",
	}
	cli.ReasonFlag(cmd)
	return a.pipelinesChangeCommand(cmd, func(ctx context.Context, store cli.Backend, name string) (string, error) {
		changed, err := store.ResumePipeline(ctx, name, cli.UserName())
		if changed || err != nil {
			return "resumed", err
		}
		return "not paused", nil
	})
}

// pipelinesChangeCommand returns a command that applies do to each of the named pipelines. do
// returns the new state.
func (a *command) pipelinesChangeCommand(cmd *cobra.Command, do func(ctx context.Context, store cli.Backend, name string) (string, error)) *cobra.Command {
	cmd.Long += "\n\nThe exit code is not 0 if this fails for any pipeline; the others are still changed."
	cmd.Args = cli.SomeArguments("the pipelines' names")
	cmd.ValidArgsFunction = projectdir.CompletePipelines(a.App)
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		return a.WithBackend(cmd.Context(), func(store cli.Backend) error {
			refused := false
			for _, name := range names {
				err := a.checkSystem(cmd.Context(), store, name)
				state := ""
				if err == nil {
					state, err = do(cmd.Context(), store, name)
				}
				switch {
				case errors.Is(err, context.Canceled):
					return err
				case err != nil:
					a.Complain(err)
					refused = true
				default:
					fmt.Fprintf(a.Stdout, "pipeline %s: %s\n", name, state)
				}
			}
			if refused {
				return &cli.ReportedError{Code: cli.ExitFailed}
			}
			return nil
		})
	}
	return cmd
}

// checkSystem returns an error unless the name is that of a system pipeline: by the folder, or, for
// a pipeline of other machines, by what workers have loaded or by a pause.
func (a *command) checkSystem(ctx context.Context, backend cli.Backend, name string) error {
	store, ok := backend.(operations.SystemStore)
	if !ok {
		return nil // the server checks it
	}
	catalogue, _, err := projectdir.LoadCatalogue(a.App)
	if err != nil { // a machine without the folder may control the workers of others
		catalogue = nil
	}
	return asUsage(operations.CheckSystem(ctx, store, catalogue, name))
}

// pausesWithin is how long a command that otherwise needs no database waits for it.
const pausesWithin = 5 * time.Second

// pauses returns the paused pipelines. If the database cannot be read, it prints why and returns
// none.
func (a *command) pauses(ctx context.Context) map[string]workqueue.PipelinePause {
	ctx, cancel := context.WithTimeout(ctx, pausesWithin)
	defer cancel()
	var c workqueue.Controls
	err := a.WithReadOnlyStore(ctx, func(store cli.Store) (err error) {
		c, err = store.Controls(ctx)
		return err
	})
	if err != nil {
		fmt.Fprintf(a.Stderr, "botwork: cannot read which pipelines are paused: %v\n", err)
	}
	return c.Paused
}
