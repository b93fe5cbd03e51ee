package deptest

import (
	"slices"
	"strings"
	"testing"
)

// nounImports are the packages of other nouns that every noun, or the one given, may import.
var nounImports = map[string][]string{
	"cmd/version": nil,                         // all nouns may use the program's version
	"cmd/run":     {"cmd/demo", "cmd/service"}, // both start a worker
}

// shared are packages below cmd that every noun may import.
const shared = "cmd/internal/"

// Each noun of the command line is a separate package: code that two of them need is in
// cmd/internal.
func TestCommandsDoNotImportEachOther(t *testing.T) {
	nouns := 0
	for _, p := range list(t, "linux") {
		of := strings.TrimPrefix(p.ImportPath, module+"/")
		if !strings.HasPrefix(of, "cmd/") || strings.HasPrefix(of, shared) || p.Name == "main" {
			continue
		}
		nouns++
		for _, path := range p.Imports {
			to, ours := strings.CutPrefix(path, module+"/")
			if !ours || to != "cmd" && !strings.HasPrefix(to, "cmd/") || strings.HasPrefix(to, shared) {
				continue
			}
			if importers, known := nounImports[to]; !known || importers != nil && !slices.Contains(importers, of) {
				t.Errorf("%s imports %s, want only packages of %s", of, to, shared)
			}
		}
	}
	if nouns < 15 {
		t.Errorf("found %d nouns, want about 21: does the search still find them?", nouns)
	}
}
