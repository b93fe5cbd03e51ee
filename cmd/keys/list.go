package keys

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/keyring"
)

func (a *command) keysListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [FILE]",
		Short: "List the keys of a keyset",
		Long: `Lists the keys of a keyset, the oldest first: from a file, from standard input
("-"), or from the settings. No key material is shown. The primary key encrypts; all
enabled keys decrypt the texts that they have encrypted.

Every text that a key has encrypted begins with the prefix in the last column. With
it you can check in the database whether an old key is still needed:
docs/encryption.md.`,
		Example: "  botwork keys list\n  botwork keys list keyset.json --output json",
		Args:    cli.OptionalArgument("a file with a keyset"),
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		k, err := a.keysOf(args)
		if err != nil {
			return err
		}
		return a.Print(*output, k.Keys(), func() { a.keyTable(k) })
	}
	return cmd
}

// keysOf reads the keyset from the argument, or from the settings.
func (a *command) keysOf(args []string) (*keyring.Keyring, error) {
	if len(args) > 0 {
		return a.readKeys(args[0])
	}
	if err := a.LoadConfig(); err != nil {
		return nil, err
	}
	if !a.Config.HasKeyset() {
		return nil, noKeyset()
	}
	return a.Keyring()
}

func noKeyset() error {
	return &cli.UsageError{Message: "the settings name no keyset (encryption.keyset), and no FILE was given", Hint: "`botwork keys new --out FILE` creates one"}
}

func (a *command) keyTable(k *keyring.Keyring) {
	g := cli.NewGrid("id", "type", "status", "primary", "texts begin")
	for _, key := range k.Keys() {
		primary := ""
		if key.Primary {
			primary = "yes"
		}
		g.Add(fmt.Sprint(key.ID), key.Type, key.Status, primary, key.TextsBegin)
	}
	g.Print(a.Stdout)
	if staged, ok := k.Staged(); ok {
		fmt.Fprintf(a.Stdout, "Key %d does not encrypt yet. When every worker has it, run: `%s keys rotate --promote`\n", staged.ID, cli.CommandIn(".", os.Args[0]))
	}
}
