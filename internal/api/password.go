package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"botwork/internal/api/auth"
	"botwork/internal/httpserver"
	"botwork/workqueue/access"
)

func (a *API) registerPassword() {
	register(a, operation{
		id: "sessions-password", method: http.MethodPost, path: "/auth/password", summary: "Change the own password", open: true, refuses: []int{http.StatusConflict},
		doc: "The present password is the proof; a wrong one is a failed attempt to sign in. All sessions and sign-in links of the user end; a browser that sends the cookie of a session of " +
			"the user gets a new session. A user who signs in by OpenID Connect or by links has no password.",
	}, a.changePassword)
}

type passwordChange struct {
	Cookie    string `header:"Cookie" hidden:"true"`
	UserAgent string `header:"User-Agent" doc:"shown in the list of sessions"`
	Body      struct {
		Name     string `json:"name" minLength:"1" maxLength:"100" doc:"the user's name, in any case"`
		Present  string `json:"present" minLength:"1" maxLength:"1000" format:"password" doc:"the present password"`
		Password string `json:"password" minLength:"1" maxLength:"1000" format:"password" doc:"the new password, 12 to 128 characters"`
	}
}

type changedPassword struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      struct {
		Changed  bool `json:"changed"`
		SignedIn bool `json:"signedIn" doc:"the answer has the cookie of a new session"`
	}
}

func (a *API) changePassword(ctx context.Context, in *passwordChange) (*changedPassword, error) {
	if a.readOnly {
		return nil, readOnly()
	}
	from := browserFrom(ctx, in.Cookie, in.UserAgent)
	session, err := a.sessions.Session(ctx, sessionText(ctx, in.Cookie))
	if err != nil && !isNoSession(err) {
		return nil, err
	}
	// Only the user may learn how the user signs in.
	owner := err == nil && strings.EqualFold(session.User.Name, in.Body.Name)
	if owner && !session.User.HasPassword {
		return nil, noPassword(&session.User)
	}
	u, err := a.signIns.ChangePassword(ctx, in.Body.Name, in.Body.Present, in.Body.Password, from)
	if wrong, ok := errors.AsType[*auth.SignInError](err); ok {
		// Not 401: a browser would be sent to the page to sign in.
		return nil, problem(http.StatusForbidden, "wrong-password", "the present password is wrong, or the user may not sign in").retryAfter(wrong.RetryAfter).
			withHint("users of OpenID Connect change the password at the provider")
	}
	if bad, ok := errors.AsType[*auth.BadUserError](err); ok {
		p := problem(http.StatusUnprocessableEntity, "invalid-request", "the new password cannot be set")
		p.Errors = faultsOf(bad.Err)
		return nil, p
	}
	if err != nil {
		return nil, err
	}
	a.sessions.Forget()
	a.log.Info().Str("user", u.Name).Str("address", from.Address).Str("request", httpserver.RequestID(ctx)).Msg("user changed the password")
	out := &changedPassword{}
	if out.Body.Changed = true; !owner {
		return out, nil
	}
	renewed, text, err := a.signIns.Renew(ctx, &u, from)
	if err != nil {
		a.log.Warn().Err(err).Str("user", u.Name).Msg("could not start a session after a change of the password")
		return out, nil // the password is changed: the user signs in with it
	}
	out.SetCookie, out.Body.SignedIn = sessionCookies(ctx, &renewed, text), true
	return out, nil
}

func noPassword(u *access.User) *Problem {
	p := problem(http.StatusConflict, "no-password", "the user %s has no password", u.Name)
	if u.Subject != "" {
		return p.withHint("the user signs in by OpenID Connect: change the password at the provider")
	}
	return p.withHint("the user signs in by links; an administrator sets a password: `botwork users password`")
}
