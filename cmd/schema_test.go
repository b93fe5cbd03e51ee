package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/handlers"
	"botwork/pipelines"
)

func TestSchemaPrintsEach(t *testing.T) {
	for _, k := range schemaKinds() {
		out := mustDo(t, "schema", k.Name)
		var s struct{ Title string }
		if err := json.Unmarshal([]byte(out), &s); err != nil || !strings.Contains(s.Title, k.Title) {
			t.Errorf("schema %s is called %q, %v", k.Name, s.Title, err)
		}
		if out != mustDo(t, "schema", k.Name) {
			t.Errorf("schema %s is not the same twice", k.Name)
		}
	}
	if settings := mustDo(t, "schema", "settings"); strings.Contains(settings, `"with.Greet"`) {
		t.Error("a plain program knows the handler of another")
	}
}

func TestSchemaKnowsAProgramsOwnHandlers(t *testing.T) {
	greet := handlers.Kind{Name: "Greet", Summary: "Greet a guest", New: func() handlers.Handler { return &noHandler{} }}
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), []string{"schema", "pipeline"}, strings.NewReader(""), &stdout, &stderr, nil, greet)
	if code != cli.ExitDone || !strings.Contains(stdout.String(), `"Greet a guest"`) || !strings.Contains(stdout.String(), "the guest's name") {
		t.Errorf("the schema does not know Greet: exit code %d, %.200s%s", code, &stdout, &stderr)
	}
}

type noHandler struct {
	handlers.Handler
	Guest string `json:"guest" doc:"the guest's name"`
}

func TestSchemaWrongUse(t *testing.T) {
	botwork(t, "schema").wantFailure(t, cli.ExitUsage, "pipeline, settings, queues, tasks", "--install")
	botwork(t, "schema", "pipelin").wantFailure(t, cli.ExitUsage, `"pipelin"`, `did you mean "pipeline"?`)
	botwork(t, "schema", "pipeline", "--install").wantFailure(t, cli.ExitUsage, "want one of")
	botwork(t, "schema", "pipeline", "--force").wantFailure(t, cli.ExitUsage, "--force goes with --install")
}

func TestSchemaDir(t *testing.T) {
	t.Chdir(t.TempDir())
	mustDo(t, "schema", "--dir", "a/b")
	for _, k := range schemaKinds() {
		if got := readFile(t, filepath.Join("a", "b", schemaFile(k))); got != mustDo(t, "schema", k.Name) {
			t.Errorf("%s differs from what is printed", schemaFile(k))
		}
	}
}

// oldProject makes a project as it was before there were schemas.
func oldProject(t *testing.T) {
	t.Helper()
	inProject(t)
	for _, folder := range []string{".botwork", ".vscode"} {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob("pipelines/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("files = %v, %v", files, err)
	}
	files = slices.DeleteFunc(files, pipelines.IsTestFile)
	for _, file := range append(files, "botwork.yaml") {
		line, rest, _ := strings.Cut(readFile(t, file), "\n")
		if !strings.HasPrefix(line, "# yaml-language-server: $schema=") {
			t.Errorf("init gave %s no schema", file)
		}
		writeFile(t, file, rest)
	}
}

func TestInstallMakesAnOldProjectLikeANewOne(t *testing.T) {
	oldProject(t)
	files := map[string]string{}
	out := mustDo(t, "schema", "--install")
	if !strings.Contains(out, "wrote "+filepath.FromSlash(pipelineSchema)) || !strings.Contains(out, "added a line to botwork.yaml") {
		t.Errorf("it says\n%s", out)
	}
	a := &app{App: &cli.App{}}
	project, err := a.newProject()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range project {
		files[f.path] = readFile(t, f.path)
		if files[f.path] != string(f.data) {
			t.Errorf("%s differs from that of a new project", f.path)
		}
	}
	if again := mustDo(t, "schema", "--install"); strings.Contains(again, "wrote") || strings.Contains(again, "added") {
		t.Errorf("the second time it says\n%s", again)
	}
	mustDo(t, "pipelines", "check")
}

func TestInstallRefreshesSchemas(t *testing.T) {
	inProject(t)
	fresh := readFile(t, pipelineSchema)
	writeFile(t, pipelineSchema, strings.Replace(fresh, "Send a mail", "Send a letter", 1))
	if out := mustDo(t, "schema", "--install"); !strings.Contains(out, "refreshed "+filepath.FromSlash(pipelineSchema)) {
		t.Errorf("it says\n%s", out)
	}
	if readFile(t, pipelineSchema) != fresh {
		t.Error("the schema is still the old one")
	}
	writeFile(t, pipelineSchema, "{}")
	if out := mustDo(t, "schema", "--install"); !strings.Contains(out, "left alone "+filepath.FromSlash(pipelineSchema)) {
		t.Errorf("it says\n%s", out)
	}
	if readFile(t, pipelineSchema) != "{}" {
		t.Error("a file that somebody else wrote was overwritten")
	}
	mustDo(t, "schema", "--install", "--force")
	if readFile(t, pipelineSchema) != fresh {
		t.Error("--force did not overwrite")
	}
}

func TestInstallKeepsWhatAPersonWrote(t *testing.T) {
	oldProject(t)
	if err := os.Mkdir(".vscode", 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, codeSettings, "// ours\n{\n  // width\n  \"editor.tabSize\": 2\n}\n")
	writeFile(t, codeExtensions, "{\"recommendations\": [\"golang.go\"]}\n")
	writeFile(t, "pipelines/hello.yaml", "\xef\xbb\xbf"+strings.ReplaceAll(readFile(t, "pipelines/hello.yaml"), "\n", "\r\n"))
	out := mustDo(t, "schema", "--install")
	settings := readFile(t, codeSettings)
	for _, want := range []string{"// ours\n", "// width\n", `"editor.tabSize": 2`, `"yaml.schemas": {`, pipelineSchema} {
		if !strings.Contains(settings, want) {
			t.Errorf("%s lacks %q:\n%s", codeSettings, want, settings)
		}
	}
	var plain map[string]any
	if err := json.Unmarshal([]byte(strings.NewReplacer("// ours\n", "", "// width\n", "").Replace(settings)), &plain); err != nil || len(plain) != 2 {
		t.Errorf("%s is %v, %v:\n%s", codeSettings, plain, err, settings)
	}
	if got := readFile(t, codeExtensions); got != "{\"recommendations\": [\"golang.go\"]}\n" {
		t.Errorf("%s is %s", codeExtensions, got)
	}
	if !strings.Contains(out, "left alone "+filepath.FromSlash(codeExtensions)) || !strings.Contains(out, yamlExtension) || !strings.Contains(out, "1 file left alone") {
		t.Errorf("it says\n%s", out)
	}
	hello := readFile(t, "pipelines/hello.yaml")
	if !strings.HasPrefix(hello, "\xef\xbb\xbf"+schemaLine("../"+pipelineSchema)+"\r\n") || strings.Count(hello, "\n") != strings.Count(hello, "\r\n") {
		t.Errorf("hello.yaml begins %q", hello[:120])
	}
	mustDo(t, "pipelines", "check")
}

func TestInstallTellsWhatItCannotWrite(t *testing.T) {
	oldProject(t)
	if err := os.Chmod("pipelines/hello.yaml", 0o444); err != nil {
		t.Fatal(err)
	}
	botwork(t, "schema", "--install").wantFailure(t, cli.ExitFailed, "hello.yaml", "read-only")
	if !strings.HasPrefix(readFile(t, "botwork.yaml"), schemaLine(settingsSchema)) {
		t.Error("the others were not set up")
	}
}

func TestMergeCode(t *testing.T) {
	ours := []byte("{\n  \"yaml.schemas\": {}\n}\n")
	for theirs, want := range map[string]string{
		"{}":                             "{\n  \"yaml.schemas\": {}\n}",
		"{ /* none */ }":                 "{\n  \"yaml.schemas\": {}\n /* none */ }",
		"{\"a\": 1}":                     "{\n  \"yaml.schemas\": {},\"a\": 1}",
		"[]":                             "",
		"":                               "",
		"/* never ends":                  "",
		"{\"yaml.schemas\": {}}":         "",
		"// a {\n{\"a\": 1,}":            "// a {\n{\n  \"yaml.schemas\": {},\"a\": 1,}",
		"\xef\xbb\xbf{\r\n\"a\": 1\r\n}": "\xef\xbb\xbf{\n  \"yaml.schemas\": {},\r\n\"a\": 1\r\n}",
	} {
		got, ok := mergeCode([]byte(theirs), ours)
		if string(got) != want || ok != (want != "") {
			t.Errorf("mergeCode(%q) = %q, %v, want %q", theirs, got, ok, want)
		}
	}
}
