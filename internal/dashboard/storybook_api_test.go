package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"botwork/internal/httpserver"
)

// cannedAPI answers the operations of the API's document with canned answers, and refuses those that the
// document does not allow to the role.
type cannedAPI struct {
	t       *testing.T
	answers *answers
	role    string
	mux     *http.ServeMux

	mu    sync.Mutex
	given []givenAnswer
}

// givenAnswer is an answer that a page got.
type givenAnswer struct {
	request *http.Request
	status  int
	header  http.Header
	body    []byte
}

func newCannedAPI(t *testing.T, document []byte, answers *answers, role string) *cannedAPI {
	t.Helper()
	var d struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}
	c := &cannedAPI{t: t, answers: answers, role: role, mux: http.NewServeMux()}
	for path, methods := range d.Paths {
		for method, raw := range methods {
			var o struct{ OperationID, Description string }
			if !slices.Contains([]string{"get", "post", "put", "patch", "delete"}, method) {
				continue
			}
			if err := json.Unmarshal(raw, &o); err != nil {
				t.Fatal(err)
			}
			_, roles, limited := strings.Cut(o.Description, "Roles: ")
			roles, _, _ = strings.Cut(roles, ".")
			allowed := !limited || slices.Contains(strings.Split(roles, ", "), role)
			c.mux.HandleFunc(strings.ToUpper(method)+" "+path, func(w http.ResponseWriter, r *http.Request) { c.answer(w, r, o.OperationID, allowed) })
		}
	}
	return c
}

// ServeHTTP implements http.Handler.
func (c *cannedAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.mux.ServeHTTP(w, r) }

func (c *cannedAPI) answer(w http.ResponseWriter, r *http.Request, operation string, allowed bool) {
	a := answer{status: http.StatusForbidden, body: fmt.Appendf(nil, `{"type":"about:blank","title":"Forbidden","status":403,"code":"forbidden","detail":"the role %s may not call %s"}`, c.role, operation)}
	if allowed {
		var ok bool
		if a, ok = c.answers.find(operation, r.URL.Query()); !ok {
			c.t.Errorf("there is no canned answer for %s, which %s %s asks for", operation, r.Method, r.URL)
			http.Error(w, "no answer", http.StatusInternalServerError)
			return
		}
	}
	if operation == "sessions-get" {
		a.body = c.signedIn(a.body)
	}
	w.Header().Set("Content-Type", "application/json")
	if a.status >= 400 {
		w.Header().Set("Content-Type", httpserver.ProblemType)
	} else if text := ""; json.Unmarshal(a.body, &text) == nil {
		w.Header().Set("Content-Type", "image/svg+xml") // the only answers that are no JSON
		a.body = []byte(text)
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given = append(c.given, givenAnswer{r, a.status, w.Header().Clone(), a.body})
}

// signedIn returns the answer about the session of a person of the role.
func (c *cannedAPI) signedIn(body []byte) []byte {
	var session map[string]any
	if err := json.Unmarshal(body, &session); err != nil {
		c.t.Error(err)
		return nil
	}
	session["role"] = c.role
	body, err := json.Marshal(session)
	if err != nil {
		c.t.Error(err)
	}
	return body
}
