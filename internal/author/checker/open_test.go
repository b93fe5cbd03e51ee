package checker_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/handlers"
	"botwork/handlers/builtin"
	"botwork/handlers/queue"
	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
)

// registry returns all kinds of handlers of the program.
func registry(r builtin.Resources) *handlers.Registry {
	all := builtin.Registry(r)
	all.MustRegister(queue.Kinds(queue.Services{})...)
	return all
}

// project writes files into a new folder and returns it.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, dir string, read func(string) ([]byte, error)) *checker.Project {
	t.Helper()
	p, err := checker.Open(checker.Options{Settings: filepath.Join(dir, "botwork.yaml"), Registry: registry, Read: read})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// render returns the findings as text with paths relative to the project.
func render(dir string, findings strictyaml.Findings) string {
	text := findings.Error()
	return filepath.ToSlash(strings.ReplaceAll(text, dir+string(filepath.Separator), ""))
}

func TestOpenReportsAllFindings(t *testing.T) {
	dir := project(t, map[string]string{
		"botwork.yaml": `worker: {capacity: many}
secrets: {token: {value: xxxx}}
queues: {mail: {ttl: 5}}
tasks: {nightly: {pipeline: impotr}}
`,
		"pipelines/import.yaml": "steps: [{handler: Log, with: {message: '${{ secrets.tokn }}'}}]\n",
		"pipelines/good.yaml":   "steps: [{handler: HTTP, with: {url: 'https://x.test', auth: {token: '${{ secrets.token }}'}}}]\n",
	})
	p := open(t, dir, nil)
	want := strings.TrimSpace(`
botwork.yaml:1:20: worker.capacity: got text, want a whole number [wrong-type]
botwork.yaml:3:22: queues.mail.ttl: duration "5": want a number with a unit, such as 90s, 15m, 2h or 7d [invalid-value]
botwork.yaml:4:29: tasks.nightly.pipeline: there is no pipeline "impotr" [unknown-pipeline]; known pipelines: good
pipelines/import.yaml:1:53: unknown secret "tokn" [unknown-secret]; did you mean "token"?
`)
	if got := render(dir, p.Findings); got != want {
		t.Errorf("findings:\n%s\nwant:\n%s", got, want)
	}
	if _, ok := p.Catalogue.Get("good"); !ok {
		t.Error("the pipeline without mistakes is not in the catalogue")
	}
	if len(p.Wrong) != 1 {
		t.Errorf("findings of the settings = %v, want one", p.Wrong)
	}
}

// The text in an editor has precedence over the file, for settings and pipelines.
func TestOpenReadsUnsavedTexts(t *testing.T) {
	dir := project(t, map[string]string{
		"botwork.yaml":       "secrets: {}\n",
		"pipelines/one.yaml": "steps: [{handler: HTTP, with: {url: 'https://x.test', auth: {token: '${{ secrets.token }}'}}}]\n",
		"pipelines/two.yaml": "steps: [{handler: Unknown}]\n",
	})
	unsaved := map[string]string{
		filepath.Join(dir, "botwork.yaml"):          "secrets: {token: {value: xxxx}}\n",
		filepath.Join(dir, "pipelines", "two.yaml"): "steps: [{handler: Log, with: {message: hello}}]\n",
	}
	p := open(t, dir, func(path string) ([]byte, error) {
		if text, ok := unsaved[path]; ok {
			return []byte(text), nil
		}
		return os.ReadFile(path)
	})
	if len(p.Findings) > 0 || len(p.Catalogue.All()) != 2 {
		t.Errorf("findings = %v, pipelines = %d, want none and 2", p.Findings, len(p.Catalogue.All()))
	}
}

func TestOpenWithUnreadableSettings(t *testing.T) {
	dir := project(t, map[string]string{
		"botwork.yaml":       "secrets: {\n",
		"pipelines/one.yaml": "steps: [{handler: Log, with: {message: '${{ secrets.token }}'}}]\n",
	})
	p := open(t, dir, nil)
	if len(p.Findings) != 1 || p.Findings[0].Code != "yaml-syntax" || p.Checker != nil || p.Settings.Readable() {
		t.Errorf("findings = %v, want only the syntax error, because the secrets are unknown", p.Findings)
	}
	p = open(t, t.TempDir(), nil)
	if len(p.Findings) != 1 || p.Findings[0].Code != "no-file" {
		t.Errorf("findings = %v, want no-file", p.Findings)
	}
	dir = project(t, map[string]string{"botwork.yaml": "pipelines: {dir: nowhere}\n"})
	p = open(t, dir, func(path string) ([]byte, error) {
		if strings.HasSuffix(path, "botwork.yaml") {
			return os.ReadFile(path)
		}
		return nil, fs.ErrPermission
	})
	if len(p.Findings) != 1 || p.Findings[0].Code != "no-folder" {
		t.Errorf("findings = %v, want no-folder", p.Findings)
	}
}
