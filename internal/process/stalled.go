package process

import (
	"context"
	"sync"
	"time"
)

// A session may be idle inside a transaction for stalledLeases leases. By then the leases of
// its process have expired and other workers have its items. With short leases it may be
// idle for leastStalled, since a busy machine can be slow without being suspended.
const stalledLeases, leastStalled = 2, 10 * time.Second

// sessionGuard ends the sessions of processes that were suspended inside a transaction, on
// databases that do not end them by themselves. Of other sessions it says that they hold items.
type sessionGuard struct {
	stop context.CancelFunc // nil until start
	loop sync.WaitGroup
}

func (g *sessionGuard) start(ctx context.Context, o Options) {
	ctx, g.stop = context.WithCancel(context.WithoutCancel(ctx))
	g.loop.Go(func() {
		ticker, often := time.NewTicker(o.Spec.Lease), time.NewTicker(openSessionTime)
		defer ticker.Stop()
		defer often.Stop()
		last, open := "", openSessions{}
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				last = g.check(ctx, o, last)
			case <-often.C:
				open.check(ctx, o)
			}
		}
	})
}

// check looks for stalled sessions once. It logs an error only if it differs from last, the
// error of the previous check, and returns its text for the next check.
func (g *sessionGuard) check(ctx context.Context, o Options, last string) string {
	ctx, cancel := context.WithTimeout(ctx, o.Spec.Lease)
	defer cancel()
	sessions, err := o.Store.EndStalledSessions(ctx, max(stalledLeases*o.Spec.Lease, leastStalled))
	for _, s := range sessions {
		if s.Ended {
			o.Log.Warn().Msgf("ended a stalled session: %s", s)
		} else {
			o.Log.Error().Err(s.Err).Msgf("could not end a stalled session: %s", s)
		}
	}
	switch {
	case err == nil:
		return ""
	case ctx.Err() == nil && err.Error() != last:
		o.Log.Warn().Err(err).Msg("could not look for stalled sessions")
	}
	return err.Error()
}

func (g *sessionGuard) end() {
	if g.stop != nil {
		g.stop()
		g.loop.Wait()
	}
}
