package api

import (
	"context"
	"errors"
	"html/template"
	"maps"
	"net/http"

	"botwork/internal/api/auth"
	"botwork/internal/httpserver"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// handleSignIn adds what browsers open to sign in: it answers with pages, so it is not part of
// the API's document.
func (a *API) handleSignIn() {
	a.mux.HandleFunc("GET "+auth.LinkPath, a.showLink)
	a.mux.HandleFunc("POST "+auth.LinkPath, a.useLink)
	if a.oidc != nil {
		a.mux.HandleFunc("GET /auth/oidc/start", a.beginOIDC)
		a.mux.HandleFunc("GET "+auth.OIDCCallback, a.finishOIDC)
	}
}

// signInPage is a page without a script and without a file. It says nothing that is secret.
var signInPage = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="robots" content="noindex"><title>Botwork: {{.Title}}</title></head>
<body>
<h1>{{.Title}}</h1>
<p>{{.Text}}</p>
{{with .Link}}<form method="post" action="/auth/link"><input type="hidden" name="token" value="{{.}}"><button>Sign in</button></form>{{end}}
</body>
</html>
`))

type page struct{ Title, Text, Link string }

// servePage answers with a page. Its form may only be sent to this server.
func (a *API) servePage(w http.ResponseWriter, status int, p page) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	// With no-referrer, as for other answers, browsers send the form with the Origin null, which
	// looks like another site.
	w.Header().Set("Referrer-Policy", "same-origin")
	w.WriteHeader(status)
	if err := signInPage.Execute(w, p); err != nil {
		a.log.Debug().Err(err).Msg("could not send a page")
	}
}

// showLink shows a button that uses a sign-in link. Opening the page does not: programs that show
// a preview of a link open it, too.
func (a *API) showLink(w http.ResponseWriter, r *http.Request) {
	link := r.URL.Query().Get("token")
	if link == "" {
		a.servePage(w, http.StatusBadRequest, page{Title: "Incomplete link", Text: "The address has no token. Copy the whole link."})
		return
	}
	a.servePage(w, http.StatusOK, page{Title: "Sign in", Text: "The link works once.", Link: link})
}

// useLink exchanges a sign-in link for a session.
func (a *API) useLink(w http.ResponseWriter, r *http.Request) {
	const maxForm = 4 << 10
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	session, text, err := a.signIns.Link(withAddress(r.Context()), r.PostFormValue("token"), browserOf(r))
	if err != nil {
		a.failSignIn(w, r, err)
		return
	}
	a.finishSignIn(w, r, &session, text)
}

// The names of the cookie of a sign-in that has begun: see sessionCookie.
const (
	oidcCookie       = "botwork_oidc"
	secureOIDCCookie = "__Host-botwork_oidc"
)

func oidcCookieName(ctx context.Context) string {
	if httpserver.Secure(ctx) {
		return secureOIDCCookie
	}
	return oidcCookie
}

// beginOIDC sends the browser to the OpenID provider.
func (a *API) beginOIDC(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	resume := httpserver.Pauses(ctx) // the provider may be slow
	address, text, err := a.oidc.Begin(ctx)
	resume()
	if err != nil {
		a.failOIDC(w, r, err)
		return
	}
	cookie := newCookie(ctx, oidcCookieName(ctx), text, auth.OIDCValid)
	http.SetCookie(w, &cookie)
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// finishOIDC takes the provider's answer.
func (a *API) finishOIDC(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	used := newCookie(ctx, oidcCookieName(ctx), "", 0)
	http.SetCookie(w, &used)
	resume := httpserver.Pauses(ctx)
	id, err := a.oidc.Finish(ctx, cookieText(r.Header.Get("Cookie"), oidcCookieName(ctx)), r.URL.Query())
	resume()
	if err != nil {
		a.failOIDC(w, r, err)
		return
	}
	session, text, err := a.signIns.Identity(withAddress(ctx), id, browserOf(r))
	a.sessions.Forget()
	if err != nil {
		a.failOIDC(w, r, err)
		return
	}
	a.finishSignIn(w, r, &session, text)
}

func (a *API) failOIDC(w http.ResponseWriter, r *http.Request, err error) {
	a.log.Warn().Err(err).Str("address", httpserver.ClientAddress(r.Context())).Str("request", httpserver.RequestID(r.Context())).Msg("sign-in by OpenID Connect failed")
	a.failSignIn(w, r, err)
}

// withAddress returns a context whose changes have the address of the client in the audit log. The
// store names the user who has signed in.
func withAddress(ctx context.Context) context.Context {
	return workqueue.WithActor(ctx, workqueue.Actor{Via: workqueue.ViaAPI, Host: httpserver.ClientAddress(ctx)})
}

func browserOf(r *http.Request) auth.Browser {
	return browserFrom(r.Context(), r.Header.Get("Cookie"), r.UserAgent())
}

// finishSignIn sets the cookie of a new session and sends the browser to the first page.
func (a *API) finishSignIn(w http.ResponseWriter, r *http.Request, session *access.Session, text string) {
	ctx := r.Context()
	a.logSignIn(ctx, session)
	for _, cookie := range sessionCookies(ctx, session, text) {
		http.SetCookie(w, &cookie)
	}
	if a.home == "" {
		a.servePage(w, http.StatusOK, page{Title: "Signed in", Text: "You are signed in as " + session.User.Name + ", with the role " + string(session.User.Role) + "."})
		return
	}
	http.Redirect(w, r, a.home, http.StatusSeeOther)
}

// failSignIn shows why a person is not signed in.
func (a *API) failSignIn(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	if p == nil {
		refused, _ := errors.AsType[*Problem](a.refuse(r.Context(), "sign-in", err))
		p = refused
	}
	maps.Copy(w.Header(), p.header)
	text := p.Detail + "."
	if p.Hint != "" {
		text += " Hint: " + p.Hint + "."
	}
	a.servePage(w, p.Status, page{Title: "Not signed in", Text: text})
}

// NewSignInLink creates a sign-in link of a user and returns its address.
func (a *API) NewSignInLink(ctx context.Context, userID int64) (string, error) {
	text, err := auth.NewLink(ctx, a.store, userID)
	if err != nil {
		return "", err
	}
	return auth.LinkURL(a.url, text), nil
}
