// Package cmd is the command line of Botwork. The program in cmd/botwork only calls [Main].
// Your own program can call it with additional kinds of handlers: it then has the whole
// command line and these handlers.
//
// Each noun of the command line is a separate package. All commands run through [Run], also in
// tests.
package cmd

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // Windows has no time zone database

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/handlers"
	"botwork/internal/programs"
)

// Main runs the command line of this process and returns its exit code. kinds are handlers in
// addition to the built-in ones; Main panics if a name is already in use.
//
// On Linux it starts this executable a second time, with an internal argument, to watch the
// programs that Exec steps run. A program must therefore call Main before it reads its
// arguments, and before it does anything that must not happen twice.
func Main(kinds ...handlers.Kind) int {
	if programs.IsWatcher(os.Args) {
		return programs.Watch(os.Stdin)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	account := programs.Watched()
	go handleSignals(signals, cancel, func() {
		fmt.Fprintf(os.Stderr, "botwork: forced exit; running programs killed: %d\n", account.Kill())
		os.Exit(cli.ExitFailed)
	})
	a := projectdir.New(os.Stdin, os.Stderr, os.Environ(), kinds)
	a.Unset, a.Set, a.Programs = os.Unsetenv, os.Setenv, account
	code := Execute(ctx, a, os.Args[1:], os.Stdout)
	account.Kill() // programs of abandoned handlers
	account.Close()
	return code
}

// sameSignal is how long after the first signal further signals are ignored as duplicates: the
// command timeout and some service managers send two, one to the process and one to its group.
const sameSignal = time.Second

// handleSignals calls cancel at the first signal, for a graceful stop, and force at the next one.
func handleSignals(signals <-chan os.Signal, cancel, force func()) {
	<-signals
	first := time.Now()
	cancel()
	// Do not restore the default signal handling instead: a second signal that follows closely
	// would be lost, and so would all signals in a script's background job, which ignores Ctrl-C.
	for range signals {
		if time.Since(first) >= sameSignal {
			force()
			return
		}
	}
}
