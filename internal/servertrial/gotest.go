package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// testRun is the parsed output of `go test -json`.
type testRun struct {
	passed          int               // tests without subtests
	failed, skipped []string          // package and test; only the package if it failed without a test
	ran             []string          // tests that passed or were skipped, in the order in which they ended
	output          map[string]string // output of each test
}

// event is a line of `go test -json`.
type event struct{ Action, Package, Test, Output, ImportPath string }

// readTests reads the events of one run. It does not count a test whose subtests ran,
// unless the test failed and none of its subtests did.
func readTests(r io.Reader) (*testRun, error) {
	run := &testRun{output: map[string]string{}}
	parents, broken := map[string]bool{}, map[string]bool{}
	d := json.NewDecoder(r)
	for {
		var e event
		err := d.Decode(&e)
		if errors.Is(err, io.EOF) {
			return run, nil
		}
		if err != nil {
			return run, fmt.Errorf("the output of go test is not JSON: %w", err)
		}
		name := strings.TrimSuffix(e.Package+" "+e.Test, " ")
		if e.Action == "build-output" {
			name = e.ImportPath
		}
		switch e.Action {
		case "output", "build-output":
			run.output[name] += e.Output
		case "run":
			for at := strings.LastIndex(e.Test, "/"); at > 0; at = strings.LastIndex(e.Test[:at], "/") {
				parents[e.Package+" "+e.Test[:at]] = true
			}
		case "build-fail":
			run.failed = append(run.failed, e.ImportPath)
		case "pass", "skip", "fail":
			run.end(e, name, parents[name], broken)
		}
	}
}

// end records the end of a test, or of a package if Test is empty.
func (t *testRun) end(e event, name string, parent bool, broken map[string]bool) {
	switch {
	case e.Action == "fail" && !broken[name]:
		t.failed = append(t.failed, name)
	case e.Action == "fail", e.Test == "" || parent:
		return
	case e.Action == "skip":
		t.skipped, t.ran = append(t.skipped, name), append(t.ran, name)
	default:
		t.passed, t.ran = t.passed+1, append(t.ran, name)
	}
	if e.Action != "fail" {
		return
	}
	// The parent tests and the package fail as well.
	for at := strings.LastIndex(name, "/"); at > len(e.Package); at = strings.LastIndex(name[:at], "/") {
		broken[name[:at]] = true
	}
	broken[e.Package] = true
}

// reason returns the message with which a test was skipped.
func (t *testRun) reason(name string) string {
	lines := strings.Split(strings.TrimSpace(t.output[name]), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		line = strings.TrimSpace(line)
		return line == "" || strings.HasPrefix(line, "===") || strings.HasPrefix(line, "---")
	})
	if len(lines) == 0 {
		return "no reason was given"
	}
	_, why, found := strings.Cut(strings.TrimSpace(lines[len(lines)-1]), ".go:")
	if !found {
		return strings.TrimSpace(lines[len(lines)-1])
	}
	if _, text, numbered := strings.Cut(why, ": "); numbered {
		return text
	}
	return why
}
