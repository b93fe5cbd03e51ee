package checker_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/config"
	"botwork/handlers/builtin"
	"botwork/internal/author/checker"
	"botwork/internal/author/queuedefs"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/tasks"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata")

// corpusSettings are the settings for the single files.
const corpusSettings = "secrets: {token: {value: xxxx}}\nconnections: {erp: {driver: sqlite, dsn: erp.db}}\npipelines: {timezone: UTC}\nhandlers: {folders: [in]}\n"

func corpusChecker(t testing.TB) *checker.Checker {
	t.Helper()
	settings, wrong := config.Parse("botwork.yaml", []byte(corpusSettings))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	known, err := builtin.NewConnections(map[string]builtin.Connection{"erp": {Driver: "sqlite", DSN: "erp.db"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := checker.New(&settings, registry(builtin.Resources{Connections: known, Folders: []string{"in"}}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFiles compares the findings in each file of testdata/files with the .want file of
// the same name, and the fixed text with the .fixed file, which exists if anything can be
// fixed. A name that begins with settings- denotes a settings file.
func TestFiles(t *testing.T) {
	c := corpusChecker(t)
	for _, path := range glob(t, "testdata/files/*.yaml") {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file, base := filepath.Base(path), strings.TrimSuffix(path, ".yaml")
			var findings strictyaml.Findings
			var fixed []byte
			if strings.HasPrefix(name, "settings-") {
				settings, wrong := config.Parse(file, data)
				_, queues := queuedefs.Decode(settings.Queues, nil)
				_, list := tasks.Decode(settings.Tasks, "UTC")
				findings = append(append(wrong, queues...), list...)
				fixed, _ = checker.FixSettings(file, data)
			} else {
				findings = parse(c, file, data)
				fixed, _ = c.FixPipeline(pipelines.File{Path: file, Data: data})
			}
			findings.Sort()
			expect(t, base+".want", lines(findings))
			if text := string(fixed); text != string(data) {
				expect(t, base+".fixed", text)
			} else {
				expect(t, base+".fixed", "")
			}
		})
	}
}

func parse(c *checker.Checker, file string, data []byte) strictyaml.Findings {
	p, findings := c.Compiler().Parse(file, data)
	if p != nil {
		return p.Warnings
	}
	return findings
}

// TestProjects compares the findings in each project of testdata/projects with its
// want.txt.
func TestProjects(t *testing.T) {
	for _, settings := range glob(t, "testdata/projects/*/botwork.yaml") {
		dir := filepath.Dir(settings)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			wd, err := os.Getwd()
			if err != nil {
				t.Fatal(err)
			}
			full := filepath.Join(wd, dir)
			p := open(t, full, nil)
			expect(t, filepath.Join(dir, "want.txt"), strings.ReplaceAll(lines(p.Findings), full+string(filepath.Separator), ""))
		})
	}
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %v", pattern, paths, err)
	}
	return paths
}

func lines(findings strictyaml.Findings) string {
	if len(findings) == 0 {
		return ""
	}
	return strings.ReplaceAll(findings.Error(), `pipelines\`, "pipelines/") + "\n"
}

// expect compares got with a file. Without a file, got must be empty.
func expect(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		err := os.Remove(path)
		if got != "" {
			err = os.WriteFile(path, []byte(got), 0o644)
		}
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}
