package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/storetest"
)

// textOf returns the text in an element, with single spaces.
func textOf(n *html.Node) string {
	var b strings.Builder
	for child := range n.Descendants() {
		if child.Type == html.TextNode {
			b.WriteString(child.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// busy fills a site with items in all places that the overview counts.
func busy(t *testing.T, s *site) *storetest.Factory {
	t.Helper()
	f := storetest.NewFactory(t, s.Store)
	w := f.Worker(storetest.WorkerOpts{Name: "bot-1"})
	for range 3 {
		f.Item(storetest.ItemOpts{State: workqueue.Cancelled, Worker: w})
	}
	for range 2 {
		f.Item(storetest.ItemOpts{State: workqueue.Processed, Worker: w})
	}
	f.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: w})
	f.Items(2, storetest.ItemOpts{Deadline: time.Now().Add(5 * time.Minute)})
	f.Items(4, storetest.ItemOpts{Deadline: time.Now().Add(5 * time.Hour)})
	f.Items(5, storetest.ItemOpts{In: time.Hour})
	return f
}

// lookBefore makes the browser one that has looked at the overview an hour ago.
func (b *browser) lookBefore() {
	b.t.Helper()
	at, err := url.Parse(b.site.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	before := time.Now().Add(-time.Hour).UnixMilli()
	b.client.Jar.SetCookies(at, []*http.Cookie{{Name: "botwork-seen", Value: fmt.Sprintf("%d.%d", before, before), Path: "/"}})
}

var firstNumber = regexp.MustCompile(`[0-9]+`)

// Each figure of the overview that leads to a list of items is the number of items in that list.
func TestOverviewCountsAreThoseOfTheLists(t *testing.T) {
	s := newSite(t)
	busy(t, s)
	b := s.as(t, access.Viewer)
	b.lookBefore()
	page := b.get("/")
	shown := map[string]string{}
	for _, n := range page.elements() {
		class := attr(n, "class")
		if n.Data != "a" || class != "card kpi" && class != "whole" {
			continue
		}
		text, to := textOf(n), attr(n, "href")
		title, rest, _ := strings.Cut(text, "hour ")
		for _, name := range []string{"Failed since last look", "At risk of deadline", "Waiting now", "Running now"} {
			if after, ok := strings.CutPrefix(text, name); ok {
				title, rest = name, after
			}
		}
		number := firstNumber.FindString(rest)
		if strings.HasPrefix(title, "Wait until start") { // the list has the items whose waits these are
			_, started, _ := strings.Cut(text, "·")
			number = firstNumber.FindString(started)
		}
		shown[strings.TrimSpace(title)] = number
		query, ok := strings.CutPrefix(to, "/items?")
		if !ok {
			continue
		}
		var count struct{ Count int64 }
		if err := json.Unmarshal([]byte(b.get("/api/v1/items/count?"+query).text), &count); err != nil {
			t.Fatalf("%s: %v", to, err)
		}
		if number != fmt.Sprint(count.Count) {
			t.Errorf("%q shows %s, but its list %s has %d items", text, number, to, count.Count)
		}
		if got := b.get(to); got.status != http.StatusOK {
			t.Errorf("GET %s: status %d", to, got.status)
		}
	}
	for title, want := range map[string]string{
		"Failed since last look": "3", "At risk of deadline": "2", "Waiting now": "6", "Running now": "1", "Succeeded, last": "2", "Failed attempts, last": "3",
	} {
		if shown[title] != want {
			t.Errorf("%s: got %q, want %s; all: %v", title, shown[title], want, shown)
		}
	}
	if text := page.visible(); !strings.Contains(text, "2 items may miss their deadlines") {
		t.Errorf("the deadlines need no attention: %s", text)
	}
}

// Failures are news until the person has looked, in this browser.
func TestFailuresSinceTheLastLook(t *testing.T) {
	s := newSite(t)
	busy(t, s)
	b := s.as(t, access.Viewer)
	if text := b.get("/").visible(); !strings.Contains(text, "Failed since last look 0 items this is the first in this browser") {
		t.Errorf("the first look: %s", text)
	}
	b.lookBefore()
	if text := b.get("/").visible(); !strings.Contains(text, "Failed since last look 3 items") {
		t.Errorf("a look an hour later: %s", text)
	}
	if text := b.get("/").visible(); !strings.Contains(text, "Failed since last look 3 items") {
		t.Errorf("the same visit: %s", text)
	}
	if got := b.post("/seen", nil, nil); got.status != http.StatusSeeOther || got.header.Get("Location") != "/" {
		t.Fatalf("mark as seen: status %d, location %q", got.status, got.header.Get("Location"))
	}
	if text := b.get("/").visible(); !strings.Contains(text, "Failed since last look 0 items since") {
		t.Errorf("after all were seen: %s", text)
	}
}

// An idle queue, workers that were never started, lost ones and draining ones look different.
func TestOverviewTellsWhyNothingRuns(t *testing.T) {
	register := func(t *testing.T, s *site, lease time.Duration) {
		t.Helper()
		if _, err := s.Store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "bot-1", InstanceID: "a", Host: "h", Capacity: 4, Lease: lease}); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		prepare func(t *testing.T, s *site)
		want    []string
		lacks   string
		mark    string
	}{
		"idle":       {func(t *testing.T, s *site) { register(t, s, time.Hour) }, []string{"Nothing needs attention", "1 worker up"}, "No worker is running", ""},
		"no workers": {func(*testing.T, *site) {}, []string{"No worker is running", "none was started, or all have stopped", "no worker takes items"}, "Lost", ""},
		"lost": {func(t *testing.T, s *site) {
			register(t, s, time.Millisecond)
			time.Sleep(5 * time.Millisecond) // the database's clock ends the lease
		}, []string{"No worker is running", "1 worker is lost", "Worker bot-1 is lost", "Lost"}, "Nothing needs attention", "(2) "},
		"draining": {func(t *testing.T, s *site) {
			register(t, s, time.Hour)
			if err := s.Store.RequestDrain(t.Context(), "bot-1"); err != nil {
				t.Fatal(err)
			}
		}, []string{"No worker is running", "1 worker drains"}, "Lost", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			c.prepare(t, s)
			page := s.as(t, access.Viewer).get("/")
			text := page.visible()
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("the page lacks %q: %s", want, text)
				}
			}
			if strings.Contains(text, c.lacks) {
				t.Errorf("the page has %q: %s", c.lacks, text)
			}
			if want := c.mark + "Overview · Botwork"; page.title() != want {
				t.Errorf("title %q, want %q", page.title(), want)
			}
		})
	}
}

func (s seen) title() string {
	for _, n := range s.elements() {
		if n.Data == "title" {
			return textOf(n)
		}
	}
	return ""
}

// Every page shows in its title and its icon that something is failing, without a script.
func TestEveryPageShowsWhatIsFailing(t *testing.T) {
	s := newSite(t)
	busy(t, s)
	admin := s.as(t, access.Admin)
	for _, path := range []string{"/", "/items", "/items/1", "/failures", "/queues", "/queues/default", "/workers", "/schedules", "/tasks", "/audit", "/notifications", "/access", "/settings"} {
		page := admin.get(path)
		if !strings.HasPrefix(page.title(), "(1) ") || !strings.Contains(page.text, `href="/assets/icon-failing.`) {
			t.Errorf("GET %s: title %q, want one group of failures in it and the icon with a mark", path, page.title())
		}
	}
	if got := admin.get("/standing"); strings.TrimSpace(got.text) != `{"failing":1}` {
		t.Errorf("standing: %s", got.text)
	}
	// Who is bound to a queue sees no failures of others.
	if got := s.as(t, access.Viewer, "default").get("/standing"); strings.TrimSpace(got.text) != `{"failing":0}` {
		t.Errorf("standing of a bound viewer: %s", got.text)
	}
	if got := s.browser(t).get("/standing"); got.status != http.StatusUnauthorized {
		t.Errorf("standing without a session: status %d", got.status)
	}
}
