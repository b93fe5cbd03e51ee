package database

import (
	"context"
	"net"
	"sync"
	"time"
)

const (
	// quietFor is how long a statement may wait for the first byte of its answer before
	// the server is asked whether it is there; then twice as long, and so on.
	quietFor, quietAtMost = 5 * time.Second, time.Minute

	// gaveUpAfter is how long a statement has waited whose context ended before that, and
	// which has the server asked at its end.
	gaveUpAfter = time.Second

	// answerWithin is how long the server has for its answer.
	answerWithin = 3 * time.Second
)

// servers are the servers of a pool and its connections to them. A server that is frozen
// keeps its connections open and takes what is sent; so each statement would wait for its
// own context, one connection after the other, and one without a deadline for ever. When
// one that waits finds that the server does not react to a new connection either, all
// connections to it are closed.
type servers struct {
	hello func(net.Conn) error

	mu      sync.Mutex
	conns   map[string]map[*watchedConn]bool // by address
	asking  map[string]bool                  // the addresses that are being asked
	silent  map[string]bool                  // the addresses that did not answer when they were last asked
	timings timings
}

// timings are the constants above; tests have shorter ones.
type timings struct{ quiet, quietMost, gaveUp, answer time.Duration }

func newServers(hello func(net.Conn) error) *servers {
	return &servers{
		hello: hello, conns: map[string]map[*watchedConn]bool{}, asking: map[string]bool{}, silent: map[string]bool{},
		timings: timings{quietFor, quietAtMost, gaveUpAfter, answerWithin},
	}
}

// DialContext connects. It is the dialer of both drivers.
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

// isSilent reports whether a server did not answer when it was last asked.
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

// ask asks the server of a connection whether it is there, and closes all connections to
// it if not.
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
		go other.abandon() // it takes the lock
	}
}
