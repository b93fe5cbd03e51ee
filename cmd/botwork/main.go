// Botwork runs queued work for bots; `botwork --help` lists what it can do.
//
// Each subcommand has a file of its own. All of them go through [Run], which
// the tests call as well.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // Windows has no time zones of its own
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks to end in good order; the second one ends at once.
	context.AfterFunc(ctx, stop)
	os.Exit(Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
