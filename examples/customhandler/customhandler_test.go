package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// asProgram makes this test binary run the example's program.
const asProgram = "CUSTOMHANDLER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// program runs a command line of the example in a separate process.
func program(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], args...)
	command.Env = append(os.Environ(), asProgram+"=1")
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	if err := command.Run(); err != nil && command.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), said.String(), command.ProcessState.ExitCode()
}

// must runs a command line that must succeed.
func must(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, code := program(t, args...)
	if code != 0 {
		t.Fatalf("%s: exit code %d, want 0\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

func TestHandlerIsDocumented(t *testing.T) {
	page := must(t, "handlers", "show", "Greet")
	for _, text := range []string{"Greet a person", "the name of the person", "Hello", "Welcome"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page does not contain %q:\n%s", text, page)
		}
	}
	list := must(t, "handlers")
	for _, name := range []string{"Greet", "HTTP", "ExecuteWorkItems"} {
		if !strings.Contains(list, name) {
			t.Errorf("the list does not contain %s:\n%s", name, list)
		}
	}
}

func TestPipelineUsesTheHandler(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("project")); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "botwork.yaml")
	must(t, "--config", config, "pipelines", "check")
	must(t, "--config", config, "enqueue", "--pipeline", "greet-guest", "--payload", `{"guest": "Ada"}`)
	must(t, "--config", config, "run", "--once", "ExecuteWorkQueue")
	var item struct {
		StateName, Output string
	}
	shown := must(t, "--config", config, "items", "show", "1", "--output", "json")
	if err := json.Unmarshal([]byte(shown), &item); err != nil {
		t.Fatalf("%v\n%s", err, shown)
	}
	if item.StateName != "Processed" || item.Output != "Welcome, Ada!" {
		t.Errorf("the item is %s with the output %q, want Processed and \"Welcome, Ada!\"", item.StateName, item.Output)
	}
}

func TestParametersAreChecked(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("project")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pipelines", "greet-guest.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(string(text), "      name:", "      nmae:", 1)
	if err := os.WriteFile(file, []byte(wrong), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := program(t, "--config", filepath.Join(dir, "botwork.yaml"), "pipelines", "check")
	if said := stdout + stderr; code != 2 || !strings.Contains(said, "nmae") || !strings.Contains(said, `did you mean "name"?`) {
		t.Errorf("exit code %d, want 2, and a suggestion:\n%s", code, said)
	}
}
