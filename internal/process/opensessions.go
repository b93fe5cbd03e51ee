package process

import (
	"context"
	"time"
)

// openSessionTime is how long a session may hold rows of items in a transaction before it is logged,
// and the time between two looks for such sessions.
const openSessionTime = 5 * time.Second

// openSessions are the sessions that hold rows of items in open transactions, such as that of a
// person who has changed an item and not committed. Workers pass over such items.
type openSessions struct {
	seen map[openKey]*openSession
}

type openKey struct {
	session     int64
	transaction string
}

type openSession struct {
	since  time.Time
	logged bool
}

// check logs sessions that have been open for long, once each, and their ends.
func (g *openSessions) check(ctx context.Context, o Options) {
	ctx, cancel := context.WithTimeout(ctx, openSessionTime)
	defer cancel()
	list, err := o.Store.OpenSessions(ctx)
	if err != nil {
		return // the heartbeat logs that the database does not answer
	}
	before := g.seen
	g.seen = make(map[openKey]*openSession, len(list))
	for _, h := range list {
		key := openKey{h.Session, h.Transaction}
		one := before[key]
		if one == nil {
			one = &openSession{since: time.Now().Add(-h.Open)}
		}
		g.seen[key] = one
		delete(before, key)
		if !one.logged && time.Since(one.since) >= openSessionTime {
			one.logged = true
			o.Log.Warn().Str("end", h.End).Msgf("%s; workers pass over these items, and commands that change them wait: commit or roll back, or end the session", h)
		}
	}
	for key, one := range before {
		if one.logged {
			o.Log.Info().Int64("session", key.session).Msg("the session no longer holds rows of items")
		}
	}
}
