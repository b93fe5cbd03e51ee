// Package serve is the command `botwork serve`.
package serve

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/serving"
	"botwork/internal/api/hooks"
	"botwork/internal/author/strictyaml"
	"botwork/internal/metrics"
	"botwork/internal/notifier"
	"botwork/pipelines"
)

// command is one call of `botwork serve`.
type command struct{ *projectdir.App }

// Command returns `botwork serve`.
func Command(a *projectdir.App) *cobra.Command { return (&command{a}).serveCommand() }

func (a *command) serveCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the HTTP API without being a worker",
		Long: `Serves the HTTP API under /api without running items. A worker, botwork run, serves
the same API; this command is for a machine that runs none, or for more servers.

Every request needs a token or a session: see botwork tokens create and botwork users
create. While neither a token nor a user exists, a start on a terminal creates an
admin with the name of the account and prints a sign-in link. The address is http.listen,
by default 127.0.0.1:8321. Another address than the loopback needs TLS (http.tls), or
http.insecure: true if a proxy terminates TLS.

Ctrl-C (or SIGTERM) stops the server: robots that wait for an item get an empty
answer, and other requests may take 20 seconds to end.`,
		Example: `  botwork serve
  botwork serve --listen 127.0.0.1:9000`,
		Args: cli.NoArguments,
	}
	cmd.Flags().StringVar(&listen, "listen", "", "the `ADDRESS`, a host and a port (http.listen)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := a.LoadConfig(); err != nil {
			return err
		}
		if cmd.Flags().Changed("listen") {
			a.Config.HTTP.Listen = listen
			a.Config.SetFrom("http.listen", "--listen")
			if err := a.Config.Validate(); err != nil {
				return err
			}
		}
		if a.Config.HTTP.Off {
			return &cli.UsageError{Message: "the settings switch the HTTP API off", Hint: "remove http: off from botwork.yaml, or unset BOTWORK_HTTP_OFF"}
		}
		return a.serve(cmd.Context())
	}
	return cmd
}

func (a *command) serve(ctx context.Context) error {
	webhooks, notifications, warnings, err := a.project()
	if err != nil {
		return err
	}
	log, _, err := a.OpenLog(a.Redactor(), nil)
	if err != nil {
		return err
	}
	for _, f := range warnings {
		log.Warn().Stringer("finding", f).Msg("suspicious setting")
	}
	figures := metrics.NewProcess()
	a.ObserveStatement = figures.Statement
	store, err := a.OpenStore(ctx)
	if err != nil {
		return err
	}
	server, err := serving.Start(ctx, serving.Options{
		App: a.App, Store: store, Figures: figures, Hooks: webhooks, Notifications: notifications, Log: log, Terminal: serving.Terminal(&a.Streams),
	})
	if err != nil {
		return errors.Join(err, store.Close())
	}
	stopNotifying := serving.StartNotifying(ctx, a.App, notifications, store, a.Config.Worker.Name+" (server)", log)
	<-ctx.Done()
	stopNotifying()
	log.Info().Msg("stopping the HTTP API")
	return errors.Join(server.Stop(ctx), store.Close())
}

// project returns the webhooks and the notifications of the settings, with the warnings about them. Errors
// in other parts of the project do not matter to a server.
func (a *command) project() ([]*hooks.Hook, notifier.Plan, strictyaml.Findings, error) {
	n := &a.Config.Notifications
	if len(a.Config.HTTP.Hooks)+len(n.Targets)+len(n.Rules) == 0 {
		return nil, notifier.Plan{}, nil, nil
	}
	if err := a.Config.CheckSecrets(); err != nil {
		return nil, notifier.Plan{}, nil, err
	}
	check, err := a.Checker()
	if err != nil {
		return nil, notifier.Plan{}, nil, err
	}
	files, err := pipelines.ReadDir(a.Config.Pipelines.Dir, nil)
	if err != nil {
		return nil, notifier.Plan{}, nil, &cli.UsageError{Message: err.Error()}
	}
	catalogue, _ := check.Folder(files)
	webhooks, findings := check.Hooks(catalogue)
	plan, wrong := check.Notifications()
	findings = append(findings, wrong...)
	return webhooks, plan, findings.WithSeverity(strictyaml.Warning), findings.WithSeverity(strictyaml.Error).Err()
}
