package auth

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

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

// seenEvery is how often the use of a session is written. A session that is not used ends that much earlier
// at most.
const seenEvery = 20 * time.Minute

// sessionAge is how long a session that was looked up is used without asking the database again. A session
// that another process ends works for that long; one that this process ends is refused at once, by Forget.
const sessionAge = 5 * time.Second

// usedFor is how long a session that is no longer used is read together with the others.
const usedFor = time.Minute

// maxAtOnce bounds the sessions that one statement reads.
const maxAtOnce = 1000

// lookupTime bounds a statement that several requests wait for.
const lookupTime = 10 * time.Second

// ErrNoSession is returned for a session that has ended or never existed, or whose user is
// disabled.
var ErrNoSession = errors.New("the session has ended")

// Sessions looks up sessions. It is safe for concurrent use. One statement reads all sessions that are in use,
// so that many open browsers cost as much as one.
type Sessions struct {
	store access.UserStore

	mu        sync.Mutex
	known     map[string]*knownSession // by hash
	seen      map[int64]time.Time      // when the use of a session was written last
	lookup    *sessionLookup           // the latest one that has not ended; nil: none
	forgotten int                      // how often Forget was called
}

type knownSession struct {
	session access.Session
	until   time.Time // the database need not be asked before
	used    time.Time
}

// sessionLookup is a statement that reads sessions.
type sessionLookup struct {
	hashes    []string
	forgotten int           // that of Sessions when it began
	done      chan struct{} // closed when found and err are set
	found     map[string]access.Session
	err       error
}

// NewSessions returns a lookup over a store.
func NewSessions(store access.UserStore) *Sessions {
	return &Sessions{store: store, known: map[string]*knownSession{}, seen: map[int64]time.Time{}}
}

// Session returns the session that a cookie's text belongs to, as it was sessionAge ago at most.
func (s *Sessions) Session(ctx context.Context, text string) (access.Session, error) {
	hash := access.Hash(text)
	for {
		now := time.Now()
		session, lookup, mine := s.find(hash, now)
		if lookup == nil {
			return session, nil
		}
		if mine {
			s.read(ctx, lookup, now)
		}
		select {
		case <-lookup.done:
		case <-ctx.Done():
			return access.Session{}, ctx.Err()
		}
		if s.outdated(lookup) {
			continue
		}
		if lookup.err != nil {
			return access.Session{}, lookup.err
		}
		session, ok := lookup.found[hash]
		if !ok {
			return access.Session{}, ErrNoSession
		}
		if s.writes(session.ID, now) {
			if err := s.store.UsedSession(ctx, session.ID, SessionIdle); err != nil {
				return access.Session{}, err
			}
		}
		return session, nil
	}
}

// find returns a session that is known, or the lookup that reads it. The caller makes the lookup if it is a
// new one.
func (s *Sessions) find(hash string, now time.Time) (session access.Session, lookup *sessionLookup, begins bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.known[hash]; c != nil {
		c.used = now
		if now.Before(c.until) {
			return c.session, nil, false
		}
	}
	if s.lookup != nil && s.lookup.forgotten == s.forgotten && slices.Contains(s.lookup.hashes, hash) {
		return session, s.lookup, false
	}
	hashes := []string{hash}
	for other, c := range s.known {
		if now.Sub(c.used) > usedFor {
			delete(s.known, other)
		} else if other != hash && len(hashes) < maxAtOnce {
			hashes = append(hashes, other)
		}
	}
	s.lookup = &sessionLookup{hashes: hashes, forgotten: s.forgotten, done: make(chan struct{})}
	return session, s.lookup, true
}

// read makes a lookup. Other requests wait for it, so it does not end with the caller's.
func (s *Sessions) read(ctx context.Context, l *sessionLookup, now time.Time) {
	defer close(l.done)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTime)
	defer cancel()
	l.found, l.err = s.store.SessionsByHash(ctx, l.hashes)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lookup == l {
		s.lookup = nil
	}
	if l.err != nil || l.forgotten != s.forgotten {
		return
	}
	for _, hash := range l.hashes {
		session, ok := l.found[hash]
		if !ok {
			delete(s.known, hash)
			continue
		}
		if c := s.known[hash]; c != nil {
			c.session, c.until = session, now.Add(sessionAge)
		} else if len(s.known) < maxCached {
			s.known[hash] = &knownSession{session, now.Add(sessionAge), now}
		}
	}
}

// outdated reports whether sessions were forgotten after a lookup had begun.
func (s *Sessions) outdated(l *sessionLookup) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return l.forgotten != s.forgotten
}

// writes reports whether the use of a session must be written, and notes that it is.
func (s *Sessions) writes(id int64, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.seen[id]) < seenEvery {
		return false
	}
	if len(s.seen) >= maxCached {
		clear(s.seen)
	}
	s.seen[id] = now
	return true
}

// Forget makes the next lookups ask the database, because a session or a user has changed.
func (s *Sessions) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgotten++
	clear(s.known)
}
