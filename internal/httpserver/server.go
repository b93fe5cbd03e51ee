package httpserver

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// Options configure a server.
type Options struct {
	Listen         string // host:port; port 0 means any free port
	CertFile       string // PEM; "" serves HTTP
	KeyFile        string
	PublicURL      string // "" means the address that is listened on
	TrustedProxies []netip.Prefix
	Limits         Limits
	Timeouts       Timeouts
	Log            zerolog.Logger

	// Observe is called after each request, for metrics; nil: nothing is observed.
	Observe func(r *http.Request, status int, took time.Duration)
}

// Limits bound what callers can use up. All are above 0.
type Limits struct {
	Body      int64 // bytes of a request, unless its handler has a bound of its own
	Requests  int   // of each Lane that are processed at the same time, without those that wait
	Waiting   int   // requests that wait for something to happen, at the same time
	PerSecond int   // requests of a caller a second on average
}

// Timeouts are the times that slow clients get; 0 means the default. Handlers that stream or wait
// change the deadlines of their requests: see Waits, ReadsFor and WritesFor.
type Timeouts struct {
	Header time.Duration // to send the header of a request, or a short body in some lanes, and for the handshake of TLS; 10s
	Read   time.Duration // to send a request; 1m
	Write  time.Duration // from the header of a request until its answer is received; 2m
	Idle   time.Duration // without a request; 2m
}

func (t Timeouts) withDefaults() Timeouts {
	return Timeouts{
		Header: cmp.Or(t.Header, 10*time.Second), Read: cmp.Or(t.Read, time.Minute),
		Write: cmp.Or(t.Write, 2*time.Minute), Idle: cmp.Or(t.Idle, 2*time.Minute),
	}
}

const (
	// maxHeader bounds the header of a request in bytes.
	maxHeader = 32 << 10

	// maxStreams bounds the requests at the same time of one connection of HTTP/2.
	maxStreams = 100
)

// Server is a server that listens.
type Server struct {
	options  Options
	listener net.Listener
	http     *http.Server
	url      string
	certs    *certificates // nil: HTTP

	// draining is closed when Shutdown begins: requests that wait end then.
	draining chan struct{}
	drain    sync.Once
	served   chan struct{} // closed when Serve has ended
	err      error         // of Serve; valid when served is closed
}

// Listen opens the address. Connections wait until Serve.
func Listen(ctx context.Context, o Options) (*Server, error) {
	o.Timeouts = o.Timeouts.withDefaults()
	s := &Server{options: o, draining: make(chan struct{}), served: make(chan struct{})}
	if o.CertFile != "" {
		var err error
		if s.certs, err = loadCertificates(o.CertFile, o.KeyFile, o.Log); err != nil {
			return nil, err
		}
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", o.Listen, err)
	}
	s.listener, s.url = listener, strings.TrimSuffix(o.PublicURL, "/")
	if s.url == "" {
		s.url = URL(listener.Addr().String(), s.certs != nil)
	}
	return s, nil
}

// URL returns the URL of an address.
func URL(address string, encrypted bool) string {
	scheme := "http"
	if encrypted {
		scheme = "https"
	}
	return scheme + "://" + shownAddress(address)
}

// shownAddress returns an address that a browser can open: localhost for one that means every
// network.
func shownAddress(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if addr, err := netip.ParseAddr(host); host == "" || err == nil && addr.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return address
}

// URL returns the address of the server without a slash at the end.
func (s *Server) URL() string { return s.url }

// Draining is closed when the server begins to shut down.
func (s *Server) Draining() <-chan struct{} { return s.draining }

// Serve answers requests with the handler in the background, until Shutdown. A handler that is Laned says
// which limits each request has.
func (s *Server) Serve(handler http.Handler) {
	t := s.options.Timeouts
	s.http = &http.Server{
		Handler: s.protect(handler), ReadHeaderTimeout: t.Header, ReadTimeout: t.Read, IdleTimeout: t.Idle, MaxHeaderBytes: maxHeader,
		ErrorLog: quietLog(s.options.Log),
		// The deadlines of a request end its stream. Only this ends a connection whose client
		// reads nothing.
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxStreams, WriteByteTimeout: t.Write},
	}
	if s.certs != nil {
		s.http.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: s.certs.get}
	}
	go func() {
		defer close(s.served)
		var err error
		if s.certs != nil {
			err = s.http.ServeTLS(s.listener, "", "")
		} else {
			err = s.http.Serve(s.listener)
		}
		if !errors.Is(err, http.ErrServerClosed) {
			s.err = err
		}
	}()
}

// Shutdown accepts no more requests, ends those that wait, and waits for the others until ctx
// ends; then it cuts their connections.
func (s *Server) Shutdown(ctx context.Context) error {
	s.drain.Do(func() { close(s.draining) })
	if s.http == nil {
		return s.listener.Close()
	}
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = s.http.Close()
	}
	<-s.served
	if s.err != nil {
		return s.err
	}
	return err
}

// Failed returns the error with which the server stopped by itself; nil while it runs, and
// after Shutdown.
func (s *Server) Failed() error {
	select {
	case <-s.served:
		return s.err
	default:
		return nil
	}
}
