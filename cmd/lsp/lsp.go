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
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/version"
	"botwork/internal/author/lsp"
)

// command is one call of `botwork lsp`.
type command struct{ *projectdir.App }

// Command returns `botwork lsp`.
func Command(a *projectdir.App) *cobra.Command { return (&command{a}).lspCommand() }

func (a *command) lspCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Language server for editors: diagnostics, completion and help in pipelines and settings",
		Long: `Speaks the Language Server Protocol on standard input and output. An editor starts
it; docs/editors.md shows how to set up several editors. It runs no pipeline and
opens no connection.

It marks the errors and warnings that ` + "`botwork pipelines check`" + ` would report,
also in unsaved files; completes keys, parameters, names and expressions in ${{ }};
explains the text under the cursor; goes to the definition of a pipeline, step or
setting; and renames steps.

A file belongs to the nearest botwork.yaml in a folder above it, or to the one that
--config names. botwork.yaml is read again whenever it changes.

The exit code is 0 after a shutdown request of the editor, and 1 if the editor
disconnected without one.`,
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
				fmt.Fprintln(a.Stderr, "botwork lsp is waiting for messages from an editor; docs/editors.md shows how to set one up. Press Ctrl-D to exit.")
			}
			err := lsp.Serve(cmd.Context(), a.Stdin, a.Machine(), lsp.Options{
				Open: a.openForEditor, Settings: settings, SettingsKeys: projectdir.SettingsKeys(),
				Version: version.Current().Version, Log: a.Stderr,
			})
			if errors.Is(err, lsp.ErrNoShutdown) {
				return &cli.ReportedError{Code: cli.ExitFailed} // the editor is gone and cannot read an error
			}
			return err
		},
	}
}
