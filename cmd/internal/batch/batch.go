// Package batch runs the parts of a batch of changes, and looks up the outcome of a part if
// the answer was lost.
package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// LookupTimeout is how long a command tries to look up the outcome of a part of a batch after a
// lost answer, and lookupPause is the first pause between two attempts.
const (
	LookupTimeout = 30 * time.Second
	lookupPause   = 100 * time.Millisecond
)

// Enqueue enqueues a part of a batch, and looks up the outcome if the answer is lost. It
// returns an *workqueue.UnansweredError if the lookup fails for too long.
func Enqueue(ctx context.Context, a *cli.App, store workqueue.BatchStore, part workqueue.BatchPart, items []workqueue.NewItem) (got []workqueue.Enqueued, err error) {
	err = RunPart(ctx, a, part, func(ctx context.Context) error {
		got, err = store.EnqueueBatch(ctx, part, items)
		return err
	})
	return got, err
}

// RunPart runs a part of a batch, and repeats it for a bounded time while its outcome is
// unknown. A repeated part has no further effect.
func RunPart(ctx context.Context, a *cli.App, part workqueue.BatchPart, do func(context.Context) error) error {
	err := do(ctx)
	lost, unknown := errors.AsType[*workqueue.UnansweredError](err)
	if !unknown {
		return err
	}
	fmt.Fprintf(a.Stderr, "the %s did not answer (%v); looking up what became of batch %s, for up to %s\n", a.Answerer(), err, part.Key, LookupTimeout)
	over := time.NewTimer(LookupTimeout)
	defer over.Stop()
	for pause := lookupPause; ; pause = min(2*pause, 20*lookupPause) {
		select {
		case <-ctx.Done():
			// The command is ending: try once more, with a context that has not ended.
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), Grace)
			defer cancel()
			return lookupResult(do(last), lost)
		case <-over.C:
			return lost
		case <-time.After(pause):
		}
		// An attempt must not take longer than the remaining time, because a connection may hang.
		look, cancel := context.WithTimeout(ctx, LookupTimeout)
		err := do(look)
		cancel()
		if err == nil {
			return nil
		}
	}
}

// lookupResult returns the outcome of the last attempt. If it failed, an earlier attempt may still
// have succeeded.
func lookupResult(err error, lost *workqueue.UnansweredError) error {
	if err == nil {
		return nil
	}
	return lost
}
