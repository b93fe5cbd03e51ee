package docstest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestPackageMap compares the table of docs/architecture.md with the one that
// internal/deptest holds the imports to.
func TestPackageMap(t *testing.T) {
	documented := map[string]string{}
	tables := read(t, "docs/architecture.md").tablesWith(t, "package", "holds", "may import")
	for _, tab := range tables {
		for _, r := range tab.rows {
			documented[code(r.cells[0])] = r.cells[2]
		}
	}
	for name, imports := range packageMap(t) {
		got, ok := documented[name]
		want := "nothing of this module"
		if len(imports) > 0 {
			slices.Sort(imports)
			want = "`" + strings.Join(imports, "`, `") + "`"
		}
		switch {
		case !ok:
			t.Errorf("docs/architecture.md has no line about the package %s, which may import %s", name, want)
		case got != want:
			t.Errorf("docs/architecture.md says that %s may import %s, want %s", name, got, want)
		}
		delete(documented, name)
	}
	for name, imports := range documented {
		if imports != "everything" {
			t.Errorf("docs/architecture.md has a line about %s, which internal/deptest does not know", name)
		}
	}
}

// packageMap reads the variable `may` from the source of the test that owns it.
func packageMap(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "internal", "deptest", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
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
			for from, edges := range entries(t, spec.Values[0]) {
				found[from] = nil
				for to := range entries(t, edges) {
					found[from] = append(found[from], to)
				}
			}
			return false
		})
	}
	if len(found) == 0 {
		t.Fatal("internal/deptest has no variable `may`")
	}
	return found
}

// entries returns the entries of a map literal by their keys.
func entries(t *testing.T, e ast.Expr) map[string]ast.Expr {
	t.Helper()
	literal, ok := e.(*ast.CompositeLit)
	if !ok {
		t.Fatalf("got %T, want the literal of a map", e)
	}
	found := map[string]ast.Expr{}
	for _, element := range literal.Elts {
		pair := element.(*ast.KeyValueExpr)
		key, err := strconv.Unquote(pair.Key.(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		found[key] = pair.Value
	}
	return found
}
