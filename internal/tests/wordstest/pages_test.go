package wordstest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages are the documents that follow the standard: files, or all files with
// this ending below a folder.
var pages = []struct{ below, ending string }{
	{"README.md", ".md"},
	{"CHANGELOG.md", ".md"},
	{"docs", ".md"},
	{"examples", ".md"},
	{"examples", ".yaml"},
	{"sql/README.md", ".md"},
	{"sql/sqlite/operators", ".sql"},
	{"sql/sqlserver/operators", ".sql"},
	{"sql/postgres/operators", ".sql"},
}

// generatedPages and generatedPart are written from the help texts. They are
// finished when package cmd is.
var (
	generatedPages = []string{"docs/cli"} // folders
	generatedPart  = regexp.MustCompile(`(?s)<!-- The next list is generated .*?<!-- End of the generated list. -->`)
)

// TestPages checks the documents.
func TestPages(t *testing.T) {
	for _, p := range pages {
		found := 0
		err := fs.WalkDir(os.DirFS(root), p.below, func(file string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if slices.Contains(generatedPages, file) {
				return fs.SkipDir
			}
			if entry.IsDir() || path.Ext(file) != p.ending {
				return nil
			}
			found++
			data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
			if err != nil {
				return err
			}
			for _, u := range usesInPage(file, string(data)) {
				if !allowed(u) {
					t.Errorf("%s:%d: %q: better: %s", u.file, u.line, u.found, u.better)
				}
			}
			return nil
		})
		if err != nil || found == 0 {
			t.Errorf("%s: %d files that end in %s, %v", p.below, found, p.ending, err)
		}
	}
}

// usesInPage returns the uses in a document without its generated part. A
// pattern also matches words with a line break between them.
func usesInPage(file, text string) (uses []use) {
	text = generatedPart.ReplaceAllStringFunc(text, func(part string) string {
		return strings.Repeat("\n", strings.Count(part, "\n"))
	})
	spaced := strings.ReplaceAll(text, "\n", " ")
	for _, w := range words {
		for _, i := range w.pattern.FindAllStringIndex(spaced, -1) {
			line := 1 + strings.Count(text[:i[0]], "\n")
			uses = append(uses, use{file, line, spaced[i[0]:i[1]], w.better})
		}
	}
	return uses
}

// TestUsesInPage checks that a use is found at its line, and that generated
// parts are left out.
func TestUsesInPage(t *testing.T) {
	text := "# Page\n<!-- The next list is generated from --help -->\nNobody\n<!-- End of the generated list. -->\nthis has no\nsay here\n"
	uses := usesInPage("page.md", text)
	if len(uses) != 1 || uses[0].line != 5 || uses[0].found != "has no say" {
		t.Errorf("uses = %v, want one of \"has no say\" in line 5", uses)
	}
}
