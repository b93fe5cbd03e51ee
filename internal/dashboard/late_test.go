package dashboard_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// gate holds back the answers to some requests.
type gate struct {
	api  http.Handler
	held sync.Map // paths of the API to channels that are closed when they are answered
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if until, ok := g.held.Load(strings.TrimPrefix(r.URL.Path, "/api/v1")); ok {
		if until == nil {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"status": 503, "detail": "it has not ended <b>in time</b>", "hint": "ask for less"}`)
			return
		}
		<-until.(chan struct{})
	}
	g.api.ServeHTTP(w, r)
}

// fail lets the API answer a path with a failure.
func (g *gate) fail(path string) { g.held.Store(path, nil) }

// hold holds back the answers to a path until release is called.
func (g *gate) hold(path string) (release func()) {
	until := make(chan struct{})
	g.held.Store(path, until)
	return sync.OnceFunc(func() { g.held.Delete(path); close(until) })
}

// A page does not wait for a simulation: it comes without it, asks for itself again, also without scripts, and
// then has it.
func TestPagesDoNotWaitForSimulations(t *testing.T) {
	g := &gate{}
	s := newSiteBehind(t, nil, func(api http.Handler) http.Handler { g.api = api; return g })
	made, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "hello", Priority: 900, State: workqueue.Pending}})
	if err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator)
	page := fmt.Sprintf("/items/%d", made[0].ID)
	for _, c := range []struct{ asks, page, before, after string }{
		{page + "/why", page, "Looking for the reason", "no worker is alive"},
		{"/forecast", "/forecast", "Simulating…", "When it is empty"},
		{"/forecast/accuracy", "/forecast", "Comparing…", "No forecast was recorded"},
	} {
		b.post("/queues/default/resume", url.Values{}, nil) // a change, after which no page has an answer from before
		release := g.hold(c.asks)
		t.Cleanup(release)
		for range 2 {
			got := b.look(c.page)
			judge(t, c.page, got)
			for _, want := range []string{c.before, " data-again", `<noscript><meta http-equiv="refresh"`} {
				if !strings.Contains(got.text, want) {
					t.Errorf("%s while %s takes long: want %q in %s", c.page, c.asks, want, got.visible())
				}
			}
		}
		release()
		if got := b.get(c.page); !strings.Contains(got.visible(), c.after) || strings.Contains(got.text, c.before) {
			t.Errorf("%s afterwards: want %q in %s", c.page, c.after, got.visible())
		}
	}
}

// A simulation that fails leaves the rest of a page.
func TestPagesOfSimulationsThatFail(t *testing.T) {
	g := &gate{}
	s := newSiteBehind(t, nil, func(api http.Handler) http.Handler { g.api = api; return g })
	made, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "hello", Priority: 900, State: workqueue.Pending}})
	if err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Viewer)
	page := fmt.Sprintf("/items/%d", made[0].ID)
	g.fail(page + "/why")
	g.fail("/forecast")
	for path, wanted := range map[string][]string{
		page:        {"The server could not find out why it does not run: it has not ended <b>in time</b>", "Priority 900"},
		"/forecast": {"There is no forecast it has not ended <b>in time</b> ask for less"},
	} {
		got := b.get(path)
		judge(t, path, got)
		for _, want := range wanted {
			if text := got.visible(); !strings.Contains(text, want) {
				t.Errorf("%s does not show %q: %s", path, want, text)
			}
		}
	}
}
