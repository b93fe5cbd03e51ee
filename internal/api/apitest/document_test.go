package apitest

import (
	"strings"
	"testing"

	"botwork/workqueue/access"
)

// Answers that do not match the document are found, at the first comparison and at later ones.
func TestAnswersAreCompared(t *testing.T) {
	s := Start(t, nil)
	version := string(s.Do(t, Request{Method: "GET", Path: "/version", Token: s.Token(t, access.Viewer)}).Want(t, 200).Body)
	problem := string(s.Do(t, Request{Method: "GET", Path: "/items/1"}).Want(t, 401).Body)
	const item, kind, problems = "/items/1", "application/json", "application/problem+json"
	for _, c := range []struct {
		method, path string
		status       int
		kind, body   string
		want         string // in the fault; "" for none
	}{
		{"GET", "/version", 200, kind, version, ""},
		{"GET", "/version", 200, kind, `{"version": 1}`, "got number, want string"},
		{"GET", "/version", 200, kind, `{}`, "missing"},
		{"GET", "/version", 200, kind, strings.Replace(version, "{", `{"more": 1,`, 1), "more"},
		{"GET", "/version", 200, kind, version + version, "not JSON"},
		{"GET", "/version", 200, kind, "", "not JSON"},
		{"GET", "/version", 200, kind + "; charset=utf-8", version, ""},
		{"GET", "/version", 299, kind, version, "no such status"},
		{"GET", "/version", 200, "text/plain", version, `no content "text/plain"`},
		{"GET", "/version", 200, "", version, `no content ""`},
		{"POST", "/version", 200, kind, version, "no such operation"},
		{"GET", "/versions", 200, kind, version, "no such operation"},
		{"GET", item, 401, problems, problem, ""},
		{"GET", item, 401, problems, strings.Replace(problem, `401`, `"401"`, 1), "want integer"},
		{"GET", item, 401, kind, problem, "no content"},
		{"DELETE", "/queues/x", 204, "", "", ""},
		{"DELETE", "/queues/x", 204, "", "x", "no content"},
	} {
		req, err := s.NewRequest(t.Context(), Request{Method: c.method, Path: c.path})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(s.compare(req, c.status, c.kind, []byte(c.body)), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s %s %d %s %s: got %q, want %q", c.method, c.path, c.status, c.kind, c.body, got, c.want)
		}
	}
}
