package httpserver_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"botwork/internal/httpserver"
)

// A handler that streams may allow a longer body than others; its own bound still applies.
func TestLongBody(t *testing.T) {
	s := start(t, httpserver.Options{Limits: httpserver.Limits{Body: 100, Requests: 2, Waiting: 1, PerSecond: 30}}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			httpserver.LongBody(r.Context(), 200)
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		fmt.Fprint(w, "ok")
	})
	for _, c := range []struct {
		path   string
		size   int
		status int
	}{{"/", 100, 200}, {"/", 101, 413}, {"/long", 101, 200}, {"/long", 200, 200}, {"/long", 201, 413}} {
		res, body := get(t, s.URL()+c.path, func(r *http.Request) {
			r.Method, r.Body = http.MethodPost, io.NopCloser(strings.NewReader(strings.Repeat("x", c.size)))
		})
		if res.StatusCode != c.status {
			t.Errorf("%s with %d bytes: got %d %s, want %d", c.path, c.size, res.StatusCode, body, c.status)
		}
	}
}
