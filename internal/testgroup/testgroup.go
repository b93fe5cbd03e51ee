// Package testgroup chooses the tests of a run. `go test ./...` runs the fast ones, which need
// nothing but Go. BOTWORK_TEST_GROUPS names groups of others, separated by commas, or all:
//
//	BOTWORK_TEST_GROUPS=processes,wine go test ./internal/tests/...
//
// The targets of the Makefile set it. A test of a group that was asked for fails, and does not
// skip, if the machine has not what it needs.
package testgroup

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Variable is the environment variable that names the groups of a run.
const Variable = "BOTWORK_TEST_GROUPS"

// Group is a set of tests that a run asks for by its name.
type Group string

// The groups.
const (
	Browser   Group = "browser"   // the pages in Chromium
	Chaos     Group = "chaos"     // workers are killed, databases fail over
	Mutants   Group = "mutants"   // the simulation finds faults that are made on purpose
	Npm       Group = "npm"       // what npm ci installs: the linter of OpenAPI, the language server of YAML
	Nightly   Group = "nightly"   // many drawn cases, and tests that take long
	Processes Group = "processes" // real programs, in real time
	Wine      Group = "wine"      // the service of Windows
)

var groups = []Group{Browser, Chaos, Mutants, Nightly, Npm, Processes, Wine}

// asked is the value of Variable, or an error about it.
var asked = sync.OnceValues(func() ([]Group, error) { return parse(os.Getenv(Variable)) })

func parse(value string) ([]Group, error) {
	if value == "all" {
		return groups, nil
	}
	var named []Group
	for name := range strings.SplitSeq(value, ",") {
		g := Group(strings.TrimSpace(name))
		switch {
		case g == "":
		case slices.Contains(groups, g):
			named = append(named, g)
		default:
			return nil, fmt.Errorf("%s: got %q, want some of %v, separated by commas, or all", Variable, g, groups)
		}
	}
	return named, nil
}

// Asked reports whether the run asks for a group. It panics if BOTWORK_TEST_GROUPS names an unknown one.
func Asked(g Group) bool {
	named, err := asked()
	if err != nil {
		panic(err)
	}
	return slices.Contains(named, g)
}

// Need skips a test unless the run asks for its group.
func Need(t testing.TB, g Group) {
	t.Helper()
	if !Asked(g) {
		t.Skipf("run with %s=%s", Variable, g)
	}
}

// Main runs the tests of a package whose tests are all in one group. For run see testing.M.Run.
func Main(m *testing.M, g Group, run func(*testing.M) int) {
	if !Asked(g) {
		fmt.Printf("skipped: run with %s=%s\n", Variable, g)
		os.Exit(0)
	}
	os.Exit(run(m))
}

// Cases returns how many cases a test tries: few, or many in a nightly run.
func Cases(few, many int) int {
	if Asked(Nightly) {
		return many
	}
	return few
}

// drawing guards the flags of rapid, which all tests of the process share.
var drawing sync.Mutex

// Check is rapid.Check with a few cases, which are the same in every run, so that a test does not
// fail by chance. A nightly run draws 100 new cases. The flags -rapid.checks and -rapid.seed override both.
func Check(t *testing.T, few int, property func(*rapid.T)) {
	t.Helper()
	drawing.Lock()
	defer drawing.Unlock()
	if !Asked(Nightly) {
		given := map[string]bool{}
		flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
		for name, value := range map[string]string{"rapid.checks": fmt.Sprint(few), "rapid.seed": "1"} {
			if given[name] {
				continue
			}
			f := flag.Lookup(name)
			before := f.Value.String()
			if err := f.Value.Set(value); err != nil { // flag.Set would make it a given one
				t.Fatal(err)
			}
			defer func() { _ = f.Value.Set(before) }()
		}
	}
	rapid.Check(t, property)
}
