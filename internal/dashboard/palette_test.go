package dashboard_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

func (b *browser) suggested(text string) []string {
	b.t.Helper()
	got := b.get("/suggestions?" + url.Values{"q": {text}}.Encode())
	var all []struct{ Kind, Text, Detail, Link string }
	if err := json.Unmarshal([]byte(got.text), &all); err != nil {
		b.t.Fatalf("suggestions for %.50q: status %d, %v: %.200s", text, got.status, err, got.text)
	}
	var links []string
	for _, one := range all {
		links = append(links, one.Kind+" "+one.Link)
	}
	return links
}

// The palette finds items by id and key, and names by a part of them, within what the person may see.
func TestSuggestions(t *testing.T) {
	s := newSite(t)
	for i := range 7 {
		if err := s.Store.CreateQueue(t.Context(), workqueue.Queue{Name: fmt.Sprintf("orders-%d", i)}, "test"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Store.CreateQueue(t.Context(), workqueue.Queue{Name: "all-mail"}, "test"); err != nil {
		t.Fatal(err)
	}
	if err := s.Store.CreateQueue(t.Context(), workqueue.Queue{Name: "mail"}, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "hello", NaturalKey: "INV-1"}, {IntegrationConfig: "hello", QueueName: "mail", NaturalKey: hostile}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "bot-mail", InstanceID: "a", Host: "h", Capacity: 4, Lease: 1e12}); err != nil {
		t.Fatal(err)
	}
	viewer, bound := s.as(t, access.Viewer), s.as(t, access.Viewer, "default")
	for _, c := range []struct {
		b    *browser
		text string
		want []string
	}{
		{viewer, "", nil},
		{viewer, "1", []string{"item /items/1", "queue /queues/orders-1"}},
		{viewer, "99", nil},
		{viewer, "INV-1", []string{"item /items/1"}},
		{viewer, hostile, []string{"item /items/2"}},
		{viewer, "MAIL", []string{"queue /queues/mail", "queue /queues/all-mail", "worker /workers/bot-mail"}},
		{viewer, strings.Repeat("x", 201), nil},
		{viewer, "%", nil},
		{bound, "INV-1", []string{"item /items/1"}},
		{bound, "2", nil},
		{bound, "mail", nil},
	} {
		if got := c.b.suggested(c.text); !slices.Equal(got, c.want) {
			t.Errorf("suggestions for %.50q: %q, want %q", c.text, got, c.want)
		}
	}
	if got := viewer.suggested("orders"); len(got) != 5 {
		t.Errorf("%d suggestions of a kind, want 5: %q", len(got), got)
	}
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "hello", NaturalKey: "A\u202e1"}}); err != nil {
		t.Fatal(err)
	}
	if got := viewer.get("/suggestions?" + url.Values{"q": {"A\u202e1"}}.Encode()); !strings.Contains(got.text, `"text":"3 A[U+202E]1"`) {
		t.Errorf("a key that changes the direction of the text: %s", got.text)
	}
	if got := s.browser(t).get("/suggestions?q=mail"); got.status != http.StatusUnauthorized {
		t.Errorf("without a session: status %d: %s", got.status, got.text)
	}
}

// The first load of the overview is small, also over a slow line: the page and all that it loads.
func TestFirstLoad(t *testing.T) {
	const most = 150_000
	s := newSite(t)
	busy(t, s)
	b := s.as(t, access.Admin)
	page := b.get("/")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(page.text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sum, files := packed.Len(), 0
	for _, path := range page.links() {
		if !strings.HasPrefix(path, "/assets/") {
			continue
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", "gzip") // so that the client does not unpack it
		got := b.do(req)
		if got.status != http.StatusOK || got.header.Get("Content-Encoding") != "gzip" {
			t.Errorf("GET %s: status %d, encoding %q", path, got.status, got.header.Get("Content-Encoding"))
		}
		t.Logf("%6d %s", len(got.text), path)
		sum += len(got.text)
		files++
	}
	t.Logf("%d bytes in %d files and the page", sum, files)
	if files < 6 {
		t.Errorf("the page loads %d files, want all styles and scripts", files)
	}
	if sum > most {
		t.Errorf("the first load has %d bytes, compressed, want at most %d", sum, most)
	}
}
