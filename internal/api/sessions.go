package api

import (
	"context"
	"net/http"
	"time"

	"botwork/internal/api/auth"
	"botwork/internal/httpserver"
	"botwork/workqueue/access"
)

func (a *API) registerSessions() {
	register(a, operation{
		id: "sessions-start", method: http.MethodPost, path: "/auth/sign-in", summary: "Sign in with a name and a password", open: true,
		doc: "The answer sets the cookie of the session. It is the same for a wrong password, an unknown user, one that is disabled, and one that is locked " +
			"after failed attempts; Retry-After says how long further attempts fail. Another cookie, which needs no session and gives no access, makes the browser known: " +
			"attempts from elsewhere do not lock it out.",
	}, a.signIn)
	register(a, operation{
		id: "sessions-end", method: http.MethodPost, path: "/auth/sign-out", summary: "End the session of the request", open: true,
		doc: "The answer removes the cookie, also if the session has ended.",
	}, a.signOut)
	register(a, operation{
		id: "sessions-endall", method: http.MethodPost, path: "/auth/sign-out-everywhere", summary: "End all sessions of the caller", needs: access.Viewer, bound: true,
		refuses: []int{http.StatusConflict},
	}, a.signOutEverywhere)
	register(a, operation{
		id: "sessions-get", method: http.MethodGet, path: "/auth/session", summary: "Get who is signed in", needs: access.Viewer, robots: true, bound: true,
		doc: "It also answers callers with a token, for which the session is null.",
	}, a.getSession)
}

type credentials struct {
	Cookie    string `header:"Cookie" hidden:"true"`
	UserAgent string `header:"User-Agent" doc:"shown in the list of sessions"`
	Body      struct {
		Name     string `json:"name" minLength:"1" maxLength:"100"`
		Password string `json:"password" minLength:"1" maxLength:"1000" format:"password"`
	}
}

// cookieHeader is the request's cookies.
type cookieHeader struct {
	Cookie string `header:"Cookie" hidden:"true"`
}

// SessionCaller is who calls, and the session if there is one.
type SessionCaller struct {
	Name   string      `json:"name" doc:"of the user or the token"`
	Kind   access.Kind `json:"kind" enum:"session,token"`
	Role   access.Role `json:"role"`
	Queues []string    `json:"queues" nullable:"false" doc:"the queues that the caller is bound to; none: all"`

	ReadOnly bool `json:"readOnly" doc:"the server is read-only, so people are viewers here"`

	Inline bool `json:"inline" doc:"the caller may create items with a whole pipeline in place of a name"`

	HasPassword bool `json:"hasPassword,omitempty" doc:"the user can sign in with a password, and change it"`

	Session *access.Session `json:"session"`
}

type sessionBody struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      SessionCaller
}

type callerBody struct{ Body SessionCaller }

type signedOut struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
	Body      struct {
		Ended int `json:"ended" doc:"how many sessions ended"`
	}
}

// The names of the cookie of a session. A browser accepts a name that begins with __Host- only over
// TLS, for this host alone and for all paths, so other hosts of the domain cannot set it.
const (
	sessionCookie       = "botwork_session"
	secureSessionCookie = "__Host-botwork_session"
)

// The names of the cookie by which a browser is known: see auth.ProveBrowser. It stays after a sign-out.
const (
	browserCookie       = "botwork_browser"
	secureBrowserCookie = "__Host-botwork_browser"
)

func browserCookieName(ctx context.Context) string {
	if httpserver.Secure(ctx) {
		return secureBrowserCookie
	}
	return browserCookie
}

// browserFrom returns the browser that sends a request.
func browserFrom(ctx context.Context, cookies, userAgent string) auth.Browser {
	return auth.Browser{Address: httpserver.ClientAddress(ctx), UserAgent: userAgent, Proof: cookieText(cookies, browserCookieName(ctx))}
}

// sessionCookies returns the cookies of a new session.
func sessionCookies(ctx context.Context, s *access.Session, text string) []http.Cookie {
	cookies := []http.Cookie{newCookie(ctx, sessionCookieName(ctx), text, s.ExpiresAt.Sub(s.CreatedAt))}
	if proof := auth.ProveBrowser(&s.User, s.CreatedAt); proof != "" {
		cookies = append(cookies, newCookie(ctx, browserCookieName(ctx), proof, auth.KnownFor))
	}
	return cookies
}

func sessionCookieName(ctx context.Context) string {
	if httpserver.Secure(ctx) {
		return secureSessionCookie
	}
	return sessionCookie
}

// newCookie returns a cookie for the pages and the API. An age of 0 removes it.
func newCookie(ctx context.Context, name, value string, age time.Duration) http.Cookie {
	c := http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: httpserver.Secure(ctx), MaxAge: int(age.Seconds())}
	if age == 0 {
		c.MaxAge = -1
	}
	return c
}

// sessionText returns the text of the session's cookie; "" if there is none.
func sessionText(ctx context.Context, header string) string {
	return cookieText(header, sessionCookieName(ctx))
}

// cookieText returns the value of a cookie of the header Cookie; "" if there is none.
func cookieText(header, name string) string {
	cookies, err := http.ParseCookie(header)
	if err != nil {
		return ""
	}
	for _, c := range cookies {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

func (a *API) signIn(ctx context.Context, in *credentials) (*sessionBody, error) {
	session, text, err := a.signIns.Password(ctx, in.Body.Name, in.Body.Password, browserFrom(ctx, in.Cookie, in.UserAgent))
	if err != nil {
		return nil, err
	}
	a.logSignIn(ctx, &session)
	return &sessionBody{sessionCookies(ctx, &session, text), a.callerOf(&session)}, nil
}

func (a *API) logSignIn(ctx context.Context, s *access.Session) {
	a.log.Info().Str("user", s.User.Name).Str("by", s.SignedInBy).Str("address", s.Address).Str("request", httpserver.RequestID(ctx)).Msg("user signed in")
}

func (a *API) callerOf(s *access.Session) SessionCaller {
	p := s.Principal()
	if a.readOnly {
		p.Role = access.Viewer
	}
	who := a.principal(&p)
	who.HasPassword, who.Session = s.User.HasPassword, s
	return who
}

func (a *API) principal(p *access.Principal) SessionCaller {
	return SessionCaller{
		Name: p.Name, Kind: p.Kind, Role: p.Role, Queues: append([]string{}, p.Queues...), ReadOnly: a.readOnly,
		Inline: a.inline && !a.readOnly && p.MayProgram(),
	}
}

func (a *API) signOut(ctx context.Context, in *cookieHeader) (*signedOut, error) {
	out := &signedOut{SetCookie: newCookie(ctx, sessionCookieName(ctx), "", 0)}
	text := sessionText(ctx, in.Cookie)
	if text == "" {
		return out, nil
	}
	session, err := a.sessions.Session(ctx, text)
	if err == nil {
		out.Body.Ended, err = a.store.EndSession(ctx, session.ID)
		a.sessions.Forget()
	} else if isNoSession(err) {
		err = nil
	}
	return out, err
}

func (a *API) signOutEverywhere(ctx context.Context, in *cookieHeader) (*signedOut, error) {
	session, err := a.sessions.Session(ctx, sessionText(ctx, in.Cookie))
	if auth.From(ctx).Kind != access.BySession || isNoSession(err) {
		return nil, problem(http.StatusConflict, "no-session", "the caller has a token, and no session")
	}
	if err != nil {
		return nil, err
	}
	out := &signedOut{SetCookie: newCookie(ctx, sessionCookieName(ctx), "", 0)}
	out.Body.Ended, err = a.store.EndSessions(ctx, session.User.ID)
	a.sessions.Forget()
	return out, err
}

func (a *API) getSession(ctx context.Context, in *cookieHeader) (*callerBody, error) {
	p := auth.From(ctx)
	if p.Kind != access.BySession {
		return &callerBody{a.principal(p)}, nil
	}
	session, err := a.sessions.Session(ctx, sessionText(ctx, in.Cookie))
	if isNoSession(err) {
		return nil, unauthorized("session-ended", "the session has ended").withHint("sign in again")
	}
	return &callerBody{a.callerOf(&session)}, err
}
