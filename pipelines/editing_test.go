package pipelines

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
)

// TestVariablesMatchTheCompiler compares the descriptions for editors with the tables of
// the expression compiler.
func TestVariablesMatchTheCompiler(t *testing.T) {
	for _, system := range []bool{false, true} {
		env := names{system: system, later: []string{"x"}}.env()
		maps.Copy(env, (&sight{loop: &Loop{}, outer: &sight{after: &Block{key: keyOnFailure}}}).elements())
		delete(env, varEachIndex)
		var got []string
		for _, v := range Variables(system) {
			got = append(got, v.Name)
			sameFields(t, v.Name, v.Fields, map[string]types.Map{
				varItem: itemFields, varBatch: batchFields, varWorker: workerFields, varError: errorFields, varEach: {"index": types.Int},
			}[v.Name])
		}
		slices.Sort(got)
		if want := fieldNames(env); !slices.Equal(got, want) {
			t.Errorf("Variables(%v) = %q, the compiler has %q", system, got, want)
		}
	}
	sameFields(t, varSteps, StepFields(false), stepFields)
	sameFields(t, varSteps, StepFields(true), loopFields)
}

func sameFields(t *testing.T, of string, fields []Variable, want types.Map) {
	t.Helper()
	if len(fields) != len(want) {
		t.Errorf("%s has %d fields, the compiler has %q", of, len(fields), fieldNames(want))
	}
	for _, f := range fields {
		if known, ok := want[f.Name]; !ok || typeWord(known) != f.Type || f.Doc == "" {
			t.Errorf("%s.%s is %q (%q), the compiler has %v", of, f.Name, f.Type, f.Doc, known)
		}
	}
}

func TestFunctionsAreComplete(t *testing.T) {
	var got []string
	for _, f := range Functions() {
		if got = append(got, f.Name); !strings.HasPrefix(f.Signature, f.Name+"(") || f.Doc == "" {
			t.Errorf("function %s: %q, %q", f.Name, f.Signature, f.Doc)
		}
	}
	want := slices.Clone(builtin.Names)
	want = slices.DeleteFunc(want, func(name string) bool { return name == varNow }) // the variable hides it
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("Functions = %q\nwant %q", got, want)
	}
}

// TestNamesStep compares NamesStep with the expression parser: which names can follow a
// dot.
func TestNamesStep(t *testing.T) {
	words := []string{"load", "load-data", "a b", "_x", "x1", "1x", "é", "HTTP", "HTTP-2", "a.b", "true", "nil"}
	for word := range operatorWords {
		words = append(words, word)
	}
	for _, name := range words {
		tree, err := parser.Parse("steps." + name + ".output")
		parsed := err == nil && tree.Node.String() == "steps."+name+".output"
		if NamesStep(name) && !parsed {
			t.Errorf("NamesStep(%q) = true, but the parser reads something else", name)
		}
	}
	if NamesStep("load-data") || NamesStep("1x") || NamesStep("") || !NamesStep("load") || !NamesStep("_x1") {
		t.Error("NamesStep accepts an invalid name or rejects a valid one")
	}
}
