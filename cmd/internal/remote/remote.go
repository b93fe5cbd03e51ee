// Package remote is what commands call over the HTTP API of a server in place of a database: the
// methods of the store that they use, with the same types. What the server answers is the JSON of
// these types.
package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"botwork/client"
)

// Options are where the server is.
type Options struct {
	Server string // such as https://botwork.example.com
	Token  string
	CAFile string // certificates of authorities in addition to those of the system, PEM; "": none
}

// NoToken is the token of commands whose operations need none. The server does not read it.
const NoToken = "none"

// The bounds of the requests of a command, behind which a person waits.
const (
	timeout  = 20 * time.Second
	attempts = 4

	longTimeout = 10*time.Minute + timeout // of a check of the whole database
)

// Server is a server.
type Server struct {
	api     *client.Client
	patient *client.Client // for what takes minutes; sends a request once
	address string
	close   func()

	noCheck bool
	parts   map[string]*changePart // of changes of many items, by batch
}

// Open returns the server. It sends nothing.
func Open(o Options) (*Server, error) {
	if err := checkAddress(o.Server); err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if o.CAFile != "" {
		roots, err := authorities(o.CAFile)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	plain := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	api, err := client.New(o.Server, o.Token, client.Options{HTTP: plain, Attempts: attempts, Timeout: timeout})
	if err != nil {
		return nil, err
	}
	patient, err := client.New(o.Server, o.Token, client.Options{HTTP: plain, Attempts: 1, Timeout: longTimeout})
	return &Server{api: api, patient: patient, address: strings.TrimRight(o.Server, "/"), close: transport.CloseIdleConnections, parts: map[string]*changePart{}}, err
}

// Close closes the connections.
func (s *Server) Close() error {
	s.close()
	return nil
}

// checkAddress accepts https, and http only on this machine: the token must not travel in clear.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the server's address: got %q, want one such as https://botwork.example.com", address)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the server's address: got one with a user, a query or a fragment, want one such as https://botwork.example.com")
	case u.Scheme == "https" || isLoopback(u.Hostname()):
		return nil
	}
	return fmt.Errorf("the server's address: got %q, want https: over http the token could be read on its way, so http is only for this machine (localhost)", address)
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || host == "localhost"
}

func authorities(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the file of certificate authorities: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("the file of certificate authorities %s has no certificate, want PEM", file)
	}
	return roots, nil
}

// get reads a value.
func get[T any](ctx context.Context, s *Server, query url.Values, path ...string) (v T, err error) {
	err = s.api.Get(ctx, escaped(path), query, &v)
	return v, s.failed(err)
}

// list reads the items of a list that has one page.
func list[T any](ctx context.Context, s *Server, query url.Values, path ...string) ([]T, error) {
	answer, err := get[struct {
		Items []T `json:"items"`
	}](ctx, s, query, path...)
	return answer.Items, err
}

// all reads all pages of a list.
func all[T any](ctx context.Context, s *Server, path ...string) ([]T, error) {
	items := []T{}
	for it, err := range client.Pages[T](ctx, s.api, escaped(path), nil, 0) {
		if err != nil {
			return nil, s.failed(err)
		}
		items = append(items, *it)
	}
	return items, nil
}

// escaped returns a path of these elements.
func escaped(elements []string) string {
	var path strings.Builder
	for _, e := range elements {
		path.WriteString("/" + url.PathEscape(e))
	}
	return path.String()
}

// decoded decodes values that the client has kept as the server has sent them.
func decoded[T any](texts []json.RawMessage) ([]T, error) {
	all := make([]T, len(texts))
	for i, text := range texts {
		if err := json.Unmarshal(text, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}
