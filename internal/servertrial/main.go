// Command servertrial tries Botwork on a real SQL Server and writes a report that can be
// attached to an issue: the properties of the server, the conformance tests with and
// without READ_COMMITTED_SNAPSHOT, plans, locks, deadlocks, all other tests, and a
// benchmark. It creates databases on the server and drops them at the end.
//
// Run it in the module's folder: go run ./internal/servertrial -dsn DSN.
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

// dsnVariable is the environment variable with the DSN for the tests; it is also the
// default of -dsn.
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

// run runs one command line.
func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("servertrial", flag.ContinueOnError)
	dsn := flags.String("dsn", os.Getenv(dsnVariable), "the `DSN` of the server; the login may create databases (default $"+dsnVariable+")")
	out := flags.String("out", "sqlserver-report.md", "the `file` that the report is written to")
	hunt := flags.Duration("hunt", 2*time.Minute, "how long to search for deadlocks, with and without READ_COMMITTED_SNAPSHOT")
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
		// The report is written after each step, so that an interrupted trial has one,
		// too.
		if err := t.write(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return errors.New("interrupted; the report has the results until then: " + *out)
		}
	}
	fmt.Println("wrote the report to", *out)
	if n := t.failed(); n > 0 {
		return fmt.Errorf("%d of %d steps failed", n, len(t.done))
	}
	return nil
}
