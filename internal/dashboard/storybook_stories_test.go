package dashboard_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"botwork/workqueue/access"
)

// storyState is a state of the installation.
type storyState struct {
	name    string
	folder  string // of its answers, if it is not the name
	hostile bool   // each text of the answers attacks the page

	// name of a queue, pipeline, worker or user in the address of a page; "": the usual one
	named string
}

var states = []storyState{
	{name: "empty"},
	{name: "busy", named: longName},
	{name: "failing"},
	{name: "hostile", folder: "failing", hostile: true, named: hostileText},
}

// longName has 200 characters, as many as a name may have.
var longName = strings.Repeat("invoices-of-the-northern-branch-", 7)[:200]

// hostileText is what attacks add: elements, a template, an attribute, control characters, and one that turns the
// direction of what follows.
const hostileText = `<script>alert(1)</script>{{template}}" onmouseover="alert(2)` + "\x07\x1b[31m\u202e"

// fill puts names into a path.
func (s storyState) fill(path string) string {
	name := func(usual string) string { return cmp.Or(s.named, usual) }
	return strings.NewReplacer(
		"{queue}", url.PathEscape(name("orders")), "{pipeline}", url.PathEscape(name("book-invoice")), "{worker}", url.PathEscape(name("bot-1")),
		"{user}", url.PathEscape(name("ada")), "{id}", "7", "{text}", url.QueryEscape(name("orders")),
	).Replace(path)
}

// story is a page, and how a person came to it.
type story struct {
	page string     // as the dashboard registers it
	path string     // with the names in braces that fill replaces
	form url.Values // that was sent; nil: the page was opened

	// least is the role that may see the page; "": all may.
	least string

	// plain pages show no text of an answer.
	plain bool

	// status is what the answer is instead of 200, by state.
	status map[string]int
}

// want is the status of the answer.
func (s *story) want(state storyState, role string) int {
	if s.least != "" && !access.Role(role).Includes(access.Role(s.least)) {
		return http.StatusForbidden
	}
	if status := s.status[state.name]; status != 0 {
		return status
	}
	return http.StatusOK
}

// in says that a page has this status in all states.
func in(status int) map[string]int {
	all := map[string]int{}
	for _, state := range states {
		all[state.name] = status
	}
	return all
}

var (
	fixed   = map[string]int{"empty": http.StatusForbidden}
	broken  = map[string]int{"empty": http.StatusNotFound, "failing": http.StatusConflict, "hostile": http.StatusConflict}
	ended   = map[string]int{"empty": http.StatusNotFound, "busy": http.StatusConflict, "failing": http.StatusConflict, "hostile": http.StatusConflict}
	missing = map[string]int{"empty": http.StatusNotFound}
)

var stories = []story{
	{page: "GET /sign-in", path: "/sign-in?to=%2Fitems", plain: true},
	{page: "POST /sign-in", path: "/sign-in", plain: true, form: url.Values{"name": {"ada"}, "password": {"wrong"}}, status: in(http.StatusUnauthorized)},
	{page: "GET /{$}", path: "/"},
	{page: "GET /{$}", path: "/?range=90d"},
	{page: "GET /items", path: "/items"},
	{page: "GET /items", path: "/items?status=failed&key={text}&tag={text}&label={text}&error={text}&sort=-priority&columns=priority&columns=tags&columns=worker&columns=took"},
	{page: "GET /items", path: "/items?keyPart=order"}, // a bounded search, which fails in the failing state
	{page: "GET /items/{id}", path: "/items/{id}", status: missing},
	{page: "GET /failures", path: "/failures?range=7d"},
	{page: "GET /queues", path: "/queues"},
	{page: "GET /queues", path: "/queues?view=cards"},
	{page: "GET /queues/{queue}", path: "/queues/{queue}"},
	{page: "GET /queues/{queue}/policy", path: "/queues/{queue}/policy", least: "editor"},
	{page: "POST /queues/{queue}/policy", path: "/queues/{queue}/policy", least: "editor", form: url.Values{"retain": {"90d"}, "reason": {"audit"}}},
	{page: "GET /workers", path: "/workers"},
	{page: "GET /workers/{worker}", path: "/workers/{worker}", status: missing},
	{page: "GET /pipelines", path: "/pipelines"},
	{page: "GET /pipelines/{pipeline}", path: "/pipelines/{pipeline}", status: missing},
	{page: "GET /pipelines/{pipeline}/dry-run", path: "/pipelines/{pipeline}/dry-run", least: "operator", status: broken},
	{page: "POST /pipelines/{pipeline}/dry-run", path: "/pipelines/{pipeline}/dry-run", least: "operator", status: missing, form: url.Values{"payload": {`{"invoice": "INV-1"}`}}},
	{page: "GET /new-pipeline", path: "/new-pipeline?name=refund", least: "editor", status: in(http.StatusSeeOther)},
	{page: "GET /pipelines/{pipeline}/edit", path: "/pipelines/{pipeline}/edit", least: "editor", status: fixed},
	{page: "POST /pipelines/{pipeline}/edit", path: "/pipelines/{pipeline}/edit", least: "editor", status: fixed, form: url.Values{"text": {"name: book-invoice\n"}, "newline": {"lf"}, "payload": {"{}"}, "do": {"diff"}}},
	{page: "GET /pipelines/{pipeline}/backfill", path: "/pipelines/{pipeline}/backfill?from=2026-03-08&to=2026-03-09", least: "operator", status: missing},
	{page: "GET /schedules", path: "/schedules"},
	{page: "GET /schedules", path: "/schedules?failed=1&pipeline={text}"},
	{page: "GET /schedules/day", path: "/schedules/day"},
	{page: "GET /schedules/calendar", path: "/schedules/calendar"},
	{page: "GET /tasks", path: "/tasks"},
	{page: "GET /tasks", path: "/tasks?task={text}", status: missing},
	{page: "GET /audit", path: "/audit"},
	{page: "GET /audit", path: "/audit?actor={text}&kind=queue&name={text}&since=7d"},
	{page: "GET /audit/{entry}", path: "/audit/50", status: missing},
	{page: "GET /forecast", path: "/forecast"},
	{page: "GET /forecast", path: "/forecast?add=2&arrivals=50&hours=24&slots=4"},
	{page: "GET /notifications", path: "/notifications"},
	{page: "GET /escalations", path: "/escalations"},
	{page: "GET /doctor", path: "/doctor", least: "admin", plain: true},
	{page: "POST /doctor", path: "/doctor", form: url.Values{}, least: "admin"},
	{page: "GET /settings", path: "/settings"},
	{page: "GET /password", path: "/password"},
	{page: "GET /access", path: "/access", least: "admin"},
	{page: "POST /access", path: "/access", least: "admin", form: url.Values{"name": {"erp"}, "role": {"operator"}}},
	{page: "GET /access/users", path: "/access/users", least: "admin"},
	{page: "POST /access/users", path: "/access/users", least: "admin", form: url.Values{"name": {"ada"}, "role": {"operator"}}},
	{page: "GET /access/users/{user}/sessions", path: "/access/users/{user}/sessions", least: "admin"},
	{page: "POST /access/users/{user}/link", path: "/access/users/{user}/link", least: "admin", form: url.Values{}},
	{page: "GET /enqueue", path: "/enqueue?from={id}", least: "operator", status: missing},
	{page: "GET /change/{id}", path: "/change/{id}", least: "operator", status: missing},
	{page: "POST /enqueue", path: "/enqueue", least: "operator", status: in(http.StatusUnprocessableEntity), form: url.Values{"pipeline": {"book-invoice"}, "queue": {"orders"}, "priority": {"9999"}, "payload": {`{"invoice": "INV-1"}`}}},
	{page: "POST /change/{id}", path: "/change/{id}", least: "operator", status: ended, form: url.Values{"priority": {"9"}, "payload": {"{}"}}},
	{page: "GET /items/selected", path: "/items/selected?action=cancel&id=7&id=8&id=9", least: "operator"},
	{page: "POST /items/selected/{action}", path: "/items/selected/cancel", least: "operator", form: url.Values{"id": {"7", "8"}}},
	{page: "GET /items/actions/{action}", path: "/items/actions/repeat?queue={text}", least: "operator"},
	{page: "POST /items/actions/{action}", path: "/items/actions/repeat", least: "operator", form: url.Values{"of": {"1000"}, "done": {"100"}, "queue": {"orders"}}},
	{page: "GET /", path: "/nowhere/{queue}", status: in(http.StatusNotFound), plain: true},
}

// registeredPages lists the pages that the dashboard registers: those that people open, and the answers to
// forms that are pages.
func registeredPages(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "dashboard.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	// These show pages without the help of show: they need no session, or they keep what a form has sent.
	pages := []string{"GET /sign-in", "POST /sign-in", "POST /enqueue", "POST /change/{id}", "POST /items/selected/{action}", "POST /items/actions/{action}"}
	for n := range ast.Preorder(file) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		called, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || called.Sel.Name != "show" && called.Sel.Name != "answerTo" && called.Sel.Name != "answerToForm" {
			continue
		}
		pattern, ok := call.Args[0].(*ast.BasicLit)
		if !ok {
			t.Fatalf("%s is called without a constant", called.Sel.Name)
		}
		text, err := strconv.Unquote(pattern.Value)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, text)
	}
	if len(pages) < 20 {
		t.Fatalf("found only the pages %v in dashboard.go", pages)
	}
	return pages
}
