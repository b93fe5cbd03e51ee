package dashboard_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"botwork/internal/api"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// The list is filtered by all that the API knows, and leads to what was changed and to the values before and after.
func TestAuditPages(t *testing.T) {
	s := newSiteWith(t, func(o *api.Options) {
		o.Redact = func(text string) string { return strings.ReplaceAll(text, "s3cret", "<hidden>") }
	})
	if err := s.Store.CreateQueue(t.Context(), workqueue.Queue{Name: "mail"}, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "book"}}); err != nil {
		t.Fatal(err)
	}
	admin, viewer := s.as(t, access.Admin), s.as(t, access.Viewer)
	form := url.Values{}
	for _, n := range admin.get("/change/1").elements() {
		if n.Data == "input" && attr(n, "name") != "" {
			form.Set(attr(n, "name"), attr(n, "value"))
		}
	}
	form.Set("queue", "default")
	form.Set("payload", `{"card": "topsecret"}`)
	if got := admin.post("/change/1", form, nil); got.status != http.StatusSeeOther {
		t.Fatalf("change the item: status %d: %s", got.status, got.visible())
	}
	for path, reason := range map[string]string{"/queues/mail/pause": "the token s3cret is old", "/items/1/cancel": "a wrong item"} {
		if got := admin.post(path, url.Values{"reason": {reason}}, nil); got.status != http.StatusSeeOther || strings.Contains(got.header.Get("Location"), "refused") {
			t.Fatalf("POST %s: status %d, %s", path, got.status, got.header.Get("Location"))
		}
	}
	all := wantShown(t, viewer, "/audit", "queues.pause", "items.cancel", "users.create", "the token <hidden> is old")
	for _, want := range []string{"/queues/mail", "/items/1"} {
		if !slices.Contains(all.links(), want) {
			t.Errorf("the list leads to %q, want %s", all.links(), want)
		}
	}
	if slices.Contains(all.links(), "/access/users") || !slices.Contains(admin.get("/audit").links(), "/access/users") {
		t.Error("users are not linked for admins only")
	}
	for query, want := range map[string]string{
		"action=queues":                     "queues.create queues.pause",
		"action=queues.pause":               "queues.pause",
		"actor=admin&kind=queue":            "queues.pause",
		"kind=queue&name=mail":              "queues.create queues.pause",
		"kind=item&name=1":                  "items.cancel items.update",
		"item=1":                            "items.cancel items.update",
		"target=queue%3Amail&action=queues": "queues.create queues.pause",
		"until=2020-01-01":                  "",
		"since=1h&action=items":             "items.cancel items.update",
	} {
		page := wantShown(t, viewer, "/audit?"+query)
		var got []string
		for _, n := range page.elements() {
			if n.Data == "a" && strings.HasPrefix(attr(n, "href"), "/audit/") {
				got = append(got, textOf(n))
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("GET /audit?%s lists %q, want %q", query, got, want)
		}
	}
	for query, want := range map[string]string{"action=queue.pause": "want an action such as items.cancel", "name=mail": "a name needs the kind", "since=soon": "since", "kind=item&name=x": "want an item's id"} {
		page := wantShown(t, viewer, "/audit?"+query, want)
		if !strings.Contains(page.text, `name="action"`) {
			t.Errorf("GET /audit?%s has no form", query)
		}
	}
	entry := func(query string) string {
		for _, at := range viewer.get("/audit?" + query).links() {
			if strings.HasPrefix(at, "/audit/") {
				return at
			}
		}
		t.Fatalf("no entry of %s", query)
		return ""
	}
	wantShown(t, viewer, entry("action=queues.pause"), "mail", "the token <hidden> is old", "paused false true")
	wantShown(t, viewer, entry("action=items.cancel"), "Item 1", "a wrong item", "state 0 3")
	// Data that a person may not see is not there.
	at := entry("action=items.update")
	wantShown(t, admin, at, "payload", `"topsecret"`)
	if text := wantShown(t, viewer, at, "Item 1").visible(); strings.Contains(text, "topsecret") {
		t.Errorf("a viewer sees the payload: %s", text)
	}
	if got := viewer.get("/audit/999"); got.status != http.StatusNotFound {
		t.Errorf("an entry that does not exist: status %d", got.status)
	}
	if got := s.as(t, access.Operator, "default").get(entry("action=items.cancel")); got.status != http.StatusForbidden {
		t.Errorf("a bound operator: status %d", got.status)
	}
}
