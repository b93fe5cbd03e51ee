package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/matching"
)

// hostile are texts that a page must show as they are, except the character at the end that turns words around.
const hostile = `<script>alert("x")</script>'"><img src=x onerror=alert(1)>{{.}}` + "\u202e"

// fill enqueues items of all kinds, with texts that would break a page that does not escape.
func fill(t *testing.T, s *site) {
	t.Helper()
	for _, n := range []workqueue.NewItem{
		{IntegrationConfig: "hello", Payload: workqueue.JSONText(`{"name":"</pre><script>alert(1)</script>"}`), NaturalKey: hostile},
		{IntegrationConfig: hostile, Tags: []string{hostile}, Labels: matching.Labels{"site": matching.Text(hostile), "gpu": matching.Bool(true)}},
		{IntegrationConfig: "name: x\nsteps: []"},
	} {
		if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{n}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEveryLink follows all links of all pages as an admin: none is broken, none leads to another
// host, and no page has what its policy forbids.
func TestEveryLink(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	b := s.as(t, access.Admin)
	visited := map[string]bool{}
	waiting := []string{"/", "/nowhere"}
	dated := 0 // each day leads to the next one, so they never end
	for len(waiting) > 0 {
		at := waiting[0]
		waiting = waiting[1:]
		if visited[at] {
			continue
		}
		visited[at] = true
		got := b.get(at)
		want := http.StatusOK
		if strings.HasPrefix(at, "/nowhere") || strings.HasPrefix(at, "/pipelines/") || strings.HasPrefix(at, "/api/v1/pipelines/") {
			want = http.StatusNotFound // the server of the test has no project
		}
		if got.status != want {
			t.Errorf("GET %s: status %d, want %d: %.300s", at, got.status, want, got.text)
		}
		if got.root == nil {
			continue
		}
		judge(t, at, got)
		for _, to := range got.links() {
			base, err := url.Parse(at)
			if err != nil {
				t.Fatal(err)
			}
			ref, err := base.Parse(to)
			if err != nil {
				t.Errorf("GET %s: link %q: %v", at, to, err)
				continue
			}
			if ref.Host != "" {
				t.Errorf("GET %s: link to another host: %s", at, to)
			}
			if q := ref.Query(); q.Has("day") || q.Has("month") {
				if dated++; dated > 30 {
					continue
				}
			}
			waiting = append(waiting, ref.RequestURI())
		}
	}
	for _, page := range []string{"/", "/items", "/items/1", "/failures", "/queues", "/queues/default", "/workers", "/pipelines", "/schedules", "/schedules/day", "/schedules/calendar", "/tasks", "/audit", "/forecast", "/notifications", "/escalations", "/doctor", "/access", "/access/users", "/settings"} {
		if !visited[page] && !visited[page+"?"] {
			t.Errorf("no page leads to %s", page)
		}
	}
}

// judge checks what holds for each page.
func judge(t *testing.T, at string, got seen) {
	t.Helper()
	policy := got.header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("GET %s: policy %q, want it to have %s", at, policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("GET %s: policy %q allows what is unsafe", at, policy)
	}
	ids := map[string]bool{}
	for _, n := range got.elements() {
		if n.Data == "script" && attr(n, "src") == "" || n.Data == "style" {
			t.Errorf("GET %s: an inline %s", at, n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("GET %s: <%s> has the attribute %s=%q", at, n.Data, a.Key, a.Val)
			}
			if a.Key == "id" {
				if ids[a.Val] {
					t.Errorf("GET %s: the id %q is there twice", at, a.Val)
				}
				ids[a.Val] = true
			}
			if (a.Key == "href" || a.Key == "src" || a.Key == "action") && strings.HasPrefix(a.Val, "javascript:") {
				t.Errorf("GET %s: %s=%q", at, a.Key, a.Val)
			}
		}
		if n.Data == "img" && attr(n, "alt") == "" {
			t.Errorf("GET %s: a picture without a text", at)
		}
	}
}

func TestTextsAreEscaped(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	b := s.as(t, access.Viewer)
	for _, page := range []string{"/items", "/items/1", "/items/2", address("/items", "keyPart", hostile), address("/items/1", "refused", hostile)} {
		got := b.get(page)
		if got.status != http.StatusOK {
			t.Errorf("GET %s: status %d: %.200s", page, got.status, got.text)
			continue
		}
		judge(t, page, got)
		if page != "/items/1" && !strings.Contains(got.visible(), `<script>alert("x")</script>`) {
			t.Errorf("GET %s: the text is not shown as it is: %s", page, got.visible())
		}
		for _, n := range got.elements() {
			if n.Data == "script" && !strings.HasPrefix(attr(n, "src"), "/assets/") {
				t.Errorf("GET %s: a script from data", page)
			}
		}
	}
}

func address(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return path + "?" + q.Encode()
}

// A person who is bound to a queue sees it, and is refused politely what is about others.
func TestBoundToAQueue(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	if err := s.Store.CreateQueue(t.Context(), workqueue.Queue{Name: "secret"}, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{QueueName: "secret", IntegrationConfig: "hidden-pipeline"}}); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator, "default")
	for page, want := range map[string]int{
		"/": 200, "/items": 200, "/items/1": 200, "/queues": 200, "/queues/default": 200, "/queues/secret": 403, "/items/4": 404, "/workers": 403, "/audit": 403, "/failures": 403,
		"/forecast": 403, "/notifications": 403, "/escalations": 403, "/doctor": 403, "/access": 403, "/access/users": 403, "/settings": 200,
	} {
		got := b.get(page)
		if got.status != want {
			t.Errorf("GET %s: status %d, want %d", page, got.status, want)
		}
		if got.root != nil && (strings.Contains(got.text, "hidden-pipeline") || want == 200 && strings.Contains(got.visible(), "secret")) {
			t.Errorf("GET %s shows another queue: %s", page, got.visible())
		}
	}
}

// "Nothing to do" and "nobody works" do not look alike.
func TestOverviewWithoutWorkers(t *testing.T) {
	s := newSite(t)
	b := s.as(t, access.Viewer)
	if got := b.get("/").visible(); !strings.Contains(got, "No worker is running") {
		t.Errorf("without a worker: %s", got)
	}
	fill(t, s)
	b.wait("/", func(text string) bool { return strings.Contains(text, "No worker is running: 3 items wait") })
	if _, err := s.Store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "bot-1", InstanceID: "a", Host: "h", Capacity: 4, Lease: time.Minute}); err != nil {
		t.Fatal(err)
	}
	b.wait("/", func(text string) bool {
		return !strings.Contains(text, "No worker is running") && strings.Contains(text, "of 4 slots")
	})
}
