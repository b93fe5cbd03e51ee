package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"botwork/internal/author/strictyaml"
)

// The exit codes, a promise to scripts.
const (
	ExitDone   = 0
	ExitFailed = 1
	ExitUsage  = 2 // wrong usage, or a file with errors
)

// UsageError reports a wrong command line.
type UsageError struct {
	Message string // what, got, wanted
	Hint    string // "" if none
}

func (e *UsageError) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

func Usagef(format string, args ...any) error {
	return &UsageError{Message: fmt.Sprintf(format, args...)}
}

// ReportedError ends the program with its code; the errors are already printed.
type ReportedError struct{ Code int }

func (e *ReportedError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// Finish prints the error of cmd, if any, and returns the exit code.
func (a *App) Finish(cmd *cobra.Command, err error) int {
	if err == nil {
		return ExitDone
	}
	if said, ok := errors.AsType[*ReportedError](err); ok {
		return said.Code
	}
	if findings, ok := errors.AsType[strictyaml.Findings](err); ok {
		a.complainAll(findings)
		if unusable, ok := errors.AsType[*NoSystemPipelineError](err); ok {
			a.Complain(unusable)
		}
		return ExitUsage
	}
	if errors.Is(err, context.Canceled) {
		a.Complain(fmt.Errorf("interrupted: %w", err))
		return ExitFailed
	}
	a.Complain(err)
	// An error before the command's own code has started is from the flag and argument parser.
	if _, ok := errors.AsType[*UsageError](err); ok || !a.Started {
		fmt.Fprintf(a.Stderr, "See `%s --help`.\n", cmd.CommandPath())
		return ExitUsage
	}
	return ExitFailed
}

// Complain prints one error, without secrets.
func (a *App) Complain(err error) {
	fmt.Fprintf(a.Stderr, "botwork: %s\n", a.Redactor().Redact(err.Error()))
}

// complainAll prints findings one per line, in a format that editors can parse.
func (a *App) complainAll(findings strictyaml.Findings) {
	for _, f := range findings {
		fmt.Fprintln(a.Stderr, f)
	}
	fmt.Fprintf(a.Stderr, "botwork: %s\n", Count(len(findings), "error"))
}

// NoSystemPipelineError reports that all system pipelines have errors, so that a worker would
// run nothing.
type NoSystemPipelineError struct {
	Dir      string
	Mistakes strictyaml.Findings
}

func (e *NoSystemPipelineError) Error() string {
	return fmt.Sprintf("no usable system pipeline in %s: no file without errors has a trigger, so a worker would run nothing", e.Dir)
}

// Unwrap returns the errors.
func (e *NoSystemPipelineError) Unwrap() error { return e.Mistakes }
