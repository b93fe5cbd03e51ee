package dashboard_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/net/html"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/dashboard"
	"botwork/internal/httpserver"
	"botwork/workqueue/access"
	"botwork/workqueue/sqlstore"
)

const password = apitest.Password

// site is a running server with pages.
type site struct {
	URL     string
	Store   *sqlstore.Store
	API     *api.API
	handler http.Handler
}

// newSite runs the API and the pages until the test ends.
func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteWith(t, nil)
}

// newSiteWith is newSite with other options of the API.
func newSiteWith(t *testing.T, change func(*api.Options)) *site {
	t.Helper()
	return newSiteBehind(t, change, func(api http.Handler) http.Handler { return api })
}

// newSiteBehind is newSiteWith whose pages ask the API through another handler.
func newSiteBehind(t *testing.T, change func(*api.Options), through func(http.Handler) http.Handler) *site {
	t.Helper()
	a := apitest.Start(t, change)
	pages, err := dashboard.New(dashboard.Options{API: through(a.API.Handler()), Quiet: a.API.Quiet, Log: zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel), Version: "1.2.3-test"})
	if err != nil {
		t.Fatal(err)
	}
	server, err := httpserver.Listen(t.Context(), httpserver.Options{Listen: "127.0.0.1:0", Limits: apitest.Limits, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	handler := pages.Beside(a.API.Handler())
	server.Serve(handler)
	t.Cleanup(func() { _ = server.Shutdown(t.Context()); pages.Close() })
	return &site{URL: server.URL(), Store: a.Store, API: a.API, handler: handler}
}

// browser is a person who looks at the pages.
type browser struct {
	t      *testing.T
	site   *site
	client *http.Client
}

// browser returns a browser in which nobody is signed in.
func (s *site) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{t, s, &http.Client{Jar: jar, Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	t.Cleanup(b.client.CloseIdleConnections)
	return b
}

// as returns a browser in which a new user of this role is signed in.
func (s *site) as(t *testing.T, role access.Role, queues ...string) *browser {
	t.Helper()
	name := strings.Join(append([]string{string(role)}, queues...), "-")
	apitest.AddUser(t, s.Store, name, role, queues...)
	b := s.browser(t)
	if got := b.post("/sign-in", url.Values{"name": {name}, "password": {password}, "to": {"/"}}, nil); got.status != http.StatusSeeOther {
		t.Fatalf("sign-in of %s: status %d", name, got.status)
	}
	return b
}

// seen is an answer as a browser sees it.
type seen struct {
	status int
	header http.Header
	text   string
	root   *html.Node // of a page; nil: it is none
}

// get opens a page, and opens it again while something of it is not there yet, as its script does.
func (b *browser) get(path string) seen {
	b.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		got := b.look(path)
		if !strings.Contains(got.text, " data-again") {
			return got
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("GET %s is not complete yet: %s", path, got.visible())
		}
	}
}

// look opens a page once.
func (b *browser) look(path string) seen {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.site.URL+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(req)
}

// wait asks for a page until it shows what is wanted: answers are shared for a second.
func (b *browser) wait(path string, shows func(text string) bool) {
	b.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		text := b.get(path).visible()
		if shows(text) {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("GET %s still shows: %s", path, text)
		}
	}
}

func (b *browser) post(path string, form url.Values, header map[string]string) seen {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.site.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	return b.do(req)
}

// said follows the answer to a form, and returns where it leads and what the page there says about the change.
// A refusal begins with "refused: ".
func (b *browser) said(got seen) (to, text string) {
	b.t.Helper()
	if to = got.header.Get("Location"); got.status != http.StatusSeeOther {
		b.t.Fatalf("status %d, want a page to go to: %.300s", got.status, got.text)
	}
	return to, b.look(to).notice()
}

// notice returns what a page says about a change; "" if it says nothing.
func (s seen) notice() string {
	for _, n := range s.elements() {
		if !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "data-said" }) {
			continue
		}
		var b strings.Builder
		if strings.Contains(attr(n, "class"), "bad") {
			b.WriteString("refused: ")
		}
		for inner := range n.Descendants() {
			if inner.Type == html.TextNode && inner.Parent.Data == "span" {
				b.WriteString(inner.Data)
			}
		}
		return b.String()
	}
	return ""
}

func (b *browser) do(req *http.Request) seen {
	b.t.Helper()
	res, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	got := seen{status: res.StatusCode, header: res.Header, text: string(text)}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		if got.root, err = html.Parse(strings.NewReader(got.text)); err != nil {
			b.t.Fatal(err)
		}
	}
	return got
}

// elements lists the elements of a page in their order.
func (s seen) elements() []*html.Node {
	var all []*html.Node
	if s.root == nil {
		return nil
	}
	for n := range s.root.Descendants() {
		if n.Type == html.ElementNode {
			all = append(all, n)
		}
	}
	return all
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// links lists the places on this server that a page leads to or loads, without forms.
func (s seen) links() []string {
	var all []string
	for _, n := range s.elements() {
		for _, name := range []string{"href", "src"} {
			if to := attr(n, name); strings.HasPrefix(to, "/") && !slices.Contains(all, to) {
				all = append(all, to)
			} else if strings.HasPrefix(to, "?") {
				all = append(all, to)
			}
		}
	}
	return all
}

// forms lists where the forms of a page are sent.
func (s seen) forms() []string {
	var all []string
	for _, n := range s.elements() {
		if n.Data == "form" && attr(n, "method") == "post" {
			all = append(all, attr(n, "action"))
		}
	}
	return all
}

// visible returns the text of a page without markup, with single spaces.
func (s seen) visible() string {
	var b strings.Builder
	for n := range s.root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style" {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
