package docstest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	unsaid  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks follows every relative link, including links to headings.
func TestLinks(t *testing.T) {
	for _, d := range linked(t) {
		for _, l := range linksOf(d) {
			file := filepath.Join(root, filepath.FromSlash(l.to))
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s: %v", d.path, l.text, err)
				continue
			}
			if l.anchor != "" && !anchors(t, file)[l.anchor] {
				t.Errorf("%s links to %s: the heading does not exist", d.path, l.text)
			}
		}
	}
}

// TestEveryPageIsLinked finds pages that no other page links to.
func TestEveryPageIsLinked(t *testing.T) {
	reached := map[string]bool{"README.md": true}
	documents := linked(t)
	for _, d := range documents {
		for _, l := range linksOf(d) {
			if l.to != d.path {
				reached[l.to] = true
			}
		}
	}
	for _, d := range documents {
		// A link to a folder shows its README.
		if folder, ok := strings.CutSuffix(d.path, "/README.md"); !reached[d.path] && (!ok || !reached[folder]) {
			t.Errorf("no page links to %s", d.path)
		}
	}
}

// linked returns all documents that are checked for links.
func linked(t *testing.T) []document {
	t.Helper()
	readme := func(name string) bool { return name == "README.md" }
	all := append(readAll(t), read(t, "CHANGELOG.md"), read(t, "sql/README.md"))
	return append(all, readBelow(t, "examples", readme)...)
}

// relativeLink is a link from one file of the module to another.
type relativeLink struct {
	text   string // as written in the document
	to     string // the file, from the module's folder
	anchor string // "" for the whole file
}

func linksOf(d document) []relativeLink {
	var found []relativeLink
	for _, match := range link.FindAllStringSubmatch(withoutBlocks(d.text), -1) {
		target, anchor, _ := strings.Cut(match[1], "#")
		if strings.Contains(target, "://") {
			continue
		}
		to := d.path
		if target != "" {
			to = path.Join(path.Dir(d.path), target)
		}
		found = append(found, relativeLink{text: match[1], to: to, anchor: anchor})
	}
	return found
}

// anchors returns the anchors of a file's headings.
func anchors(t *testing.T, file string) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(withoutBlocks(string(data)), -1) {
		name := unsaid.ReplaceAllString(strings.ToLower(match[1]), "")
		found[strings.ReplaceAll(name, " ", "-")] = true
	}
	return found
}

// withoutBlocks removes fenced blocks, because code may contain brackets.
func withoutBlocks(text string) string {
	var b strings.Builder
	for i, part := range strings.Split("\n"+text, "\n```") {
		if i%2 == 0 {
			b.WriteString(part + "\n")
		}
	}
	return b.String()
}
