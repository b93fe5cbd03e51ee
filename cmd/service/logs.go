package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/config"
	"botwork/internal/logfile"
	"botwork/internal/service"
)

func (a *command) serviceLogsCommand() *cobra.Command {
	var follow bool
	var lines int
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Print the service's last log lines, and follow the log",
		Long: `Prints the last lines of the service's log: the file from its settings
(log.file.path), or else logs/NAME.log in the folder of the settings file on
Windows, or the journal on Linux. On a terminal, JSON lines are shown as plain text.`,
		Example: "  botwork service logs\n  botwork service logs --name nightly --lines 500 --follow",
		Args:    cli.NoArguments,
	}
	name := nameFlag(cmd)
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "follow the log until Ctrl-C")
	cmd.Flags().IntVarP(&lines, "lines", "n", 100, "print the last `N` lines")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if lines < 0 {
			return cli.Usagef("--lines: got %d, want 0 or more", lines)
		}
		return a.withManager(*name, func(m service.Manager) error {
			st, err := m.Status(cmd.Context(), *name)
			if err != nil {
				return err
			}
			path := a.logOf(st)
			if path == "" {
				return a.journal(cmd.Context(), *name, lines, follow)
			}
			return a.showLog(cmd.Context(), path, lines, follow)
		})
	}
	return cmd
}

// logOf returns the log file of a service; "" if it has none.
func (a *command) logOf(st service.Status) string {
	a.ConfigFile, a.Environ = st.Config, config.WithEnvironment(a.Environ, st.Environment)
	other := cli.ServiceLog(st.Config, st.Name)
	// If the settings have errors, still show the log, because it has the service's error messages.
	if err := a.LoadConfig(); err != nil || a.Config.Log.File.Path == "" {
		return other
	}
	if info, err := os.Stat(a.Config.Log.File.Path); other != "" && (err != nil || !info.Mode().IsRegular()) {
		return other // the service writes there if it cannot write to that file
	}
	return a.Config.Log.File.Path
}

// showLog prints the file's last lines and follows it.
func (a *command) showLog(ctx context.Context, path string, lines int, follow bool) error {
	const every = 250 * time.Millisecond
	w := &prettyLines{console: a.Machine(), to: a.Stdout}
	if cli.IsTerminal(a.Stdout) {
		w.console = cli.ConsoleForm(a.Stdout, true)
	}
	place, err := logfile.Last(w, path, lines)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the service has not written a log yet: %w", err)
	}
	if err != nil {
		return err
	}
	defer place.Close() //nolint:errcheck // read-only
	if !follow {
		return nil
	}
	return place.Follow(ctx, w, every)
}

// stdoutFile returns the file of standard output.
func (a *command) stdoutFile() io.Writer {
	if out, ok := a.Machine().(*cli.CheckedWriter); ok {
		return out.To
	}
	return a.Machine()
}

// prettyLines writes JSON lines to console, and other lines to to.
type prettyLines struct {
	console, to io.Writer
	rest        []byte // the start of an incomplete line
}

// Write implements io.Writer.
func (p *prettyLines) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	for {
		line, rest, whole := bytes.Cut(p.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		to := p.to
		if bytes.HasPrefix(line, []byte("{")) {
			to = p.console
		}
		if _, err := to.Write(append(bytes.Clone(line), '\n')); err != nil {
			return 0, err
		}
		p.rest = rest
	}
}

// journal runs journalctl to print the service's log.
func (a *command) journal(ctx context.Context, name string, lines int, follow bool) error {
	args := []string{"--unit", name, "--lines", strconv.Itoa(lines), "--no-pager"}
	if follow {
		args = append(args, "--follow")
	}
	cmd := exec.CommandContext(ctx, "journalctl", args...)
	cmd.Stdout, cmd.Stderr = a.stdoutFile(), a.Stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil // Ctrl-C ends --follow
	}
	if err != nil {
		return fmt.Errorf("journalctl: %w", err)
	}
	return nil
}
