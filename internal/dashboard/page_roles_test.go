package dashboard_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"botwork/internal/api/apitest"
	"botwork/workqueue/access"
)

// pageRoles is the least role of each page that a browser opens, and the operation that its form sends: a page
// without that is for reading. TestStorybook opens each page as each role.
var pageRoles = map[string]struct{ least, sends string }{
	"GET /{$}":                           {"viewer", ""},
	"GET /standing":                      {"viewer", ""},
	"GET /suggestions":                   {"viewer", ""},
	"GET /items":                         {"viewer", ""},
	"GET /items/{id}":                    {"viewer", ""},
	"GET /drawings/items/{id}":           {"viewer", ""},
	"GET /items/export/{form}":           {"viewer", ""},
	"GET /items/selected":                {"operator", "items-cancel"},
	"GET /items/actions/{action}":        {"operator", "items-cancel-many"},
	"GET /enqueue":                       {"operator", "items-create"},
	"GET /change/{id}":                   {"operator", "items-update"},
	"GET /failures":                      {"viewer", ""},
	"GET /queues":                        {"viewer", ""},
	"GET /queues/{queue}":                {"viewer", ""},
	"GET /queues/{queue}/policy":         {"editor", "queues-set"},
	"GET /workers":                       {"viewer", ""},
	"GET /workers/{worker}":              {"viewer", ""},
	"GET /pipelines":                     {"viewer", ""},
	"GET /pipelines/{pipeline}":          {"viewer", ""},
	"GET /pipelines/{pipeline}/dry-run":  {"operator", "pipelines-dryrun"},
	"GET /pipelines/{pipeline}/edit":     {"editor", "pipelines-save"},
	"GET /pipelines/{pipeline}/backfill": {"operator", "pipelines-backfill"},
	"GET /new-pipeline":                  {"editor", "pipelines-save"},
	"GET /schedules":                     {"viewer", ""},
	"GET /schedules/day":                 {"viewer", ""},
	"GET /schedules/calendar":            {"viewer", ""},
	"GET /tasks":                         {"viewer", ""},
	"GET /audit":                         {"viewer", ""},
	"GET /audit/{entry}":                 {"viewer", ""},
	"GET /forecast":                      {"viewer", ""},
	"GET /notifications":                 {"viewer", ""},
	"GET /escalations":                   {"viewer", ""},
	"GET /doctor":                        {"admin", "machine-examine"},
	"GET /settings":                      {"viewer", ""},
	"GET /access":                        {"admin", "tokens-create"},
	"GET /access/users":                  {"admin", "users-create"},
	"GET /access/users/{user}/sessions":  {"admin", "users-signout"},
	"GET /password":                      {"viewer", ""}, // of the person
	"GET /sign-in":                       {"", ""},
	"GET /":                              {"viewer", ""}, // there is no such page
	"GET /assets/":                       {"", ""},
}

// formOperations are the operations that the forms of the pages send; "": what each person may do.
var formOperations = map[string]string{
	"POST /sign-in": "", "POST /sign-out": "", "POST /sign-out-everywhere": "", "POST /seen": "", "POST /password": "",
	"POST /enqueue":                             "items-create",
	"POST /change/{id}":                         "items-update",
	"POST /items/{id}/{action}":                 "items-{action}",
	"POST /items/selected/{action}":             "items-{action}",
	"POST /items/actions/{action}":              "items-{action}-many",
	"POST /queues/{queue}/{action}":             "queues-{action}",
	"POST /queues/{queue}/policy":               "queues-set",
	"POST /workers/{worker}/{action}":           "workers-{action}",
	"POST /workers/{worker}/capacity":           "workers-set",
	"POST /pipelines/{pipeline}/{action}":       "pipelines-{action}",
	"POST /pipelines/{pipeline}/dry-run":        "pipelines-dryrun",
	"POST /pipelines/{pipeline}/edit":           "pipelines-save",
	"POST /notifications/rules/{rule}/{action}": "notifications-{action}",
	"POST /notifications/targets/{target}/test": "notifications-test",
	"POST /doctor":                              "machine-examine",
	"POST /access":                              "tokens-create",
	"POST /access/{id}/revoke":                  "tokens-revoke",
	"POST /access/users":                        "users-create",
	"POST /access/users/{user}/{action}":        "users-{action}",
	"POST /access/users/{user}/sign-out":        "users-signout",
}

// TestPageRoles compares the table with the pages, with the stories, and with the roles of the operations: a
// page is for those who may send its form.
func TestPageRoles(t *testing.T) {
	for _, page := range registeredGets(t) {
		if _, ok := pageRoles[page]; !ok {
			t.Errorf("the page %q is not in the table of roles", page)
		}
	}
	for _, s := range stories {
		if p, ok := pageRoles[s.page]; ok && strings.HasPrefix(s.page, "GET ") && s.least != "" && s.least != p.least {
			t.Errorf("the page %q is for %s in its story, and for %s in the table", s.page, s.least, p.least)
		}
		if p := pageRoles[s.page]; s.least == "" && p.least != "" && p.least != "viewer" {
			t.Errorf("the page %q is for all in its story, and for %s in the table", s.page, p.least)
		}
	}
	api := apitest.Start(t, nil)
	for page, p := range pageRoles {
		if p.sends == "" {
			continue
		}
		if may := rolesOf(t, api, p.sends); string(may[0]) != p.least {
			t.Errorf("the page %q is for %s, and its form sends %s, which is for %v", page, p.least, p.sends, may)
		}
	}
}

// TestPagesOfferWhatRolesMay opens each page as each role: each form sends what the role may do, and each link
// and form leads to a page that the role may open.
func TestPagesOfferWhatRolesMay(t *testing.T) {
	api := apitest.Start(t, nil)
	text, err := api.API.Document()
	if err != nil {
		t.Fatal(err)
	}
	forms, pages := newMatcher(formOperations), newMatcher(leastRoles())
	checked := 0
	for _, state := range states {
		if state.hostile || state.name == "empty" {
			continue // the names of one lead elsewhere, and the other offers less
		}
		answers := loadAnswers(t, state)
		for _, role := range []access.Role{access.Viewer, access.Operator, access.Editor, access.Admin} {
			for i, got := range render(t, newCannedAPI(t, text, answers, string(role)), state) {
				at := stories[i].path
				for _, to := range got.forms() {
					op, ok := forms.match(http.MethodPost, to)
					if !ok {
						t.Errorf("%s has a form for %s, which is not in the table", at, to)
					} else if op != "" && !slices.Contains(rolesOf(t, api, op), role) {
						t.Errorf("%s offers a person with the role %s a form that sends %s", at, role, op)
					}
					checked++
				}
				for _, to := range append(got.links(), got.searches()...) {
					if !strings.HasPrefix(to, "/") {
						continue // the same page
					}
					if least, ok := pages.match(http.MethodGet, to); ok && least != "" && !role.Includes(access.Role(least)) {
						t.Errorf("%s leads a person with the role %s to %s, which is for %s", at, role, to, least)
					}
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("found only %d forms", checked)
	}
}

// TestPagesNeedASession opens each page without one.
func TestPagesNeedASession(t *testing.T) {
	b := newSite(t).browser(t)
	names := strings.NewReplacer("GET ", "", "{$}", "", "{id}", "1", "{form}", "csv", "{action}", "repeat", "{queue}", "default", "{worker}", "w", "{pipeline}", "p", "{entry}", "1", "{user}", "u")
	for page, p := range pageRoles {
		if p.least == "" {
			continue
		}
		if got := b.look(names.Replace(page)); got.status != http.StatusUnauthorized && !strings.HasPrefix(got.header.Get("Location"), "/sign-in?") {
			t.Errorf("%s without a session: status %d", page, got.status)
		}
	}
}

// rolesOf lists the roles that may call an operation, the least first.
func rolesOf(t *testing.T, s *apitest.Server, id string) []access.Role {
	t.Helper()
	for _, op := range s.API.Operations() {
		if op.ID == id {
			return op.Roles
		}
	}
	t.Fatalf("there is no operation %s", id)
	return nil
}

func leastRoles() map[string]string {
	all := map[string]string{}
	for page, p := range pageRoles {
		all[page] = p.least
	}
	return all
}

// matcher finds the value of the pattern that an address matches.
type matcher struct{ mux *http.ServeMux }

func newMatcher(values map[string]string) matcher {
	m := matcher{http.NewServeMux()}
	for pattern, value := range values {
		m.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			_, _ = io.WriteString(w, strings.ReplaceAll(value, "{action}", r.PathValue("action")))
		})
	}
	return m
}

func (m matcher) match(method, address string) (value string, ok bool) {
	got := httptest.NewRecorder()
	m.mux.ServeHTTP(got, httptest.NewRequest(method, address, nil)) //nolint:noctx // nothing waits
	return got.Body.String(), got.Code == http.StatusOK
}

// searches lists the places that forms of a page lead to without a change.
func (s seen) searches() []string {
	var all []string
	for _, n := range s.elements() {
		if to := attr(n, "action"); n.Data == "form" && attr(n, "method") != "post" && strings.HasPrefix(to, "/") {
			all = append(all, to)
		}
	}
	return all
}

// registeredGets lists what browsers can open.
func registeredGets(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("dashboard.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, found := range regexp.MustCompile(`"(GET [^"]*)"(\+assetPrefix|( \+ assetPrefix))?`).FindAllStringSubmatch(string(text), -1) {
		page := found[1]
		if page == "GET " {
			page += "/assets/"
		}
		all = append(all, page)
	}
	if len(all) < 30 {
		t.Fatalf("found only %v in dashboard.go", all)
	}
	return all
}
