package dashboard_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/net/html"

	"botwork/internal/api/apitest"
	"botwork/internal/dashboard"
)

// artefactsVariable names a folder that keeps the pages of the storybook.
const artefactsVariable = "BOTWORK_TEST_ARTEFACTS"

// storyTime is the present of the storybook. The canned answers are from that day.
var storyTime = time.Date(2026, 3, 10, 9, 30, 0, 0, time.UTC)

// TestStorybook renders each page from canned answers of the API in each state, as each
// role. An answer that does not match the API's document, or that no page asks for, fails the test: what
// the pages are shown here is what the API sends.
func TestStorybook(t *testing.T) {
	document := apitest.Start(t, nil)
	text, err := document.API.Document()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("complete", func(t *testing.T) {
		shown := map[string]bool{}
		for _, s := range stories {
			shown[s.page] = true
		}
		for _, page := range registeredPages(t) {
			if !shown[page] {
				t.Errorf("the page %q is registered, but in no story", page)
			}
			delete(shown, page)
		}
		for page := range shown {
			t.Errorf("a story is about the page %q, which is not registered", page)
		}
	})
	for _, state := range states {
		t.Run(state.name, func(t *testing.T) {
			answers := loadAnswers(t, state)
			for _, role := range []string{"viewer", "operator", "editor", "admin"} {
				t.Run(role, func(t *testing.T) {
					api := newCannedAPI(t, text, answers, role)
					dir := artefacts(t)
					for i, got := range render(t, api, state) {
						s := stories[i]
						t.Run(strings.ReplaceAll(s.path, "/", "-"), func(t *testing.T) { judgeStory(t, s, state, role, got) })
						if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d%s.html", i, fileName(s.path))), []byte(got.text), 0o644); err != nil {
							t.Fatal(err)
						}
					}
					for _, a := range api.given {
						document.Check(t, a.request, &http.Response{StatusCode: a.status, Status: http.StatusText(a.status), Header: a.header}, a.body)
					}
				})
			}
			if state.hostile {
				return // its names are not those of the files
			}
			for _, file := range answers.unused() {
				t.Errorf("no page asks for the answer in %s", file)
			}
		})
	}
}

// render makes the pages of all stories in a state. Time does not pass meanwhile, so that the pages are the same each day.
func render(t *testing.T, api *cannedAPI, state storyState) []seen {
	t.Helper()
	var all []seen
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(storyTime))
		pages, err := dashboard.New(dashboard.Options{API: api, Log: zerolog.New(zerolog.NewTestWriter(t)), Version: "1.2.3-test", Name: "Storybook"})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range stories {
			req := s.request(t, state)
			got := httptest.NewRecorder()
			pages.ServeHTTP(got, req)
			one := seen{status: got.Code, header: got.Header(), text: got.Body.String()}
			if one.root, err = html.Parse(bytes.NewReader(got.Body.Bytes())); err != nil {
				t.Fatal(err)
			}
			all = append(all, one)
		}
	})
	return all
}

// request asks for the page as a browser does.
func (s *story) request(t *testing.T, state storyState) *http.Request {
	t.Helper()
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if s.form != nil {
		method, body = http.MethodPost, strings.NewReader(s.form.Encode())
	}
	req := httptest.NewRequestWithContext(t.Context(), method, state.fill(s.path), body)
	if s.form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return req
}

// artefacts returns the folder for the pages of a test.
func artefacts(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(artefactsVariable)
	if dir == "" {
		return t.TempDir()
	}
	dir = filepath.Join(dir, filepath.FromSlash(t.Name()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// fileName makes a name of a file from a path.
func fileName(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return strings.Map(func(r rune) rune {
		if slices.Contains([]rune("/{}"), r) {
			return '-'
		}
		return r
	}, path)
}
