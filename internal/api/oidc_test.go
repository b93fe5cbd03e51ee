package api_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/api/auth"
	"botwork/workqueue/access"
)

// provider is an OpenID provider with two users, id1 and id2, whose groups are in the ID token or
// only at the endpoint of claims.
type provider struct {
	*storage.Storage
	url       string
	inIDToken bool

	mu     sync.Mutex
	groups map[string]any // by the user's id
}

func (p *provider) SetUserinfoFromToken(ctx context.Context, info *oidc.UserInfo, tokenID, subject, origin string) error {
	p.addGroups(info, subject)
	return p.Storage.SetUserinfoFromToken(ctx, info, tokenID, subject, origin)
}

func (p *provider) SetUserinfoFromRequest(ctx context.Context, info *oidc.UserInfo, token op.IDTokenRequest, scopes []string) error {
	if p.inIDToken {
		p.addGroups(info, token.GetSubject())
	}
	return p.Storage.SetUserinfoFromRequest(ctx, info, token, scopes)
}

func (p *provider) addGroups(info *oidc.UserInfo, subject string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if groups, ok := p.groups[subject]; ok {
		info.AppendClaims("groups", groups)
	}
}

func (p *provider) setGroups(user string, groups any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.groups[user] = groups
}

// startProvider runs a provider that knows one client, with or without a secret.
func startProvider(t *testing.T, clientID, secret, redirect string) *provider {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	p := &provider{url: "http://" + server.Listener.Addr().String(), groups: map[string]any{}}
	p.Storage = storage.NewStorage(storage.NewUserStore(p.url))
	client := storage.WebClient(clientID, secret, redirect)
	if secret == "" {
		client = storage.NativeClient(clientID, redirect)
	}
	storage.RegisterClients(client)
	server.Config.Handler = exampleop.SetupServer(p.url, p, slog.New(slog.DiscardHandler), false, op.WithAllowInsecure())
	server.Start()
	t.Cleanup(server.Close)
	return p
}

// startOIDC runs an API whose users sign in at a provider.
func startOIDC(t *testing.T, clientID, secret string) (*apitest.Server, *provider) {
	t.Helper()
	// The API's address is part of the provider's settings, and the provider's of the API's.
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(gate.Close)
	redirect := gate.URL + auth.OIDCCallback
	p := startProvider(t, clientID, secret, redirect)
	client := auth.NewOIDC(auth.OIDCOptions{
		Issuer: p.url, ClientID: clientID, ClientSecret: secret, RedirectURL: redirect, Scopes: []string{"openid", "profile", "email"}, Claim: "groups",
		Roles: map[access.Role][]string{access.Admin: {"admins"}, access.Operator: {"operators", "ops"}, access.Viewer: {"staff"}},
	})
	t.Cleanup(client.Close)
	return apitest.Start(t, func(o *api.Options) { o.OIDC = client }), p
}

// browser is a browser that a person uses.
type browser struct {
	t      *testing.T
	client *http.Client
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{t, &http.Client{
		Jar: jar, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	return b
}

func (b *browser) do(method, address string, form url.Values) (*http.Response, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res, string(body)
}

// callback signs in at the provider and returns the query with which it sends the browser back.
func (b *browser) callback(s *apitest.Server, p *provider, user string) string {
	b.t.Helper()
	res, body := b.do("GET", s.URL+"/auth/oidc/start", nil)
	if res.StatusCode != 303 {
		b.t.Fatalf("start: got %d %s", res.StatusCode, body)
	}
	at := res.Header.Get("Location")
	query, err := url.Parse(at)
	if err != nil {
		b.t.Fatal(err)
	}
	for name, want := range map[string]string{"code_challenge_method": "S256", "response_type": "code"} {
		if got := query.Query().Get(name); got != want {
			b.t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(query.Query().Get(name)) < 40 {
			b.t.Errorf("%s: got %q", name, query.Query().Get(name))
		}
	}
	res, body = b.do("GET", at, nil)
	login, err := query.Parse(res.Header.Get("Location"))
	if err != nil || res.StatusCode != 302 {
		b.t.Fatalf("authorize: got %d %s, %v", res.StatusCode, body, err)
	}
	id := login.Query().Get("authRequestID")
	res, body = b.do("POST", p.url+"/login/username", url.Values{"username": {user}, "password": {"verysecure"}, "id": {id}})
	if res.StatusCode != 302 {
		b.t.Fatalf("login: got %d %s", res.StatusCode, body)
	}
	next, err := query.Parse(res.Header.Get("Location"))
	if err != nil {
		b.t.Fatal(err)
	}
	res, body = b.do("GET", next.String(), nil)
	back, err := url.Parse(res.Header.Get("Location"))
	if err != nil || back.Path != auth.OIDCCallback {
		b.t.Fatalf("the provider sent the browser to %v, %v: %s", back, err, body)
	}
	return back.RawQuery
}

func (b *browser) signIn(s *apitest.Server, p *provider, user string) (*http.Response, string) {
	b.t.Helper()
	return b.do("GET", s.URL+auth.OIDCCallback+"?"+b.callback(s, p, user), nil)
}

func (b *browser) who(s *apitest.Server) apitest.Answer {
	b.t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	var cookies []string
	for _, c := range b.client.Jar.Cookies(u) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	return withCookie(b.t, s, "GET", "/auth/session", strings.Join(cookies, "; "))
}

func TestOIDC(t *testing.T) {
	for _, c := range []struct {
		name, client, secret string
		inIDToken            bool
	}{
		{"claims at their endpoint", "web-1", "provider-secret", false},
		{"claims in the ID token", "web-2", "provider-secret", true},
		{"a public client", "native-1", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := startOIDC(t, c.client, c.secret)
			p.inIDToken = c.inIDToken
			b := newBrowser(t)
			const user = "test-user@127.0.0.1"

			res, body := b.signIn(s, p, user)
			if res.StatusCode != 403 || !strings.Contains(body, "no role") {
				t.Errorf("without groups: got %d %s", res.StatusCode, body)
			}
			if users, err := s.Store.Users(t.Context()); err != nil || len(users) > 0 {
				t.Errorf("without groups: got the users %+v, %v", users, err)
			}

			p.setGroups("id1", []string{"staff", "ops", "others"})
			if res, body := b.signIn(s, p, user); res.StatusCode != 200 || !strings.Contains(body, "operator") {
				t.Fatalf("got %d %s", res.StatusCode, body)
			}
			who := apitest.Decode[api.SessionCaller](t, b.who(s).Want(t, 200))
			if who.Role != access.Operator || who.Session.SignedInBy != auth.ByOIDC {
				t.Errorf("got %+v", who)
			}
			// The provider is asked for the role again before long, and the browser forgets the session then.
			if lasts := who.Session.ExpiresAt.Sub(who.Session.CreatedAt); lasts != auth.OIDCSessionLongest {
				t.Errorf("the session lasts %v, want %v", lasts, auth.OIDCSessionLongest)
			}
			u, err := s.Store.UserBySubject(t.Context(), p.url+"\nid1")
			if err != nil || u.Name != who.Name || u.PasswordHash != "" || u.CreatedBy != "OpenID Connect" {
				t.Errorf("got the user %+v, %v", u, err)
			}

			p.setGroups("id1", "admins") // one text, and another role
			if res, body := b.signIn(s, p, user); res.StatusCode != 200 || !strings.Contains(body, "admin") {
				t.Fatalf("another role: got %d %s", res.StatusCode, body)
			}
			if users, err := s.Store.Users(t.Context()); err != nil || len(users) != 1 || users[0].Role != access.Admin {
				t.Errorf("got the users %+v, %v", users, err)
			}

			p.setGroups("id1", []any{"others", 1})
			if res, body := b.signIn(s, p, user); res.StatusCode != 403 {
				t.Errorf("no longer in a group: got %d %s", res.StatusCode, body)
			}
			b.who(s).WantProblem(t, 401, "session-ended")

			p.setGroups("id1", "staff")
			if _, err := s.Store.DisableUser(t.Context(), u.Name, true, "test"); err != nil {
				t.Fatal(err)
			}
			if res, body := b.signIn(s, p, user); res.StatusCode != 403 || !strings.Contains(body, "disabled") {
				t.Errorf("disabled: got %d %s", res.StatusCode, body)
			}
		})
	}
}

// A user of the provider never becomes a local user of the same name.
func TestOIDCTakesNoNames(t *testing.T) {
	s, p := startOIDC(t, "web-3", "provider-secret")
	for _, name := range []string{"test-user2", "test-user2@zitadel.ch", "Test User2"} {
		addUser(t, s, name, access.Admin)
	}
	p.setGroups("id2", "staff")
	if res, body := newBrowser(t).signIn(s, p, "test-user2"); res.StatusCode != 200 || !strings.Contains(body, "viewer") {
		t.Fatalf("got %d %s", res.StatusCode, body)
	}
	users, err := s.Store.Users(t.Context())
	i := slices.IndexFunc(users, func(u access.User) bool { return u.Subject != "" })
	if err != nil || len(users) != 4 || i < 0 || users[i].Role != access.Viewer || !regexp.MustCompile(`^test-user2-[0-9a-f]{8}$`).MatchString(users[i].Name) {
		t.Errorf("got the users %+v, %v", users, err)
	}
}

// The answer of the provider counts only in the browser that began the sign-in, once.
func TestOIDCState(t *testing.T) {
	s, p := startOIDC(t, "web-4", "provider-secret")
	p.setGroups("id1", "staff")
	const user = "test-user@127.0.0.1"
	victim, attacker := newBrowser(t), newBrowser(t)
	query := attacker.callback(s, p, user)
	if res, body := victim.do("GET", s.URL+auth.OIDCCallback+"?"+query, nil); res.StatusCode != 400 {
		t.Errorf("the answer to another browser: got %d %s", res.StatusCode, body)
	}
	own := victim.callback(s, p, user)
	if res, body := victim.do("GET", s.URL+auth.OIDCCallback+"?"+query, nil); res.StatusCode != 400 {
		t.Errorf("the answer to another browser, after its own beginning: got %d %s", res.StatusCode, body)
	}
	if res, body := victim.do("GET", s.URL+auth.OIDCCallback+"?"+own, nil); res.StatusCode != 400 {
		t.Errorf("after a wrong answer: got %d %s", res.StatusCode, body)
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	query = attacker.callback(s, p, user)
	var kept []*http.Cookie
	for _, c := range attacker.client.Jar.Cookies(u) {
		kept = append(kept, &http.Cookie{Name: c.Name, Value: c.Value, Path: "/"})
	}
	if res, body := attacker.do("GET", s.URL+auth.OIDCCallback+"?"+query, nil); res.StatusCode != 200 {
		t.Fatalf("got %d %s", res.StatusCode, body)
	}
	attacker.client.Jar.SetCookies(u, kept)
	if res, body := attacker.do("GET", s.URL+auth.OIDCCallback+"?"+query, nil); res.StatusCode != 502 {
		t.Errorf("the same code again: got %d %s", res.StatusCode, body)
	}

	// A changed cookie, and an error of the provider.
	query = attacker.callback(s, p, user)
	for _, c := range attacker.client.Jar.Cookies(u) {
		if c.Name == "botwork_oidc" {
			attacker.client.Jar.SetCookies(u, []*http.Cookie{{Name: c.Name, Value: "x" + c.Value, Path: "/"}})
		}
	}
	if res, body := attacker.do("GET", s.URL+auth.OIDCCallback+"?"+query, nil); res.StatusCode != 400 {
		t.Errorf("a changed cookie: got %d %s", res.StatusCode, body)
	}
	res, _ := attacker.do("GET", s.URL+"/auth/oidc/start", nil)
	at, err := url.Parse(res.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	res, body := attacker.do("GET", s.URL+auth.OIDCCallback+"?error=access_denied&error_description=%3Cscript%3E&state="+at.Query().Get("state"), nil)
	if res.StatusCode != 502 || strings.Contains(body, "script") {
		t.Errorf("refused by the provider: got %d %s", res.StatusCode, body)
	}
}

// Without the provider, the server runs, and other users sign in.
func TestOIDCWithoutItsProvider(t *testing.T) {
	client := auth.NewOIDC(auth.OIDCOptions{Issuer: "http://127.0.0.1:1", ClientID: "x", ClientSecret: "y", Scopes: []string{"openid"}})
	defer client.Close()
	s := apitest.Start(t, func(o *api.Options) { o.OIDC = client })
	if res, body := newBrowser(t).do("GET", s.URL+"/auth/oidc/start", nil); res.StatusCode != 502 || strings.Contains(body, "127.0.0.1:1") {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
	addUser(t, s, "ada", access.Viewer)
	signIn(t, s, "ada")
}
