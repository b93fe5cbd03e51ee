package keys

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/keyring"
)

const keysRotateDoc = `Adds a new key to a keyset and makes it the primary one, which seals from then on.
The old keys stay, so that what they have sealed can be read. The keyset is the
file, or the one that the settings name. With "-" it is read from standard input and
the new one written to standard output.

Workers read their keyset when they start. One that still has the old keyset
cannot open what another seals with the new key: it fails such items. So where
more than one process uses the database, rotate in two steps:

  botwork keys rotate --add       then bring the file to all, and restart them;
  botwork keys rotate --promote   then bring the file to all, and restart them.

After the first step all can decrypt with the new key, but nothing is encrypted with
it; after the second, new items are encrypted with it. Without --add and --promote both are done at once, which is
for a single worker, or while all are stopped.

The file is replaced as a whole or not at all, and keeps its mode and owner. More in
docs/encryption.md.`

// rotation is which step of a rotation is asked for; neither means both.
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
				return &cli.UsageError{Message: "--add and --promote are two steps, want one of them", Hint: "without any, both are done at once"}
			}
			return a.rotateKeys(args, step)
		},
	}
	cmd.Flags().BoolVar(&step.add, "add", false, "first step: add a key that opens, and does not seal yet")
	cmd.Flags().BoolVar(&step.promote, "promote", false, "second step: let the key that was added seal")
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
		fmt.Fprint(a.Stderr, step.told("the keyset", args, k))
		return nil
	}
	k, err := changeKeys(path, step.apply)
	if err != nil {
		return err
	}
	fmt.Fprint(a.Stdout, step.told(cli.ShortPath(path), args, k))
	return nil
}

// configuredKeyset is the file that the settings name. This program does not change a keyset that
// is elsewhere.
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
		Hint:    fmt.Sprintf("give its text to `%s%s -` and put what that prints in its place, for every worker", rotateCommand(), step.flag()),
	}
}

// apply takes the step, or says why there is nothing to do.
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
		return nil, fmt.Errorf("key %d: %w; when every worker has it, let it seal with --promote", staged.ID, err)
	case errors.Is(err, keyring.ErrNothingStaged):
		return nil, fmt.Errorf("%w; add one with --add", err)
	}
	return k, err
}

// told prints what was done to the keyset, and what must follow. The arguments are those of the
// command.
func (r rotation) told(place string, args []string, k *keyring.Keyring) string {
	keys := k.Keys()
	newest := keys[len(keys)-1].ID
	switch {
	case r.add:
		return fmt.Sprintf(`%s: added key %d, which opens and does not seal yet

Bring the keyset to every worker, and restart it. When all run with it, the second step is:

  %s --promote%s
`, place, newest, rotateCommand(), argument(args))
	case r.promote:
		return fmt.Sprintf(`%s: key %d seals from now on; the keys before stay, for reading

Bring the keyset to every worker, and restart it, one after the other. Keep a copy in a
safe place.
`, place, primaryOf(keys))
	default:
		return fmt.Sprintf(`%s: added key %d, which seals from now on; the keys before stay, for reading

A worker that still has the old keyset fails the items that are sealed with the new key.
Stop all workers, bring the keyset to each, and start them again. (The two steps --add
and --promote do without such a stop.) Keep a copy in a safe place.
`, place, newest)
	}
}

// argument is the file as it was given, for a command that is shown.
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
	return 0 // cannot be: a keyring has one
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
