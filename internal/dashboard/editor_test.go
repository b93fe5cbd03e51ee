package dashboard_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue/access"
)

// newEditorSite serves the pages over a folder with the pipeline letters, whose lines end with CRLF.
func newEditorSite(t *testing.T) (s *site, file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "letters.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(letterFile, "\n", "\r\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	f := apitest.NewFolder(dir, "bot-<1>")
	return newSiteWith(t, func(o *api.Options) { o.Project, o.Editor = f, f }), file
}

// field returns the value of a hidden field of a page.
func (s seen) field(name string) string {
	for _, n := range s.elements() {
		if n.Data == "input" && attr(n, "name") == name {
			return attr(n, "value")
		}
	}
	return ""
}

// TestEditorWithoutScripts changes a pipeline with the form alone.
func TestEditorWithoutScripts(t *testing.T) {
	s, file := newEditorSite(t)
	b := s.as(t, access.Editor)
	const at = "/pipelines/letters/edit"
	if got := wantShown(t, b, "/pipelines/letters"); !slices.Contains(got.links(), at) {
		t.Errorf("an editor is not offered the editor: %q", got.links())
	}
	wantShown(t, b, "/pipelines", "New pipeline…")
	got := wantShown(t, b, at, "handler: Fail", file, "bot-<1>", "The checker finds nothing", "Show changes…")
	nonce := regexp.MustCompile(`style-src 'self' 'nonce-([^']+)'`).FindStringSubmatch(got.header.Get("Content-Security-Policy"))
	if nonce == nil || !strings.Contains(got.text, `nonce="`+nonce[1]+`"`) || strings.Contains(got.header.Get("Content-Security-Policy"), "unsafe") {
		t.Errorf("the policy is %q", got.header.Get("Content-Security-Policy"))
	}
	if other := b.get(at).header.Get("Content-Security-Policy"); strings.Contains(other, nonce[1]) {
		t.Error("two pages have the same nonce")
	}
	if plain := b.get("/pipelines/letters").header.Get("Content-Security-Policy"); strings.Contains(plain, "nonce") {
		t.Errorf("the policy of another page is %q", plain)
	}

	form := func(text, do string) url.Values {
		return url.Values{"text": {text}, "hash": {got.field("hash")}, "newline": {got.field("newline")}, "payload": {`{"to": "Ada"}`}, "reason": {"a test"}, "do": {do}}
	}
	post := func(form url.Values, wanted ...string) seen {
		t.Helper()
		answer := b.post(at, form, nil)
		if answer.status != http.StatusOK {
			t.Fatalf("%s: status %d: %.500s", form.Get("do"), answer.status, answer.text)
		}
		judge(t, at, answer)
		for _, want := range wanted {
			if !strings.Contains(answer.visible(), want) {
				t.Errorf("%s does not show %q: %s", form.Get("do"), want, answer.visible())
			}
		}
		return answer
	}
	wrong, right := strings.Replace(letterFile, "Fail", "Fial", 1), strings.Replace(letterFile, "no address", "nowhere", 1)
	post(form(wrong, "check"), "1 error", "Fial", "line 8")
	post(form(wrong, "try"), "A run of it is not possible")
	if answer := post(form(wrong, "diff"), "It cannot be saved"); slices.Contains(answer.buttons(), "Save") {
		t.Error("a text with errors can be saved")
	}
	post(form(wrong, "save"), "It cannot be saved")
	post(form(right, "try"), "would succeed", "print")
	broken := form(right, "try")
	broken.Set("payload", "{")
	post(broken, "the payload is not JSON")
	post(form(strings.ReplaceAll(letterFile, "\n", "\r\n"), "diff"), "Nothing has changed")
	answer := post(form(strings.ReplaceAll(right, "\n", "\r\n"), "diff"), "nowhere", "Save")
	if lines := strings.Count(answer.text, `class="added"`); lines != 2 { // with the heading
		t.Errorf("%d lines are new, want one: %s", lines-1, answer.visible())
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	// Another program writes the file meanwhile.
	meanwhile := strings.Replace(string(before), "stop", "halt", 1)
	if err := os.WriteFile(file, []byte(meanwhile), 0o644); err != nil {
		t.Fatal(err)
	}
	answer = post(form(right, "save"), "was changed after you opened it", "halt", "Save over the new file", "nowhere")
	if text, err := os.ReadFile(file); err != nil || string(text) != meanwhile {
		t.Errorf("the file has %q, %v", text, err)
	}
	// The warning stays until the person has chosen.
	again := form(right, "diff")
	for _, do := range []string{"diff", "check", "try", "diff"} {
		again.Set("do", do)
		again.Set("hash", answer.field("hash"))
		again.Set("other", answer.field("other"))
		answer = post(again, "was changed after you opened it", "halt", "Save over the new file", "nowhere")
	}
	same := form(meanwhile, "diff")
	same.Set("hash", answer.field("hash"))
	same.Set("other", answer.field("other"))
	if answer := post(same, "Nothing has changed"); answer.field("other") != "" || strings.Contains(answer.visible(), "was changed after") {
		t.Errorf("a text that the file has is not lost: %s", answer.visible())
	}
	again = form(right, "save")
	again.Set("hash", answer.field("hash"))
	done := b.post(at, again, nil)
	if to, said := b.said(done); to != at || !strings.HasPrefix(said, "Saved ") {
		t.Errorf("a save: %q at %q", said, to)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != strings.ReplaceAll(right, "\n", "\r\n") {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// A pipeline whose file has errors has a page with its text and the errors in place, from where it is corrected.
func TestBrokenPipelinePage(t *testing.T) {
	s, file := newEditorSite(t)
	if err := os.WriteFile(file, []byte(strings.Replace(letterFile, "Fail", "Fial", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	const at = "/pipelines/letters"
	got := wantShown(t, s.as(t, access.Editor), at, "has errors", "name : letters", `error steps[1].handler: unknown handler "Fial"`, "1 found by the checker")
	if links := got.links(); !slices.Contains(links, at+"/edit") || slices.Contains(links, at+"/dry-run") || strings.Contains(got.text, "/graph") {
		t.Errorf("an editor is offered %v", links)
	}
	if got := wantShown(t, s.as(t, access.Viewer), at, `unknown handler "Fial"`); strings.Contains(got.text, at+"/edit") {
		t.Error("a viewer is offered the editor")
	}
	if got := s.as(t, access.Operator).get("/pipelines/nowhere"); got.status != http.StatusNotFound {
		t.Errorf("a pipeline that is not there: status %d", got.status)
	}
}

// card returns the part of a page below a heading.
func (s seen) card(heading string) string {
	for _, n := range s.elements() {
		if n.Data != "section" {
			continue
		}
		if text := textOf(n); strings.HasPrefix(text, heading) {
			return text
		}
	}
	return ""
}

// Pipelines with errors are listed in a place of their own: whether they run for items is not known.
func TestBrokenPipelinesInTheList(t *testing.T) {
	s, file := newEditorSite(t)
	broken := "name: nightly\ntrigger: {cron: \"30 2 * * *\"}\nsteps:\n  - handler: Lgo\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "nightly.yaml"), []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	got := wantShown(t, s.as(t, access.Editor), "/pipelines")
	if text := got.card("Pipelines with errors"); !strings.Contains(text, "nightly") || strings.Contains(text, "letters") {
		t.Errorf("with errors: %q", text)
	}
	if text := got.card("Pipelines of items"); strings.Contains(text, "nightly") || !strings.Contains(text, "letters") {
		t.Errorf("of items: %q", text)
	}
	if !slices.Contains(got.links(), "/pipelines/nightly/edit") {
		t.Errorf("no way to correct it: %v", got.links())
	}
}

func TestEditorOfANewPipeline(t *testing.T) {
	s, file := newEditorSite(t)
	b := s.as(t, access.Admin)
	if to := b.get("/new-pipeline?name=fresh").header.Get("Location"); to != "/pipelines/fresh/edit?new=1" {
		t.Errorf("location %q", to)
	}
	if to, said := b.said(b.get("/new-pipeline?name=..%2Fx")); to != "/pipelines" || !strings.HasPrefix(said, "refused: ") {
		t.Errorf("a bad name: %q at %q", said, to)
	}
	if to, said := b.said(b.get("/new-pipeline?name=LPT1")); to != "/pipelines" || !strings.Contains(said, "LPT1 is a device on Windows") {
		t.Errorf("a reserved name: %q at %q", said, to)
	}
	wantShown(t, b, "/pipelines/fresh/edit?new=1", "name: fresh", "fresh.yaml", "New file")
	if got := b.get("/pipelines/fresh/edit"); got.status != http.StatusNotFound {
		t.Errorf("the editor of nothing: status %d", got.status)
	}
	got := b.post("/pipelines/fresh/edit", url.Values{"text": {"name: fresh\nsteps:\n  - handler: Log\n    with: {message: x}\n"}, "hash": {""}, "newline": {"lf"}, "do": {"save"}}, nil)
	if _, err := os.Stat(filepath.Join(filepath.Dir(file), "fresh.yaml")); err != nil || got.status != http.StatusSeeOther {
		t.Errorf("a save: status %d, %v: %.500s", got.status, err, got.text)
	}
}

// The editor is offered to those who may write, and only if the settings allow it.
func TestEditorIsHidden(t *testing.T) {
	s, file := newEditorSite(t)
	for _, b := range []*browser{s.as(t, access.Viewer), s.as(t, access.Operator), newPipelineSite(t).as(t, access.Admin)} {
		for _, path := range []string{"/pipelines/letters", "/pipelines"} {
			if got := wantShown(t, b, path); strings.Contains(got.text, "/edit") || strings.Contains(got.text, "/new-pipeline") {
				t.Errorf("%s leads to the editor", path)
			}
		}
		if got := b.get("/pipelines/letters/edit"); got.status != http.StatusForbidden {
			t.Errorf("the editor: status %d", got.status)
		}
		if got := b.post("/pipelines/letters/edit", url.Values{"do": {"save"}, "text": {"x"}, "hash": {""}}, nil); got.status != http.StatusForbidden {
			t.Errorf("a save: status %d", got.status)
		}
	}
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "name: letters") {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// buttons lists the texts of the buttons of a page.
func (s seen) buttons() (texts []string) {
	for _, n := range s.elements() {
		if n.Data == "button" && n.FirstChild != nil {
			texts = append(texts, n.FirstChild.Data)
		}
	}
	return texts
}
