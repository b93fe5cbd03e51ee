package api

import (
	"net/http"
	"strings"

	"botwork/internal/httpserver"
)

// entrance is the handler of everything that the API answers.
type entrance struct{ *API }

var _ httpserver.Laned = entrance{}

// ServeHTTP implements http.Handler.
func (e entrance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler, pattern := e.mux.Handler(r)
	if pattern == "" {
		e.serveUnknown(w, r, handler)
		return
	}
	e.mux.ServeHTTP(w, r)
}

// Lane implements httpserver.Laned. An operation that needs a caller is General, also for a request without
// one: it is refused before its body is read.
func (e entrance) Lane(r *http.Request) httpserver.Lane {
	if !strings.HasPrefix(r.URL.Path, Prefix+"/") {
		switch r.URL.Path {
		case "/livez", "/readyz":
			return httpserver.Health
		case "/metrics":
			return httpserver.General
		}
		return httpserver.Public
	}
	_, pattern := e.mux.Handler(r)
	return e.lanes[pattern]
}

// lane returns the lane of the requests of an operation.
func (op *operation) lane() httpserver.Lane {
	switch {
	case op.keepsLease:
		return httpserver.Heartbeat
	case op.open:
		return httpserver.Public
	}
	return httpserver.General
}
