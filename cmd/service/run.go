package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/run"
	"botwork/config"
	"botwork/internal/author/strictyaml"
	"botwork/internal/service"
)

func (a *command) serviceRunCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run as the service (called by the service manager)",
		Long: `Runs a worker like ` + "`botwork run`" + `, and reports its
state to the service manager: that it runs, once the settings are valid and a system
pipeline can be used, before it opens the database; and its progress while it drains. It
stops when the service manager requests it. The working folder is that of the settings
file. A worker without a configured name is named after the host and the service, or
only after the host if the service is named botwork.

If it was not started by a service manager, it prints an error and exits.

Exit codes: 0 stopped on request, 1 failed, 2 errors in the settings or no system
pipeline without errors, 3 killed because it did not stop in time.`,
		Example: "  botwork service run --name botwork --config /etc/botwork/botwork.yaml",
		Args:    cli.NoArguments,
	}
	name := nameFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := service.CheckName(*name); err != nil {
			return &cli.UsageError{Message: "--name: " + err.Error()}
		}
		code, err := service.Run(cmd.Context(), *name, func(ctx context.Context, life *service.Life) int {
			a.supervisor = life
			return a.serve(ctx, *name)
		})
		if errors.Is(err, service.ErrByHand) {
			return &cli.UsageError{Message: err.Error(), Hint: "`botwork run` starts a worker in the foreground, `botwork service start` starts the service"}
		}
		if err == nil && code != cli.ExitDone {
			err = &cli.ReportedError{Code: code}
		}
		return err
	}
	return cmd
}

// serve runs the worker until ctx ends, and returns the exit code. An error that ends it
// earlier is logged.
func (a *command) serve(ctx context.Context, name string) int {
	err := a.configureService(name)
	a.gatherAlarms(name)
	if err == nil {
		err = (&run.Worker{App: a.App, Supervisor: a.supervisor, Alarms: a.alarms}).Run(ctx, false)
	}
	if err == nil || ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return cli.ExitDone
	}
	return a.report(name, err)
}

// configureService reads the settings as a service does.
func (a *command) configureService(name string) error {
	file := a.ConfigFile
	if err := a.LoadConfig(); err != nil {
		a.Config = config.Default() // enough to log the errors
		a.Config.Log.File.Path = cli.ServiceLog(file, name)
		return err
	}
	a.Config.ForService(name)
	if a.Config.Log.File.Path == "" {
		a.Config.Log.File.Path = cli.ServiceLog(a.Config.File, name)
	}
	if a.Config.File != "" {
		// The programs of handlers must not start in a system folder.
		if err := os.Chdir(filepath.Dir(a.Config.File)); err != nil {
			return fmt.Errorf("change to the folder of the settings: %w", err)
		}
	}
	return a.Config.Validate()
}

// report logs the error that ended the service, and returns its exit code.
func (a *command) report(name string, err error) int {
	log, _, bad := a.OpenLog(a.Redactor(), a.alarms)
	if bad != nil {
		a.Config.Log.File.Path = cli.ServiceLog(a.Config.File, name) // the log file itself may be the problem
		if log, _, bad = a.OpenLog(a.Redactor(), a.alarms); bad != nil {
			a.Complain(errors.Join(err, bad))
			return cli.ExitFailed
		}
	}
	const most = 20 // do not write hundreds of events
	if findings, ok := errors.AsType[strictyaml.Findings](err); ok {
		for _, f := range findings[:min(most, len(findings))] {
			log.Error().Msg(f.String())
		}
		line := log.Error().Int("errors", len(findings))
		if unusable, ok := errors.AsType[*cli.NoSystemPipelineError](err); ok {
			line = line.Err(unusable)
		}
		line.Msg("service stopped: invalid files; run `botwork pipelines check`")
		return cli.ExitUsage
	}
	log.Error().Err(err).Msg("service stopped")
	if _, ok := errors.AsType[*cli.UsageError](err); ok {
		return cli.ExitUsage
	}
	return cli.ExitFailed
}
