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

func TestSignIn(t *testing.T) {
	s := newSite(t)
	b := s.browser(t)
	if got := b.get("/items?status=failed"); got.status != http.StatusSeeOther || got.header.Get("Location") != "/sign-in?to=%2Fitems%3Fstatus%3Dfailed" {
		t.Errorf("without a session: status %d, location %q", got.status, got.header.Get("Location"))
	}
	s.as(t, access.Viewer) // creates the user
	wrong := b.post("/sign-in", url.Values{"name": {"viewer"}, "password": {"wrong password!"}, "to": {"/queues"}}, nil)
	if wrong.status != http.StatusUnauthorized || !strings.Contains(wrong.text, `value="viewer"`) || !strings.Contains(wrong.text, `value="/queues"`) || strings.Contains(wrong.text, "wrong password!") {
		t.Errorf("a wrong password: status %d, page %s", wrong.status, wrong.text)
	}
	for to, want := range map[string]string{
		"/queues?a=b": "/queues?a=b", "": "/", "//evil.example/x": "/", "https://evil.example": "/", `/\evil.example`: "/", "javascript:alert(1)": "/", "queues": "/",
	} {
		got := s.browser(t).post("/sign-in", url.Values{"name": {"viewer"}, "password": {password}, "to": {to}}, nil)
		if got.status != http.StatusSeeOther || got.header.Get("Location") != want {
			t.Errorf("sign-in to %q: status %d, location %q, want %q", to, got.status, got.header.Get("Location"), want)
		}
	}
}

func TestSignOut(t *testing.T) {
	b := newSite(t).as(t, access.Viewer)
	if got := b.get("/"); got.status != http.StatusOK {
		t.Fatalf("status %d", got.status)
	}
	if got := b.post("/sign-out", nil, nil); got.status != http.StatusSeeOther || got.header.Get("Location") != "/sign-in" {
		t.Errorf("sign-out: status %d, location %q", got.status, got.header.Get("Location"))
	}
	if got := b.get("/"); got.status != http.StatusSeeOther {
		t.Errorf("after sign-out: status %d", got.status)
	}
}

// A viewer is offered no change, and a change that is sent anyway is refused.
func TestViewersChangeNothing(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	b := s.as(t, access.Viewer)
	for _, page := range []string{"/items/1", "/queues/default", "/workers"} {
		if got := b.get(page).forms(); !slices.Equal(got, []string{"/sign-out"}) {
			t.Errorf("GET %s has forms for %v", page, got)
		}
	}
	got := b.post("/items/1/cancel", url.Values{"reason": {"because"}}, nil)
	if to, said := b.said(got); to != "/items/1" || !strings.HasPrefix(said, "refused: the role viewer may not call items-cancel") {
		t.Fatalf("cancel: %q at %q", said, to)
	}
	if it, err := s.Store.Item(t.Context(), 1); err != nil || it.State == workqueue.Cancelled {
		t.Errorf("item: state %v, error %v", it.State, err)
	}
}

// On a server that is read-only, the pages offer an administrator nothing that changes something, and say why.
func TestReadOnlyPages(t *testing.T) {
	s := newSiteWith(t, func(o *api.Options) { o.ReadOnly = true })
	fill(t, s)
	b := s.as(t, access.Admin)
	for _, page := range []string{"/", "/items", "/items/1", "/queues/default", "/workers", "/failures"} {
		got := b.get(page)
		if forms := got.forms(); slices.ContainsFunc(forms, func(to string) bool { return to != "/sign-out" && to != "/seen" }) || !strings.Contains(got.visible(), "read-only server") {
			t.Errorf("GET %s has forms for %v: %s", page, forms, got.visible())
		}
	}
	got := b.post("/items/1/cancel", url.Values{"reason": {"because"}}, nil)
	if _, said := b.said(got); !strings.Contains(said, "this server is read-only") {
		t.Errorf("cancel: %q, want that the server is read-only", said)
	}
	if it, err := s.Store.Item(t.Context(), 1); err != nil || it.State == workqueue.Cancelled {
		t.Errorf("item: state %v, error %v", it.State, err)
	}
}

func TestOperatorChangesItems(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	b := s.as(t, access.Operator)
	if got := b.get("/items/1").forms(); !slices.Contains(got, "/items/1/cancel") || slices.Contains(got, "/items/1/repeat") {
		t.Errorf("forms of a waiting item: %v", got)
	}
	got := b.post("/items/1/cancel", url.Values{"reason": {"wrong customer"}}, nil)
	if to, said := b.said(got); to != "/items/1" || said != "Item 1 was cancelled" {
		t.Fatalf("cancel: %q at %q", said, to)
	}
	text := b.get("/items/1").visible()
	for _, want := range []string{"Cancelled", "wrong customer", "by operator"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %q: %s", want, text)
		}
	}
	again := b.post("/items/1/cancel", nil, nil)
	if to, said := b.said(again); to != "/items/1" || !strings.HasPrefix(said, "refused: ") {
		t.Errorf("cancelling again: %q at %q", said, to)
	}
	back := b.post("/items/1/repeat", url.Values{"back": {"/items?status=cancelled"}}, nil)
	if to, said := b.said(back); to != "/items?status=cancelled" || said != "Item 1 runs again" {
		t.Errorf("repeat from a list: %q at %q", said, to)
	}
	evil := b.post("/items/1/cancel", url.Values{"back": {"//evil.example"}}, nil)
	if to := evil.header.Get("Location"); to != "/items/1" {
		t.Errorf("back to another host: location %q", to)
	}
	if to, said := b.said(b.post("/items/1/explode", nil, nil)); !strings.HasPrefix(said, "refused: ") {
		t.Errorf("an action that does not exist: %q at %q", said, to)
	}
	if got := b.post("/queues/default/pause", url.Values{"reason": {"disk swap"}}, nil); got.status != http.StatusSeeOther {
		t.Errorf("pause: status %d", got.status)
	}
	if text := b.get("/").visible(); !strings.Contains(text, "Queue default is paused") {
		t.Errorf("overview: %s", text)
	}
}

// A page of another site cannot send a form in the name of a person who is signed in.
func TestFormsOfOtherSites(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	b := s.as(t, access.Admin)
	for _, header := range []map[string]string{{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}} {
		if got := b.post("/items/1/delete", nil, header); got.status != http.StatusForbidden {
			t.Errorf("%v: status %d", header, got.status)
		}
	}
	if _, err := s.Store.Item(t.Context(), 1); err != nil {
		t.Errorf("the item is gone: %v", err)
	}
}

// The reason of a deletion is in the audit log.
func TestDeletionHasAReason(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	b := s.as(t, access.Admin)
	b.post("/items/1/delete", url.Values{"reason": {"wrong customer"}}, nil)
	b.post("/items/selected/delete", url.Values{"id": {"2"}, "reason": {"it is a duplicate"}}, nil)
	wantShown(t, b, "/audit", "wrong customer", "it is a duplicate")
}
