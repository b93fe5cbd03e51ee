// Package cmd is the command line of Botwork. The program in cmd/botwork is
// nothing but a call of [Main]; a program of your own that calls it with more
// kinds of handlers has the whole command line and those handlers as well.
//
// Each noun is a package of its own. All commands go through [Run], which
// the tests call too.
package cmd

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // Windows has no time zones of its own

	"botwork/cmd/internal/cli"
	"botwork/handlers"
	"botwork/internal/programs"
)

// Main carries out the command line of this process and returns its exit code.
// The kinds are handlers beside the built-in ones; a name that is taken
// already panics.
//
// On Linux it starts this executable a second time, with an argument that only it
// knows, as the watcher of the programs that Exec steps run. So a program calls
// Main before it reads its arguments, and before it does anything else that must
// not be done twice.
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
	go obey(signals, cancel, func() {
		fmt.Fprintf(os.Stderr, "botwork: forced exit; running programs killed: %d\n", account.Kill())
		os.Exit(cli.ExitFailed)
	})
	a := cli.New(os.Stdin, os.Stderr, os.Environ(), kinds)
	a.Unset, a.Programs = os.Unsetenv, account
	code := Execute(ctx, a, os.Args[1:], os.Stdout)
	account.Kill() // those of handlers that were given up
	account.Close()
	return code
}

// sameSignal is how long after the first signal others count as the same one: the
// command timeout and some service managers send two, one to the process and one to
// its group.
const sameSignal = time.Second

// obey cancels at the first signal, to end in good order, and ends at once by force
// at the next one.
func obey(signals <-chan os.Signal, cancel, force func()) {
	<-signals
	first := time.Now()
	cancel()
	// Giving the signals back to the system instead would lose one that follows
	// closely, and all of them where a script's background job ignores Ctrl-C.
	for range signals {
		if time.Since(first) >= sameSignal {
			force()
			return
		}
	}
}
