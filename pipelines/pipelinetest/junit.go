package pipelinetest

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The elements of JUnit's XML for CI systems: a suite per file, a case per case.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes results as JUnit XML for CI systems.
func WriteJUnit(w io.Writer, files []FileResult) error {
	all := junitSuites{}
	var took float64
	for _, f := range files {
		s := junitSuite{Name: f.File.Name, Tests: len(f.Results), Failures: f.Failed(), Time: fmt.Sprintf("%.3f", f.Duration().Seconds())}
		for _, r := range f.Results {
			s.Cases = append(s.Cases, junitOf(f.File, r))
		}
		all.Suites = append(all.Suites, s)
		all.Tests += s.Tests
		all.Failures += s.Failures
		took += f.Duration().Seconds()
	}
	all.Time = fmt.Sprintf("%.3f", took)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitOf(f *File, r Result) junitCase {
	c := junitCase{
		Name: r.Case.Name, Class: f.Pipeline.Name, File: f.Name, Line: r.Case.At.Line, Time: fmt.Sprintf("%.3f", r.Took.Seconds()),
	}
	if len(r.Failures) > 0 {
		texts := make([]string, len(r.Failures))
		for i, one := range r.Failures {
			texts[i] = one.String()
		}
		first := r.Failures[0]
		c.Failure = &junitFailure{
			Message: fmt.Sprintf("%s: got %s, want %s", first.What, first.Got, first.Want),
			Text:    strings.Join(texts, "\n"),
		}
	}
	return c
}
