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

// Finish says what went wrong with cmd, if anything, and returns the exit code.
func (a *App) Finish(cmd *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	if said, ok := errors.AsType[*reportedError](err); ok {
		return said.code
	}
	if findings, ok := errors.AsType[strictyaml.Findings](err); ok {
		a.complainAll(findings)
		if unusable, ok := errors.AsType[*noSystemPipelineError](err); ok {
			a.Complain(unusable)
		}
		return exitUsage
	}
	if errors.Is(err, context.Canceled) {
		a.Complain(fmt.Errorf("interrupted: %w", err))
		return exitFailed
	}
	a.Complain(err)
	// What the flag and argument parser refuses comes before the command's own
	// code has started.
	if _, ok := errors.AsType[*usageError](err); ok || !a.Started {
		fmt.Fprintf(a.Stderr, "See `%s --help`.\n", cmd.CommandPath())
		return exitUsage
	}
	return exitFailed
}

// Complain writes one error for a person, without secrets.
func (a *App) Complain(err error) {
	fmt.Fprintf(a.Stderr, "botwork: %s\n", a.Redactor().Redact(err.Error()))
}

// complainAll writes findings one per line, in the form that editors jump to.
func (a *App) complainAll(findings strictyaml.Findings) {
	for _, f := range findings {
		fmt.Fprintln(a.Stderr, f)
	}
	fmt.Fprintf(a.Stderr, "botwork: %s\n", count(len(findings), "mistake"))
}

// noSystemPipelineError reports that a worker would run nothing, because of mistakes.
type noSystemPipelineError struct {
	dir      string
	mistakes strictyaml.Findings
}

func (e *noSystemPipelineError) Error() string {
	return fmt.Sprintf("no system pipeline of %s can be used: none without mistakes has a trigger, so that a worker would run nothing", e.dir)
}

// Unwrap returns the mistakes.
func (e *noSystemPipelineError) Unwrap() error { return e.mistakes }
