package wordstest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// use is one word of the odd habit at its position.
type use struct {
	file   string
	line   int
	found  string
	better string
}

// TestWords checks the comments and the texts of the packages in done.
func TestWords(t *testing.T) {
	for _, folder := range done {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no Go files (%v)", folder, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			uses, _ := usesIn(t, file, true)
			for _, u := range uses {
				if !allowed(u) {
					t.Errorf("%s:%d: %q: better: %s", u.file, u.line, u.found, u.better)
				}
			}
		}
	}
}

// TestRate logs the uses in the comments of the repository, with -v.
func TestRate(t *testing.T) {
	total, lines := 0, 0
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !entry.IsDir() && strings.HasSuffix(path, ".go") {
			uses, n := usesIn(t, path, false)
			total += len(uses)
			lines += n
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if lines == 0 {
		t.Fatal("no comments found")
	}
	t.Logf("%d uses in %d comment lines: %.1f per 1,000 lines", total, lines, 1000*float64(total)/float64(lines))
}

// usesIn returns the uses in a file's comments, and in its string literals if
// texts is set, with the number of comment lines.
func usesIn(t *testing.T, file string, texts bool) (uses []use, lines int) {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	name, err := filepath.Rel(root, file)
	if err != nil {
		t.Fatal(err)
	}
	find := func(at token.Pos, text string) {
		for _, w := range words {
			for _, i := range w.pattern.FindAllStringIndex(text, -1) {
				line := set.Position(at).Line + strings.Count(text[:i[0]], "\n")
				uses = append(uses, use{filepath.ToSlash(name), line, text[i[0]:i[1]], w.better})
			}
		}
	}
	for _, group := range parsed.Comments {
		for _, c := range group.List {
			lines += 1 + strings.Count(c.Text, "\n")
			find(c.Pos(), c.Text)
		}
	}
	if texts {
		ast.Inspect(parsed, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				find(lit.Pos(), lit.Value)
			}
			return true
		})
	}
	return uses, lines
}

func allowed(u use) bool {
	return slices.ContainsFunc(exceptions, func(e exception) bool {
		return e.reason != "" && e.file == u.file && strings.EqualFold(e.pattern, u.found)
	})
}
