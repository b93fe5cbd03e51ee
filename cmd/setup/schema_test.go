package setup_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"botwork/cmd"
	setupcmd "botwork/cmd/setup"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/cmd/internal/projectdir"
	"botwork/handlers"
	"botwork/pipelines"
)

func TestSchemaPrintsEach(t *testing.T) {
	for _, k := range setupcmd.SchemaKinds() {
		out := clitest.Must(t, "schema", k.Name)
		var s struct{ Title string }
		if err := json.Unmarshal([]byte(out), &s); err != nil || !strings.Contains(s.Title, k.Title) {
			t.Errorf("schema %s is called %q, %v", k.Name, s.Title, err)
		}
		if out != clitest.Must(t, "schema", k.Name) {
			t.Errorf("schema %s is not the same twice", k.Name)
		}
	}
	if settings := clitest.Must(t, "schema", "settings"); strings.Contains(settings, `"with.Greet"`) {
		t.Error("a plain program knows the handler of another")
	}
}

func TestSchemaIncludesCustomHandlers(t *testing.T) {
	greet := handlers.Kind{Name: "Greet", Summary: "Greet a guest", New: func() handlers.Handler { return &noHandler{} }}
	var stdout, stderr bytes.Buffer
	code := cmd.Run(t.Context(), []string{"schema", "pipeline"}, strings.NewReader(""), &stdout, &stderr, nil, greet)
	if code != cli.ExitDone || !strings.Contains(stdout.String(), `"Greet a guest"`) || !strings.Contains(stdout.String(), "the guest's name") {
		t.Errorf("the schema does not know Greet: exit code %d, %.200s%s", code, &stdout, &stderr)
	}
}

type noHandler struct {
	handlers.Handler
	Guest string `json:"guest" doc:"the guest's name"`
}

func TestSchemaWrongUse(t *testing.T) {
	clitest.Do(t, "schema").WantFailure(t, cli.ExitUsage, "pipeline, settings, queues, tasks", "--install")
	clitest.Do(t, "schema", "pipelin").WantFailure(t, cli.ExitUsage, `"pipelin"`, `did you mean "pipeline"?`)
	clitest.Do(t, "schema", "pipeline", "--install").WantFailure(t, cli.ExitUsage, "want one of")
	clitest.Do(t, "schema", "pipeline", "--force").WantFailure(t, cli.ExitUsage, "--force goes with --install")
}

func TestSchemaDir(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Must(t, "schema", "--dir", "a/b")
	for _, k := range setupcmd.SchemaKinds() {
		if got := clitest.ReadFile(t, filepath.Join("a", "b", setupcmd.SchemaFile(k))); got != clitest.Must(t, "schema", k.Name) {
			t.Errorf("%s differs from what is printed", setupcmd.SchemaFile(k))
		}
	}
}

// oldProject creates a project of a version without schemas.
func oldProject(t *testing.T) {
	t.Helper()
	clitest.InProject(t)
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
		line, rest, _ := strings.Cut(clitest.ReadFile(t, file), "\n")
		if !strings.HasPrefix(line, "# yaml-language-server: $schema=") {
			t.Errorf("init gave %s no schema", file)
		}
		clitest.WriteFile(t, file, rest)
	}
}

func TestInstallUpdatesAnOldProject(t *testing.T) {
	oldProject(t)
	files := map[string]string{}
	out := clitest.Must(t, "schema", "--install")
	if !strings.Contains(out, "wrote "+filepath.FromSlash(setupcmd.PipelineSchema)) || !strings.Contains(out, "added a line to botwork.yaml") {
		t.Errorf("it says\n%s", out)
	}
	project, err := setupcmd.NewProject(&projectdir.App{App: &cli.App{}})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range project {
		files[path] = clitest.ReadFile(t, path)
		if files[path] != text {
			t.Errorf("%s differs from that of a new project", path)
		}
	}
	if again := clitest.Must(t, "schema", "--install"); strings.Contains(again, "wrote") || strings.Contains(again, "added") {
		t.Errorf("the second time it says\n%s", again)
	}
	clitest.Must(t, "pipelines", "check")

	// The file of an environment has the same schema.
	clitest.WriteFile(t, "botwork.prod.yaml", "log: {level: warn}\n")
	clitest.Must(t, "schema", "--install")
	if text := clitest.ReadFile(t, "botwork.prod.yaml"); !strings.HasPrefix(text, "# yaml-language-server: $schema="+setupcmd.SettingsSchema+"\n") {
		t.Errorf("the file of the environment begins %q, want its schema", text)
	}
	if text := clitest.ReadFile(t, ".vscode/settings.json"); !strings.Contains(text, `"botwork.*.yaml"`) {
		t.Errorf("VS Code does not associate the schema with botwork.*.yaml:\n%s", text)
	}
}

func TestInstallRefreshesSchemas(t *testing.T) {
	clitest.InProject(t)
	fresh := clitest.ReadFile(t, setupcmd.PipelineSchema)
	clitest.WriteFile(t, setupcmd.PipelineSchema, strings.Replace(fresh, "Send a mail", "Send a letter", 1))
	if out := clitest.Must(t, "schema", "--install"); !strings.Contains(out, "refreshed "+filepath.FromSlash(setupcmd.PipelineSchema)) {
		t.Errorf("it says\n%s", out)
	}
	if clitest.ReadFile(t, setupcmd.PipelineSchema) != fresh {
		t.Error("the schema is still the old one")
	}
	clitest.WriteFile(t, setupcmd.PipelineSchema, "{}")
	if out := clitest.Must(t, "schema", "--install"); !strings.Contains(out, "not changed: "+filepath.FromSlash(setupcmd.PipelineSchema)) {
		t.Errorf("it says\n%s", out)
	}
	if clitest.ReadFile(t, setupcmd.PipelineSchema) != "{}" {
		t.Error("a file that Botwork did not write was overwritten")
	}
	clitest.Must(t, "schema", "--install", "--force")
	if clitest.ReadFile(t, setupcmd.PipelineSchema) != fresh {
		t.Error("--force did not overwrite")
	}
}

func TestInstallKeepsEdits(t *testing.T) {
	oldProject(t)
	if err := os.Mkdir(".vscode", 0o755); err != nil {
		t.Fatal(err)
	}
	clitest.WriteFile(t, setupcmd.CodeSettings, "// ours\n{\n  // width\n  \"editor.tabSize\": 2\n}\n")
	clitest.WriteFile(t, setupcmd.CodeExtensions, "{\"recommendations\": [\"golang.go\"]}\n")
	clitest.WriteFile(t, "pipelines/hello.yaml", "\xef\xbb\xbf"+strings.ReplaceAll(clitest.ReadFile(t, "pipelines/hello.yaml"), "\n", "\r\n"))
	out := clitest.Must(t, "schema", "--install")
	settings := clitest.ReadFile(t, setupcmd.CodeSettings)
	for _, want := range []string{"// ours\n", "// width\n", `"editor.tabSize": 2`, `"yaml.schemas": {`, setupcmd.PipelineSchema} {
		if !strings.Contains(settings, want) {
			t.Errorf("%s lacks %q:\n%s", setupcmd.CodeSettings, want, settings)
		}
	}
	var plain map[string]any
	if err := json.Unmarshal([]byte(strings.NewReplacer("// ours\n", "", "// width\n", "").Replace(settings)), &plain); err != nil || len(plain) != 2 {
		t.Errorf("%s is %v, %v:\n%s", setupcmd.CodeSettings, plain, err, settings)
	}
	if got := clitest.ReadFile(t, setupcmd.CodeExtensions); got != "{\"recommendations\": [\"golang.go\"]}\n" {
		t.Errorf("%s is %s", setupcmd.CodeExtensions, got)
	}
	if !strings.Contains(out, "not changed: "+filepath.FromSlash(setupcmd.CodeExtensions)) || !strings.Contains(out, setupcmd.YamlExtension) || !strings.Contains(out, "1 file not changed") {
		t.Errorf("it says\n%s", out)
	}
	hello := clitest.ReadFile(t, "pipelines/hello.yaml")
	if !strings.HasPrefix(hello, "\xef\xbb\xbf"+setupcmd.SchemaLine("../"+setupcmd.PipelineSchema)+"\r\n") || strings.Count(hello, "\n") != strings.Count(hello, "\r\n") {
		t.Errorf("hello.yaml begins %q", hello[:120])
	}
	clitest.Must(t, "pipelines", "check")
}

func TestInstallReportsWriteErrors(t *testing.T) {
	oldProject(t)
	if err := os.Chmod("pipelines/hello.yaml", 0o444); err != nil {
		t.Fatal(err)
	}
	clitest.Do(t, "schema", "--install").WantFailure(t, cli.ExitFailed, "hello.yaml", "read-only")
	if !strings.HasPrefix(clitest.ReadFile(t, "botwork.yaml"), setupcmd.SchemaLine(setupcmd.SettingsSchema)) {
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
		got, ok := setupcmd.MergeCode([]byte(theirs), ours)
		if string(got) != want || ok != (want != "") {
			t.Errorf("mergeCode(%q) = %q, %v, want %q", theirs, got, ok, want)
		}
	}
}
