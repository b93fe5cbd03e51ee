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
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		<-signals // the first one asks to end in good order
		cancel()
		// The second one ends at once. Giving the signals back to the system
		// instead would lose one that follows closely, and all of them where a
		// script's background job ignores Ctrl-C.
		<-signals
		os.Exit(exitFailed)
	}()
	a := newApp(os.Stdin, os.Stderr, os.Environ(), kinds)
	a.unset = os.Unsetenv
	return a.execute(ctx, os.Args[1:], os.Stdout)
}
