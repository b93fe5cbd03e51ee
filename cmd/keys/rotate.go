package keys

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/keyring"
)

const keysRotateDoc = `Adds a new key to a keyset and makes it the primary key, which encrypts from then
on. The old keys are kept, so that texts encrypted with them can be read. The keyset
is the file, or the one that the settings name. With "-" it is read from standard
input, and the new one is written to standard output.

Workers read their keyset when they start. A worker that still has the old keyset
cannot decrypt texts that were encrypted with the new key: it fails such items. If
more than one process uses the database, rotate in two steps:

    botwork keys rotate --add       then copy the file to all workers and restart them;
  botwork keys rotate --promote   then copy the file to all workers and restart them.

After the first step all workers can decrypt with the new key, but nothing is
encrypted with it; after the second, new items are encrypted with it. Without --add
and --promote, both steps are done at once. Use this only with a single worker, or
while all workers are stopped.

The file is replaced atomically, and keeps its mode and owner. See
docs/encryption.md.`

// rotation selects a step of a rotation; neither means both.
type rotation struct{ add, promote bool }

func (a *command) keysRotateCommand() *cobra.Command {
	var step rotation
	cmd := &cobra.Command{
		Use:   "rotate [FILE]",
		Short: "Add an encryption key and make it primary",
		Long:  keysRotateDoc,
		Example: `  botwork keys rotate --add
  botwork keys rotate --promote
  botwork keys rotate keyset.json`,
		Args: cli.OptionalArgument("a file with a keyset"),
		RunE: func(_ *cobra.Command, args []string) error {
			if step.add && step.promote {
				return &cli.UsageError{Message: "--add and --promote are two steps, want one of them", Hint: "without a flag, both are done at once"}
			}
			return a.rotateKeys(args, step)
		},
	}
	cmd.Flags().BoolVar(&step.add, "add", false, "first step: add a key that decrypts, but does not encrypt yet")
	cmd.Flags().BoolVar(&step.promote, "promote", false, "second step: encrypt with the added key")
	return cmd
}

func (a *command) rotateKeys(args []string, step rotation) error {
	path := ""
	if len(args) > 0 {
		path = args[0]
	} else {
		var err error
		if path, err = a.configuredKeyset(step); err != nil {
			return err
		}
	}
	if path == "-" {
		k, err := a.readKeys(path)
		if err != nil {
			return err
		}
		if k, err = step.apply(k); err != nil {
			return err
		}
		if err := writeKeys(a.Stdout, k); err != nil {
			return err
		}
		fmt.Fprint(a.Stderr, step.resultText("the keyset", args, k))
		return nil
	}
	k, err := changeKeys(path, step.apply)
	if err != nil {
		return err
	}
	fmt.Fprint(a.Stdout, step.resultText(cli.ShortPath(path), args, k))
	return nil
}

// configuredKeyset returns the file that the settings name. This program does not change a
// keyset in another place.
func (a *command) configuredKeyset(step rotation) (string, error) {
	if err := a.LoadConfig(); err != nil {
		return "", err
	}
	file, variable := a.Config.KeysetSource()
	switch {
	case file != "":
		return file, nil
	case !a.Config.HasKeyset():
		return "", noKeyset()
	}
	place := "the settings' file itself"
	if variable != "" {
		place = "the environment variable " + variable
	}
	return "", &cli.UsageError{
		Message: fmt.Sprintf("the keyset is in %s, which this command does not change", place),
		Hint:    fmt.Sprintf("pass its text to `%s%s -` and replace it with the output, for every worker", rotateCommand(), step.flag()),
	}
}

// apply does the step, or returns an error if it is not possible.
func (r rotation) apply(k *keyring.Keyring) (*keyring.Keyring, error) {
	var err error
	was := k
	switch {
	case r.add:
		k, err = k.Add()
	case r.promote:
		k, err = k.Promote()
	default:
		k, err = k.Rotate()
	}
	switch staged, _ := was.Staged(); {
	case errors.Is(err, keyring.ErrStaged):
		return nil, fmt.Errorf("key %d: %w; when every worker has it, make it primary with --promote", staged.ID, err)
	case errors.Is(err, keyring.ErrNothingStaged):
		return nil, fmt.Errorf("%w; add one with --add", err)
	}
	return k, err
}

// resultText returns what was done and the next step. The arguments are those of the command.
func (r rotation) resultText(place string, args []string, k *keyring.Keyring) string {
	keys := k.Keys()
	newest := keys[len(keys)-1].ID
	switch {
	case r.add:
		return fmt.Sprintf(`%s: added key %d, which decrypts but does not encrypt yet

Copy the keyset to every worker and restart it. When all workers run with it, the second step is:

  %s --promote%s
`, place, newest, rotateCommand(), argument(args))
	case r.promote:
		return fmt.Sprintf(`%s: key %d encrypts from now on; earlier keys are kept for decryption

Copy the keyset to every worker and restart the workers, one after the other. Keep a
copy in a safe place.
`, place, primaryOf(keys))
	default:
		return fmt.Sprintf(`%s: added key %d, which encrypts from now on; earlier keys are kept for decryption

A worker that still has the old keyset fails items that were encrypted with the new
key. Stop all workers, copy the keyset to each, and start them again. (With the two
steps --add and --promote the workers need not stop.) Keep a copy in a safe place.
`, place, newest)
	}
}

// argument returns the file as it was given, for a printed command.
func argument(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return " " + cli.QuotePath(args[0])
}

func primaryOf(keys []keyring.Key) uint32 {
	for _, key := range keys {
		if key.Primary {
			return key.ID
		}
	}
	return 0 // unreachable: a keyring has a primary key
}

func (r rotation) flag() string {
	switch {
	case r.add:
		return " --add"
	case r.promote:
		return " --promote"
	}
	return ""
}

func rotateCommand() string { return cli.CommandIn(".", os.Args[0]) + " keys rotate" }
