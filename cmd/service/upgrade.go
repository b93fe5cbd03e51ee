package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/version"
	"botwork/config"
	"botwork/internal/service"
)

const serviceUpgradeDoc = `Replaces the program of the service. First the new program must print its version
and find no errors in the pipelines of the service. Then the service is drained and
stopped, the old program is renamed, the new one is put in its place, and the
service is started and watched. If it does not start, or stops within --watch, the
old program is restored and started, and the exit code is 1. Other services that run
the same file are stopped and started too; services that did not run are not
started.

The old program is kept as botwork.old (botwork.old.exe on Windows): an upgrade to
this file returns to the previous version. A new program that did not start is kept
as botwork.failed.

After services have been stopped, Ctrl-C does not end the command. If it is killed,
run it again: it completes the interrupted upgrade. On Windows there may be no
botwork.exe then; run the new program, such as ` + "`C:\\new\\botwork.exe service upgrade C:\\new\\botwork.exe`" + `.

A new program may migrate the database. The migration is not undone if the old
program is restored.`

func (a *command) serviceUpgradeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "upgrade PROGRAM",
		Short:   "Replace the service's program, and restore the old one if the new one does not start",
		Long:    serviceUpgradeDoc,
		Example: "  botwork service upgrade C:\\Downloads\\botwork.exe\n  sudo botwork service upgrade ./botwork\n  botwork service upgrade C:\\botwork\\botwork.old.exe",
		Args:    cli.OneArgument("the new program"),
	}
	name := nameFlag(cmd)
	watch := cmd.Flags().Duration("watch", 15*time.Second, "how long the service must run without stopping, such as 15s")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *watch < 0 || *watch > time.Hour {
			return cli.Usagef("--watch: got %s, want 0s to 1h", *watch)
		}
		program, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		if info, err := os.Stat(program); err != nil || !info.Mode().IsRegular() {
			return cli.Usagef("got the program %q, want an existing file", args[0])
		}
		return a.withManager(*name, func(m service.Manager) error {
			u := &service.Upgrade{Manager: m, Name: *name, New: program, Check: a.checkProgram, Watch: *watch, Say: func(format string, args ...any) {
				fmt.Fprintf(a.Stderr, format+"\n", args...)
			}}
			if err := u.Run(cmd.Context()); err != nil {
				return fmt.Errorf("upgrade: %w", err)
			}
			fmt.Fprintf(a.Stdout, "upgraded %s\n", *name)
			return nil
		})
	}
	return cmd
}

// checkProgram runs a program to check that it is a botwork for this system that accepts the
// files of the services.
func (a *command) checkProgram(ctx context.Context, program string, services []service.Status) error {
	out, said, err := ask(ctx, a.Environ, program, "version", "--output", "json")
	if err != nil {
		return fmt.Errorf("it does not print its version: %w%s", err, said)
	}
	var v version.Info
	if err := json.Unmarshal(out, &v); err != nil || v.Version == "" {
		return errors.New("not a botwork program: unexpected version output")
	}
	if here := runtime.GOOS + "/" + runtime.GOARCH; v.Platform != here {
		return fmt.Errorf("it was built for %s, want %s", v.Platform, here)
	}
	for _, st := range services {
		if st.Config == "" {
			continue
		}
		environ := config.WithEnvironment(a.Environ, st.Environment)
		_, said, err := ask(ctx, environ, program, "pipelines", "check", "--config", st.Config)
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == cli.ExitUsage {
			return fmt.Errorf("it finds errors in the files of the service %s:%s", st.Name, said)
		}
	}
	fmt.Fprintf(a.Stderr, "upgrading from %s to %s\n", version.Current().Version, v.Version)
	return nil
}

// ask runs a program with a timeout. It returns the output and the text on standard error,
// which is "" or begins with a line break.
func ask(ctx context.Context, environ []string, program string, args ...string) (out []byte, said string, err error) {
	const most = time.Minute
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = environ // variables of secrets may have been removed from the environment of the process
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if text := strings.TrimSpace(stderr.String() + cli.Shorten(stdout.String(), 1000)); err != nil && text != "" {
		said = "\n" + text
	}
	return stdout.Bytes(), said, err
}
