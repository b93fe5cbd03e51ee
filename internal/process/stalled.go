package process

import (
	"context"
	"sync"
	"time"
)

// stalledLeases is for how many leases a session may do nothing in the middle of a
// transaction. By then the leases of its process have ended, and its items are others'.
// leastStalled is the bound for short leases: a busy machine is not suspended.
const stalledLeases, leastStalled = 2, 10 * time.Second

// sessionGuard ends the sessions of other processes that were suspended in the middle of a
// transaction, where the database does not do that by itself.
type sessionGuard struct {
	stop context.CancelFunc // nil until start
	loop sync.WaitGroup
}

func (g *sessionGuard) start(ctx context.Context, o Options) {
	ctx, g.stop = context.WithCancel(context.WithoutCancel(ctx))
	g.loop.Go(func() {
		ticker := time.NewTicker(o.Spec.Lease)
		defer ticker.Stop()
		told := ""
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				told = g.look(ctx, o, told)
			}
		}
	})
}

// look is one look at the sessions. An error is logged when it is another than the last
// one that was told; look returns the one to compare with next.
func (g *sessionGuard) look(ctx context.Context, o Options, told string) string {
	ctx, cancel := context.WithTimeout(ctx, o.Spec.Lease)
	defer cancel()
	sessions, err := o.Store.EndStalledSessions(ctx, max(stalledLeases*o.Spec.Lease, leastStalled))
	for _, s := range sessions {
		if s.Ended {
			o.Log.Warn().Msgf("ended a stalled session: %s", s)
		} else {
			o.Log.Error().Err(s.Err).Msgf("a stalled session was not ended: %s", s)
		}
	}
	switch {
	case err == nil:
		return ""
	case ctx.Err() == nil && err.Error() != told:
		o.Log.Warn().Err(err).Msg("sessions that stall in a transaction cannot be found")
	}
	return err.Error()
}

func (g *sessionGuard) end() {
	if g.stop != nil {
		g.stop()
		g.loop.Wait()
	}
}
