package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// stubServer is a server that accepts connections.
type stubServer struct {
	net.Listener
	accepted atomic.Int32
	frozen   atomic.Bool // it no longer sends anything
}

func newStubServer(t *testing.T, serve func(net.Conn)) *stubServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &stubServer{Listener: l}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.accepted.Add(1)
			t.Cleanup(func() { _ = conn.Close() })
			if !s.frozen.Load() {
				go serve(conn)
			}
		}
	}()
	return s
}

// untilClosed closes a connection when the client does, as PostgreSQL does.
func untilClosed(conn net.Conn) {
	_, _ = io.Copy(io.Discard, conn)
	_ = conn.Close()
}

func quick(s *servers) *servers {
	s.timings = timings{quiet: 20 * time.Millisecond, quietMost: 40 * time.Millisecond, gaveUp: 10 * time.Millisecond, answer: 200 * time.Millisecond}
	return s
}

func TestConnectionsToFrozenServerAreClosed(t *testing.T) {
	server := newStubServer(t, untilClosed)
	s := quick(newServers(closeWriting))
	var conns []net.Conn
	for range 3 {
		conn, err := s.DialContext(t.Context(), "tcp", server.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
	}
	reads := make(chan error, len(conns))
	read := func(conn net.Conn) {
		_, err := conn.Read(make([]byte, 1))
		reads <- err
	}
	go read(conns[0])
	// While the server is slow, it is checked again and again and found alive.
	for server.accepted.Load() < 6 {
		select {
		case err := <-reads:
			t.Fatalf("a read from a slow server = %v, want it to wait", err)
		case <-time.After(time.Millisecond):
		}
	}
	if s.isSilent(server.Addr().String()) {
		t.Error("a server that responds is marked as silent")
	}
	server.frozen.Store(true)
	if err := <-reads; !errors.Is(err, net.ErrClosed) {
		t.Errorf("a read from a frozen server = %v, want the connection to be closed", err)
	}
	for _, conn := range conns[1:] { // including those in the pool
		read(conn)
		if err := <-reads; !errors.Is(err, net.ErrClosed) {
			t.Errorf("a read from another connection = %v, want it to be closed", err)
		}
	}
	if !s.isSilent(server.Addr().String()) {
		t.Error("the server is not marked as silent")
	}
}

// TestDeadlineProbesServer checks that the server is also checked when a context ends
// first. Otherwise each statement with a short deadline would use up one connection of
// the pool.
func TestDeadlineProbesServer(t *testing.T) {
	server := newStubServer(t, untilClosed)
	s := newServers(closeWriting)
	s.timings.gaveUp, s.timings.answer = 10*time.Millisecond, 100*time.Millisecond
	var conns [2]net.Conn
	for i := range conns {
		var err error
		if conns[i], err = s.DialContext(t.Context(), "tcp", server.Addr().String()); err != nil {
			t.Fatal(err)
		}
		defer conns[i].Close()
	}
	server.frozen.Store(true)
	if err := conns[0].SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := conns[0].Read(make([]byte, 1)); !isTimeout(err) {
		t.Errorf("Read = %v, want a timeout", err)
	}
	if _, err := conns[1].Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Read of the other connection = %v, want it to be closed", err)
	}
}

func TestProbePacketOfSQLServer(t *testing.T) {
	got := make(chan []byte, 1)
	server := newStubServer(t, func(conn net.Conn) {
		packet := make([]byte, len(prelogin))
		_, _ = io.ReadFull(conn, packet)
		got <- packet
		_, _ = conn.Write([]byte{4})
	})
	if !answers(t.Context(), "tcp", server.Addr().String(), sendPrelogin) {
		t.Error("a server that responds is reported as silent")
	}
	packet := <-got
	if length := int(packet[2])<<8 | int(packet[3]); packet[0] != 0x12 || length != len(packet) {
		t.Errorf("the packet % x has type %#x and length %d, want 0x12 and %d", packet, packet[0], length, len(packet))
	}
	if offset := int(packet[8+1])<<8 | int(packet[8+2]); 8+offset+6 != len(packet) || packet[8+5] != 0xff {
		t.Errorf("the packet % x has its version at %d, want at its end", packet, offset)
	}
}

// TestSQLServerThatDoesNotRespond checks the time between the TCP handshake and the end
// of the login, for which go-mssqldb has no limit.
func TestSQLServerThatDoesNotRespond(t *testing.T) {
	server := newStubServer(t, func(net.Conn) {})
	db, err := Open(SQLServer, fmt.Sprintf("sqlserver://sa:x@%s?encrypt=disable", server.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	returned := make(chan error, 1)
	go func() { returned <- db.PingContext(ctx) }()
	select {
	case err := <-returned:
		if err == nil {
			t.Error("Ping = nil")
		}
	case <-time.After(30 * time.Second):
		t.Error("it still waits, long after its context has ended")
	}
}

// TestSecondHostIsTriedInTime checks a DSN without connect_timeout whose first host is
// frozen: the second host must be tried before the caller's time ends.
func TestSecondHostIsTriedInTime(t *testing.T) {
	frozen := newStubServer(t, func(net.Conn) {})
	second := newStubServer(t, func(conn net.Conn) { _ = conn.Close() })
	db, err := Open(Postgres, fmt.Sprintf("postgres://u@%s,%s/db?target_session_attrs=read-write&sslmode=disable", frozen.Addr(), second.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := db.PingContext(ctx); err == nil || second.accepted.Load() == 0 {
		t.Errorf("Ping = %v, the second host was asked %d times; want an error of the second host", err, second.accepted.Load())
	}
	listening, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	before := second.accepted.Load()
	if _, err := ListenPostgres(listening, fmt.Sprintf("postgres://u@%s,%s/db?sslmode=disable", frozen.Addr(), second.Addr())); err == nil || second.accepted.Load() == before {
		t.Errorf("ListenPostgres = %v, and the second host was not asked", err)
	}
}

func TestConnectTimeout(t *testing.T) {
	for dsn, want := range map[string]time.Duration{
		"postgres://u@h/db":                    5 * time.Second,
		"host=h user=u connect_timeout=42":     42 * time.Second,
		"postgres://u@h/db?connect_timeout=42": 42 * time.Second,
	} {
		config, err := pgx.ParseConfig(dsn)
		if err != nil {
			t.Fatal(err)
		}
		newHosts(config, nil).order(t.Context(), config)
		if config.ConnectTimeout != want {
			t.Errorf("%s: connect timeout %v, want %v", dsn, config.ConnectTimeout, want)
		}
	}
}

// TestOrderOfHosts checks that the order of the hosts changes only if the DSN requires a
// certain server.
func TestOrderOfHosts(t *testing.T) {
	for attrs, want := range map[string]string{"read-write": "10.0.0.2 10.0.0.3 10.0.0.1", "any": "10.0.0.1 10.0.0.2 10.0.0.3"} {
		config, err := pgx.ParseConfig("postgres://u@10.0.0.1,10.0.0.2,10.0.0.3/db?sslmode=disable&target_session_attrs=" + attrs)
		if err != nil {
			t.Fatal(err)
		}
		s := newServers(closeWriting)
		h := newHosts(config, s)
		s.silent["10.0.0.1:5432"] = true
		h.good = "10.0.0.2:5432"
		h.order(t.Context(), config)
		got := []string{config.Host}
		for _, f := range config.Fallbacks {
			got = append(got, f.Host)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: order %v, want %v", attrs, got, want)
		}
	}
}
