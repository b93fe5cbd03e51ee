package service

import (
	"context"
	"sync"
	"time"
)

// ExitAbandoned is the exit code of a service whose work did not end in time.
const ExitAbandoned = 3

// stopMargin is how long a stopping service may exceed its own stop time before it is ended.
const stopMargin = 30 * time.Second

// Work is the work of a service. It returns when ctx ends, or earlier if it cannot
// continue. Its result is the exit code; 0 means success. The manager treats the service
// as running after life.Ready was called.
type Work func(ctx context.Context, life *Life) int

// Life reports the state of a service to the manager. Its methods are safe for concurrent use.
type Life struct {
	// now returns the time; tests may replace it.
	now func() time.Time

	once  sync.Once
	ready chan struct{} // closed by Ready

	mu        sync.Mutex
	stopIn    time.Duration // set by Ready, like every
	every     time.Duration
	lastBeat  time.Time // zero before the first heartbeat
	setStatus func(text string)
}

func newLife(setStatus func(text string)) *Life {
	return &Life{now: time.Now, ready: make(chan struct{}), setStatus: setStatus}
}

// Ready reports that the service is running. After a stop request it needs at most stopIn. It
// calls Beat at the interval every, or at most twice that interval.
func (l *Life) Ready(stopIn, every time.Duration) {
	l.once.Do(func() {
		l.mu.Lock()
		l.stopIn, l.every = stopIn, every
		l.mu.Unlock()
		close(l.ready)
	})
}

// Status reports in a few words what the service does now.
func (l *Life) Status(text string) { l.setStatus(text) }

// Beat is a heartbeat: it reports that the service is alive. After the first call, it must be
// called regularly.
func (l *Life) Beat() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastBeat = l.now()
}

// patience returns how long a stop may take in total.
func (l *Life) patience() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopIn + stopMargin
}
