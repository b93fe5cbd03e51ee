package pipelines

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"botwork/internal/author/strictyaml"

	"github.com/google/go-cmp/cmp"
)

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoadDir(t *testing.T) {
	const good = "steps: [{handler: Echo}]"
	dir := writeFiles(t, map[string]string{
		"B.yaml":                good,
		"sub/A.YML":             good,
		"sub/named.yaml":        "name: Named\n" + good,
		"z-again.yaml":          "name: named\n" + good,
		"broken.yaml":           "name: Broken\nsteps: [{handler: Ehco}]",
		"_parts/x.yaml":         "not a pipeline",
		".git/x.yaml":           "not a pipeline",
		"_off.yaml":             "not a pipeline",
		"notes.txt":             "not a pipeline",
		"B_test.yaml":           "tests of one",
		"sub/A_Test.YML":        "tests of one",
		"sub/folder.yaml/x.txt": "a folder may be called so",
	})
	k, findings, err := LoadDir(testCompiler(nil), dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range k.All() {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"A", "B", "Named"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	var got []string
	for _, f := range findings {
		rel, err := filepath.Rel(dir, f.File)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s:%d %s", filepath.ToSlash(rel), f.Line, f.Code))
	}
	if diff := cmp.Diff([]string{"broken.yaml:2 unknown-handler", "z-again.yaml:1 duplicate-pipeline"}, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if f := findings[1]; !strings.Contains(f.Message, filepath.Join("sub", "named.yaml")) {
		t.Errorf("finding %v does not name the first file", f)
	}
	if _, ok := k.Get("named"); ok {
		t.Error(`Get("named") found something, want exact names only`)
	}
	if p, ok := k.Get("Named"); !ok || p.File != filepath.Join(dir, "sub", "named.yaml") {
		t.Errorf(`Get("Named") = %v, %v`, p, ok)
	}
}

func TestLoadDirNeedsAFolder(t *testing.T) {
	dir := writeFiles(t, map[string]string{"file": ""})
	for path, want := range map[string]string{
		filepath.Join(dir, "nope"): "does not exist: want a folder of *.yaml files; hint: create it",
		filepath.Join(dir, "file"): "is a file, want a folder",
	} {
		if _, _, err := LoadDir(testCompiler(nil), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("LoadDir(%s) = %v, want %q", path, err, want)
		}
	}
}

func TestCheckIntegrationConfig(t *testing.T) {
	k := NewCatalogue(testCompiler(nil))
	for file, text := range map[string]string{
		"Import.yaml": "steps: [{handler: Echo}]",
		"Broken.yaml": "steps: []",
		"System.yaml": "trigger: {atStart: true}\nsteps: [{handler: Echo}]",
	} {
		if f := k.Add(file, []byte(text)); len(f) > 0 && file != "Broken.yaml" {
			t.Fatal(f)
		}
	}
	for text, want := range map[string][]string{
		"Import":                  nil,
		"Imprt":                   {CodeUnknownPipeline},
		"":                        {CodeUnknownPipeline},
		"Broken":                  {CodeBrokenPipeline, CodeNoSteps},
		"System":                  {CodeTriggeredPipeline},
		`{"steps": []}`:           {CodeNoSteps},
		"steps:\n- handler: Echo": nil,
		"trigger: {atStart: true}\nsteps: [{handler: Echo}]": {CodeTriggeredPipeline},
	} {
		for range 2 { // the second answer comes from the cache
			var got []string
			for _, f := range k.CheckIntegrationConfig(text) {
				got = append(got, f.Code)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q: codes (-want +got):\n%s", text, diff)
			}
		}
	}
}

// TestInlineCacheIsBounded compiles more inline pipelines than the cache can hold, in
// several goroutines.
func TestInlineCacheIsBounded(t *testing.T) {
	k := NewCatalogue(testCompiler(nil))
	k.inline = newInlineCache(8)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 50 {
				p, err := k.Resolve(fmt.Sprintf("steps: [{name: s%d, handler: Echo}]", i))
				if err != nil || p.Steps[0].Name != fmt.Sprintf("s%d", i) {
					t.Errorf("Resolve %d = %v, %v", i, p, err)
				}
			}
		})
	}
	wg.Wait()
	if n, m := len(k.inline.byText), k.inline.recent.Len(); n != 8 || m != 8 {
		t.Errorf("the cache holds %d texts and %d entries, want 8", n, m)
	}
	again := "steps: [{name: s49, handler: Echo}]"
	first, _ := k.Resolve(again)
	second, _ := k.Resolve(again)
	if first == nil || first != second || first.Name != "inline" {
		t.Errorf("Resolve twice = %p, %p, want one pipeline", first, second)
	}
}

func TestFindingsErrorIsPermanentAndReadable(t *testing.T) {
	_, err := NewCatalogue(testCompiler(nil)).Resolve("{")
	if err == nil || kindOf(err) != "permanent" {
		t.Fatalf("Resolve = %v, want a permanent error", err)
	}
	var findings strictyaml.Findings
	if !asFindings(err, &findings) || len(findings) != 1 {
		t.Errorf("the error %v holds %d findings, want 1", err, len(findings))
	}
}
