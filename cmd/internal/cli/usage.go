package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botwork/internal/author/strictyaml"
)

// Group returns a command that only has subcommands. Without one it prints its help.
func Group(cmd *cobra.Command, children ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(children...)
	cmd.Args = childOnly
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// childOnly rejects arguments that are not a subcommand.
func childOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, child.Name())
		}
	}
	hint := strictyaml.Suggest(args[0], names)
	if hint == "" {
		hint = "commands: " + strings.Join(names, ", ")
	}
	return &UsageError{Message: fmt.Sprintf("unknown command %q for %s", args[0], cmd.CommandPath()), Hint: hint}
}

// NoArguments rejects all arguments.
func NoArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("got the argument %q, want none", args[0])
	}
	return nil
}

// OneArgument requires exactly one argument; what is its name in errors.
func OneArgument(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return Usagef("got %s, want one: %s", Count(len(args), "argument"), what)
		}
		return nil
	}
}

// SomeArguments requires at least one argument; what is its name in errors.
func SomeArguments(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usagef("got no argument, want one or more: %s", what)
		}
		return nil
	}
}

// OptionalArgument allows at most one argument; what is its name in errors.
func OptionalArgument(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return Usagef("got %d arguments, want at most one: %s", len(args), what)
		}
		return nil
	}
}

// FlagError adds a suggestion to an error of the flag parser.
func FlagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		return &UsageError{Message: err.Error(), Hint: strictyaml.Suggest("--"+unknown.GetSpecifiedName(), names)}
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		want := errors.Unwrap(wrong)
		if _, ok := errors.AsType[*strconv.NumError](want); ok {
			want = errors.New("want a whole number") // instead of the message of package strconv
			if wrong.GetFlag().Value.Type() == "bool" {
				want = errors.New("want true or false")
			}
		}
		return Usagef("--%s: got %q, %v", wrong.GetFlag().Name, wrong.GetValue(), want)
	}
	return &UsageError{Message: err.Error()}
}

// Count returns a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
