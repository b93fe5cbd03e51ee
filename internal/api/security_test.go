package api_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/api/auth"
	"botwork/internal/httpserver"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

const goodPassword = apitest.Password

// addUser creates a user with goodPassword.
func addUser(t *testing.T, s *apitest.Server, name string, role access.Role, queues ...string) access.User {
	t.Helper()
	return apitest.AddUser(t, s.Store, name, role, queues...)
}

// signIn signs in and returns the header Cookie of the session.
func signIn(t *testing.T, s *apitest.Server, name string) string {
	t.Helper()
	a := trySignIn(t, s, name, goodPassword, "").Want(t, 200)
	return cookieOf(t, a)
}

func trySignIn(t *testing.T, s *apitest.Server, name, password, cookie string) apitest.Answer {
	t.Helper()
	r := apitest.Request{Method: "POST", Path: "/auth/sign-in", Body: map[string]string{"name": name, "password": password}}
	if cookie != "" {
		r.Header = map[string]string{"Cookie": cookie}
	}
	return s.Do(t, r)
}

func cookieOf(t *testing.T, a apitest.Answer) string {
	t.Helper()
	c, err := http.ParseSetCookie(a.Header.Get("Set-Cookie"))
	if err != nil {
		t.Fatalf("got the cookie %q: %v", a.Header.Get("Set-Cookie"), err)
	}
	return c.Name + "=" + c.Value
}

func withCookie(t *testing.T, s *apitest.Server, method, path, cookie string) apitest.Answer {
	t.Helper()
	return s.Do(t, apitest.Request{Method: method, Path: path, Header: map[string]string{"Cookie": cookie}})
}

func TestSessions(t *testing.T) {
	s := apitest.Start(t, nil)
	addUser(t, s, "ada", access.Operator, "default")
	cookie := signIn(t, s, "ADA")
	who := apitest.Decode[api.SessionCaller](t, withCookie(t, s, "GET", "/auth/session", cookie).Want(t, 200))
	if who.Name != "ada" || who.Kind != access.BySession || who.Role != access.Operator || who.Session == nil || who.Session.SignedInBy != "password" || who.Session.Address != "127.0.0.1" {
		t.Errorf("got %+v", who)
	}
	withCookie(t, s, "POST", "/queues/default/pause", cookie).Want(t, 200)
	entries, err := s.Store.AuditEntries(t.Context(), auditOf("queue"))
	if err != nil || len(entries) != 1 || entries[0].Actor != "ada" || entries[0].Via != "api" {
		t.Errorf("got the audit entries %+v, %v", entries, err)
	}
	withCookie(t, s, "POST", "/queues/elsewhere/pause", cookie).WantProblem(t, 403, "queue-not-allowed")
	withCookie(t, s, "GET", "/tokens", cookie).WantProblem(t, 403, "role-not-allowed")

	out := withCookie(t, s, "POST", "/auth/sign-out", cookie).Want(t, 200)
	if !strings.Contains(out.Header.Get("Set-Cookie"), "Max-Age=0") || !strings.Contains(string(out.Body), `"ended":1`) {
		t.Errorf("got %s %s", out.Header.Get("Set-Cookie"), out.Body)
	}
	withCookie(t, s, "GET", "/auth/session", cookie).WantProblem(t, 401, "session-ended")
	if out := withCookie(t, s, "POST", "/auth/sign-out", cookie).Want(t, 200); !strings.Contains(string(out.Body), `"ended":0`) {
		t.Errorf("the second time: got %s", out.Body)
	}
	token := s.Do(t, apitest.Request{Method: "GET", Path: "/auth/session", Token: s.Token(t, access.Viewer)}).Want(t, 200)
	if !strings.Contains(string(token.Body), `"session":null`) {
		t.Errorf("with a token: got %s", token.Body)
	}
	s.Do(t, apitest.Request{Method: "POST", Path: "/auth/sign-out-everywhere", Token: s.Token(t, access.Viewer)}).WantProblem(t, 409, "no-session")
}

// A text that another person has put into the browser never becomes a session.
func TestSessionFixation(t *testing.T) {
	s := apitest.Start(t, nil)
	addUser(t, s, "ada", access.Viewer)
	planted := "botwork_session=" + access.NewSecret()
	first := cookieOf(t, trySignIn(t, s, "ada", goodPassword, planted).Want(t, 200))
	second := cookieOf(t, trySignIn(t, s, "ada", goodPassword, first).Want(t, 200))
	if first == planted || second == first {
		t.Errorf("planted %s, got %s and %s, want three texts", planted, first, second)
	}
	withCookie(t, s, "GET", "/version", planted).WantProblem(t, 401, "session-ended")
	withCookie(t, s, "GET", "/version", second).Want(t, 200)
}

func TestWrongSessions(t *testing.T) {
	s := apitest.Start(t, nil)
	u := addUser(t, s, "ada", access.Admin)
	cookie := signIn(t, s, "ada")
	_, text, _ := strings.Cut(cookie, "=")
	expired := access.NewSecret()
	if _, err := s.Store.CreateSession(t.Context(), access.NewSessionParams{UserID: u.ID, Hash: access.Hash(expired), Idle: time.Millisecond, Longest: time.Hour, SignedInBy: "link"}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Millisecond) // the database's clock is the machine's
	for name, c := range map[string]struct{ cookie, code string }{
		"a guess":              {"botwork_session=" + access.NewSecret(), "session-ended"},
		"the hash":             {"botwork_session=" + access.Hash(text), "session-ended"},
		"the id":               {"botwork_session=1", "session-ended"},
		"expired":              {"botwork_session=" + expired, "session-ended"},
		"upper case":           {"botwork_session=" + strings.ToUpper(text), "session-ended"},
		"the cookie of TLS":    {"__Host-botwork_session=" + text, "no-credentials"},
		"no text":              {"botwork_session=", "no-credentials"},
		"another cookie":       {"session=" + text, "no-credentials"},
		"not a cookie":         {";;;=", "no-credentials"},
		"a token as a session": {"botwork_session=" + s.Token(t, access.Admin), "session-ended"},
	} {
		t.Run(name, func(t *testing.T) { withCookie(t, s, "GET", "/version", c.cookie).WantProblem(t, 401, c.code) })
	}
	// The text of a session is not a token, and a wrong token is not replaced by the session.
	s.Do(t, apitest.Request{Method: "GET", Path: "/version", Token: text}).WantProblem(t, 401, "invalid-token")
	s.Do(t, apitest.Request{Method: "GET", Path: "/version", Token: "bw_guess", Header: map[string]string{"Cookie": cookie}}).WantProblem(t, 401, "invalid-token")
}

// Each change of a user ends the sessions.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, nil)
	admin := s.Token(t, access.Admin)
	addUser(t, s, "ada", access.Operator)
	for _, c := range []struct {
		name         string
		method, path string
		body         any
	}{
		{"another role", "PATCH", "/users/ada", map[string]any{"role": "viewer"}},
		{"other queues", "PATCH", "/users/ada", map[string]any{"queues": []string{"default"}}},
		{"another password", "PATCH", "/users/ada", map[string]any{"password": goodPassword}},
		{"signed out by an admin", "POST", "/users/ada/sign-out", nil},
		{"disabled", "POST", "/users/ada/disable", map[string]any{"reason": "left"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			one, two := signIn(t, s, "ada"), signIn(t, s, "ada")
			withCookie(t, s, "GET", "/version", one).Want(t, 200)
			s.Do(t, apitest.Request{Method: c.method, Path: c.path, Token: admin, Body: c.body}).Want(t, 200)
			withCookie(t, s, "GET", "/version", one).WantProblem(t, 401, "session-ended")
			withCookie(t, s, "GET", "/version", two).WantProblem(t, 401, "session-ended")
		})
	}
	trySignIn(t, s, "ada", goodPassword, "").WantProblem(t, 401, "sign-in-failed")
	s.Do(t, apitest.Request{Method: "POST", Path: "/users/ada/link", Token: admin}).WantProblem(t, 404, "not-found")
	s.Do(t, apitest.Request{Method: "POST", Path: "/users/ada/enable", Token: admin}).Want(t, 200)
	one, two := signIn(t, s, "ada"), signIn(t, s, "ada")
	if out := withCookie(t, s, "POST", "/auth/sign-out-everywhere", one).Want(t, 200); !strings.Contains(string(out.Body), `"ended":2`) {
		t.Errorf("sign out everywhere: got %s", out.Body)
	}
	withCookie(t, s, "GET", "/version", two).WantProblem(t, 401, "session-ended")
}

// The answer to a failed attempt and the work for it are the same for a wrong password, an
// unknown user, a disabled one, one without a password and one that is locked.
func TestSignInDoesNotRevealUsers(t *testing.T) {
	s := apitest.Start(t, nil)
	addUser(t, s, "ada", access.Viewer)
	addUser(t, s, "gone", access.Viewer)
	if _, err := s.Store.DisableUser(t.Context(), "gone", true, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := auth.CreateUser(t.Context(), s.Store, access.UserParams{Name: "links", Role: access.Viewer}, ""); err != nil {
		t.Fatal(err)
	}
	locked := addUser(t, s, "locked", access.Viewer)
	for range access.AccountFailures + 8 {
		if err := s.Store.SignInFailed(t.Context(), locked.ID); err != nil {
			t.Fatal(err)
		}
	}
	want := ""
	for _, c := range []struct{ name, password string }{
		{"ada", "wrong password"}, {"unknown", "wrong password"}, {"gone", goodPassword}, {"links", "wrong password"}, {"links", "$argon2id$"}, {"locked", goodPassword},
	} {
		before := s.API.PasswordChecks()
		a := trySignIn(t, s, c.name, c.password, "")
		p := a.WantProblem(t, 401, "sign-in-failed")
		if n := s.API.PasswordChecks() - before; n != 1 {
			t.Errorf("%s: %d passwords were checked, want 1", c.name, n)
		}
		p.Instance = ""
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(text)
		}
		if string(text) != want || a.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: got %s, want %s", c.name, text, want)
		}
		if got := a.Header.Get("Retry-After") != ""; got != (c.name == "locked") {
			t.Errorf("%s: got Retry-After %q", c.name, a.Header.Get("Retry-After"))
		}
	}
	// The audit log shows administrators which is which.
	entries, err := s.Store.AuditEntries(t.Context(), workqueue.AuditFilter{Action: workqueue.AuditUsersRefuse})
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]int64{}
	for _, e := range entries {
		refused[e.Target] += e.Changed
	}
	if want := map[string]int64{"ada": 1, "gone": 1, "links": 2, "locked": access.AccountFailures + 9}; !maps.Equal(refused, want) {
		t.Errorf("the audit log has the refused attempts %v, want %v", refused, want)
	}
}

// A request of another site that has the cookie changes nothing, and a name of another site that
// resolves to this machine opens nothing.
func TestOtherSites(t *testing.T) {
	s := apitest.Start(t, nil)
	addUser(t, s, "ada", access.Admin)
	cookie := signIn(t, s, "ada")
	for _, c := range []struct {
		name, method, path string
		header             map[string]string
		want               int
	}{
		{"another origin", "POST", "/queues/default/pause", map[string]string{"Origin": "https://evil.example.com", "Sec-Fetch-Site": "cross-site"}, 403},
		{"an old browser", "POST", "/queues/default/pause", map[string]string{"Origin": "https://evil.example.com"}, 403},
		{"another port", "POST", "/queues/default/pause", map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		{"a frame without an origin", "DELETE", "/tokens/1", map[string]string{"Origin": "null"}, 403},
		{"a form", "POST", "/auth/sign-out-everywhere", map[string]string{"Origin": "https://evil.example.com", "Content-Type": "text/plain"}, 403},
		{"another site signs in", "POST", "/auth/sign-in", map[string]string{"Origin": "https://evil.example.com"}, 403},
		{"rebinding", "GET", "/version", map[string]string{"Host": "evil.example.com"}, 421},
		{"rebinding", "POST", "/queues/default/pause", map[string]string{"Host": "evil.example.com", "Origin": "http://evil.example.com", "Sec-Fetch-Site": "same-origin"}, 421},
		{"this site", "POST", "/queues/default/pause", map[string]string{"Origin": s.URL, "Sec-Fetch-Site": "same-origin"}, 200},
	} {
		req, err := s.NewRequest(t.Context(), apitest.Request{Method: c.method, Path: c.path, Header: c.header})
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Cookie", cookie)
		if host := c.header["Host"]; host != "" {
			req.Host = host
		}
		if res, body := send(t, req); res.StatusCode != c.want {
			t.Errorf("%s: got %d %s, want %d", c.name, res.StatusCode, body, c.want)
		}
	}
	q, err := s.Store.Queue(t.Context(), "default")
	if err != nil || !q.Paused {
		t.Errorf("got the queue %+v, %v", q, err)
	}
}

// send sends a request without following redirects.
func send(t *testing.T, req *http.Request) (*http.Response, string) {
	t.Helper()
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func newLink(t *testing.T, s *apitest.Server, user string) string {
	t.Helper()
	a := s.Do(t, apitest.Request{Method: "POST", Path: "/users/" + user + "/link", Token: s.Token(t, access.Admin)}).Want(t, 201)
	return apitest.Decode[struct{ URL string }](t, a).URL
}

func postLink(t *testing.T, s *apitest.Server, link string) (*http.Response, string) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{"token": {u.Query().Get("token")}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/auth/link", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return send(t, req)
}

func TestLinks(t *testing.T) {
	s := apitest.Start(t, nil)
	addUser(t, s, "margarethe", access.Editor)
	link := newLink(t, s, "margarethe")
	for range 3 { // a preview does not use it up
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
		res, body := send(t, req)
		policy := res.Header.Get("Content-Security-Policy")
		if res.StatusCode != 200 || strings.Contains(body, "margarethe") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") ||
			res.Header.Get("Referrer-Policy") != "same-origin" || res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Set-Cookie") != "" {
			t.Errorf("got %d %v %s", res.StatusCode, res.Header, body)
		}
	}
	res, body := postLink(t, s, link)
	if res.StatusCode != 200 || !strings.Contains(body, "signed in as margarethe") {
		t.Fatalf("got %d %s", res.StatusCode, body)
	}
	who := withCookie(t, s, "GET", "/auth/session", res.Cookies()[0].Name+"="+res.Cookies()[0].Value).Want(t, 200)
	if !strings.Contains(string(who.Body), `"signedInBy":"link"`) {
		t.Errorf("got %s", who.Body)
	}
	for name, used := range map[string]string{"used": link, "a guess": "/?token=" + access.NewSecret(), "none": "/?token="} {
		if res, body := postLink(t, s, used); res.StatusCode != 410 || len(res.Cookies()) > 0 {
			t.Errorf("%s: got %d %s, want 410", name, res.StatusCode, body)
		}
	}
	u, _, err := s.Store.User(t.Context(), "margarethe")
	if err != nil {
		t.Fatal(err)
	}
	expired := access.NewSecret()
	if err := s.Store.CreateLink(t.Context(), u.ID, access.Hash(expired), time.Millisecond); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Millisecond)
	if res, body := postLink(t, s, "/?token="+expired); res.StatusCode != 410 {
		t.Errorf("expired: got %d %s, want 410", res.StatusCode, body)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+`/auth/link?token="><script>alert(1)</script>`, nil)
	if _, body := send(t, req); strings.Contains(body, "<script>") {
		t.Errorf("got %s", body)
	}
}

// Of many requests with one link at the same time, one signs in.
func TestLinkUsedTwiceAtOnce(t *testing.T) {
	s := apitest.Start(t, nil)
	addUser(t, s, "ada", access.Viewer)
	link := newLink(t, s, "ada")
	statuses := make([]int, 8)
	var all sync.WaitGroup
	for i := range statuses {
		all.Go(func() {
			res, _ := postLink(t, s, link)
			statuses[i] = res.StatusCode
		})
	}
	all.Wait()
	done := 0
	for _, status := range statuses {
		if status == 200 {
			done++
		} else if status != 410 {
			t.Errorf("got %d, want 200 or 410", status)
		}
	}
	if done != 1 {
		t.Errorf("%d requests signed in, want 1", done)
	}
}

func TestCookieFlags(t *testing.T) {
	s := apitest.Start(t, nil)
	addUser(t, s, "ada", access.Viewer)
	plain := trySignIn(t, s, "ada", goodPassword, "").Want(t, 200)
	checkCookie(t, plain.Header.Get("Set-Cookie"), "botwork_session", false)

	secure := startTLS(t, s)
	sign := func(cookie string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, secure.url+"/api/v1/auth/sign-in", strings.NewReader(`{"name": "ada", "password": "`+goodPassword+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := secure.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	cookie := sign("").Header.Get("Set-Cookie")
	c := checkCookie(t, cookie, "__Host-botwork_session", true)
	for name, want := range map[string]int{c.Name: 200, "botwork_session": 401} {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, secure.url+"/api/v1/version", nil)
		req.Header.Set("Cookie", name+"="+c.Value)
		res, err := secure.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("the cookie %s over TLS: got %d, want %d", name, res.StatusCode, want)
		}
	}
}

func checkCookie(t *testing.T, text, name string, secure bool) *http.Cookie {
	t.Helper()
	c, err := http.ParseSetCookie(text)
	if err != nil {
		t.Fatalf("got the cookie %q: %v", text, err)
	}
	if c.Name != name || c.Path != "/" || c.Domain != "" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Secure != secure || c.MaxAge != 7*24*3600 || len(c.Value) < 40 {
		t.Errorf("got the cookie %s", text)
	}
	return c
}

type tlsServer struct {
	url    string
	client *http.Client
}

// startTLS serves the API of a store over TLS, too.
func startTLS(t *testing.T, s *apitest.Server) tlsServer {
	t.Helper()
	borrowed := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate
	defer borrowed.Close()
	pair := borrowed.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for name, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, keyFile: {Type: "PRIVATE KEY", Bytes: key}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server, err := httpserver.Listen(t.Context(), httpserver.Options{Listen: "127.0.0.1:0", CertFile: certFile, KeyFile: keyFile, Limits: apitest.Limits, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	server.Serve(api.New(api.Options{Store: s.Store, Limits: apitest.Limits, Log: zerolog.Nop()}).Handler())
	t.Cleanup(func() { _ = server.Shutdown(context.WithoutCancel(t.Context())) })
	pool := x509.NewCertPool()
	pool.AddCert(borrowed.Certificate())
	return tlsServer{server.URL(), &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool}}}}
}

// No secret is in the log or the audit log, at the level trace.
func TestLogHasNoSecrets(t *testing.T) {
	var log lockedBuffer
	s := apitest.Start(t, func(o *api.Options) { o.Log = zerolog.New(&log).Level(zerolog.TraceLevel) })
	u := addUser(t, s, "ada", access.Admin)
	secrets := []string{goodPassword, u.PasswordHash, s.Token(t, access.Admin), access.Hash(s.Token(t, access.Admin))}
	cookie := signIn(t, s, "ada")
	link := newLink(t, s, "ada")
	_, text, _ := strings.Cut(cookie, "=")
	_, linkText, _ := strings.Cut(link, "token=")
	secrets = append(secrets, text, access.Hash(text), linkText, access.Hash(linkText))
	trySignIn(t, s, "ada", "a wrong password", "").Want(t, 401)
	trySignIn(t, s, "a wrong password", "x", "").Want(t, 401)
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
	send(t, req)
	postLink(t, s, link)
	postLink(t, s, link)
	created := s.Do(t, apitest.Request{Method: "POST", Path: "/tokens", Header: map[string]string{"Cookie": cookie}, Body: map[string]any{"name": "x", "role": "viewer"}}).Want(t, 201)
	token := apitest.Decode[struct{ Token string }](t, created).Token
	s.Do(t, apitest.Request{Method: "PATCH", Path: "/users/ada", Header: map[string]string{"Cookie": cookie}, Body: map[string]any{"password": "another good password"}}).Want(t, 200)
	withCookie(t, s, "GET", "/version", cookie).Want(t, 401)
	secrets = append(secrets, token, access.Hash(token), "a wrong password", "another good password")
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, err := s.Store.AuditEntries(t.Context(), workqueue.AuditFilter{})
	if err != nil {
		t.Fatal(err)
	}
	audit, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	logged := log.String()
	if !strings.Contains(logged, "user signed in") || !strings.Contains(logged, "/auth/link") || len(entries) < 3 {
		t.Errorf("got %d audit entries and the log\n%s", len(entries), logged)
	}
	for _, secret := range append(secrets, "$argon2id$") {
		if strings.Contains(logged, secret) || bytes.Contains(audit, []byte(secret)) {
			t.Errorf("the log or the audit log has %q", secret)
		}
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
