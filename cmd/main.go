// Package cmd is the command line of Botwork. The program in cmd/botwork is
// nothing but a call of [Main]; a program of your own that calls it with more
// kinds of handlers has the whole command line and those handlers as well.
//
// Each subcommand has a file of its own. All of them go through [Run], which
// the tests call too.
package cmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // Windows has no time zones of its own

	"botwork/handlers"
)

// Main carries out the command line of this process and returns its exit code.
// The kinds are handlers beside the built-in ones; a name that is taken
// already panics.
func Main(kinds ...handlers.Kind) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal asks to end in good order; the second one ends at once.
	context.AfterFunc(ctx, stop)
	return Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ(), kinds...)
}
