package dashboard_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"botwork/workqueue/access"
)

// What a page says about a change comes from the change, and is said once.
func TestNotice(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	b := s.as(t, access.Operator)
	to := b.post("/queues/default/pause", nil, nil).header.Get("Location")

	// Other pages, open pages that ask for themselves again, and other people leave it to the page.
	if text := b.look("/queues").notice(); text != "" {
		t.Errorf("another page says %q", text)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+to, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Renew", "1")
	if text := b.do(req).notice(); text != "" {
		t.Errorf("an open page says %q", text)
	}
	if text := s.as(t, access.Viewer).look(to).notice(); text != "" {
		t.Errorf("another person reads %q", text)
	}
	got := b.look(to + "?range=7d")
	if got.notice() == "" || !slices.Contains(got.forms(), "/queues/default/resume") {
		t.Errorf("the page says %q, and has the forms %v", got.notice(), got.forms())
	}
	if text := b.look(to).notice(); text != "" {
		t.Errorf("the page says again %q", text)
	}
}

// A link can make no page say anything, nor offer a change.
func TestForeignNotice(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	b := s.as(t, access.Admin)
	const foreign = "Call+0800+666"
	for _, path := range []string{"/", "/items", "/items/1", "/queues", "/queues/default", "/workers", "/failures", "/access", "/access/users", "/settings", "/sign-in", "/nowhere"} {
		before := b.get(path).forms()
		query := "undo=%2Fitems%2F1%2Frepeat"
		for _, name := range []string{"done", "refused", "error", "message", "notice", "text", "said", "title", "reason"} {
			query += "&" + name + "=" + foreign
		}
		got := b.get(path + "?" + query)
		for _, n := range got.elements() {
			if n.Data != "h1" && n.Data != "title" && !strings.Contains(attr(n, "class"), "notice") {
				continue
			}
			for inner := range n.Descendants() {
				if strings.Contains(inner.Data, "0800 666") {
					t.Errorf("GET %s says %q in %s", path, inner.Data, n.Data)
				}
			}
		}
		if forms := got.forms(); !slices.Equal(forms, before) {
			t.Errorf("GET %s?%s has the forms %v, want %v", path, query, forms, before)
		}
	}
}

// The cookie of a notice is good for its page and its session only.
func TestForgedNotice(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	b, eve := s.as(t, access.Operator), s.as(t, access.Viewer)
	host, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	cookieOf := func(b *browser) *http.Cookie {
		for _, c := range b.client.Jar.Cookies(host) {
			if c.Name == "botwork-notice" {
				return c
			}
		}
		t.Fatal("no cookie of a notice")
		return nil
	}
	eve.post("/items/1/cancel", nil, nil)
	forged := cookieOf(eve)
	for name, value := range map[string]string{
		"of another session": forged.Value, "not signed": "eyJ0ZXh0IjoieCJ9", "badly signed": "eyJ0ZXh0IjoieCJ9.AAAA", "empty": "", "a dot": ".",
	} {
		b.client.Jar.SetCookies(host, []*http.Cookie{{Name: forged.Name, Value: value, Path: "/"}})
		if text := b.look("/items/1").notice(); text != "" {
			t.Errorf("a cookie that is %s: the page says %q", name, text)
		}
	}
	if text := eve.look("/items/1").notice(); !strings.HasPrefix(text, "refused: ") {
		t.Errorf("the page says %q", text)
	}
}

// Addresses that lead elsewhere are not followed.
func TestNoOpenRedirect(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	b := s.as(t, access.Operator)
	for _, to := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, `\/evil.example`, "/\t/evil.example", "javascript:alert(1)", " //evil.example", "evil.example", "http:evil.example"} {
		form := url.Values{"name": {"operator"}, "password": {password}, "to": {to}, "back": {to}, "reason": {"x"}}
		for _, path := range []string{"/items/1/cancel", "/queues/default/pause", "/sign-in"} {
			if got := b.post(path, form, nil).header.Get("Location"); strings.Contains(got, "evil") || strings.Contains(got, "script") {
				t.Errorf("POST %s with %q leads to %q", path, to, got)
			}
		}
		for _, path := range []string{"/sign-in?", "/items/selected?action=cancel&id=1&", "/items/actions/cancel?queue=default&"} {
			for _, n := range b.get(path + form.Encode()).elements() {
				for _, name := range []string{"href", "src", "action", "formaction", "value"} {
					if got := attr(n, name); strings.Contains(got, "evil.example") || strings.Contains(got, "javascript:") {
						t.Errorf("GET %s with %q has %s=%q", path, to, name, got)
					}
				}
			}
		}
	}
}
