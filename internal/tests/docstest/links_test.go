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

// TestLinks follows every relative link, into the headings too.
func TestLinks(t *testing.T) {
	for _, d := range readAll(t) {
		for _, match := range link.FindAllStringSubmatch(withoutBlocks(d.text), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			to := d.path
			if target != "" {
				to = path.Join(path.Dir(d.path), target)
			}
			file := filepath.Join(root, filepath.FromSlash(to))
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s: %v", d.path, match[1], err)
				continue
			}
			if anchor != "" && !anchors(t, file)[anchor] {
				t.Errorf("%s links to %s: there is no such heading", d.path, match[1])
			}
		}
	}
}

// anchors are what the headings of a file are called in links.
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

// withoutBlocks leaves out what stands in fences: code has brackets of its own.
func withoutBlocks(text string) string {
	var b strings.Builder
	for i, part := range strings.Split("\n"+text, "\n```") {
		if i%2 == 0 {
			b.WriteString(part + "\n")
		}
	}
	return b.String()
}
