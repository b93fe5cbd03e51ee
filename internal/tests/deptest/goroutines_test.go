package deptest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// leakCheck is how a TestMain hands the tests to goleak.
const leakCheck = "goleak.VerifyTestMain"

// Who starts a goroutine stops it: the tests of each package that starts one end with a
// look for those that are left. A package whose code starts one by `go` or by the method
// Go of a sync.WaitGroup or its kind, and whose TestMain does not call goleak, is reported.
func TestPackagesThatStartGoroutinesLookForThoseLeft(t *testing.T) {
	const root = "../../.."
	starts, checked, suites := map[string][]string{}, map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && (entry.Name() == "testdata" || entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".")) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		folder, _ := filepath.Rel(root, filepath.Dir(path))
		folder = filepath.ToSlash(folder)
		if strings.HasSuffix(path, "_test.go") {
			checked[folder] = checked[folder] || callsGoleak(file)
		} else {
			suites[folder] = suites[folder] || importsTesting(file)
			for _, at := range goroutines(file) {
				starts[folder] = append(starts[folder], files.Position(at).String())
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, places := range starts {
		if !checked[folder] && !suites[folder] {
			slices.Sort(places)
			t.Errorf("%s starts goroutines (%s), and no TestMain there calls %s", folder, places[0], leakCheck)
		}
	}
	if len(starts) < 10 {
		t.Errorf("%d packages start goroutines, want about 18: is the way to find them wrong?", len(starts))
	}
}

func TestGoroutinesAreFound(t *testing.T) {
	for _, c := range []struct {
		body string
		want int
	}{
		{"go f()", 1},
		{"go func() { go f() }()", 2},
		{"w.Go(func() {})", 1},
		{"w.loops.Go(f)", 1},
		{"f(); w.Gone(); Go(f)", 0},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc x() { "+c.body+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(goroutines(file)); got != c.want {
			t.Errorf("%s: found %d, want %d", c.body, got, c.want)
		}
	}
}

// goroutines returns where a file starts goroutines.
func goroutines(file *ast.File) (places []token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			places = append(places, n.Pos())
		case *ast.CallExpr:
			if method, ok := n.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "Go" {
				places = append(places, n.Pos())
			}
		}
		return true
	})
	return places
}

// importsTesting reports whether a file that is no test imports testing: its package is
// a suite of tests that others run, and what it starts is among the goroutines of theirs.
func importsTesting(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"testing"` })
}

// callsGoleak reports whether a file has a TestMain that calls goleak.VerifyTestMain.
func callsGoleak(file *ast.File) (found bool) {
	for _, d := range file.Decls {
		main, ok := d.(*ast.FuncDecl)
		if !ok || main.Name.Name != "TestMain" {
			continue
		}
		ast.Inspect(main, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "VerifyTestMain" {
				found = true
			}
			return true
		})
	}
	return found
}
