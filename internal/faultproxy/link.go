package faultproxy

import (
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// link is one connection of a client and its connection to the server; server is nil if
// the connection was half-open from the start.
type link struct {
	p              *Proxy
	client, server *net.TCPConn

	over     chan struct{} // closed when both ends are closed
	overOnce sync.Once
	hole     atomic.Bool // it has dropped bytes, and drops all later ones

	cut   atomic.Bool // the next answer is lost
	began bool        // owned by the goroutine of the requests: see TruncateResponseTo

	// Owned by the goroutine of the answers: how many bytes are still passed
	// on in this era.
	era  uint64
	left int
}

// join passes on bytes between a client and the server until one of them, or the
// test, ends it.
func (p *Proxy) join(of net.Listener, client *net.TCPConn) {
	l := &link{p: p, client: client, over: make(chan struct{})}
	fault, _, _ := p.now()
	if half := fault.kind == swallowing && fault.after == 0; half {
		l.hole.Store(true)
	} else {
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			_ = client.Close() // like a server that refuses
			return
		}
		l.server = server.(*net.TCPConn)
	}
	p.mu.Lock()
	fault = p.fault
	cut := p.listener != of
	if !cut {
		p.links[l] = true
	}
	p.mu.Unlock()
	if cut {
		l.close()
	} else if fault.kind == resetting && fault.after == 0 {
		l.reset()
	}
	var both sync.WaitGroup
	both.Go(func() { l.pump(l.client, l.server, false) })
	if l.server != nil {
		both.Go(func() { l.pump(l.server, l.client, true) })
	}
	both.Wait()
	l.close()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

// pump passes on the bytes of one direction.
func (l *link) pump(from, to *net.TCPConn, answers bool) {
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		if !answers {
			l.p.watch(l, piece[:n])
		} else if l.cut.Load() {
			l.p.lose(l)
			return
		}
		if n > 0 && !l.carry(to, piece[:n], answers) {
			return
		}
		if err != nil {
			if !l.hole.Load() { // otherwise the other end is not notified
				l.close()
			}
			return
		}
	}
}

// carry applies the current fault to a piece; it returns false if the
// connection has ended.
func (l *link) carry(to *net.TCPConn, piece []byte, answers bool) bool {
	for {
		fault, era, changed := l.p.now()
		if l.hole.Load() {
			return true
		}
		pass := len(piece) // the bytes before the fault begins
		if fault.after > 0 {
			if answers {
				pass = l.allowance(era, fault.after-1, len(piece))
			}
		} else if fault.kind != passing && fault.kind != delaying {
			pass = 0
		}
		if fault.kind == delaying && !l.wait(nil, fault.least+rand.N(fault.jitter+1)) {
			return false
		}
		if pass > 0 {
			if answers {
				// First, because a client that has read the answer may check its length.
				l.p.answered.Add(int64(pass))
			}
			if _, err := to.Write(piece[:pass]); err != nil {
				l.close()
				return false
			}
		}
		if piece = piece[pass:]; len(piece) == 0 {
			return true
		}
		switch fault.kind {
		case resetting:
			l.reset()
			return false
		case swallowing:
			l.hole.Store(true)
			return true
		default:
			if !l.wait(changed, 0) {
				return false
			}
		}
	}
}

// allowance returns how many of n bytes of answers may pass in this era, with this
// limit.
func (l *link) allowance(era uint64, limit, n int) int {
	if l.era != era {
		l.era, l.left = era, limit
	}
	pass := min(n, l.left)
	l.left -= pass
	return pass
}

// wait waits for the next fault, or for a time; it returns false if the connection ended.
func (l *link) wait(changed <-chan struct{}, d time.Duration) bool {
	var late <-chan time.Time
	if changed == nil {
		timer := time.NewTimer(d)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-changed:
		return true
	case <-late:
		return true
	case <-l.over:
		return false
	}
}

// reset ends both connections with an RST.
func (l *link) reset() {
	for _, conn := range []*net.TCPConn{l.client, l.server} {
		if conn != nil {
			_ = conn.SetLinger(0) // it may already be closed
		}
	}
	l.close()
}

func (l *link) close() {
	l.overOnce.Do(func() { close(l.over) })
	for _, conn := range []*net.TCPConn{l.client, l.server} {
		if conn != nil {
			_ = conn.Close() // closed on purpose
		}
	}
}
