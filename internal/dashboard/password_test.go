package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"botwork/internal/httpserver"
	"botwork/workqueue/access"
)

// A person changes the own password on a page, and stays signed in there.
func TestPasswordPage(t *testing.T) {
	s := newSite(t)
	b := s.as(t, access.Viewer)
	other := s.browser(t)
	other.post("/sign-in", url.Values{"name": {"viewer"}, "password": {password}, "to": {"/"}}, nil)
	if got := b.get("/settings"); !strings.Contains(got.text, `href="/password"`) {
		t.Error("the settings have no link to the page")
	}
	if got := b.get("/password"); got.status != http.StatusOK || !strings.Contains(got.text, `autocomplete="current-password"`) {
		t.Errorf("the page: %d %s", got.status, got.visible())
	}
	const fresh = "another horse battery"
	for what, c := range map[string]struct {
		present, password, again string
		status                   int
		says                     string
	}{
		"a wrong password": {"wrong", fresh, fresh, http.StatusForbidden, "the present password is wrong"},
		"a typing error":   {password, fresh, fresh + "x", http.StatusUnprocessableEntity, "the two new passwords differ"},
		"a short one":      {password, "short", "short", http.StatusUnprocessableEntity, "at least 12"},
	} {
		got := b.post("/password", url.Values{"present": {c.present}, "password": {c.password}, "again": {c.again}}, nil)
		if got.status != c.status || !strings.Contains(got.visible(), c.says) || strings.Contains(got.text, fresh) {
			t.Errorf("%s: got %d %s", what, got.status, got.visible())
		}
	}
	got := b.post("/password", url.Values{"present": {password}, "password": {fresh}, "again": {fresh}}, nil)
	if got.status != http.StatusSeeOther || got.header.Get("Location") != "/settings" {
		t.Fatalf("the change: %d to %s", got.status, got.header.Get("Location"))
	}
	if got := b.get("/settings"); got.status != http.StatusOK || !strings.Contains(got.visible(), "Your password is changed") {
		t.Errorf("this browser: %d, want it signed in", got.status)
	}
	if got := other.get("/settings"); got.status != http.StatusSeeOther {
		t.Errorf("another browser: %d, want it signed out", got.status)
	}
	if got := s.browser(t).post("/password", url.Values{}, nil); got.header.Get("Location") == "" {
		t.Errorf("without a session: %d", got.status)
	}
}

// The page to sign in and files of the pages have the limits of requests without credentials.
func TestLanesOfPages(t *testing.T) {
	s := newSite(t)
	lanes, ok := s.handler.(httpserver.Laned)
	if !ok {
		t.Fatal("the handler has no lanes")
	}
	for path, want := range map[string]httpserver.Lane{
		"/sign-in": httpserver.Public, "/assets/site.css": httpserver.Public, "/auth/link": httpserver.Public, "/livez": httpserver.Health,
		"/": httpserver.General, "/items": httpserver.General, "/sign-out": httpserver.General, "/api/v1/items": httpserver.General,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := lanes.Lane(req); got != want {
			t.Errorf("%s has the lane %d, want %d", path, got, want)
		}
	}
}
