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

// leakCheck is the call of goleak in a TestMain.
const leakCheck = "goleak.VerifyTestMain"

// A package that starts a goroutine must check in its tests for goroutines that are left.
// The test reports each package whose code starts one by `go` or by the method Go of a
// sync.WaitGroup or a similar type, and whose TestMain does not call goleak.
func TestPackagesWithGoroutinesUseGoleak(t *testing.T) {
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
		t.Errorf("%d packages start goroutines, want about 18: does the search still find them?", len(starts))
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

// goroutines returns the places at which a file starts goroutines.
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

// importsTesting reports whether a non-test file imports testing: its package is a test
// suite that other tests run, so its goroutines are checked there.
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
