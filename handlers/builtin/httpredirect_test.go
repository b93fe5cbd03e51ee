package builtin

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
)

// heard is a request that a server received.
type heard struct {
	method, path, body string
	header             http.Header
}

// listener is a server that records requests; answer may be nil.
func listener(t *testing.T, answer http.HandlerFunc) (address string, got *[]heard) {
	t.Helper()
	got = &[]heard{}
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*got = append(*got, heard{r.Method, r.URL.Path, string(body), r.Header.Clone()})
		if answer != nil {
			answer(w, r)
		}
	}), got
}

// redirecting sends every request but those below /end to another address.
func redirecting(status int, to func(r *http.Request) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/end") {
			return
		}
		w.Header().Set("Location", to(r))
		w.WriteHeader(status)
	}
}

// secretive is a request with data that no other origin may receive.
func secretive(address, method string) map[string]any {
	with := map[string]any{
		"url": address + "/start?key=hunter2", "method": method, "redirects": "follow", "idempotencyKey": true,
		"auth":    map[string]any{"token": "hunter2"},
		"headers": map[string]any{"X-Api-Key": "hunter2", "X-Auth-Token": "hunter2", "Cookie": "hunter2", "Accept": "text/plain", "Accept-Language": "pt"},
	}
	if method == http.MethodPost {
		with["body"] = map[string]any{"card": "hunter2"}
	}
	return with
}

func TestHTTPRedirectToAnotherOriginFailsByDefault(t *testing.T) {
	other, got := listener(t, nil)
	for _, status := range []int{301, 302, 303, 307, 308} {
		address := serve(t, redirecting(status, func(*http.Request) string { return other + "/end?token=hunter3" }))
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			with := secretive(address, method)
			delete(with, "redirects")
			_, err := run(t, httpKind(Resources{}), with, &handlers.Call{ItemID: 7})
			wantError(t, err, "permanent", fmt.Sprintf("got status %d", status), "a redirect to "+other+"/end, another origin; ", "redirects: follow")
			if strings.Contains(err.Error(), "hunter") {
				t.Errorf("err = %v, want no query in it", err)
			}
		}
	}
	if len(*got) > 0 {
		t.Errorf("the other origin got %v", *got)
	}
}

func TestHTTPRedirectToAnotherOriginSendsNoData(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			t.Run(fmt.Sprint(method, status), func(t *testing.T) {
				other, got := listener(t, nil)
				address := serve(t, redirecting(status, func(*http.Request) string { return other + "/end" }))
				_, err := run(t, httpKind(Resources{}), secretive(address, method), &handlers.Call{ItemID: 7})
				if method == http.MethodPost && status >= 307 {
					wantError(t, err, "permanent", "a redirect to "+other+"/end, another origin, that asks for the step's body again")
					if len(*got) > 0 {
						t.Errorf("the other origin got %v", *got)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if len(*got) != 1 {
					t.Fatalf("the other origin got %v, want one request", *got)
				}
				header := (*got)[0].header
				header.Del("Accept-Encoding") // of net/http
				want := heard{method: "GET", path: "/end", header: http.Header{"Accept": {"text/plain"}, "Accept-Language": {"pt"}, "User-Agent": {"botwork"}}}
				if diff := cmp.Diff(want, (*got)[0], cmp.AllowUnexported(heard{})); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	}
}

func TestHTTPRedirectWithinOriginSendsAllData(t *testing.T) {
	for status, wantMethod := range map[int]string{302: "GET", 303: "GET", 307: "POST", 308: "POST"} {
		for _, location := range []string{"/end", "//HOST/end", "http://HOST/end", "end"} {
			address, got := listener(t, redirecting(status, func(r *http.Request) string { return strings.ReplaceAll(location, "HOST", r.Host) }))
			with := secretive(strings.Replace(address, "http://", "http://ana:hunter2@", 1), http.MethodPost)
			delete(with, "redirects")
			if _, err := run(t, httpKind(Resources{}), with, &handlers.Call{ItemID: 7}); err != nil {
				t.Errorf("%d to %s: %v", status, location, err)
				continue
			}
			end := (*got)[1]
			wantBody := map[string]string{"POST": `{"card":"hunter2"}`, "GET": ""}[wantMethod]
			if end.method != wantMethod || end.path != "/end" || end.body != wantBody ||
				end.header.Get("X-Api-Key") != "hunter2" || end.header.Get("Authorization") != "Bearer hunter2" ||
				end.header.Get("Idempotency-Key") != (*got)[0].header.Get("Idempotency-Key") {
				t.Errorf("%d to %s: the second request is %v", status, location, end)
			}
			if wantMethod == "GET" && end.header.Get("Content-Type") != "" {
				t.Errorf("a request without a body has the Content-Type %s", end.header.Get("Content-Type"))
			}
		}
	}
}

func TestHTTPRedirectBackGetsNothingEither(t *testing.T) {
	var first string
	other := serve(t, redirecting(302, func(*http.Request) string { return first + "/end" }))
	first, got := listener(t, redirecting(302, func(*http.Request) string { return other + "/start" }))
	if _, err := run(t, httpKind(Resources{}), secretive(first, http.MethodGet), &handlers.Call{ItemID: 7}); err != nil {
		t.Fatal(err)
	}
	if header := (*got)[1].header; header.Get("X-Api-Key") != "" || header.Get("Authorization") != "" {
		t.Errorf("the request after a redirect through another origin has the headers %v", header)
	}
}

func TestHTTPRedirectIgnoresUserInLocation(t *testing.T) {
	address, got := listener(t, redirecting(302, func(r *http.Request) string { return "http://mallory:x@" + r.Host + "/end" }))
	if _, err := run(t, httpKind(Resources{}), map[string]any{"url": address}, nil); err != nil {
		t.Fatal(err)
	}
	if sign := (*got)[1].header.Get("Authorization"); sign != "" {
		t.Errorf("Authorization = %s", sign)
	}
}

func TestHTTPRedirectNeverFromHTTPSToHTTP(t *testing.T) {
	plain, got := listener(t, nil)
	server := httptest.NewTLSServer(redirecting(302, func(*http.Request) string { return plain + "/end" }))
	t.Cleanup(server.Close)
	for _, mode := range []any{"same-origin", "follow"} {
		h, err := httpKind(Resources{}).Build(map[string]any{"url": server.URL, "redirects": mode})
		if err != nil {
			t.Fatal(err)
		}
		trust(h.(*httpStep), server)
		_, err = h.Handle(context.Background(), &handlers.Call{})
		wantError(t, err, "permanent", "a redirect from https to "+plain+"/end")
	}
	if len(*got) > 0 {
		t.Errorf("the plain server got %v", *got)
	}
}

// trust makes a step trust the certificate of a test server.
func trust(step *httpStep, server *httptest.Server) {
	step.client.once.Do(step.client.init)
	step.client.direct.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
}

func TestHTTPRedirectBounds(t *testing.T) {
	endless := serve(t, redirecting(302, func(r *http.Request) string { return "/x" + r.URL.Path }))
	for mode, want := range map[any]string{nil: "after 10 redirects", "follow": "after 10 redirects", 3: "after 3 redirects", 12: "after 12 redirects"} {
		with := map[string]any{"url": endless}
		if mode != nil {
			with["redirects"] = mode
		}
		_, err := run(t, httpKind(Resources{}), with, nil)
		wantError(t, err, "permanent", want)
	}
}

func TestHTTPRedirectRefused(t *testing.T) {
	address := serve(t, redirecting(302, func(r *http.Request) string { return "/end?key=hunter2" }))
	for _, mode := range []any{"refuse", 0} {
		_, err := run(t, httpKind(Resources{}), map[string]any{"url": address, "redirects": mode}, nil)
		wantError(t, err, "permanent", "got status 302 Found, a redirect to "+address+"/end; redirects are refused here")
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("err = %v, want no query in it", err)
		}
		out, err := run(t, httpKind(Resources{}), map[string]any{"url": address, "redirects": mode, "expectStatus": 302}, nil)
		if err != nil || out.(map[string]any)["headers"].(map[string]any)["location"] != "/end?key=hunter2" {
			t.Errorf("an expected redirect = %v, %v, want it as the response", out, err)
		}
	}
}

func TestHTTPRedirectElsewhere(t *testing.T) {
	for location, want := range map[string]string{
		"ftp://x/y":             "want an http or https address",
		"file:///etc/passwd":    "want an http or https address",
		"http:///x":             "want an http or https address",
		"http://h:hunter2@x:y/": "a redirect to what is no address",
	} {
		address := serve(t, redirecting(302, func(*http.Request) string { return location }))
		_, err := run(t, httpKind(Resources{}), map[string]any{"url": address, "redirects": "follow"}, nil)
		wantError(t, err, "permanent", want)
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("err = %v, want no password in it", err)
		}
	}
	// A redirect without a Location cannot be followed.
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(302) })
	_, err := run(t, httpKind(Resources{}), map[string]any{"url": address}, nil)
	wantError(t, err, "permanent", "got status 302 Found, want 2xx")
}

func TestIsSameOrigin(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"http://a/x", "http://A:80/y", true},
		{"https://a/x", "https://a:443/y", true},
		{"http://a/x", "https://a/y", true},
		{"http://a:80/x", "https://a:443/y", true},
		{"http://a:8080/x", "https://a/y", false},
		{"http://a/x", "https://a:8443/y", false},
		{"https://a/x", "http://a/y", false},
		{"http://a/x", "http://b/x", false},
		{"http://a/x", "http://sub.a/x", false},
		{"http://a:1/x", "http://a:2/x", false},
		{"http://a/x", "https://b/x", false},
	} {
		from, err := url.Parse(c.from)
		if err != nil {
			t.Fatal(err)
		}
		to, err := url.Parse(c.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := isSameOrigin(from, to); got != c.want {
			t.Errorf("isSameOrigin(%s, %s) = %t", c.from, c.to, got)
		}
	}
}
