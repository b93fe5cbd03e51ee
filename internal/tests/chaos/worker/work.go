package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"botwork/handlers"
	"botwork/internal/tests/chaos/ledger"
)

// tick is the time between two lines of an active run.
const tick = 50 * time.Millisecond

func kind() handlers.Kind {
	return handlers.Kind{
		Name: "Work", Summary: "Work for a while and record it in a ledger",
		Doc: `Appends a line to the ledger when it begins, every 50 ms while it works, and when it ends. Its first "failures" attempts fail.
Each line has the fence of its run, and with "steps" the path of the step.`,
		Output:  "nothing.",
		Example: "- handler: Work\n  with: {ledger: ledger.ndjson, for: 100ms}\n",
		New:     func() handlers.Handler { return &work{} },
	}
}

type work struct {
	Ledger   string            `json:"ledger" required:"true" doc:"the file, which must exist"`
	For      handlers.Duration `json:"for" required:"true" doc:"how long to work"`
	Failures int               `json:"failures" doc:"how many attempts fail before one succeeds"`
	Steps    bool              `json:"steps" doc:"whether the pipeline has several such steps"`
}

func (w *work) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	run := ledger.Run{
		Item: call.ItemID, Fence: call.Fence, Attempt: call.Attempt,
		PID: ledger.Process(os.Getpid()), Worker: os.Getenv("BOTWORK_WORKER_NAME"),
	}
	if w.Steps {
		run.Step = call.Step
	}
	book, err := ledger.Open(w.Ledger, run)
	if err != nil {
		return nil, err
	}
	err = w.work(ctx, call, book)
	return nil, errors.Join(err, book.Close())
}

func (w *work) work(ctx context.Context, call *handlers.Call, book *ledger.Book) error {
	if err := book.Write(ledger.Begin); err != nil {
		return err
	}
	done := time.NewTimer(time.Duration(w.For))
	defer done.Stop()
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for {
		var what ledger.Kind
		select {
		case <-ctx.Done():
		case <-ticks.C:
			what = ledger.Tick
		case <-done.C:
			what = ledger.End
			if call.Attempt <= w.Failures {
				what = ledger.Fail
			}
		}
		// A process that was suspended finds all channels ready when it wakes up: the end of
		// the context has precedence.
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), book.Write(ledger.Cancelled))
		}
		if err := book.Write(what); err != nil {
			return err
		}
		switch what {
		case ledger.End:
			return nil
		case ledger.Fail:
			return fmt.Errorf("attempt %d fails by design", call.Attempt)
		}
	}
}
