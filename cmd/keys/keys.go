// Package keys is the command `botwork keys`.
package keys

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/keyring"
)

// command is one call of `botwork keys`.
type command struct{ *cli.App }

// Command returns `botwork keys`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).keysCommand() }

func (a *command) keysCommand() *cobra.Command {
	return cli.Group(&cobra.Command{Use: "keys", Aliases: []string{"key"}, Short: "Create, rotate and list the keys of encrypted queues"},
		a.keysNewCommand(), a.keysRotateCommand(), a.keysListCommand())
}

func (a *command) keysNewCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Create a keyset with one key",
		Long: `Creates a keyset with one new AES-256-GCM key, in Tink's JSON format. Anyone who can
read the keyset can read the encrypted items. Without it, the items cannot be
decrypted.

With --out the keyset is written to a new file that only its owner may read and
write; an existing file is never overwritten. Without --out it is printed on
standard output, for a secret store or an environment variable.`,
		Example: "  botwork keys new --out keyset.json\n  botwork keys new | vault kv put secret/botwork keyset=-",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("out") && out == "" {
				return cli.Usagef("--out: got an empty path")
			}
			return a.newKeys(out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write the keyset to a new `FILE` (default: standard output)")
	return cmd
}

func (a *command) newKeys(out string) error {
	k, err := keyring.New()
	if err != nil {
		return err
	}
	if out == "" {
		if err := writeKeys(a.Stdout, k); err != nil {
			return err
		}
		fmt.Fprint(a.Stderr, "\nThis is an unencrypted key. Put it into BOTWORK_ENCRYPTION_KEYSET of every worker, or\n"+
			"into the file that encryption.keyset names.\n"+keepAndSwitchOn)
		return nil
	}
	text, err := KeysetText(k)
	if err != nil {
		return err
	}
	if err := createFile(out, text); err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "wrote %s with key %d\n\nCopy it to every worker, readable only for the service, add it to botwork.yaml, and\n"+
		"restart the worker:\n\n  encryption: {keyset: {file: %s}}\n\n%s", out, k.Keys()[0].ID, InYAML(absolutePath(out)), keepAndSwitchOn)
	return nil
}

const keepAndSwitchOn = `Keep a copy in a safe place: without the key, encrypted items cannot be read. When
all workers have it, set "encrypted: true" in a queue's definition.
`

// writeKeys prints a keyset on one line.
func writeKeys(w io.Writer, k *keyring.Keyring) error {
	text, err := k.JSON()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// absolutePath returns a path for the settings, in which relative paths are resolved against
// the folder of the settings and not the working folder.
func absolutePath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// InYAML quotes a path if a flow mapping needs it.
func InYAML(path string) string {
	if strings.ContainsAny(path, " ,#{}[]'\"&*!|>%@`") {
		return "'" + strings.ReplaceAll(path, "'", "''") + "'"
	}
	return path
}
