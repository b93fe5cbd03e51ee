package service

import (
	"context"
	"sync"
	"time"
)

// ExitAbandoned is the exit code of a service whose work did not end in time.
const ExitAbandoned = 3

// rest is how long after the time that it gave itself a stopping service is ended
// without more ado.
const rest = 30 * time.Second

// Work is what a service does. It returns when ctx ends, or before if it cannot go
// on; its result is the exit code, 0 for a good end. The manager takes the service
// for running when life.Ready has been called.
type Work func(ctx context.Context, life *Life) int

// Life reports the state of a service to the manager. Its methods are safe for concurrent use.
type Life struct {
	// now is the time; a test has its own.
	now func() time.Time

	once  sync.Once
	ready chan struct{} // closed by Ready

	mu     sync.Mutex
	stopIn time.Duration // from Ready, as is every
	every  time.Duration
	beaten time.Time // of the last beat; zero before the first
	said   func(text string)
}

func newLife(said func(text string)) *Life {
	return &Life{now: time.Now, ready: make(chan struct{}), said: said}
}

// Ready says that the service goes to work; from a stop on it needs no longer than
// stopIn, and its beats come every so often, or up to twice as far apart.
func (l *Life) Ready(stopIn, every time.Duration) {
	l.once.Do(func() {
		l.mu.Lock()
		l.stopIn, l.every = stopIn, every
		l.mu.Unlock()
		close(l.ready)
	})
}

// Status says in a few words what the service does now.
func (l *Life) Status(text string) { l.said(text) }

// Beat says that the service lives. After the first it has to come again and again.
func (l *Life) Beat() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.beaten = l.now()
}

// patience is how long a stop may take in all.
func (l *Life) patience() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopIn + rest
}
