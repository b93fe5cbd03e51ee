package auth

import (
	"context"
	"errors"
	"sync"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// How long a session lives: unused, and at most. One that OpenID Connect started ends soon, because
// the provider is asked for the role only at a sign-in: so a role that it takes away lasts no longer.
const (
	SessionIdle        = 8 * time.Hour
	SessionLongest     = 7 * 24 * time.Hour
	OIDCSessionLongest = 4 * time.Hour
)

// longestSession returns how long a session that was started in this way lives at most.
func longestSession(by string) time.Duration {
	if by == ByOIDC {
		return OIDCSessionLongest
	}
	return SessionLongest
}

// seenEvery is how often the use of a session is written.
const seenEvery = time.Minute

// ErrNoSession is returned for a session that has ended or never existed, or whose user is
// disabled.
var ErrNoSession = errors.New("the session has ended")

// Sessions looks up sessions. It is safe for concurrent use.
type Sessions struct {
	store access.UserStore

	mu    sync.Mutex
	known map[string]cachedSession // by hash
	seen  map[int64]time.Time      // when the use of a session was written last
}

type cachedSession struct {
	session access.Session
	until   time.Time
}

// NewSessions returns a lookup over a store.
func NewSessions(store access.UserStore) *Sessions {
	return &Sessions{store: store, known: map[string]cachedSession{}, seen: map[int64]time.Time{}}
}

// Session returns the session that a cookie's text belongs to. A session that another process
// ends works for two more seconds.
func (s *Sessions) Session(ctx context.Context, text string) (access.Session, error) {
	hash := access.Hash(text)
	now := time.Now()
	s.mu.Lock()
	c, ok := s.known[hash]
	s.mu.Unlock()
	if ok && now.Before(c.until) {
		return c.session, nil
	}
	session, err := s.store.SessionByHash(ctx, hash)
	if errors.Is(err, workqueue.ErrNotFound) {
		return access.Session{}, ErrNoSession
	}
	if err != nil {
		return access.Session{}, err
	}
	if s.keep(hash, session, now) {
		if err := s.store.UsedSession(ctx, session.ID, SessionIdle); err != nil {
			return access.Session{}, err
		}
	}
	return session, nil
}

// keep keeps a session for a short time, and reports whether its use must be written.
func (s *Sessions) keep(hash string, session access.Session, now time.Time) (write bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) >= maxCached {
		clear(s.known)
	}
	s.known[hash] = cachedSession{session, now.Add(cacheAge)}
	if now.Sub(s.seen[session.ID]) < seenEvery {
		return false
	}
	if len(s.seen) >= maxCached {
		clear(s.seen)
	}
	s.seen[session.ID] = now
	return true
}

// Forget makes the next lookups ask the database, because a session or a user has changed.
func (s *Sessions) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.known)
}
