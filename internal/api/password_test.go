package api_test

import (
	"net/http"
	"strings"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

const newPassword = "another horse battery"

// cookiesOf returns the cookies that an answer sets, by name.
func cookiesOf(t *testing.T, a apitest.Answer) map[string]string {
	t.Helper()
	cookies := map[string]string{}
	for _, text := range a.Header.Values("Set-Cookie") {
		c, err := http.ParseSetCookie(text)
		if err != nil {
			t.Fatal(err)
		}
		cookies[c.Name] = c.Value
	}
	return cookies
}

func tryPassword(t *testing.T, s *apitest.Server, name, present, password, cookie string) apitest.Answer {
	t.Helper()
	r := apitest.Request{Method: "POST", Path: "/auth/password", Body: map[string]any{"name": name, "present": present, "password": password}}
	if cookie != "" {
		r.Header = map[string]string{"Cookie": cookie}
	}
	return s.Do(t, r)
}

// A person changes the own password: other sessions end, this browser stays signed in.
func TestOwnPassword(t *testing.T) {
	s := apitest.Start(t, nil)
	addUser(t, s, "ada", access.Viewer)
	here, elsewhere := signIn(t, s, "ada"), signIn(t, s, "ada")
	a := tryPassword(t, s, "Ada", goodPassword, newPassword, here).Want(t, 200)
	renewed := "botwork_session=" + cookiesOf(t, a)["botwork_session"]
	for cookie, want := range map[string]int{here: 401, elsewhere: 401, renewed: 200} {
		withCookie(t, s, "GET", "/auth/session", cookie).Want(t, want)
	}
	trySignIn(t, s, "ada", goodPassword, "").WantProblem(t, 401, "sign-in-failed")
	trySignIn(t, s, "ada", newPassword, "").Want(t, 200)

	// Without a session, the present password is enough, and starts none.
	a = tryPassword(t, s, "ada", newPassword, goodPassword, "").Want(t, 200)
	if len(a.Header.Values("Set-Cookie")) != 0 {
		t.Errorf("got the cookies %q without a session", a.Header.Values("Set-Cookie"))
	}
	withCookie(t, s, "GET", "/auth/session", renewed).Want(t, 401)

	entries, err := s.Store.AuditEntries(t.Context(), workqueue.AuditFilter{Action: workqueue.AuditUsersSet})
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 || entries[0].Actor != "ada" || entries[0].Target != "ada" || entries[0].Host != "127.0.0.1" || !strings.Contains(string(entries[0].After), "passwordSet") {
		t.Errorf("the audit log has %+v", entries)
	}
}

func TestOwnPasswordIsRefused(t *testing.T) {
	s := apitest.Start(t, nil)
	ada := addUser(t, s, "ada", access.Viewer)
	cookie := signIn(t, s, "ada")
	for password, want := range map[string]string{"short": "at least 12", goodPassword: "the present password"} {
		if p := tryPassword(t, s, "ada", goodPassword, password, cookie).WantProblem(t, 422, "invalid-request"); len(p.Errors) != 1 || !strings.Contains(p.Errors[0].Message, want) {
			t.Errorf("%s: got %+v, want %q", password, p, want)
		}
	}
	tryPassword(t, s, "ada", "wrong password", newPassword, cookie).WantProblem(t, 403, "wrong-password")
	tryPassword(t, s, "unknown", "wrong password", newPassword, cookie).WantProblem(t, 403, "wrong-password")
	if u, _, err := s.Store.User(t.Context(), "ada"); err != nil || u.ID != ada.ID || u.Failures != 1 {
		t.Errorf("a wrong present password left %d failures, %v; want 1", u.Failures, err)
	}
	withCookie(t, s, "GET", "/auth/session", cookie).Want(t, 200)

	locked := apitest.Start(t, func(o *api.Options) { o.ReadOnly = true })
	addUser(t, locked, "ada", access.Viewer)
	tryPassword(t, locked, "ada", goodPassword, newPassword, "").WantProblem(t, 403, "read-only")
}

// A user without a password learns why; others do not learn how a user signs in.
func TestOwnPasswordOfOthers(t *testing.T) {
	s := apitest.Start(t, nil)
	addUser(t, s, "ada", access.Viewer)
	cookies := map[string]string{}
	for name, subject := range map[string]string{"oidc": "https://id.example 1", "links": ""} {
		u, err := s.Store.CreateUser(t.Context(), access.UserParams{Name: name, Role: access.Viewer, Subject: subject})
		if err != nil {
			t.Fatal(err)
		}
		link, err := auth.NewLink(t.Context(), s.Store, u.ID)
		if err != nil {
			t.Fatal(err)
		}
		session, text, err := auth.NewSignIns(s.Store).Link(t.Context(), link, auth.Browser{})
		if err != nil || session.User.HasPassword {
			t.Fatal(err)
		}
		cookies[name] = "botwork_session=" + text
	}
	for name, hint := range map[string]string{"oidc": "at the provider", "links": "an administrator sets a password"} {
		if p := tryPassword(t, s, name, "any password", newPassword, cookies[name]).WantProblem(t, 409, "no-password"); !strings.Contains(p.Hint, hint) {
			t.Errorf("%s: got the hint %q", name, p.Hint)
		}
		tryPassword(t, s, name, "any password", newPassword, signIn(t, s, "ada")).WantProblem(t, 403, "wrong-password")
	}
}

// A sign-in makes the browser known, and attempts from elsewhere do not lock it out.
func TestKnownBrowser(t *testing.T) {
	s := apitest.Start(t, nil)
	ada := addUser(t, s, "ada", access.Viewer)
	cookies := cookiesOf(t, trySignIn(t, s, "ada", goodPassword, "").Want(t, 200))
	known := "botwork_browser=" + cookies["botwork_browser"]
	withCookie(t, s, "GET", "/auth/session", known).Want(t, 401) // it is no credential
	for range access.AccountFailures + 8 {
		if err := s.Store.SignInFailed(t.Context(), ada.ID); err != nil {
			t.Fatal(err)
		}
	}
	trySignIn(t, s, "ada", goodPassword, "").WantProblem(t, 401, "sign-in-failed")
	trySignIn(t, s, "ada", goodPassword, known+"x").WantProblem(t, 401, "sign-in-failed")
	trySignIn(t, s, "ada", goodPassword, known).Want(t, 200)
}
