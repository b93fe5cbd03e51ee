package builtin

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
)

// serve starts a server for one test and returns its address.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func TestHTTPRequest(t *testing.T) {
	var got *http.Request
	var body string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		got, body = r, string(data)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Add("X-Two", "a")
		w.Header().Add("X-Two", "b")
		fmt.Fprint(w, `{"id": 7, "share": 0.5}`)
	})
	call := &handlers.Call{ItemID: 42, IdempotencyKey: "42", Pipeline: "orders", Step: "send it"}
	out, err := run(t, httpKind(Resources{}), map[string]any{
		"url": address + "/orders?a=1", "method": "POST", "query": map[string]any{"b": []any{2, "x y"}, "c": 1234567.5, "none": nil},
		"headers": map[string]any{"X-One": "1"}, "auth": map[string]any{"username": "ana", "password": "pw"},
		"body": map[string]any{"n": 1, "s": "<"}, "idempotencyKey": true,
	}, call)
	if err != nil {
		t.Fatal(err)
	}
	user, password, _ := got.BasicAuth()
	sent := []string{got.Method, got.URL.Path, got.URL.RawQuery, got.Header.Get("X-One"), user, password, got.Header.Get("Content-Type"), body, got.Header.Get("Idempotency-Key"), got.Header.Get("User-Agent")}
	want := []string{"POST", "/orders", "a=1&b=2&b=x+y&c=1234567.5", "1", "ana", "pw", "application/json", `{"n":1,"s":"<"}`, "botwork-42-orders-send+it", "botwork"}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
	result := out.(map[string]any)
	headers := result["headers"].(map[string]any)
	if result["status"] != 200 || result["encoding"] != "json" || result["url"] != address+"/orders" || headers["x-two"] != "a, b" {
		t.Errorf("output = %v", result)
	}
	if diff := cmp.Diff(any(map[string]any{"id": 7, "share": 0.5}), result["body"]); diff != "" {
		t.Error(diff)
	}

	if _, err := run(t, httpKind(Resources{}), map[string]any{"url": address, "auth": map[string]any{"token": "tok"}, "body": "text", "method": "PUT", "idempotencyKey": true}, nil); err != nil {
		t.Fatal(err)
	}
	sent = []string{got.Header.Get("Authorization"), got.Header.Get("Content-Type"), body, got.Header.Get("Idempotency-Key")}
	if diff := cmp.Diff([]string{"Bearer tok", "text/plain; charset=utf-8", "text", ""}, sent); diff != "" {
		t.Error(diff)
	}
}

func TestHTTPOutcomes(t *testing.T) {
	const day = "Fri, 02 Jan 2026 10:00:00 GMT"
	for _, c := range []struct {
		name    string
		status  int
		header  map[string]string
		with    map[string]any
		outcome string
	}{
		{"created", 201, nil, nil, "success"},
		{"not found", 404, nil, nil, "permanent"},
		{"not found is expected", 404, nil, map[string]any{"expectStatus": []any{200, 404}}, "success"},
		{"class", 404, nil, map[string]any{"expectStatus": "4xx"}, "success"},
		{"200 is not what was wanted", 200, nil, map[string]any{"expectStatus": 201}, "permanent"},
		{"business", 422, nil, map[string]any{"businessStatus": 422}, "business"},
		{"request timeout", 408, nil, nil, "error"},
		{"too early", 425, nil, nil, "error"},
		{"server error", 500, nil, nil, "error"},
		{"retry is chosen", 404, nil, map[string]any{"retryStatus": []any{404}}, "error"},
		{"busy without a hint", 429, nil, nil, "error"},
		{"busy", 429, map[string]string{"Retry-After": "120"}, nil, "retry after 2m0s"},
		{"down until", 503, map[string]string{"Retry-After": "Fri, 02 Jan 2026 10:01:30 GMT", "Date": day}, nil, "retry after 1m30s"},
		{"down until long ago", 503, map[string]string{"Retry-After": "Fri, 02 Jan 2026 09:00:00 GMT", "Date": day}, nil, "retry after 0s"},
		{"busy for 68 years", 429, map[string]string{"Retry-After": "2147483648"}, nil, "retry after 596523h14m8s"},
		{"busy for longer than a duration can say", 429, map[string]string{"Retry-After": "99999999999999999999"}, nil, "retry after 2562047h47m16s"},
		{"down until the end of time", 503, map[string]string{"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT", "Date": day}, nil, "retry after 2562047h47m16.854775807s"},
		{"negative hint", 429, map[string]string{"Retry-After": "-5"}, nil, "error"},
		{"nonsense hint", 503, map[string]string{"Retry-After": "soon"}, nil, "error"},
		{"redirect is not followed", 302, map[string]string{"Location": "/x"}, map[string]any{"redirects": 0}, "permanent"},
		{"endless redirect", 302, map[string]string{"Location": "/x"}, nil, "permanent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				for name, value := range c.header {
					w.Header().Set(name, value)
				}
				w.WriteHeader(c.status)
				fmt.Fprint(w, "some\n  reason")
			})
			with := map[string]any{"url": address + "/p?key=hunter2"}
			maps.Copy(with, c.with)
			_, err := run(t, httpKind(Resources{}), with, nil)
			wantError(t, err, c.outcome)
			if err == nil {
				return
			}
			if !strings.HasPrefix(err.Error(), "GET "+address+"/p: ") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("err = %v, want the address without its query", err)
			}
			if c.name == "not found" && !strings.HasSuffix(err.Error(), "got status 404 Not Found, want 2xx; response: some reason") {
				t.Errorf("err = %v", err)
			}
		})
	}
}

func TestHTTPBodies(t *testing.T) {
	for _, c := range []struct {
		name, contentType, body string
		wantBody                any
		encoding, outcome       string
	}{
		{"problem details", "application/problem+json", `[1]`, []any{1}, "json", "success"},
		{"text", "text/plain", "olá", "olá", "text", "success"},
		{"bytes", "application/octet-stream", "\xff", "/w==", "base64", "success"},
		{"empty json", "application/json", "", "", "text", "success"},
		{"broken json", "application/json", "{", nil, "", "error"},
		{"at the limit", "text/plain", strings.Repeat("x", 1024), strings.Repeat("x", 1024), "text", "success"},
		{"over the limit", "text/plain", strings.Repeat("x", 1025), nil, "", "permanent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.contentType)
				io.WriteString(w, c.body)
			})
			out, err := run(t, httpKind(Resources{}), map[string]any{"url": address, "maxResponse": "1KB"}, nil)
			wantError(t, err, c.outcome)
			if err != nil {
				return
			}
			got := out.(map[string]any)
			if !cmp.Equal(got["body"], c.wantBody) || got["encoding"] != c.encoding {
				t.Errorf("body = %v as %v, want %v as %v", got["body"], got["encoding"], c.wantBody, c.encoding)
			}
		})
	}
}

func TestHTTPTimeoutAndNoServer(t *testing.T) {
	release := make(chan struct{})
	address := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	_, err := run(t, httpKind(Resources{}), map[string]any{"url": address, "timeout": "30ms"}, nil)
	close(release)
	wantError(t, err, "error", "no answer within 30ms")

	dead := httptest.NewServer(nil)
	dead.Close()
	_, err = run(t, httpKind(Resources{}), map[string]any{"url": dead.URL}, nil)
	wantError(t, err, "error", "GET "+dead.URL)

	h, err := httpKind(Resources{}).Build(map[string]any{"url": dead.URL})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.Handle(ctx, &handlers.Call{}); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("err = %v, want it to say canceled", err)
	}
}

func TestHTTPValidate(t *testing.T) {
	for _, c := range []struct {
		with map[string]any
		want string
	}{
		{map[string]any{"url": "ftp://x"}, `url: the scheme is "ftp"`},
		{map[string]any{"url": "example.test/x"}, `url: the scheme is ""`},
		{map[string]any{"url": "https:///x"}, "url: the address has no host"},
		{map[string]any{"url": "http://u:hunter2@x:y/"}, "url: this is no address"},
		{map[string]any{"url": "http://x", "method": "get"}, `did you mean "GET"?`},
		{map[string]any{"url": "http://x", "expectStatus": []any{}}, "expectStatus: want at least one"},
		{map[string]any{"url": "http://x", "expectStatus": []any{20, "x"}}, `expectStatus.0: status "20"`},
		{map[string]any{"url": "http://x", "expectStatus": "6xx"}, `status "6xx"`},
		{map[string]any{"url": "http://x", "auth": map[string]any{"token": "a", "username": "b"}}, "auth: give a token, or"},
		{map[string]any{"url": "http://x", "redirects": -1}, `redirects: got "-1", want same-origin, follow, refuse or a number`},
		{map[string]any{"url": "http://x", "redirects": "none"}, `redirects: got "none", want same-origin`},
		{map[string]any{"url": "http://x", "timeout": "0s"}, "timeout: want more than 0s"},
		{map[string]any{"url": "http://169.254.169.254/latest"}, "url: host \"169.254.169.254\" is not allowed"},
	} {
		wantInvalid(t, httpKind(Resources{}), c.with, c.want)
		if _, err := httpKind(Resources{}).Build(c.with); strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error shows a password: %v", err)
		}
	}
}

func TestRetryAfterWithoutDate(t *testing.T) {
	at := time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
	if wait, ok := retryAfter(http.Header{"Retry-After": {at}}); !ok || wait != 0 {
		t.Errorf("retryAfter = %v, %v, want 0s for a time that has passed", wait, ok)
	}
}

func TestHTTPRedirectSendsNoReferer(t *testing.T) {
	var referer string
	other := serve(t, func(_ http.ResponseWriter, r *http.Request) { referer = r.Header.Get("Referer") })
	address := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other, http.StatusFound) })
	if _, err := run(t, httpKind(Resources{}), map[string]any{"url": address, "redirects": "follow", "query": map[string]any{"key": "hunter2"}}, nil); err != nil {
		t.Fatal(err)
	}
	if referer != "" {
		t.Errorf("the other host received Referer: %s", referer)
	}
}
