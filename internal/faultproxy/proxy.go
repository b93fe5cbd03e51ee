package faultproxy

import (
	"math/rand/v2"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// Proxy passes on the connections between a program and its database server. Its
// methods may be called from several goroutines.
type Proxy struct {
	t              testing.TB
	server, listen string
	loops          sync.WaitGroup
	answered       atomic.Int64
	watched        atomic.Pointer[watched]

	mu       sync.Mutex
	listener net.Listener // nil: connections are refused
	links    map[*link]bool
	fault    Fault
	era      uint64        // counts the faults
	changed  chan struct{} // closed when the next fault is set
}

// New returns a proxy that refuses connections until Restore, and the DSN of a
// database through it. It ends with the test. If the DSN is not a URL with a host, the
// test is skipped.
func New(t testing.TB, dsn string) (p *Proxy, through string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil || u.Host == "" {
		t.Skip("the server's DSN is not a URL with a host, so it cannot use a proxy")
	}
	p = &Proxy{t: t, server: u.Host, listen: FreeAddress(t), links: map[*link]bool{}, changed: make(chan struct{})}
	t.Cleanup(func() {
		p.Cut()
		p.loops.Wait()
	})
	u.Host = p.listen
	return p, u.String()
}

// FreeAddress returns a loopback address on which nothing listens. Its host is not 127.0.0.1, so other
// tests that ask for a free port there cannot take it before the caller listens on it.
func FreeAddress(t testing.TB) string {
	t.Helper()
	host := net.IPv4(127, byte(1+rand.IntN(254)), byte(rand.IntN(256)), byte(1+rand.IntN(254)))
	l, err := net.Listen("tcp", net.JoinHostPort(host.String(), "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Addr is the address of the proxy.
func (p *Proxy) Addr() string { return p.listen }

// ResponseBytes returns how many bytes of answers have been passed on so far, including at
// least those that a client has read.
func (p *Proxy) ResponseBytes() int64 { return p.answered.Load() }

// Links returns the number of connections that are open at one end or both.
func (p *Proxy) Links() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

// Restore accepts connections again and passes on their bytes.
func (p *Proxy) Restore() {
	p.t.Helper()
	p.Set(Fault{})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		return
	}
	listener, err := net.Listen("tcp", p.listen)
	if err != nil {
		p.t.Error(err)
		return
	}
	p.listener = listener
	p.loops.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // cut
			}
			p.loops.Go(func() { p.join(listener, client.(*net.TCPConn)) })
		}
	})
}

// Set sets the fault for all bytes from now on.
func (p *Proxy) Set(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = f
	p.era++
	close(p.changed)
	p.changed = make(chan struct{})
	if f.kind == resetting && f.after == 0 {
		p.endLocked((*link).reset)
	}
}

// Drop closes the current connections with an RST; new ones are accepted.
func (p *Proxy) Drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLocked((*link).reset)
}

// Cut closes all connections gracefully and refuses new ones, like a server that
// is shut down.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		p.listener.Close()
		p.listener = nil
	}
	p.endLocked((*link).close)
}

func (p *Proxy) endLocked(end func(*link)) {
	for l := range p.links {
		end(l)
	}
	clear(p.links)
}

// now returns the current fault, its number, and a channel that is closed at the next fault.
func (p *Proxy) now() (Fault, uint64, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault, p.era, p.changed
}
