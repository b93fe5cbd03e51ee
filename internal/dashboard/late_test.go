package dashboard_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// gate holds back the answers to some requests.
type gate struct {
	api  http.Handler
	held sync.Map // paths of the API to channels that are closed when they are answered, or to answers
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/api/v1")
	until, ok := g.held.Load(path)
	// What a worker has been given comes with its page.
	if by := r.URL.Query().Get("sort"); !ok && by != "" && by != "-priority" {
		until, ok = g.held.Load(path + "?sort")
	}
	if ok {
		if until == nil {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"status": 503, "detail": "it has not ended <b>in time</b>", "hint": "ask for less"}`)
			return
		}
		if text, ok := until.(string); ok {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, text)
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

// A page does not wait for what takes long: it comes without it, asks for itself again, also without scripts, and
// then has it.
func TestPagesDoNotWait(t *testing.T) {
	g := &gate{}
	s := newSiteBehind(t, nil, func(api http.Handler) http.Handler { g.api = api; return g })
	made, err := s.Store.Enqueue(t.Context(), slices.Repeat([]workqueue.NewItem{{IntegrationConfig: "hello", Priority: 900, State: workqueue.Pending}}, 51))
	if err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator)
	page := fmt.Sprintf("/items/%d", made[0].ID)
	for _, c := range []struct{ asks, page, before, after string }{
		{page + "/why", page, "Looking for the reason", "no worker is alive"},
		{"/forecast", "/forecast", "Simulating…", "When it is empty"},
		{"/forecast/accuracy", "/forecast", "Comparing…", "No forecast was recorded"},
		{"/items", "/items", "Searching…", "Older items"},
		{"/items", "/items?sort=-due", "Searching…", "hello"},
		{"/items", "/items?search=all", "Searching…", "All items were searched"},
		{"/items/count", "/items", "counting…", "51 items"},
	} {
		g.check(t, b, c.asks, c.page, c.before, c.after)
	}
}

// The page of a worker does not wait for what it ran.
func TestPageOfAWorkerDoesNotWait(t *testing.T) {
	g := &gate{}
	s := newSiteBehind(t, nil, func(api http.Handler) http.Handler { g.api = api; return g })
	if _, err := s.Store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "bot-1", InstanceID: "a", Host: "h", Capacity: 1, Lease: time.Hour}); err != nil {
		t.Fatal(err)
	}
	g.check(t, s.as(t, access.Operator), "/items?sort", "/workers/bot-1", "searching for what it ran…", "the last run of each item that it ran")
}

// check opens a page while the answer to a path is held back, and afterwards.
func (g *gate) check(t *testing.T, b *browser, asks, page, before, after string) {
	t.Helper()
	b.post("/queues/default/resume", url.Values{}, nil) // a change, after which no page has an answer from before
	release := g.hold(asks)
	t.Cleanup(release)
	for range 2 {
		got := b.look(page)
		judge(t, page, got)
		for _, want := range []string{before, " data-again", `<noscript><meta http-equiv="refresh"`} {
			if !strings.Contains(got.text, want) {
				t.Errorf("%s while %s takes long: want %q in %s", page, asks, want, got.visible())
			}
		}
		if strings.Contains(got.visible(), after) {
			t.Errorf("%s while %s takes long: it already has %q", page, asks, after)
		}
	}
	release()
	if got := b.get(page); !strings.Contains(got.visible(), after) || strings.Contains(got.text, before) {
		t.Errorf("%s afterwards: want %q in %s", page, after, got.visible())
	}
}

// The number of many items is that of the statistics, without a count.
func TestCountsOfManyItems(t *testing.T) {
	g := &gate{}
	s := newSiteBehind(t, nil, func(api http.Handler) http.Handler { g.api = api; return g })
	if _, err := s.Store.Enqueue(t.Context(), slices.Repeat([]workqueue.NewItem{{IntegrationConfig: "hello", Priority: 900, State: workqueue.Pending}}, 51)); err != nil {
		t.Fatal(err)
	}
	g.held.Store("/stats/queues", `{"all": {"items": {"pending": 200000, "retry": 3, "completed": 1000000, "archived": 7, "deleted": 5}},
		"queues": [{"queue": "default", "items": {"pending": 150000, "retry": 3, "completed": 900000}}]}`)
	b := s.as(t, access.Viewer)
	for query, want := range map[string]string{
		"": "1,200,010 items", "?status=pending": "200,000 items", "?queue=default": "1,050,003 items", "?status=pending&status=retry&queue=default": "150,003 items",
		"?status=pending&pipeline=hello": "51 items", "?pipeline=hello": "51 items", // counted
		"?status=retry": "0 items", "?status=failed": "0 items", // on one page
	} {
		if got := b.get("/items" + query).visible(); !strings.Contains(got, " "+want+" ") {
			t.Errorf("/items%s: want %q in %s", query, want, got)
		}
	}
}

// A simulation, a search or a count that fails leaves the rest of a page.
func TestPagesWhosePartsFail(t *testing.T) {
	g := &gate{}
	s := newSiteBehind(t, nil, func(api http.Handler) http.Handler { g.api = api; return g })
	made, err := s.Store.Enqueue(t.Context(), slices.Repeat([]workqueue.NewItem{{IntegrationConfig: "hello", Priority: 900, State: workqueue.Pending}}, 51))
	if err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Viewer)
	page := fmt.Sprintf("/items/%d", made[0].ID)
	g.fail(page + "/why")
	g.fail("/forecast")
	g.fail("/items/count")
	g.fail("/items?sort")
	for path, wanted := range map[string][]string{
		page:        {"The server could not find out why it does not run: it has not ended <b>in time</b>", "Priority 900"},
		"/forecast": {"There is no forecast it has not ended <b>in time</b> ask for less"},
		"/items":    {"not counted: it has not ended <b>in time</b>", "hello"},
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
