package setup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	setupcmd "botwork/cmd/setup"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/internal/savefile"
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

// A project is for every system.
func TestInitRefusesReservedNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"con", "NUL", "Lpt1.d", "ends.", "a:b"} {
		clitest.Do(t, "init", name).WantFailure(t, cli.ExitUsage, "the project's folder", name, "want")
	}
	if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
		t.Errorf("init has created %v, %v", files, err)
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

// A server that saves a pipeline is not interrupted by init.
func TestInitWaitsForAServer(t *testing.T) {
	clitest.InProject(t)
	shipped, err := os.ReadFile("pipelines/hello.yaml")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		server, end := &savefile.Folder{Path: "pipelines"}, make(chan clitest.Result)
		err := server.Save(savefile.Change{Name: "hello.yaml", Text: []byte("# mine\n"), Hash: savefile.Hash(shipped), Record: func() error {
			go func() { end <- clitest.Do(t, "init", ".", "--force") }()
			synctest.Wait()
			if text, _ := os.ReadFile("pipelines/hello.yaml"); string(text) != "# mine\n" {
				t.Errorf("init --force wrote into the save of a server: %q", text)
			}
			return nil
		}})
		if err != nil {
			t.Error(err)
		}
		if r := <-end; r.Code != 0 {
			t.Errorf("init --force: %+v", r)
		}
	})
	if text, _ := os.ReadFile("pipelines/hello.yaml"); string(text) != string(shipped) {
		t.Errorf("--force did not write the pipeline: %q", text)
	}
}
