//go:build unix

package e2e

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"botwork/internal/testdb"
)

// proxy stands between a program and its database server, so that a test can
// take the database away.
type proxy struct {
	t              *testing.T
	server, listen string

	mu       sync.Mutex
	listener net.Listener
	conns    map[net.Conn]bool
	loops    sync.WaitGroup
}

// newProxy returns a proxy that is cut, and the DSN of a database behind it
// with the password.
func newProxy(t *testing.T, dsn, password string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil || u.Host == "" {
		t.Skip("the server's DSN is no URL with a host: there is no place for a proxy")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, server: u.Host, listen: free.Addr().String(), conns: map[net.Conn]bool{}}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.cut()
		p.loops.Wait()
	})
	u.Host, u.User = p.listen, url.UserPassword(u.User.Username(), password)
	return p, u.String()
}

// restore lets connections through.
func (p *proxy) restore() {
	p.t.Helper()
	listener, err := net.Listen("tcp", p.listen)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	p.listener = listener
	p.mu.Unlock()
	p.loops.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // cut
			}
			p.loops.Go(func() { p.join(listener, client) })
		}
	})
}

// join carries bytes between a client and the server until one of them, or the
// test, has enough.
func (p *proxy) join(of net.Listener, client net.Conn) {
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.conns[client], p.conns[server] = true, true
	if p.listener != of { // cut meanwhile
		client.Close()
		server.Close()
	}
	p.mu.Unlock()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // either end may go at any time
			way[0].Close()
		})
	}
	both.Wait()
}

// cut ends all connections and refuses new ones.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		p.listener.Close()
		p.listener = nil
	}
	for conn := range p.conns {
		conn.Close()
	}
	clear(p.conns)
}

// eachServer runs a test for each engine that a program reaches over a network.
func eachServer(t *testing.T, test func(t *testing.T, e testdb.Engine)) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Server == "" {
			t.Skip("an embedded database does not go away")
		}
		test(t, e)
	})
}
