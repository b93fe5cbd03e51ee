package reload

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers/builtin"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// judge compiles the files with the built-in handlers.
func judge(files []pipelines.File) (*pipelines.Catalogue, strictyaml.Findings) {
	return pipelines.Load(pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{}), files)
}

// steps returns a pipeline that logs a message.
func steps(message string) string {
	return "steps:\n  - handler: Log\n    with: {message: m" + message + "}\n"
}

const broken = "steps:\n  - handler: Lok\n"

// files returns files for pairs of name and text; a file with the text "!" cannot be
// read.
func files(pairs ...string) []pipelines.File {
	var list []pipelines.File
	for pair := range slices.Chunk(pairs, 2) {
		file := pipelines.File{Path: pair[0], Data: []byte(pair[1])}
		if pair[1] == "!" {
			file.Data, file.Err = nil, errors.New("locked")
		}
		list = append(list, file)
	}
	slices.SortFunc(list, func(a, b pipelines.File) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// messages returns the pipelines of a catalogue, each as name=message.
func messages(k *pipelines.Catalogue) []string {
	var list []string
	for _, p := range k.All() {
		_, text, _ := strings.Cut(p.Text, "message: m")
		list = append(list, p.Name+"="+strings.TrimSuffix(text, "}\n"))
	}
	return list
}

func TestCheck(t *testing.T) {
	named := func(name, message string) string { return "name: " + name + "\n" + steps(message) }
	type glance struct {
		at      time.Duration
		now     []pipelines.File
		want    []string // the pipelines of the catalogue
		finding string   // the code of the findings
	}
	tests := map[string][]glance{
		"a file changes":   {{0, files("a.yaml", steps("2")), []string{"a=2"}, ""}},
		"a file is added":  {{0, files("a.yaml", steps("1"), "b.yaml", steps("1")), []string{"a=1", "b=1"}, ""}},
		"a broken one":     {{0, files("a.yaml", broken), []string{"a=1"}, "unknown-handler"}},
		"a broken new one": {{0, files("a.yaml", steps("2"), "b.yaml", broken), []string{"a=2"}, "unknown-handler"}},
		"broken and fixed": {{0, files("a.yaml", broken), []string{"a=1"}, "unknown-handler"}, {1, files("a.yaml", steps("3")), []string{"a=3"}, ""}},
		"a locked one":     {{0, files("a.yaml", "!"), []string{"a=1"}, "unreadable-file"}},
		"a name that changes": {
			{0, files("a.yaml", named("b", "2")), []string{"b=2"}, ""},
		},
		"a file that is renamed": {
			{0, files("z.yaml", named("a", "1")), []string{"a=1"}, ""},
		},
		"a copy that sorts before its original": {
			{0, files("a - Copy.yaml", named("a", "2"), "a.yaml", steps("1")), []string{"a=1"}, "duplicate-pipeline"},
		},
		"a file that is replaced": {
			{0, files("b.yaml", steps("1")), []string{"a=1", "b=1"}, ""},
			{grace / 2, files("a.yaml", steps("2"), "b.yaml", steps("1")), []string{"a=2", "b=1"}, ""},
		},
		"a file that is deleted": {
			{0, files("b.yaml", steps("1")), []string{"a=1", "b=1"}, ""},
			{grace - 1, files("b.yaml", steps("1")), []string{"a=1", "b=1"}, ""},
			{grace, files("b.yaml", steps("1")), []string{"b=1"}, ""},
		},
		"a file that is deleted, restored and deleted": {
			{0, files("b.yaml", steps("1")), []string{"a=1", "b=1"}, ""},
			{grace / 2, files("a.yaml", steps("1"), "b.yaml", steps("1")), []string{"a=1", "b=1"}, ""},
			{grace, files("b.yaml", steps("1")), []string{"a=1", "b=1"}, ""},
			{2 * grace, files("b.yaml", steps("1")), []string{"b=1"}, ""},
		},
		"all files at once": {
			{0, nil, []string{"a=1"}, ""},
			{100 * grace, nil, []string{"a=1"}, ""},
		},
	}
	for name, glances := range tests {
		t.Run(name, func(t *testing.T) {
			current, findings := judge(files("a.yaml", steps("1")))
			if findings.Err() != nil {
				t.Fatal(findings)
			}
			f := folder{checkFiles: judge, current: current}
			start := time.Now()
			for _, g := range glances {
				v := f.check(g.now, start.Add(g.at))
				if diff := cmp.Diff(g.want, messages(v.catalogue)); diff != "" {
					t.Errorf("pipelines after %v (-want +got):\n%s", g.at, diff)
				}
				if g.finding == "" && len(v.findings) > 0 || g.finding != "" && !strings.Contains(v.findings.Error(), g.finding) {
					t.Errorf("findings after %v = %v, want %q", g.at, v.findings, g.finding)
				}
				f.current = v.catalogue
			}
		})
	}
}

func TestCheckReportsChanges(t *testing.T) {
	current, _ := judge(files("a.yaml", steps("1"), "b.yaml", steps("1"), "c.yaml", steps("1"), "d.yaml", steps("1")))
	f := folder{checkFiles: judge, current: current, gone: map[string]time.Time{"d.yaml": time.Now().Add(-grace)}}
	v := f.check(files("a.yaml", steps("2"), "b.yaml", broken, "c.yaml", steps("1"), "e.yaml", steps("1")), time.Now())
	for _, c := range []struct {
		what      string
		got, want []string
	}{
		{"added", v.added, []string{"e"}}, {"changed", v.changed, []string{"a"}}, {"removed", v.removed, []string{"d"}}, {"kept", v.kept, []string{"b.yaml"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s = %q, want %q", c.what, c.got, c.want)
		}
	}
	if v.same() {
		t.Error("nothing to adopt, want three changes")
	}
}
