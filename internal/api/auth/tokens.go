package auth

import (
	"context"
	"errors"
	"sync"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// The errors of Token.
var (
	// ErrUnknown is returned for a token that does not exist. It is also returned for a text
	// that is no token, so that answers do not help to guess.
	ErrUnknown = errors.New("unknown token")
	ErrRevoked = errors.New("the token was revoked")
	ErrExpired = errors.New("the token has expired")
)

// cacheAge is how long a token that was looked up is used without asking the database again.
// A token that another process revokes works for that long.
const cacheAge = 2 * time.Second

// maxCached bounds the tokens that are kept; more than that are looked up each time.
const maxCached = 10_000

// Tokens looks up API tokens. It is safe for concurrent use.
type Tokens struct {
	store access.TokenStore

	mu    sync.Mutex
	known map[string]cached // by hash
	used  map[int64]bool    // since the last Record
}

type cached struct {
	token  access.Token
	offset time.Duration // of the database's clock against this process's
	until  time.Time
}

// NewTokens returns a lookup over a store.
func NewTokens(store access.TokenStore) *Tokens {
	return &Tokens{store: store, known: map[string]cached{}, used: map[int64]bool{}}
}

// Token returns the caller that a token belongs to, or why it has none. Tokens are found by the
// SHA-256 of their text, so the time that a lookup takes says nothing about a token's text.
func (t *Tokens) Token(ctx context.Context, text string) (*access.Principal, error) {
	hash := access.Hash(text)
	now := time.Now()
	t.mu.Lock()
	c, ok := t.known[hash]
	t.mu.Unlock()
	if !ok || now.After(c.until) {
		token, clock, err := t.store.TokenByHash(ctx, hash)
		if errors.Is(err, workqueue.ErrNotFound) {
			return nil, ErrUnknown
		}
		if err != nil {
			return nil, err
		}
		c = cached{token: token, offset: clock.Sub(now), until: now.Add(cacheAge)}
		t.keep(hash, c)
	}
	switch {
	case c.token.RevokedAt != nil:
		return nil, ErrRevoked
	case !c.token.Works(now.Add(c.offset)):
		return nil, ErrExpired
	}
	t.mu.Lock()
	t.used[c.token.ID] = true
	t.mu.Unlock()
	p := c.token.Principal()
	return &p, nil
}

func (t *Tokens) keep(hash string, c cached) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) >= maxCached {
		clear(t.known)
	}
	t.known[hash] = c
}

// Forget makes the next lookups ask the database, because a token has changed.
func (t *Tokens) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.known)
}

// Record writes which tokens were used since the last call.
func (t *Tokens) Record(ctx context.Context) error {
	t.mu.Lock()
	ids := make([]int64, 0, len(t.used))
	for id := range t.used {
		ids = append(ids, id)
	}
	clear(t.used)
	t.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	return t.store.UsedTokens(ctx, ids)
}
