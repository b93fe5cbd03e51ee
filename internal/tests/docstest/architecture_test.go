package docstest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"testing"
)

// TestPackageMap compares the packages of docs/architecture.md with those of
// internal/tests/deptest, which checks their imports.
func TestPackageMap(t *testing.T) {
	documented := map[string]bool{}
	for _, tab := range read(t, "docs/architecture.md").tablesWith(t, "package", "holds") {
		for _, r := range tab.rows {
			documented[code(r.cells[0])] = true
		}
	}
	for _, name := range packages(t) {
		if !documented[name] {
			t.Errorf("docs/architecture.md does not list the package %s", name)
		}
		delete(documented, name)
	}
	for _, name := range []string{"botwork", "cmd", "cmd/botwork", "examples"} { // may import everything
		delete(documented, name)
	}
	for name := range documented {
		t.Errorf("docs/architecture.md lists %s, which is not in internal/tests/deptest", name)
	}
}

// packages returns the keys of the variable `may` in the source of its test.
func packages(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "internal", "tests", "deptest", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Names[0].Name != "may" || len(spec.Values) != 1 {
				return true
			}
			found = keys(t, spec.Values[0])
			return false
		})
	}
	if len(found) == 0 {
		t.Fatal("internal/tests/deptest has no variable `may`")
	}
	return found
}

// keys returns the keys of a map literal.
func keys(t *testing.T, e ast.Expr) []string {
	t.Helper()
	literal, ok := e.(*ast.CompositeLit)
	if !ok {
		t.Fatalf("got %T, want a map literal", e)
	}
	var found []string
	for _, element := range literal.Elts {
		key, err := strconv.Unquote(element.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, key)
	}
	return found
}
