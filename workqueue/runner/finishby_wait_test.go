package runner

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
)

// An item that has waited claimed before it starts has that much less time to run.
func TestFinishByCountsTheWaitAfterTheClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The database's clock, which is years ahead.
		started := time.Now().AddDate(3, 0, 0)
		finish := started.Add(time.Minute)
		for waited, want := range map[time.Duration]time.Duration{0: time.Minute, 45 * time.Second: 15 * time.Second, time.Minute: 0, time.Hour: 0} {
			ctx, cancel := context.WithCancelCause(t.Context())
			now := time.Now()
			it := &claimed{Item: workqueue.Item{StartedAt: &started, FinishBy: &finish}, ctx: ctx, cancel: cancel, since: now.Add(-waited)}
			stop := it.endAtFinishBy(now)
			<-ctx.Done()
			stop()
			if ran := time.Since(now); ran != want || !errors.As(context.Cause(ctx), new(*workqueue.FinishByError)) {
				t.Errorf("after a wait of %s the run ended after %s (%v), want %s", waited, ran, context.Cause(ctx), want)
			}
		}
	})
}
