// Package batch runs the parts of a batch of changes, and finds out what became of a part
// whose answer was lost.
package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// SettleFor is how long a command looks for what became of a part of a batch whose answer
// was lost, and settlePause the first pause between two looks.
const (
	SettleFor   = 30 * time.Second
	settlePause = 100 * time.Millisecond
)

// Enqueue enqueues a part of a batch, and finds out what became of it when the answer
// is lost. It is an *workqueue.UnansweredError when that cannot be found out in time.
func Enqueue(ctx context.Context, a *cli.App, store workqueue.BatchStore, part workqueue.BatchPart, items []workqueue.NewItem) (got []workqueue.Enqueued, err error) {
	err = Settle(ctx, a, part, func(ctx context.Context) error {
		got, err = store.EnqueueBatch(ctx, part, items)
		return err
	})
	return got, err
}

// Settle does a part of a batch, again and again for a bounded time while its outcome is
// unknown: a part is done once, however often it is asked for.
func Settle(ctx context.Context, a *cli.App, part workqueue.BatchPart, do func(context.Context) error) error {
	err := do(ctx)
	lost, unknown := errors.AsType[*workqueue.UnansweredError](err)
	if !unknown {
		return err
	}
	fmt.Fprintf(a.Stderr, "the database did not answer (%v); looking up what became of batch %s, for up to %s\n", err, part.Key, SettleFor)
	over := time.NewTimer(SettleFor)
	defer over.Stop()
	for pause := settlePause; ; pause = min(2*pause, 20*settlePause) {
		select {
		case <-ctx.Done():
			// The command is to end: one more look, which its context must not refuse.
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), Grace)
			defer cancel()
			return settled(do(last), lost)
		case <-over.C:
			return lost
		case <-time.After(pause):
		}
		// A look must not wait for longer than the rest of the time, where a connection
		// is silent.
		look, cancel := context.WithTimeout(ctx, SettleFor)
		err := do(look)
		cancel()
		if err == nil {
			return nil
		}
	}
}

// settled is the outcome of a last look. Whatever kept it from an answer, the part may
// have been done before.
func settled(err error, lost *workqueue.UnansweredError) error {
	if err == nil {
		return nil
	}
	return lost
}
