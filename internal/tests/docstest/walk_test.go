package docstest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPathOfItem checks that the files and functions that docs/architecture.md
// names on the way of an item exist.
func TestPathOfItem(t *testing.T) {
	rows := read(t, "docs/architecture.md").under(t, "The way of one item").rows
	if len(rows) < 10 {
		t.Errorf("the way of an item has %d steps, want at least 10", len(rows))
	}
	for _, r := range rows {
		declared := map[string]bool{}
		for file := range strings.SplitSeq(r.cells[1], ", ") {
			declare(t, code(file), declared)
		}
		for name := range strings.SplitSeq(r.cells[2], ", ") {
			if !declared[code(name)] {
				t.Errorf("docs/architecture.md:%d: there is no function %s in %s", r.line, name, r.cells[1])
			}
		}
	}
}

// declare adds the functions of a file, methods with their type: Store.Claim.
func declare(t *testing.T, path string, declared map[string]bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, filepath.FromSlash(path)), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := f.Name.Name
		if f.Recv != nil {
			receiver := f.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			name = receiver.(*ast.Ident).Name + "." + name
		}
		declared[name] = true
	}
}

var pathInText = regexp.MustCompile("`((?:cmd|config|handlers|internal|pipelines|sql|workqueue)/[A-Za-z0-9_./-]+)`")

// TestPathsOfArchitecture checks that the files and folders that
// docs/architecture.md names exist.
func TestPathsOfArchitecture(t *testing.T) {
	found := pathInText.FindAllStringSubmatch(read(t, "docs/architecture.md").text, -1)
	if len(found) == 0 {
		t.Error("docs/architecture.md names no path")
	}
	for _, m := range found {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("docs/architecture.md names %s: %v", m[1], err)
		}
	}
}
