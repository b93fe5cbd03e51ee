package dashboard_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/storetest"
)

// places returns what the navigation leads to.
func (s seen) places() (all []string) {
	for _, n := range s.elements() {
		if n.Data != "nav" {
			continue
		}
		for child := range n.Descendants() {
			if child.Type == html.ElementNode && child.Data == "a" {
				all = append(all, attr(child, "href"))
			}
		}
	}
	return all
}

// The navigation, from which the palette has its pages, leads nowhere where the person is refused.
func TestNavigationIsWhatAPersonMaySee(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	for name, c := range map[string]struct {
		b     *browser
		with  []string
		lacks []string
	}{
		"admin":          {s.as(t, access.Admin), []string{"/failures", "/workers", "/audit", "/doctor", "/access"}, nil},
		"viewer":         {s.as(t, access.Viewer), []string{"/failures", "/workers", "/audit", "/forecast"}, []string{"/doctor", "/access"}},
		"bound operator": {s.as(t, access.Operator, "default"), []string{"/items", "/queues", "/settings"}, []string{"/failures", "/workers", "/pipelines", "/schedules", "/tasks", "/audit", "/forecast", "/access"}},
		"bound admin":    {s.as(t, access.Admin, "default"), []string{"/items", "/queues", "/settings"}, []string{"/failures", "/workers", "/audit", "/doctor", "/access"}},
	} {
		all := c.b.get("/").places()
		for _, at := range all {
			if got := c.b.get(at); got.status != http.StatusOK {
				t.Errorf("%s: the navigation leads to %s: status %d", name, at, got.status)
			}
		}
		for _, at := range c.with {
			if !slices.Contains(all, at) {
				t.Errorf("%s: %s is not in the navigation: %q", name, at, all)
			}
		}
		for _, at := range c.lacks {
			if slices.Contains(all, at) {
				t.Errorf("%s: %s is in the navigation", name, at)
			}
		}
	}
}

// What only scripts can do is hidden without them: the page does not say that it follows, and times are UTC.
func TestFrameWithoutScripts(t *testing.T) {
	s := newSite(t)
	page := s.as(t, access.Viewer).get("/items")
	for _, name := range []string{"data-zone", "data-theme-pick", "data-palette-open", "class=live"} {
		found := false
		for _, n := range page.elements() {
			key, value, _ := strings.Cut(name, "=")
			if !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key && (value == "" || a.Val == value) }) {
				continue
			}
			found = true
			hidden := false
			for at := n; at != nil; at = at.Parent {
				hidden = hidden || slices.ContainsFunc(at.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
			}
			if !hidden {
				t.Errorf("%s is shown without scripts", name)
			}
		}
		if !found {
			t.Errorf("%s is not there", name)
		}
	}
	if !strings.Contains(page.text, "<noscript><span class=\"dim\">Times are UTC</span></noscript>") {
		t.Error("the page does not say that its times are UTC")
	}
}

// Each row of a list that leads somewhere has a link of its own, for the keys.
func TestRowsOpenTheirOwnThing(t *testing.T) {
	s := newSite(t)
	f := storetest.NewFactory(t, s.Store)
	w := f.Worker(storetest.WorkerOpts{Name: "bot 1"})
	id := fails(t, s, f, w, "book", workqueue.Cancelled, workqueue.KindError, "it broke")
	b := s.as(t, access.Operator)
	for path, want := range map[string]string{"/failures": "/items?", "/items": fmt.Sprintf("/items/%d", id), "/workers": "/workers/bot%201"} {
		found := false
		for _, n := range b.get(path).elements() {
			found = found || n.Data == "a" && slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "data-row" }) && strings.HasPrefix(attr(n, "href"), want)
		}
		if !found {
			t.Errorf("GET %s: no row leads to %s", path, want)
		}
	}
	if err := s.Store.RequestDrain(t.Context(), "bot 1"); err != nil {
		t.Fatal(err)
	}
	b.wait("/", func(text string) bool { return strings.Contains(text, "Worker bot 1 drains") })
	if links := b.get("/").links(); !slices.Contains(links, "/workers/bot%201") {
		t.Errorf("what needs attention leads to %q, want the page of the worker", links)
	}
}

// The title of a page that the server could not make shows that, and not a calm page.
func TestTitleOfAFailingServer(t *testing.T) {
	s := newSiteBehind(t, nil, func(api http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/settings") {
				http.Error(w, "broken", http.StatusInternalServerError)
				return
			}
			api.ServeHTTP(w, r)
		})
	})
	b := s.as(t, access.Viewer)
	if got := b.get("/settings"); got.status != http.StatusInternalServerError || !strings.HasPrefix(got.title(), "(!) ") {
		t.Errorf("status %d, title %q", got.status, got.title())
	}
	if got := b.get("/items"); got.title() != "Items · Botwork" {
		t.Errorf("title of another page: %q", got.title())
	}
}
