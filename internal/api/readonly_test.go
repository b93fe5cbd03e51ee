package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/api/hooks"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// On a server that is read-only, each operation that needs more than a viewer is refused, and each that a robot
// changes something with.
func TestReadOnly(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.ReadOnly = true })
	for _, op := range s.API.Operations() {
		if op.Open {
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			for _, role := range access.Roles() {
				queues := []string(nil)
				if role == access.Robot {
					queues = []string{"default"}
				}
				r := apitest.Request{Method: op.Method, Path: samplePath(op), Token: s.Token(t, role, queues...), Body: `{"unknown": true}`}
				if op.Method == http.MethodGet {
					r.Body = nil
				}
				reads := slices.Contains(op.Roles, access.Viewer)
				if role == access.Robot {
					reads = op.Method == http.MethodGet
				}
				want := "read-only"
				if !slices.Contains(op.Roles, role) {
					want = "role-not-allowed"
				} else if reads {
					want = ""
				}
				a := s.Do(t, r)
				switch code := codeOf(a); {
				case want != "" && (a.Status != http.StatusForbidden || code != want):
					t.Errorf("%s: got %d %s, want 403 %s", role, a.Status, code, want)
				case want == "" && (code == "read-only" || code == "role-not-allowed" || a.Status >= 500):
					t.Errorf("%s: got %d %s", role, a.Status, code)
				}
			}
		})
	}
}

// People sign in and out as elsewhere, and are viewers.
func TestReadOnlySession(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.ReadOnly = true })
	addUser(t, s, "ada", access.Admin)
	signedIn := trySignIn(t, s, "ada", goodPassword, "").Want(t, 200)
	cookie := cookieOf(t, signedIn)
	for what, a := range map[string]apitest.Answer{"sign-in": signedIn, "session": withCookie(t, s, "GET", "/auth/session", cookie).Want(t, 200)} {
		if who := apitest.Decode[api.SessionCaller](t, a); who.Name != "ada" || who.Role != access.Viewer || !who.ReadOnly {
			t.Errorf("%s: %+v", what, who)
		}
	}
	withCookie(t, s, "GET", "/items", cookie).Want(t, 200)
	withCookie(t, s, "POST", "/queues/default/pause", cookie).WantProblem(t, 403, "read-only")
	withCookie(t, s, "POST", "/auth/sign-out", cookie).Want(t, 200)
	withCookie(t, s, "GET", "/auth/session", cookie).WantProblem(t, 401, "session-ended")
}

func TestReadOnlyHooks(t *testing.T) {
	shop, err := hooks.New(hooks.Hook{Name: "shop", Form: hooks.GitHub, Secret: "hunter2", Queue: "default", Pipeline: "ship"}, hooks.Expressions{})
	if err != nil {
		t.Fatal(err)
	}
	s := apitest.Start(t, func(o *api.Options) { o.ReadOnly, o.Hooks = true, []*hooks.Hook{shop} })
	if status, body := deliver(t, s, "shop", "hunter2", `{"id": 1}`, map[string]string{"X-GitHub-Delivery": "d-1"}); status != http.StatusForbidden || !strings.Contains(body, `"read-only"`) {
		t.Errorf("a delivery: %d %s", status, body)
	}
	if n, err := s.Store.CountItems(t.Context(), workqueue.ItemFilter{}); n != 0 || err != nil {
		t.Errorf("%d items, %v", n, err)
	}
}
