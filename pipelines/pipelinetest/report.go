package pipelinetest

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"botwork/pipelines"
)

// FileResult contains the results of the selected cases of a file.
type FileResult struct {
	File    *File
	Results []Result
}

// Options select the cases and configure their runs.
type Options struct {
	// Only selects cases by "pipeline/case"; nil selects all.
	Only *regexp.Regexp

	// SecretNames are the secrets that pipelines can use.
	SecretNames []string

	// Values are the values of the settings.
	Values map[string]any
}

// Run runs the cases of a file one after the other.
func (f *File) Run(ctx context.Context, o Options) FileResult {
	r := FileResult{File: f}
	for _, c := range f.Cases {
		if o.Only == nil || o.Only.MatchString(f.Pipeline.Name+"/"+c.Name) {
			r.Results = append(r.Results, c.Run(ctx, o))
		}
	}
	return r
}

// Failed returns the number of cases that failed.
func (r FileResult) Failed() int {
	n := 0
	for _, one := range r.Results {
		if len(one.Failures) > 0 {
			n++
		}
	}
	return n
}

// Duration returns the total time of the cases.
func (r FileResult) Duration() time.Duration {
	var sum time.Duration
	for _, one := range r.Results {
		sum += one.Took
	}
	return sum
}

// Coverage is the coverage of a pipeline's steps by test cases.
type Coverage struct {
	Pipeline string `json:"pipeline"`
	File     string `json:"file"`
	Steps    int    `json:"steps"`

	// Tested is true if there is a test file for the pipeline.
	Tested bool `json:"tested"`

	// Never are the steps that no case has run, in the order of the pipeline: all
	// cases skipped them or did not reach them.
	Never []string `json:"never"`
}

// Cover returns the coverage of the tested pipelines and of others that have no test
// file, in the order of their names.
func Cover(files []FileResult, others []*pipelines.Pipeline) []Coverage {
	ran := map[*pipelines.Pipeline]map[string]bool{}
	for _, p := range others {
		if !slices.ContainsFunc(files, func(f FileResult) bool { return f.File.Pipeline.Name == p.Name }) {
			ran[p] = nil
		}
	}
	for _, f := range files {
		steps := ran[f.File.Pipeline]
		if steps == nil {
			steps = map[string]bool{}
			ran[f.File.Pipeline] = steps
		}
		for _, r := range f.Results {
			for _, name := range r.Ran {
				steps[name] = true
			}
		}
	}
	list := []Coverage{}
	for p, steps := range ran {
		c := Coverage{Pipeline: p.Name, File: p.File, Tested: steps != nil, Never: []string{}}
		for s := range p.Each() {
			if c.Steps++; !steps[s.Path] {
				c.Never = append(c.Never, s.Path)
			}
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b Coverage) int { return strings.Compare(a.Pipeline+"\x00"+a.File, b.Pipeline+"\x00"+b.File) })
	return list
}
