package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/api/auth"
	"botwork/workqueue/access"
)

func TestVersion(t *testing.T) {
	s := apitest.Start(t, nil)
	got := apitest.Decode[struct {
		Version, Caller, Role string
		Queues                []string
		Now                   time.Time
	}](t, s.Do(t, apitest.Request{Method: "GET", Path: "/version", Token: s.Token(t, access.Robot, "default")}).Want(t, 200))
	if got.Version != "1.2.3-test" || got.Caller != "robot-default" || got.Role != "robot" || !slices.Equal(got.Queues, []string{"default"}) || got.Now.IsZero() {
		t.Errorf("got %+v", got)
	}
}

// Whoever has no valid token gets nothing, on the loopback neither.
func TestNobody(t *testing.T) {
	s := apitest.Start(t, nil)
	create := func(p access.NewTokenParams) (access.Token, string) {
		token, text, err := auth.CreateToken(t.Context(), s.Store, p)
		if err != nil {
			t.Fatal(err)
		}
		return token, text
	}
	revoked, revokedText := create(access.NewTokenParams{Name: "revoked", Role: access.Admin})
	if _, err := s.Store.RevokeToken(t.Context(), revoked.ID, "test"); err != nil {
		t.Fatal(err)
	}
	_, expired := create(access.NewTokenParams{Name: "expired", Role: access.Admin, ExpiresIn: time.Millisecond})
	time.Sleep(5 * time.Millisecond) // the database's clock is the machine's
	for _, c := range []struct{ name, header, code string }{
		{"no header", "", "no-credentials"},
		{"another scheme", "Basic YTpi", "unknown-scheme"},
		{"no token", "Bearer", "invalid-token"},
		{"a guess", "Bearer " + access.NewToken(), "invalid-token"},
		{"a hash", "Bearer " + access.Hash(revokedText), "invalid-token"},
		{"the start", "Bearer " + revoked.Start, "invalid-token"},
		{"revoked", "Bearer " + revokedText, "token-revoked"},
		{"expired", "Bearer " + expired, "token-expired"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, op := range s.API.Operations() {
				if op.Open {
					continue
				}
				r := apitest.Request{Method: op.Method, Path: samplePath(op), Header: map[string]string{"Authorization": c.header}}
				if c.header == "" {
					r.Header = nil
				}
				a := s.Do(t, r)
				if a.WantProblem(t, http.StatusUnauthorized, c.code); a.Header.Get("WWW-Authenticate") == "" {
					t.Errorf("%s: no WWW-Authenticate", op.ID)
				}
			}
		})
	}
}

// The operations without a caller are few, and a new one is a decision.
func TestOpenOperations(t *testing.T) {
	var open []string
	for _, op := range apitest.Start(t, nil).API.Operations() {
		if op.Open {
			open = append(open, op.ID)
		}
	}
	// A change of the own password is proved by the present one, like a sign-in.
	if want := []string{"sessions-start", "sessions-end", "sessions-password"}; !slices.Equal(open, want) {
		t.Errorf("got %q, want %q", open, want)
	}
}

// samplePath returns the path of an operation with values for its parameters.
func samplePath(op api.Operation) string {
	path := strings.TrimPrefix(op.Path, api.Prefix)
	for strings.Contains(path, "{") {
		from, to := strings.Index(path, "{"), strings.Index(path, "}")
		value := "999999"
		if path[from:to+1] == "{queue}" {
			value = "default"
		}
		path = path[:from] + value + path[to+1:]
	}
	return path
}

// Each operation is called by each role: the permission is checked before the parameters, so a
// caller without it learns nothing.
func TestRoles(t *testing.T) {
	s := apitest.Start(t, nil)
	for _, op := range s.API.Operations() {
		t.Run(op.ID, func(t *testing.T) {
			for _, role := range access.Roles() {
				queues := []string(nil)
				if role == access.Robot {
					queues = []string{"elsewhere"}
				}
				r := apitest.Request{Method: op.Method, Path: samplePath(op), Token: s.Token(t, role, queues...), Body: `{"unknown": true}`}
				if op.Method == http.MethodGet {
					r.Body = nil
				}
				a := s.Do(t, r)
				may := slices.Contains(op.Roles, role)
				switch code := codeOf(a); {
				case !may && (a.Status != http.StatusForbidden || code != "role-not-allowed"):
					t.Errorf("%s: got %d %s, want 403 role-not-allowed", role, a.Status, code)
				case may && code == "role-not-allowed":
					t.Errorf("%s: got %s", role, code)
				case a.Status >= 500:
					t.Errorf("%s: got %d: %s", role, a.Status, a.Body)
				}
			}
			bound := s.Do(t, apitest.Request{Method: op.Method, Path: samplePath(op), Token: s.Token(t, access.Admin, "elsewhere")})
			if code := codeOf(bound); slices.Contains(op.Roles, access.Admin) && (code == "bound-to-queues") == op.Bound {
				t.Errorf("a caller that is bound to another queue got %d %s", bound.Status, code)
			}
		})
	}
}

func codeOf(a apitest.Answer) string {
	var p api.Problem
	if json.Unmarshal(a.Body, &p) != nil {
		return ""
	}
	return p.Code
}

func TestUnknownPaths(t *testing.T) {
	s := apitest.Start(t, nil)
	for _, c := range []struct {
		method, path, code string
		status             int
	}{
		{"GET", "/nothing", "unknown-path", 404},
		{"PATCH", "/queues", "method-not-allowed", 405},
		{"GET", "/queues?most=1", "invalid-request", 422},
		{"GET", "/queues/nothing", "not-found", 404},
	} {
		r := apitest.Request{Method: c.method, Path: c.path, Token: s.Token(t, access.Viewer)}
		req, err := s.NewRequest(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var p api.Problem
		err = json.NewDecoder(res.Body).Decode(&p)
		res.Body.Close()
		if err != nil || res.StatusCode != c.status || p.Code != c.code || p.Instance == "" {
			t.Errorf("%s %s: got %d %+v %v, want %d %s", c.method, c.path, res.StatusCode, p, err, c.status, c.code)
		}
	}
}

func TestTokens(t *testing.T) {
	s := apitest.Start(t, nil)
	admin := s.Token(t, access.Admin)
	body := map[string]any{"name": "robot-1", "role": "robot", "queues": []string{"default"}, "expiresIn": "24h"}
	created := apitest.Decode[struct {
		access.Token
		Text string `json:"token"`
	}](t, s.Do(t, apitest.Request{Method: "POST", Path: "/tokens", Token: admin, Body: body}).Want(t, 201))
	if !strings.HasPrefix(created.Text, access.TokenPrefix) || created.Start == created.Text || created.CreatedBy != "admin" || created.ExpiresAt == nil {
		t.Errorf("got %+v", created)
	}
	s.Do(t, apitest.Request{Method: "GET", Path: "/version", Token: created.Text}).Want(t, 200)
	s.Do(t, apitest.Request{Method: "POST", Path: "/tokens", Token: admin, Body: body}).WantProblem(t, 409, "name-in-use")
	p := s.Do(t, apitest.Request{Method: "POST", Path: "/tokens", Token: admin, Body: map[string]any{"name": "r", "role": "robot"}}).WantProblem(t, 422, "invalid-request")
	if len(p.Errors) != 1 || !strings.Contains(p.Errors[0].Message, "queues") {
		t.Errorf("got %+v", p)
	}
	s.Do(t, apitest.Request{Method: "DELETE", Path: "/tokens/" + itoa(created.ID), Token: admin}).Want(t, 200)
	s.Do(t, apitest.Request{Method: "GET", Path: "/version", Token: created.Text}).WantProblem(t, 401, "token-revoked")
	list := s.Do(t, apitest.Request{Method: "GET", Path: "/tokens", Token: admin}).Want(t, 200)
	if strings.Contains(string(list.Body), created.Text) || strings.Contains(string(list.Body), access.Hash(created.Text)) || !strings.Contains(string(list.Body), created.Start) {
		t.Errorf("got the list %s", list.Body)
	}
	entries, err := s.Store.AuditEntries(context.WithoutCancel(t.Context()), auditOf("token"))
	if err != nil || len(entries) < 2 || entries[0].Actor != "admin" || entries[0].Via != "api" || entries[0].Host != "127.0.0.1" {
		t.Errorf("got the audit entries %+v, %v", entries, err)
	}
}

func TestPauseAQueue(t *testing.T) {
	s := apitest.Start(t, nil)
	operator := s.Token(t, access.Operator)
	for _, c := range []struct {
		verb string
		want bool
	}{{"pause", true}, {"pause", false}, {"resume", true}, {"resume", false}} {
		a := s.Do(t, apitest.Request{Method: "POST", Path: "/queues/default/" + c.verb, Token: operator, Body: map[string]string{"reason": "maintenance"}}).Want(t, 200)
		if got := apitest.Decode[struct{ Changed bool }](t, a); got.Changed != c.want {
			t.Errorf("%s: got changed %v, want %v", c.verb, got.Changed, c.want)
		}
	}
	s.Do(t, apitest.Request{Method: "POST", Path: "/queues/default/pause", Token: s.Token(t, access.Operator, "elsewhere")}).WantProblem(t, 403, "queue-not-allowed")
	s.Do(t, apitest.Request{Method: "POST", Path: "/queues/default/pause", Token: operator}).Want(t, 200)
	s.Do(t, apitest.Request{Method: "POST", Path: "/queues/nothing/pause", Token: operator}).WantProblem(t, 404, "not-found")
	entries, err := s.Store.AuditEntries(t.Context(), auditOf("queue"))
	if err != nil || len(entries) != 3 || entries[2].Reason != "maintenance" || entries[2].Actor != "operator" {
		t.Errorf("got the audit entries %+v, %v", entries, err)
	}
}

// TestDocument compares the document with the committed one. An operation or a property that is
// gone breaks programs of others.
func TestDocument(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.Version = "1" })
	got, err := s.API.Document()
	if err != nil {
		t.Fatal(err)
	}
	var indented strings.Builder
	var doc any
	if err := json.Unmarshal(got, &doc); err != nil {
		t.Fatal(err)
	}
	enc := json.NewEncoder(&indented)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		t.Fatal(err)
	}
	const file = "openapi.json"
	want, err := os.ReadFile(file)
	if err == nil {
		for _, fault := range breaking(t, want, []byte(indented.String())) {
			t.Errorf("breaks programs of others: %s", fault)
		}
	}
	if string(want) == indented.String() {
		return
	}
	if !*update {
		t.Fatalf("%s is out of date; run go test ./internal/api -run TestDocument -update", file)
	}
	if err := os.WriteFile(file, []byte(indented.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
