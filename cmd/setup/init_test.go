package setup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	setupcmd "botwork/cmd/setup"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

func TestInitProjectWorks(t *testing.T) {
	clitest.InProject(t)
	if out := clitest.Must(t, "pipelines", "check"); !strings.Contains(out, "7 pipelines, no errors") {
		t.Errorf("pipelines check printed %q", out)
	}
	clitest.Must(t, "pipelines", "run", "hello", "--payload-file", "hello.json")
	greeting, err := os.ReadFile("data/greetings/item-0.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(greeting), "Hello Ada,") {
		t.Errorf("the greeting is %q", greeting)
	}
}

// The documents insert an item with nothing but the name of this pipeline.
func TestProjectPipelineNeedsNoPayload(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "pipelines", "run", "hello")
	greeting, err := os.ReadFile("data/greetings/item-0.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(greeting), "Hello world,") {
		t.Errorf("the greeting is %q", greeting)
	}
}

func TestInitNeverOverwrites(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", "# mine\n")
	if err := os.Remove("README.md"); err != nil {
		t.Fatal(err)
	}
	r := clitest.Do(t, "init", ".")
	r.WantFailure(t, cli.ExitFailed, "botwork.yaml", filepath.Join("pipelines", "hello.yaml"), "--force")
	if strings.Contains(r.Stderr, "README.md") {
		t.Errorf("it names a file that does not exist:\n%s", r.Stderr)
	}
	if _, err := os.Stat("README.md"); err == nil {
		t.Error("a refused init wrote README.md")
	}
	if text, _ := os.ReadFile("botwork.yaml"); string(text) != "# mine\n" {
		t.Errorf("a refused init changed botwork.yaml: %q", text)
	}
	clitest.Must(t, "init", ".", "--force")
	if text, _ := os.ReadFile("botwork.yaml"); string(text) != string(setupcmd.WithSchemaLine(setupcmd.ProjectSettings(), setupcmd.SettingsSchema)) {
		t.Error("--force did not write botwork.yaml")
	}
}
