package reload

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// strict is like checkFiles, but also rejects a file that contains the word "lost" although it
// compiles.
func strict(files []pipelines.File) (*pipelines.Catalogue, strictyaml.Findings) {
	k, findings := judge(files)
	for _, p := range k.All() {
		if strings.Contains(p.Text, "lost") {
			findings = append(findings, strictyaml.Finding{File: p.File, Line: 3, Column: 1, Code: "unknown-pipeline", Message: "there is no pipeline"})
		}
	}
	findings.Sort()
	return k, findings
}

func TestStart(t *testing.T) {
	const lost = "steps:\n  - handler: Log\n    with: {message: lost}\n"
	named := func(name, text string) string { return "name: " + name + "\n" + text }
	tests := map[string]struct {
		files        []pipelines.File
		good, broken []string
	}{
		"all good":                           {files("a.yaml", steps("1"), "b.yaml", steps("1")), []string{"a=1", "b=1"}, nil},
		"one broken":                         {files("a.yaml", broken, "b.yaml", steps("1")), []string{"b=1"}, []string{"a"}},
		"one that cannot be read":            {files("a.yaml", "!", "b.yaml", steps("1")), []string{"b=1"}, []string{"a"}},
		"one that is not YAML":               {files("a.yaml", named("x", "steps: ["), "b.yaml", steps("1")), []string{"b=1"}, []string{"x"}},
		"one that names an unknown pipeline": {files("a.yaml", lost, "b.yaml", steps("1")), []string{"b=1"}, []string{"a"}},
		"two with the same name":             {files("a.yaml", named("x", steps("1")), "b.yaml", named("x", steps("2"))), []string{"x=1"}, nil},
		"two with the same name, one broken": {files("a.yaml", named("x", broken), "b.yaml", named("x", steps("2"))), []string{"x=2"}, nil},
		"all broken":                         {files("a.yaml", broken, "b.yaml", lost), nil, []string{"a", "b"}},
		"none":                               {nil, nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			k, findings := Start(strict, test.files)
			if diff := cmp.Diff([][]string{test.good, test.broken}, [][]string{messages(k), k.BrokenNames()}); diff != "" {
				t.Errorf("good and broken pipelines (-want +got):\n%s", diff)
			}
			if len(k.Broken()) != 0 != (len(findings) > 0) {
				t.Errorf("%d broken files, findings %v", len(k.Broken()), findings)
			}
		})
	}
}

// TestCheckFilesBrokenAtStart checks that a file that is broken at the start is adopted
// when it is fixed, and listed as broken until then, also while the file is being
// replaced.
func TestCheckFilesBrokenAtStart(t *testing.T) {
	type glance struct {
		at           time.Duration
		now          []pipelines.File
		good, broken []string
		same         bool
	}
	good := steps("1")
	tests := map[string][]glance{
		"it stays broken":             {{0, files("a.yaml", broken, "g.yaml", good), []string{"g=1"}, []string{"a"}, true}},
		"it is broken in a new way":   {{0, files("a.yaml", "steps: []", "g.yaml", good), []string{"g=1"}, []string{"a"}, false}},
		"it is fixed":                 {{0, files("a.yaml", good, "g.yaml", good), []string{"a=1", "g=1"}, nil, false}},
		"it is fixed and broken":      {{0, files("a.yaml", good, "g.yaml", good), []string{"a=1", "g=1"}, nil, false}, {1, files("a.yaml", broken, "g.yaml", good), []string{"a=1", "g=1"}, nil, true}},
		"another broken one is added": {{0, files("a.yaml", broken, "b.yaml", broken, "g.yaml", good), []string{"g=1"}, []string{"a", "b"}, false}},
		"a valid one is added":        {{0, files("a.yaml", broken, "b.yaml", good, "g.yaml", good), []string{"b=1", "g=1"}, []string{"a"}, false}},
		"its file is replaced": {
			{0, files("g.yaml", good), []string{"g=1"}, []string{"a"}, true},
			{grace / 2, files("a.yaml", good, "g.yaml", good), []string{"a=1", "g=1"}, nil, false},
		},
		"its file is deleted": {
			{0, files("g.yaml", good), []string{"g=1"}, []string{"a"}, true},
			{grace, files("g.yaml", good), []string{"g=1"}, nil, false},
		},
		"its file is deleted, restored and deleted": {
			{0, files("g.yaml", good), []string{"g=1"}, []string{"a"}, true},
			{grace / 2, files("a.yaml", broken, "g.yaml", good), []string{"g=1"}, []string{"a"}, true},
			{grace, files("g.yaml", good), []string{"g=1"}, []string{"a"}, true},
			{2 * grace, files("g.yaml", good), []string{"g=1"}, nil, false},
		},
	}
	for name, glances := range tests {
		t.Run(name, func(t *testing.T) {
			current, _ := Start(judge, files("a.yaml", broken, "g.yaml", good))
			f := folder{checkFiles: judge, current: current}
			start := time.Now()
			for _, g := range glances {
				v := f.check(g.now, start.Add(g.at))
				if diff := cmp.Diff([][]string{g.good, g.broken}, [][]string{messages(v.catalogue), v.catalogue.BrokenNames()}); diff != "" {
					t.Errorf("good and broken pipelines after %v (-want +got):\n%s", g.at, diff)
				}
				if v.same() != g.same {
					t.Errorf("after %v, nothing to adopt: %v, want %v", g.at, v.same(), g.same)
				}
				f.current = v.catalogue
			}
		})
	}
}

// TestFollowFolderBrokenAtStart checks that errors which the start has reported are not
// logged again, but that their fix is logged.
func TestFollowFolderBrokenAtStart(t *testing.T) {
	d, f := newDesk(t, "g.yaml", steps("1"))
	d.write("a.yaml", broken)
	d.old("a.yaml", time.Hour)
	o := f.Options
	o.Current, o.Findings = Start(judge, d.files())
	f = newFollower(o, f.watch)
	f.poll(t.Context())
	d.wantNothing()
	if d.log.Len() > 0 || len(d.reported) > 0 {
		t.Errorf("the first poll reported %v and logged, want nothing new:\n%s", d.reported, d.log.String())
	}
	d.write("a.yaml", steps("2"))
	f.again = true
	f.poll(t.Context())
	d.want("a=2", "g=1")
	if log := d.log.String(); !strings.Contains(log, "valid again") || !cmp.Equal(d.reported, []int{0}) {
		t.Errorf("the fixed file reported %v, want [0], and logged:\n%s", d.reported, log)
	}
}
