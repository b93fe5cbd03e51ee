package schemas_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"botwork/config"
	"botwork/handlers"
	"botwork/handlers/builtin"
	"botwork/handlers/queue"
	"botwork/internal/author/schemas"
	"botwork/internal/author/strictyaml"
	"botwork/internal/jsonschemas"
	"botwork/pipelines"
)

var root = filepath.Join("..", "..", "..")

// registry returns all kinds of the program, and more ones from the examples.
func registry(t *testing.T, more ...handlers.Kind) *handlers.Registry {
	t.Helper()
	r := builtin.Registry(builtin.Resources{})
	r.MustRegister(queue.Kinds(queue.Services{})...)
	r.MustRegister(more...)
	return r
}

func compile(t *testing.T, name string, more ...handlers.Kind) *jsonschemas.Schema {
	t.Helper()
	for _, k := range schemas.Kinds(config.Keys) {
		if k.Name != name {
			continue
		}
		text, err := k.Schema(registry(t, more...))
		if err != nil {
			t.Fatal(err)
		}
		s, err := jsonschemas.Parse(string(text))
		if err != nil {
			t.Fatalf("the schema %s: %v\n%s", name, err, text)
		}
		return s
	}
	t.Fatalf("no schema %q", name)
	return nil
}

// check returns the problems of a YAML text according to a schema.
func check(t *testing.T, s *jsonschemas.Schema, file string, text []byte) jsonschemas.Problems {
	t.Helper()
	node, findings := strictyaml.Parse(file, text)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return s.Check(node.Any())
}

func glob(t *testing.T, patterns ...string) []string {
	t.Helper()
	var all []string
	for _, p := range patterns {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(p)))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", p, files, err)
		}
		all = append(all, files...)
	}
	return all
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestShippedPipelinesFit(t *testing.T) {
	s := compile(t, "pipeline")
	files := glob(t, "pipelines/shipped/*.yaml", "cmd/setup/project/*.yaml", "examples/*/project/pipelines/*.yaml")
	for _, file := range files {
		if strings.Contains(file, "customhandler") && strings.HasSuffix(file, "greet-guest.yaml") {
			continue // only the program of this example has its handler
		}
		if pipelines.IsTestFile(file) {
			continue
		}
		if wrong := check(t, s, file, read(t, file)); len(wrong) > 0 {
			t.Errorf("%s: %v", file, wrong)
		}
	}
}

func TestSettingsFit(t *testing.T) {
	s := compile(t, "settings")
	for _, file := range glob(t, "examples/*/project/botwork.yaml") {
		if wrong := check(t, s, file, read(t, file)); len(wrong) > 0 {
			t.Errorf("%s: %v", file, wrong)
		}
	}
	sample := config.Sample()
	if wrong := check(t, s, "sample.yaml", sample); len(wrong) > 0 {
		t.Errorf("the sample: %v", wrong)
	}
	full := regexp.MustCompile(`(?m)^( *)# ( *(?:[a-z][\w-]*:( .*)?|- .*))$`).ReplaceAll(sample, []byte("$1$2"))
	if wrong := check(t, s, "sample.yaml", full); len(wrong) > 0 {
		t.Errorf("the sample with its comments removed: %v\n%s", wrong, full)
	}
}
