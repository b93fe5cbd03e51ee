package database

import (
	"net"
	"sync"
	"time"
)

// watchedConn is a connection that checks its server if an answer takes too long.
type watchedConn struct {
	net.Conn
	servers          *servers
	network, address string

	mu      sync.Mutex
	timer   *time.Timer
	reads   int           // the number of reads; guarded by mu
	reading bool          // guarded by mu
	quiet   time.Duration // the time until the server is checked; guarded by mu
	closed  bool          // guarded by mu
}

func newWatchedConn(s *servers, conn net.Conn, network, address string) *watchedConn {
	w := &watchedConn{Conn: conn, servers: s, network: network, address: address}
	w.timer = time.AfterFunc(time.Hour, w.look)
	w.timer.Stop()
	return w
}

// Read implements net.Conn.
func (w *watchedConn) Read(b []byte) (int, error) {
	w.mu.Lock()
	w.reads++
	w.reading, w.quiet = true, w.servers.timings.quiet
	if !w.closed {
		w.timer.Reset(w.quiet)
	}
	w.mu.Unlock()
	since := time.Now()
	n, err := w.Conn.Read(b)
	w.mu.Lock()
	w.reading = false
	w.timer.Stop()
	w.mu.Unlock()
	if err != nil && isTimeout(err) && time.Since(since) > w.servers.timings.gaveUp {
		// The context of a statement has ended, and its connection is removed from the
		// pool. The next statement would use another connection to the same server.
		go w.servers.ask(w)
	}
	return n, err
}

// look is called when a read has waited for a long time.
func (w *watchedConn) look() {
	w.mu.Lock()
	read := w.reads
	waits := w.reading && !w.closed
	w.mu.Unlock()
	if !waits {
		return
	}
	w.servers.ask(w)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reading && w.reads == read && !w.closed {
		w.quiet = min(2*w.quiet, w.servers.timings.quietMost)
		w.timer.Reset(w.quiet)
	}
}

// Close implements net.Conn.
func (w *watchedConn) Close() error {
	w.mu.Lock()
	w.closed = true
	w.timer.Stop()
	w.mu.Unlock()
	w.servers.forget(w)
	return w.Conn.Close()
}

// abandon closes a connection to a server that does not respond, so that its reads and
// writes return errors. The driver then closes it as well.
func (w *watchedConn) abandon() { _ = w.Conn.Close() }
