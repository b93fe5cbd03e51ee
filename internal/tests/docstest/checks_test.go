package docstest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/author/checker"
)

// reporters are the functions that take a finding's code as an argument.
var reporters = []string{"add", "report", "Report", "reportAt", "Finding", "finding", "refuse", "limit"}

var codePattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)+$`)

// TestCodes compares docs/checks.md with the codes in the source.
func TestCodes(t *testing.T) {
	var documented []string
	var rules []checker.Rule
	for _, tab := range read(t, "docs/checks.md").tablesWith(t, "code", "meaning", "fix") {
		documented = append(documented, tab.first()...)
		for _, r := range tab.rows {
			rules = append(rules, checker.Rule{Code: code(r.cells[0]), Meaning: r.cells[1], Fix: r.cells[2]})
		}
	}
	if diff := cmp.Diff(checker.Rules(), rules); diff != "" {
		t.Errorf("the tables differ from checker.Rules (-rules +tables):\n%s", diff)
	}
	inCode := map[string]bool{}
	for _, folder := range []string{"internal/author/strictyaml", "internal/author/policykeys", "pipelines", "pipelines/pipelinetest", "handlers", "config", "internal/author/queuedefs", "internal/author/checker", "tasks", "cmd/enqueue", "cmd/internal/definitions", "internal/newitems"} {
		for _, file := range sources(t, folder) {
			ast.Inspect(file, func(n ast.Node) bool {
				for _, code := range codesAt(n) {
					inCode[code] = true
				}
				return true
			})
		}
	}
	var real []string
	for code := range inCode {
		real = append(real, code)
	}
	sameSet(t, "codes of findings", documented, real)
}

// codesAt returns the codes in a node of the source: an argument of a
// reporting function, the field Code of a finding, or a constant of codes.
func codesAt(n ast.Node) []string {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := ""
		switch f := n.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			name = f.Sel.Name
		}
		if slices.Contains(reporters, name) {
			return codesOf(n.Args)
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
			return codesOf([]ast.Expr{n.Value})
		}
	case *ast.GenDecl:
		if n.Tok != token.CONST {
			break
		}
		var codes []string
		for _, spec := range n.Specs {
			value := spec.(*ast.ValueSpec)
			name := value.Names[0].Name
			if strings.HasPrefix(name, "Code") || strings.HasSuffix(name, "Parameter") || strings.HasPrefix(name, "Wrong") {
				codes = append(codes, codesOf(value.Values)...)
			}
		}
		return codes
	}
	return nil
}

func codesOf(list []ast.Expr) []string {
	var codes []string
	for _, e := range list {
		literal, ok := e.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		if text, err := strconv.Unquote(literal.Value); err == nil && codePattern.MatchString(text) {
			codes = append(codes, text)
		}
	}
	return codes
}

// sources parses a package's files without its tests.
func sources(t *testing.T, folder string) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("files of %s = %v, %v", folder, names, err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}
