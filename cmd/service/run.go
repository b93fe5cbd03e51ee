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
		Long: `Works as ` + "`botwork run`" + ` does, and reports to the service manager that started it:
that it runs, once the settings are valid and a system pipeline can be used, before it
opens the database; and its progress while it drains. It ends when the service manager
requests it. The working folder is that of the settings file. A worker without a name of
its own is named after the host and the service, unless the service is botwork.

Started by a person it says so and does nothing.

Exit codes: 0 stopped on request, 1 failed, 2 settings with errors or no system
pipeline without, 3 it did not stop in time and was ended.`,
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
			return &cli.UsageError{Message: err.Error(), Hint: "`botwork run` starts a worker by hand, `botwork service start` starts the service"}
		}
		if err == nil && code != cli.ExitDone {
			err = &cli.ReportedError{Code: code}
		}
		return err
	}
	return cmd
}

// serve works until ctx ends, and returns the exit code. What ends it before is in
// the log, wherever that is.
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
		a.Config = config.Default() // enough to log what is wrong
		a.Config.Log.File.Path = cli.ServiceLog(file, name)
		return err
	}
	a.Config.ForService(name)
	if a.Config.Log.File.Path == "" {
		a.Config.Log.File.Path = cli.ServiceLog(a.Config.File, name)
	}
	if a.Config.File != "" {
		// Programs that handlers start shall not begin in a folder of the system.
		if err := os.Chdir(filepath.Dir(a.Config.File)); err != nil {
			return fmt.Errorf("work in the folder of the settings: %w", err)
		}
	}
	return a.Config.Validate()
}

// report logs what has ended the service, and returns its exit code.
func (a *command) report(name string, err error) int {
	log, _, bad := a.OpenLog(a.Redactor(), a.alarms)
	if bad != nil {
		a.Config.Log.File.Path = cli.ServiceLog(a.Config.File, name) // it may be that file which is wrong
		if log, _, bad = a.OpenLog(a.Redactor(), a.alarms); bad != nil {
			a.Complain(errors.Join(err, bad))
			return cli.ExitFailed
		}
	}
	const most = 20 // events are no place for a list of hundreds
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
