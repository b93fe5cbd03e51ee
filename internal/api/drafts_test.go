package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/savefile"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

const helloText = "name: hello\nsteps:\n  - handler: Log\n    with: {message: hi}\n"

// startEditing runs the API over a folder with the pipeline hello.
func startEditing(t *testing.T) (*apitest.Server, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hello.yaml"), []byte(helloText), 0o640); err != nil {
		t.Fatal(err)
	}
	f := apitest.NewFolder(dir, "bot-1")
	return apitest.Start(t, func(o *api.Options) { o.Project, o.Editor = f, f }), dir
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSavePipeline(t *testing.T) {
	s, dir := startEditing(t)
	token := s.Token(t, access.Editor)
	save := func(name, text string, header map[string]string) apitest.Answer {
		t.Helper()
		return s.Do(t, apitest.Request{Method: "PUT", Path: "/pipelines/" + name + "/text", Token: token, Header: header, Body: inJSON(t, map[string]string{"text": text, "reason": "a test"})})
	}
	at := func(text string) map[string]string {
		return map[string]string{"If-Match": `"` + savefile.Hash([]byte(text)) + `"`}
	}
	onDisk := func(name, want string) {
		t.Helper()
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
			t.Errorf("%s has %q, %v; want %q", name, text, err, want)
		}
	}
	read := s.Do(t, apitest.Request{Method: "GET", Path: "/pipelines/hello/text", Token: token}).Want(t, 200)
	if tag := read.Header.Get("ETag"); tag != at(helloText)["If-Match"] {
		t.Errorf("the text has the ETag %s", tag)
	}

	// Nothing is written without a guard, over another text, or with errors.
	newText := strings.Replace(helloText, "hi", "good morning", 1)
	save("hello", newText, nil).WantProblem(t, 428, "no-precondition")
	save("hello", newText, at("another text")).WantProblem(t, 412, "file-changed")
	save("hello", newText, map[string]string{"If-None-Match": "*"}).WantProblem(t, 412, "file-exists")
	save("hello", newText, map[string]string{"If-Match": "*"}).WantProblem(t, 422, "invalid-request")
	save("hello", newText, map[string]string{"If-None-Match": "*", "If-Match": "*"}).WantProblem(t, 422, "invalid-request")
	p := save("hello", strings.Replace(helloText, "Log", "Lgo", 1), at(helloText)).WantProblem(t, 422, "text-has-errors")
	if len(p.Errors) != 1 || !strings.HasSuffix(p.Errors[0].Location, "hello.yaml:3:14") || p.Errors[0].Code != "unknown-handler" {
		t.Errorf("got the errors %+v", p.Errors)
	}
	save("hello", strings.Replace(helloText, "name: hello", "name: other", 1), at(helloText)).WantProblem(t, 422, "invalid-request")
	save("nothing", helloText, at(helloText)).WantProblem(t, 404, "not-found")
	onDisk("hello.yaml", helloText)
	if entries, err := s.Store.AuditEntries(t.Context(), workqueue.AuditFilter{Action: "pipelines.save"}); err != nil || len(entries) != 0 {
		t.Errorf("refusals are in the audit log: %+v, %v", entries, err)
	}

	type saved struct{ Host, Folder, File, Hash string }
	a := save("hello", newText, at(helloText)).Want(t, 200)
	if got := apitest.Decode[saved](t, a); got != (saved{"bot-1", dir, "hello.yaml", savefile.Hash([]byte(newText))}) || a.Header.Get("ETag") != at(newText)["If-Match"] {
		t.Errorf("got %+v with %v", got, a.Header)
	}
	onDisk("hello.yaml", newText)
	if info, err := os.Stat(filepath.Join(dir, "hello.yaml")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	save("hello", helloText, at(helloText)).WantProblem(t, 412, "file-changed")
	entries, err := s.Store.AuditEntries(t.Context(), workqueue.AuditFilter{Action: "pipelines.save"})
	if err != nil || len(entries) != 1 {
		t.Fatalf("the audit log has %+v, %v", entries, err)
	}
	if e := entries[0]; e.Target != "hello" || e.Reason != "a test" || e.Via != workqueue.ViaAPI || !strings.Contains(string(e.After), `"host":"bot-1"`) || !strings.Contains(string(e.Before), savefile.Hash([]byte(helloText))) {
		t.Errorf("the audit log has %+v", e)
	}

	fresh := strings.Replace(helloText, "name: hello", "name: fresh", 1)
	save("fresh", fresh, map[string]string{"If-None-Match": "*"}).Want(t, 201)
	onDisk("fresh.yaml", fresh)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("the folder has %v, %v", left, err)
	}
}

// Two servers have one folder and one database. Each save that is answered with success is in the
// file in the end, the audit log has these saves and no others, and no answer is a failure.
func TestSavePipelineOfTwoServers(t *testing.T) {
	first, dir := startEditing(t)
	second := apitest.StartOver(t, first.Store, func(o *api.Options) {
		f := apitest.NewFolder(dir, "bot-2")
		o.Project, o.Editor = f, f
	})
	token := first.Token(t, access.Editor)
	const savers, each = 4, 3
	var saving sync.WaitGroup
	for saver := range savers {
		s := []*apitest.Server{first, second}[saver%2]
		saving.Go(func() {
			for saved := 0; saved < each; {
				text, err := os.ReadFile(filepath.Join(dir, "hello.yaml"))
				if err != nil {
					t.Error(err)
					return
				}
				longer := fmt.Sprintf("%s# saver %d, save %d\n", text, saver, saved)
				a := s.Do(t, apitest.Request{
					Method: "PUT", Path: "/pipelines/hello/text", Token: token, Header: map[string]string{"If-Match": `"` + savefile.Hash(text) + `"`},
					Body: inJSON(t, map[string]string{"text": longer}),
				})
				switch a.Status {
				case 200:
					saved++
				case 412:
				default:
					t.Errorf("status %d: %s", a.Status, a.Body)
					return
				}
			}
		})
	}
	saving.Wait()
	text, err := os.ReadFile(filepath.Join(dir, "hello.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for saver := range savers {
		for save := range each {
			if line := fmt.Sprintf("# saver %d, save %d\n", saver, save); !strings.Contains(string(text), line) {
				t.Errorf("the file lacks %s", line)
			}
		}
	}
	entries, err := first.Store.AuditEntries(t.Context(), workqueue.AuditFilter{Action: "pipelines.save"})
	if err != nil || len(entries) != savers*each {
		t.Errorf("the audit log has %d saves, %v; want %d", len(entries), err, savers*each)
	}
}

// lockedFolder is an editor whose folder another process has locked for long.
type lockedFolder struct{ *apitest.Folder }

func (lockedFolder) Save(savefile.Change) error { return fmt.Errorf("save: %w", savefile.ErrLocked) }

func TestSavePipelineInLockedFolder(t *testing.T) {
	f := apitest.NewFolder(t.TempDir(), "bot-1")
	s := apitest.Start(t, func(o *api.Options) { o.Project, o.Editor = f, lockedFolder{f} })
	s.Do(t, apitest.Request{
		Method: "PUT", Path: "/pipelines/hello/text", Token: s.Token(t, access.Editor), Header: map[string]string{"If-None-Match": "*"}, Body: inJSON(t, map[string]string{"text": helloText}),
	}).WantProblem(t, 409, "folder-locked")
}

// No name of a pipeline leads out of the folder.
func TestSavePipelinePaths(t *testing.T) {
	s, dir := startEditing(t)
	outside := filepath.Join(t.TempDir(), "secret.yaml")
	secret := strings.Replace(helloText, "hello", "secret", 1)
	if err := errors.Join(os.WriteFile(outside, []byte(secret), 0o600), os.Symlink(outside, filepath.Join(dir, "secret.yaml"))); err != nil {
		t.Skip(err)
	}
	token := s.Token(t, access.Admin)
	for _, name := range []string{"..%2Fx", "%2Fetc%2Fx", "a%2Fb", ".hidden", "..", "x.yaml%00", "x%5C..%5Cy", strings.Repeat("x", 150)} {
		a := s.Do(t, apitest.Request{Method: "PUT", Path: "/pipelines/" + name + "/text", Token: token, Header: map[string]string{"If-None-Match": "*"}, Body: inJSON(t, map[string]string{"text": helloText})})
		if a.Status < 300 || a.Status >= 500 {
			t.Errorf("a new pipeline %s: status %d, %s", name, a.Status, a.Body)
		}
	}
	a := s.Do(t, apitest.Request{
		Method: "PUT", Path: "/pipelines/secret/text", Token: token, Header: map[string]string{"If-Match": `"` + savefile.Hash([]byte(secret)) + `"`},
		Body: inJSON(t, map[string]string{"text": secret + "# changed\n"}),
	})
	a.WantProblem(t, 409, "file-not-regular")
	if text, err := os.ReadFile(outside); err != nil || string(text) != secret {
		t.Errorf("the file outside the folder has %q, %v", text, err)
	}
}

// A new file has a name that every system allows, and that differs from all other names in more than case.
func TestSavePipelineNames(t *testing.T) {
	s, dir := startEditing(t)
	if err := os.WriteFile(filepath.Join(dir, "letters.yaml"), []byte(strings.Replace(helloText, "hello", "mail", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	token := s.Token(t, access.Editor)
	save := func(name string) apitest.Answer {
		return s.Do(t, apitest.Request{
			Method: "PUT", Path: "/pipelines/" + name + "/text", Token: token, Header: map[string]string{"If-None-Match": "*"}, Body: inJSON(t, map[string]string{"text": strings.Replace(helloText, "hello", name, 1)}),
		})
	}
	for _, name := range []string{"CON", "nul", "COM1", "lpt9", "aux"} {
		a := save(name)
		a.WantProblem(t, 422, "invalid-request")
		if !strings.Contains(string(a.Body), "is a device on Windows") {
			t.Errorf("%s: got %s", name, a.Body)
		}
	}
	save("Letters").WantProblem(t, 412, "file-exists")
}

func TestDrafts(t *testing.T) {
	s, dir := startEditing(t)
	token := s.Token(t, access.Editor)
	ask := func(operation, text string, more ...string) apitest.Answer {
		t.Helper()
		body := map[string]any{"pipeline": "hello", "text": text}
		for _, m := range more {
			body[m] = 0
		}
		return s.Do(t, apitest.Request{Method: "POST", Path: "/drafts/" + operation, Token: token, Body: inJSON(t, body)})
	}
	contains := func(a apitest.Answer, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if !strings.Contains(string(a.Want(t, 200).Body), text) {
				t.Errorf("the answer lacks %s: %.500s", text, a.Body)
			}
		}
	}
	wrong := strings.Replace(helloText, "Log", "Lgo", 1)
	contains(ask("check", helloText), `"valid":true`)
	contains(ask("check", wrong), `"valid":false`, "unknown-handler")
	contains(ask("graph", strings.Replace(helloText, "- handler", "- name: greet\n    handler", 1)), "<svg", "greet")
	ask("graph", wrong).WantProblem(t, 422, "text-has-errors")
	contains(ask("dry-run", strings.Replace(helloText, "hi", "servus", 1)), "servus", `"outcome":"`)
	ask("dry-run", wrong).WantProblem(t, 422, "text-has-errors")
	contains(ask("diff", strings.Replace(helloText, "hi", "servus", 1)), "-    with: {message: hi}", "+    with: {message: servus}", savefile.Hash([]byte(helloText)))
	contains(ask("diff", helloText), `"diff":""`)
	contains(ask("complete", "na", "line", "character"), "hello.yaml")
	contains(ask("explain", "na", "line", "character"), "**name**")
	ask("explain", "na").WantProblem(t, 422, "invalid-request")
	contains(s.Do(t, apitest.Request{Method: "GET", Path: "/project/editing?pipeline=hello", Token: token}), `"enabled":true`, `"host":"bot-1"`, inJSON(t, filepath.Join(dir, "hello.yaml")))
}

// Editing is off unless the settings say so, and for those who may not.
func TestEditingIsRefused(t *testing.T) {
	off := onceServer(t, nil)
	editor := off.Token(t, access.Editor)
	if a := off.Do(t, apitest.Request{Method: "GET", Path: "/project/editing", Token: editor}).Want(t, 200); !strings.Contains(string(a.Body), `"enabled":false`) {
		t.Errorf("got %s", a.Body)
	}
	requests := []apitest.Request{
		{Method: "PUT", Path: "/pipelines/p/text", Body: `{"text": "x"}`, Header: map[string]string{"If-None-Match": "*"}},
		{Method: "POST", Path: "/drafts/complete", Body: `{"pipeline": "p", "text": "x", "line": 0, "character": 0}`},
		{Method: "POST", Path: "/drafts/explain", Body: `{"pipeline": "p", "text": "x", "line": 0, "character": 0}`},
		{Method: "POST", Path: "/drafts/check", Body: `{"pipeline": "p", "text": "x"}`},
		{Method: "POST", Path: "/drafts/graph", Body: `{"pipeline": "p", "text": "x"}`},
		{Method: "POST", Path: "/drafts/dry-run", Body: `{"pipeline": "p", "text": "x"}`},
		{Method: "POST", Path: "/drafts/diff", Body: `{"pipeline": "p", "text": "x"}`},
	}
	on, _ := startEditing(t)
	others := map[string]string{"viewer": on.Token(t, access.Viewer), "operator": on.Token(t, access.Operator), "robot": on.Token(t, access.Robot, "default")}
	bound := on.Token(t, access.Editor, "default")
	for _, r := range requests {
		r.Token = editor
		off.Do(t, r).WantProblem(t, 403, "editing-off")
		for _, token := range others {
			r.Token = token
			on.Do(t, r).WantProblem(t, 403, "role-not-allowed")
		}
		r.Token = bound
		on.Do(t, r).WantProblem(t, 403, "bound-to-queues")
	}
}
