package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"botwork/internal/author/strictyaml"
)

// The exit codes, a promise to scripts.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2 // wrong usage, or a file with mistakes
)

// usageError says that a command line cannot be carried out as it stands.
type usageError struct {
	message string // what, got, wanted
	hint    string // "" if none
}

func (e *usageError) Error() string {
	if e.hint == "" {
		return e.message
	}
	return e.message + "; " + e.hint
}

func usagef(format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...)}
}

// reportedError ends the program with its code; everything has been said.
type reportedError struct{ code int }

func (e *reportedError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// finish says what went wrong with cmd, if anything, and returns the exit code.
func (a *app) finish(cmd *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	if said, ok := errors.AsType[*reportedError](err); ok {
		return said.code
	}
	if findings, ok := errors.AsType[strictyaml.Findings](err); ok {
		a.complainAll(findings)
		if unusable, ok := errors.AsType[*noSystemPipelineError](err); ok {
			a.complain(unusable)
		}
		return exitUsage
	}
	if errors.Is(err, context.Canceled) {
		a.complain(fmt.Errorf("interrupted: %w", err))
		return exitFailed
	}
	a.complain(err)
	// What the flag and argument parser refuses comes before the command's own
	// code has started.
	if _, ok := errors.AsType[*usageError](err); ok || !a.started {
		fmt.Fprintf(a.stderr, "See `%s --help`.\n", cmd.CommandPath())
		return exitUsage
	}
	return exitFailed
}

// complain writes one error for a person, without secrets.
func (a *app) complain(err error) {
	fmt.Fprintf(a.stderr, "botwork: %s\n", a.redactor().Redact(err.Error()))
}

// complainAll writes findings one per line, in the form that editors jump to.
func (a *app) complainAll(findings strictyaml.Findings) {
	for _, f := range findings {
		fmt.Fprintln(a.stderr, f)
	}
	fmt.Fprintf(a.stderr, "botwork: %s\n", count(len(findings), "mistake"))
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
