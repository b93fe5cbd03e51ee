package database

import (
	"context"
	"net"
	"sync"
	"time"
)

const (
	// quietFor is how long a statement may wait for the first byte of its answer before
	// the server is checked. The next checks follow after twice that time, and so on.
	quietFor, quietAtMost = 5 * time.Second, time.Minute

	// gaveUpAfter is the least time that a statement must have waited, so that the server
	// is checked when the context of the statement ends.
	gaveUpAfter = time.Second

	// answerWithin is how long the server may take to respond to the check.
	answerWithin = 3 * time.Second
)

// servers are the servers of a pool and the connections to them. A frozen server keeps
// its connections open and still receives data. Each statement on each connection would
// therefore wait until its context ends, and a statement without a deadline would wait
// forever. When a waiting connection finds that the server does not respond to a new
// connection either, all connections to the server are closed.
type servers struct {
	hello func(net.Conn) error

	mu      sync.Mutex
	conns   map[string]map[*watchedConn]bool // by address
	asking  map[string]bool                  // addresses that are being checked
	silent  map[string]bool                  // addresses that did not respond to the latest check
	timings timings
}

// timings are the constants above; tests use shorter times.
type timings struct{ quiet, quietMost, gaveUp, answer time.Duration }

func newServers(hello func(net.Conn) error) *servers {
	return &servers{
		hello: hello, conns: map[string]map[*watchedConn]bool{}, asking: map[string]bool{}, silent: map[string]bool{},
		timings: timings{quietFor, quietAtMost, gaveUpAfter, answerWithin},
	}
}

// DialContext connects. Both drivers use it as their dialer.
func (s *servers) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := newDialer().DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	switch network {
	case "tcp", "tcp4", "tcp6", "unix":
	default:
		return conn, nil // SQL Server's Browser service
	}
	w := newWatchedConn(s, conn, network, address)
	if d, ok := ctx.Value(dialed{}).(*dialedConns); ok {
		d.add(w)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns[address] == nil {
		s.conns[address] = map[*watchedConn]bool{}
	}
	s.conns[address][w] = true
	return w, nil
}

// isSilent reports whether a server did not respond to its latest check.
func (s *servers) isSilent(address string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.silent[address]
}

func (s *servers) forget(w *watchedConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns[w.address], w)
	if len(s.conns[w.address]) == 0 {
		delete(s.conns, w.address)
	}
}

// ask checks whether the server of a connection responds, and closes all connections to
// it if it does not.
func (s *servers) ask(w *watchedConn) {
	s.mu.Lock()
	if s.asking[w.address] {
		s.mu.Unlock()
		return
	}
	s.asking[w.address] = true
	s.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), s.timings.answer)
	defer cancel()
	alive := answers(ctx, w.network, w.address, s.hello)

	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asking, w.address)
	if alive {
		delete(s.silent, w.address)
		return
	}
	s.silent[w.address] = true
	for other := range s.conns[w.address] {
		go other.abandon() // it needs the lock
	}
}
