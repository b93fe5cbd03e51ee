package pipelinetest

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// The codes of findings in a test file, in addition to those of package strictyaml and
// some of package pipelines.
const (
	CodeNoCases       = "no-cases"       // `cases` is an empty list
	CodeDuplicateCase = "duplicate-case" // two cases with the same name
)

// File is a valid test file.
type File struct {
	Name     string
	Pipeline *pipelines.Pipeline
	Cases    []*Case
}

// Finder returns the pipeline of a test file, and the mistakes in the pipeline's file. Both
// are nil if there is no pipeline with the name. named reports whether the name is in the
// test file, and not derived from the file name.
type Finder func(testFile, name string, named bool) (*pipelines.Pipeline, strictyaml.Findings)

type rawFile struct {
	Pipeline *strictyaml.Node   `yaml:"pipeline"`
	Defaults *strictyaml.Node   `yaml:"defaults"`
	Cases    []*strictyaml.Node `yaml:"cases,required"`
}

// rawSetUp lists the keys that defaults and cases share.
type rawSetUp struct {
	Payload  *strictyaml.Node            `yaml:"payload"`
	Item     *strictyaml.Node            `yaml:"item"`
	Env      map[string]string           `yaml:"env"`
	Secrets  map[string]string           `yaml:"secrets"`
	Worker   string                      `yaml:"worker"`
	Now      *strictyaml.Node            `yaml:"now"`
	Stubs    map[string]*strictyaml.Node `yaml:"stubs"`
	Handlers map[string]*strictyaml.Node `yaml:"handlers"`
}

type rawCase struct {
	Name string `yaml:"name,required"`
	rawSetUp
	From    string           `yaml:"from"`
	Until   string           `yaml:"until"`
	Outputs *strictyaml.Node `yaml:"outputs"`
	Expect  *strictyaml.Node `yaml:"expect"`
}

// reader reads one file.
type reader struct {
	strictyaml.Reader
	file *File
}

func (r *reader) decode(n *strictyaml.Node, into any) bool {
	return r.Decode(n, into) && n.Kind == strictyaml.Mapping
}

// Parse parses a test file and returns all mistakes in the order of the file, including
// those in the pipeline's file. The file is nil if there are mistakes.
func Parse(name string, data []byte, find Finder) (*File, strictyaml.Findings) {
	top, findings := strictyaml.Parse(name, data)
	if top == nil {
		return nil, findings
	}
	r := &reader{file: &File{Name: name}}
	r.Findings = findings
	var raw rawFile
	if r.decode(top, &raw) {
		r.read(top, raw, find)
	}
	r.Findings.Sort()
	if len(r.Findings) > 0 {
		return nil, r.Findings
	}
	return r.file, nil
}

func (r *reader) read(top *strictyaml.Node, raw rawFile, find Finder) {
	if cases := top.Get("cases"); len(raw.Cases) == 0 {
		r.Report(cases, CodeNoCases, "got an empty list, want one case or more", "")
	}
	wanted, at, named := testedName(r.file.Name), top, raw.Pipeline.HasValue()
	if named {
		at = raw.Pipeline
		r.Findings = append(r.Findings, at.Decode(&wanted)...)
	}
	p, wrong := find(r.file.Name, wanted, named)
	if r.Findings = append(r.Findings, wrong...); p == nil {
		if len(wrong) == 0 {
			r.Report(at, pipelines.CodeUnknownPipeline, fmt.Sprintf("there is no pipeline %q", wanted),
				"it must be in the folder of this file or in the pipelines folder; set the key pipeline if its name differs from the file name")
		}
		return
	}
	r.file.Pipeline = p
	var defaults rawSetUp
	if raw.Defaults.HasValue() {
		r.decode(raw.Defaults, &defaults)
	}
	base := r.setUp(defaults, setUp{worker: "test", now: defaultNow})
	lines := map[string]int{}
	for _, n := range raw.Cases {
		var one rawCase
		if !r.decode(n, &one) {
			if n.Kind == strictyaml.Null {
				r.Report(n, pipelines.CodeInvalidValue, "got nothing, want a case", "remove the dash")
			}
			continue
		}
		if line, exists := lines[one.Name]; exists {
			r.Report(n.Get("name"), CodeDuplicateCase, fmt.Sprintf("duplicate case %q, first defined in line %d", one.Name, line), "")
		}
		lines[one.Name] = n.Line
		r.file.Cases = append(r.file.Cases, r.testCase(n, one, base))
	}
}

// defaultNow is the default of `now`.
var defaultNow = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// testedName returns the pipeline name of a test file without the key pipeline.
func testedName(file string) string {
	base := filepath.Base(file)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	return base[:max(0, len(base)-len("_test"))]
}

// testCase decodes one case.
func (r *reader) testCase(n *strictyaml.Node, raw rawCase, base setUp) *Case {
	c := &Case{Name: raw.Name, At: n, pipeline: r.file.Pipeline, setUp: r.setUp(raw.rawSetUp, base)}
	if raw.From != "" || raw.Until != "" || raw.Outputs.HasValue() {
		c.part = &pipelines.Part{From: raw.From, Until: raw.Until}
		if outputs, ok := raw.Outputs.Any().(map[string]any); ok {
			c.part.Outputs = outputs
		} else if raw.Outputs.HasValue() {
			r.Report(raw.Outputs, "wrong-type", fmt.Sprintf("got %s, want a mapping of outputs by step", raw.Outputs.Kind), "")
		}
		if err := r.file.Pipeline.CheckPart(c.part, true); err != nil {
			r.Report(n, pipelines.CodeInvalidValue, err.Error(), "")
		}
	}
	if raw.Expect.HasValue() {
		c.expect = r.expectation(raw.Expect)
	}
	c.expect.at = cmp.Or(raw.Expect, n)
	return c
}
