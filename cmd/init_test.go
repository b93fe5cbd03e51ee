package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
)

func TestInitMakesAProjectThatWorks(t *testing.T) {
	inProject(t)
	if out := mustDo(t, "pipelines", "check"); !strings.Contains(out, "6 pipelines, no mistakes") {
		t.Errorf("pipelines check said %q", out)
	}
	mustDo(t, "pipelines", "run", "hello", "--payload-file", "hello.json")
	greeting, err := os.ReadFile("data/greetings/item-0.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(greeting), "Hello Ada,") {
		t.Errorf("the greeting is %q", greeting)
	}
}

// The documents insert an item with nothing but the name of this pipeline.
func TestTheProjectsPipelineNeedsNoPayload(t *testing.T) {
	inProject(t)
	mustDo(t, "pipelines", "run", "hello")
	greeting, err := os.ReadFile("data/greetings/item-0.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(greeting), "Hello world,") {
		t.Errorf("the greeting is %q", greeting)
	}
}

func TestInitNeverOverwrites(t *testing.T) {
	inProject(t)
	writeFile(t, "botwork.yaml", "# mine\n")
	if err := os.Remove("README.md"); err != nil {
		t.Fatal(err)
	}
	r := botwork(t, "init", ".")
	r.wantFailure(t, cli.ExitFailed, "botwork.yaml", filepath.Join("pipelines", "hello.yaml"), "--force")
	if strings.Contains(r.stderr, "README.md") {
		t.Errorf("it names a file that is not in the way:\n%s", r.stderr)
	}
	if _, err := os.Stat("README.md"); err == nil {
		t.Error("a refused init wrote README.md")
	}
	if text, _ := os.ReadFile("botwork.yaml"); string(text) != "# mine\n" {
		t.Errorf("a refused init changed botwork.yaml: %q", text)
	}
	mustDo(t, "init", ".", "--force")
	if text, _ := os.ReadFile("botwork.yaml"); string(text) != string(withSchemaLine(projectSettings(), settingsSchema)) {
		t.Error("--force did not write botwork.yaml")
	}
}
