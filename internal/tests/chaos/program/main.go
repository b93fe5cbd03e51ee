// Program is the program of the Exec steps of tormented items. It records its work in the
// ledger, and starts a child process for the work: ending the program must end the child
// as well.
//
//	program LEDGER FOR FAILURES
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"botwork/internal/tests/chaos/ledger"
)

// tick is the time between two lines of a run.
const tick = 50 * time.Millisecond

// workVariable is set for the child; it has the worker's process.
const workVariable = "CHAOS_PROGRAM_OF"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("got %q, want LEDGER FOR FAILURES", args)
	}
	length, err := time.ParseDuration(args[1])
	if err != nil {
		return err
	}
	failures, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	who, err := whose()
	if err != nil {
		return err
	}
	book, err := ledger.Open(args[0], who)
	if err != nil {
		return err
	}
	if os.Getenv(workVariable) != "" {
		err = work(book, length)
	} else {
		err = lead(book, who, failures)
	}
	return errors.Join(err, book.Close())
}

// whose reads the run from the variables that Exec sets.
func whose() (ledger.Run, error) {
	var errs []error
	number := func(name string) int64 {
		n, err := strconv.ParseInt(os.Getenv(name), 10, 64)
		errs = append(errs, err)
		return n
	}
	r := ledger.Run{
		Item: number("BOTWORK_ITEM_ID"), Fence: number("BOTWORK_FENCE"), Attempt: int(number("BOTWORK_ATTEMPT")),
		PID: ledger.Process(os.Getppid()), Program: os.Getpid(),
	}
	if os.Getenv("BOTWORK_IDEMPOTENCY_KEY") == "" {
		errs = append(errs, errors.New("the run has no idempotency key"))
	}
	if os.Getenv(workVariable) != "" {
		r.PID = int(number(workVariable))
	}
	return r, errors.Join(errs...)
}

// lead begins the run, starts the child, and ends the run.
func lead(book *ledger.Book, who ledger.Run, failures int) error {
	if err := book.Write(ledger.Begin); err != nil {
		return err
	}
	work := exec.Command(os.Args[0], os.Args[1:]...)
	work.Env = append(os.Environ(), fmt.Sprintf("%s=%d", workVariable, who.PID))
	work.Stderr = os.Stderr
	if err := work.Run(); err != nil {
		return err
	}
	if who.Attempt <= failures {
		return errors.Join(fmt.Errorf("attempt %d fails by design", who.Attempt), book.Write(ledger.Fail))
	}
	return book.Write(ledger.End)
}

// work writes ticks until the time has passed.
func work(book *ledger.Book, length time.Duration) error {
	for until := time.Now().Add(length); time.Now().Before(until); {
		time.Sleep(min(tick, time.Until(until)))
		if err := book.Write(ledger.Tick); err != nil {
			return err
		}
	}
	return nil
}
