// Package lsp is the command `botwork lsp`.
package lsp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"botwork/cmd/internal/cli"
	"botwork/cmd/version"
	"botwork/internal/author/lsp"
)

// command is one call of `botwork lsp`.
type command struct{ *cli.App }

// Command returns `botwork lsp`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).lspCommand() }

func (a *command) lspCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve editors: marks, completion and help in pipelines and settings",
		Long: `Speaks the Language Server Protocol on standard input and output, for an editor
that starts it; docs/editors.md shows how, for several editors. Nothing runs and
nothing is connected to.

It marks what ` + "`botwork pipelines check`" + ` would report, in texts that are not saved
yet, too; completes keys, parameters, names and expressions in ${{ }}; explains
what the cursor is on; goes to the pipeline, step or setting that is named; and
renames steps.

A file belongs to the nearest botwork.yaml above it, or to the one that --config
names; it is read again whenever it changes.

The exit code is 0 when the editor said goodbye, 1 when it went without.`,
		Example: "  botwork lsp\n  botwork lsp --config /etc/botwork/botwork.yaml",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings := a.ConfigFile
			if settings != "" {
				full, err := filepath.Abs(settings)
				if err != nil {
					return err
				}
				settings = full
			}
			if in, ok := a.Stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
				fmt.Fprintln(a.Stderr, "botwork lsp waits for an editor to speak to it; docs/editors.md shows how one starts it. Ctrl-D ends.")
			}
			err := lsp.Serve(cmd.Context(), a.Stdin, a.Stdout, lsp.Options{
				Open: a.openForEditor, Settings: settings, SettingsKeys: settingsKeys(),
				Version: version.Current().Version, Log: a.Stderr,
			})
			if errors.Is(err, lsp.ErrNoShutdown) {
				return &cli.ReportedError{Code: cli.ExitFailed} // nobody is there to read why
			}
			return err
		},
	}
}
