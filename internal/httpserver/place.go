package httpserver

import (
	"context"
	"sync"
)

// place is what a request uses of its lane. A nil place uses nothing.
type place struct {
	lane *lane
	of   string // the client's network

	mu        sync.Mutex
	processed bool // is one of the processed requests of the lane
	left      bool // uses nothing any more
	bytes     int64
}

// begin makes the request one of those that are processed. It returns false if there are as many as may.
func (p *place) begin() bool {
	select {
	case p.lane.processed <- struct{}{}:
		p.processed = true
		return true
	default:
		return false
	}
}

// pause makes room for another request while this one waits for the network, however slow its client is.
// The caller calls the function before it goes on, which waits until it may.
func (p *place) pause(ctx context.Context) (resume func()) {
	if p == nil {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLocked()
	return func() { p.resume(ctx) }
}

func (p *place) resume(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left || p.processed {
		return
	}
	select {
	case p.lane.processed <- struct{}{}:
		p.processed = true
	case <-ctx.Done(): // the client has gone: the handler ends soon
	}
}

func (p *place) endLocked() {
	if p.processed {
		p.processed = false
		<-p.lane.processed
	}
}

// keep reserves memory for bytes of the body. It returns false if there is none left.
func (p *place) keep(bytes int64) bool {
	if p == nil {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left {
		return true
	}
	if !p.lane.keep(p.of, bytes) {
		return false
	}
	p.bytes += bytes
	return true
}

// leave gives everything back.
func (p *place) leave() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left {
		return
	}
	p.endLocked()
	p.left = true
	p.lane.exit(p.of, p.bytes)
}
