package dashboard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// canned is an API without anything in it, which counts how often it is asked for what.
type canned struct {
	mu    sync.Mutex
	asked map[string]int
}

func (c *canned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, apiPrefix)
	c.mu.Lock()
	c.asked[path]++
	c.mu.Unlock()
	switch path {
	case "/auth/session":
		fmt.Fprint(w, `{"name":"ada","role":"viewer"}`)
	default:
		fmt.Fprint(w, `{"items":[]}`)
	}
}

// Many open pages ask the API for what needs attention once in ten seconds, not once each.
func TestStandingIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &canned{asked: map[string]int{}}
		d, err := New(Options{API: api, Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		load := func() {
			t.Helper()
			var all sync.WaitGroup
			for i := range 100 {
				path := "/audit"
				if i%2 == 0 {
					path = "/standing"
				}
				all.Go(func() {
					got := httptest.NewRecorder()
					d.ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
					if got.Code != http.StatusOK {
						t.Errorf("GET %s: status %d: %.200s", path, got.Code, got.Body)
					}
				})
			}
			all.Wait()
		}
		want := func(n, slow int) {
			t.Helper()
			for path, n := range map[string]int{"/report": slow, "/runs": slow, "/workers": n, "/queues": n, "/stats/queues": n} {
				if api.asked[path] != n {
					t.Errorf("%s was asked for %d times, want %d", path, api.asked[path], n)
				}
			}
		}
		load()
		want(1, 1)
		time.Sleep(standingFor - time.Millisecond)
		load()
		want(1, 1)
		time.Sleep(2 * time.Millisecond)
		load()
		want(2, 1)
		time.Sleep(slowestPace)
		load()
		want(3, 2)
	})
}

func TestVisit(t *testing.T) {
	now := time.Now()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, c := range map[string]struct {
		before, after visit
		changed       bool
	}{
		"the same minute":   {visit{ago(time.Hour), ago(30 * time.Second)}, visit{ago(time.Hour), ago(30 * time.Second)}, false},
		"the same visit":    {visit{ago(time.Hour), ago(10 * time.Minute)}, visit{ago(time.Hour), now}, true},
		"the next visit":    {visit{ago(9 * time.Hour), ago(time.Hour)}, visit{ago(time.Hour), now}, true},
		"the clock is back": {visit{ago(time.Hour), ago(-time.Hour)}, visit{ago(time.Hour), now}, true},
	} {
		if after, changed := c.before.look(now); after != c.after || changed != c.changed {
			t.Errorf("%s: got %+v, %t; want %+v, %t", name, after, changed, c.after, c.changed)
		}
	}
}
