// Command servertrial tries Botwork on a real SQL Server and writes a report that can be
// attached to an issue: what the server is, the conformance tests with and without
// READ_COMMITTED_SNAPSHOT, plans, locks, deadlocks, all other tests, and a benchmark. The
// server needs room for databases of its own, which are dropped afterwards.
//
// It is run in the module's folder: go run ./internal/servertrial -dsn DSN.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"botwork/internal/database"
)

// dsnVariable names the server for the tests; it is also the default of -dsn.
const dsnVariable = "BOTWORK_TEST_SQLSERVER_DSN"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "servertrial:", err)
		os.Exit(1)
	}
}

// run carries out one command line.
func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("servertrial", flag.ContinueOnError)
	dsn := flags.String("dsn", os.Getenv(dsnVariable), "the `DSN` of the server; the login may create databases (default $"+dsnVariable+")")
	out := flags.String("out", "sqlserver-report.md", "the `file` that the report is written to")
	hunt := flags.Duration("hunt", 2*time.Minute, "how long the hunt for deadlocks goes on, with and without READ_COMMITTED_SNAPSHOT")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dsn == "" || flags.NArg() > 0 {
		return fmt.Errorf("want -dsn DSN or %s, and no arguments; such as -dsn 'sqlserver://sa:PASSWORD@localhost?encrypt=disable'", dsnVariable)
	}
	t := trial{dsn: *dsn, report: *out, started: time.Now()}
	facts, err := askServer(ctx, *dsn)
	if err != nil {
		return fmt.Errorf("ask the server: %w", database.Redact(err, *dsn))
	}
	t.facts = facts
	for _, s := range steps(*hunt) {
		fmt.Printf("%s …\n", s.title)
		done := t.try(ctx, s)
		fmt.Printf("  %s\n", done.verdict())
		t.done = append(t.done, done)
		// After each step, so that a trial which is interrupted has its report, too.
		if err := t.write(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return errors.New("interrupted; the report says how far it came: " + *out)
		}
	}
	fmt.Println("the report is", *out)
	if n := t.failed(); n > 0 {
		return fmt.Errorf("%d of %d steps failed", n, len(t.done))
	}
	return nil
}
