package api_test

import (
	"maps"
	"strings"
	"testing"

	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func TestUsers(t *testing.T) {
	s := apitest.Start(t, nil)
	admin := s.Token(t, access.Admin)
	body := map[string]any{"name": "Ada", "role": "editor", "queues": []string{"default"}, "password": goodPassword}
	created := s.Do(t, apitest.Request{Method: "POST", Path: "/users", Token: admin, Body: body}).Want(t, 201)
	if u := apitest.Decode[access.User](t, created); u.Name != "Ada" || u.Role != access.Editor || u.CreatedBy != "admin" || strings.Contains(string(created.Body), "argon2id") {
		t.Errorf("got %s", created.Body)
	}
	s.Do(t, apitest.Request{Method: "POST", Path: "/users", Token: admin, Body: map[string]any{"name": "ADA", "role": "viewer"}}).WantProblem(t, 409, "name-in-use")
	for _, c := range []struct {
		name string
		body map[string]any
	}{
		{"a short password", map[string]any{"name": "bob", "role": "viewer", "password": "elevenchars"}},
		{"a long password", map[string]any{"name": "bob", "role": "viewer", "password": strings.Repeat("x", 129)}},
		{"the name", map[string]any{"name": "bartholomew jones", "role": "viewer", "password": "Bartholomew Jones"}},
		{"a robot", map[string]any{"name": "bob", "role": "robot"}},
		{"no role", map[string]any{"name": "bob"}},
		{"a control character", map[string]any{"name": "b\u0007b", "role": "viewer"}},
	} {
		s.Do(t, apitest.Request{Method: "POST", Path: "/users", Token: admin, Body: c.body}).WantProblem(t, 422, "invalid-request")
	}
	s.Do(t, apitest.Request{Method: "PATCH", Path: "/users/bob", Token: admin, Body: map[string]any{"role": "viewer"}}).WantProblem(t, 404, "not-found")
	s.Do(t, apitest.Request{Method: "PATCH", Path: "/users/ada", Token: admin, Body: map[string]any{"password": "short"}}).WantProblem(t, 422, "invalid-request")
	set := s.Do(t, apitest.Request{Method: "PATCH", Path: "/users/ada", Token: admin, Body: map[string]any{"role": "admin", "queues": []string{}, "reason": "promoted"}}).Want(t, 200)
	if u := apitest.Decode[access.User](t, set); u.Role != access.Admin || len(u.Queues) != 0 {
		t.Errorf("got %s", set.Body)
	}
	signIn(t, s, "ada") // the password is still the same
	sessions := s.Do(t, apitest.Request{Method: "GET", Path: "/users/ada/sessions", Token: admin}).Want(t, 200)
	if got := apitest.Decode[struct{ Items []access.Session }](t, sessions); len(got.Items) != 1 || got.Items[0].SignedInBy != "password" || got.Items[0].Address != "127.0.0.1" {
		t.Errorf("got %s", sessions.Body)
	}
	list := s.Do(t, apitest.Request{Method: "GET", Path: "/users", Token: admin}).Want(t, 200)
	if got := apitest.Decode[struct{ Items []access.User }](t, list); len(got.Items) != 1 || got.Items[0].SignedInAt == nil {
		t.Errorf("got %s", list.Body)
	}
	for _, want := range []bool{true, false} {
		a := s.Do(t, apitest.Request{Method: "POST", Path: "/users/ada/disable", Token: admin, Body: map[string]string{"reason": "left"}}).Want(t, 200)
		if got := apitest.Decode[struct{ Changed bool }](t, a); got.Changed != want {
			t.Errorf("got changed %v, want %v", got.Changed, want)
		}
	}
	entries, err := s.Store.AuditEntries(t.Context(), auditOf("user"))
	if err != nil || len(entries) != 4 || entries[0].Actor != "admin" || entries[0].Reason != "left" || entries[1].Action != "users.signin" || entries[2].Reason != "promoted" {
		t.Errorf("got the audit entries %+v, %v", entries, err)
	}
}

// The audit log has who signed in and out, from where, and who was refused, and no password.
func TestSignInsAreAudited(t *testing.T) {
	s := apitest.Start(t, nil)
	admin := as(t, s, access.Admin)
	const password = "correct horse battery"
	admin.do("POST", "/users", object{"name": "bob", "role": "viewer", "password": password}).Want(t, 201)
	signIn := func(name, password string) apitest.Answer {
		return s.Do(t, apitest.Request{Method: "POST", Path: "/auth/sign-in", Body: object{"name": name, "password": password}})
	}
	cookie, _, _ := strings.Cut(signIn("BOB", password).Want(t, 200).Header.Get("Set-Cookie"), ";")
	s.Do(t, apitest.Request{Method: "POST", Path: "/auth/sign-out", Header: map[string]string{"Cookie": cookie}}).Want(t, 200)
	for range 3 {
		signIn("bob", "a wrong battery").Want(t, 401)
		signIn("correct horse", "a wrong battery").Want(t, 401) // a password in place of the name
	}
	entries, err := s.Store.AuditEntries(t.Context(), workqueue.AuditFilter{TargetKind: workqueue.TargetUser})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, e := range entries {
		if e.Target != "bob" || e.Action != workqueue.AuditUsersCreate && e.Host != "127.0.0.1" {
			t.Errorf("got %+v", e)
		}
		got[e.Action+" by "+e.Actor] += e.Changed
	}
	if want := map[string]int64{"users.create by admin": 1, "users.signin by bob": 1, "users.signout by bob": 1, "users.refuse by unknown": 3}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if text := string(admin.get("/audit").Want(t, 200).Body); strings.Contains(text, "horse") || strings.Contains(text, "battery") {
		t.Errorf("the log has a password: %s", text)
	}
}
