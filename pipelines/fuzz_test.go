package pipelines

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse checks that Parse never panics, returns a pipeline if and only if there are no
// findings, that the positions of findings are in the text, and that the same text has the
// same result.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/lint/*.yaml", "shipped/*.yaml", "../examples/*/project/pipelines/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s (error %v)", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(data))
		}
	}
	c := testCompiler(nil)
	f.Fuzz(func(t *testing.T, text string) {
		p, findings := c.Parse("fuzz.yaml", []byte(text))
		if (p == nil) != (len(findings) > 0) {
			t.Fatalf("returned a pipeline = %v with the findings %v", p != nil, findings)
		}
		// YAML supports more line breaks than most editors.
		lines := 1
		for _, r := range text {
			if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) {
				lines++
			}
		}
		if p != nil {
			findings = p.Warnings
		}
		for _, finding := range findings {
			if finding.Line < 1 || finding.Column < 1 || finding.Line > lines+1 || finding.Message == "" || finding.Code == "" {
				t.Errorf("finding %+v in %d lines", finding, lines)
			}
		}
		again, same := c.Parse("fuzz.yaml", []byte(text))
		if p == nil {
			if again != nil || same.Error() != findings.Error() {
				t.Errorf("findings differ:\n%v\n%v", findings, same)
			}
			return
		}
		if again == nil || outline(again) != outline(p) || again.Warnings.Error() != p.Warnings.Error() {
			t.Errorf("compiling twice results in different pipelines:\n%s\n%s", outline(p), outline(again))
		}
		if err := p.CheckPayload("{"); err == nil {
			t.Error("CheckPayload accepted an invalid payload")
		}
	})
}

// outline returns the exported content of a pipeline.
func outline(p *Pipeline) string {
	var b strings.Builder
	policy, err := json.Marshal(p.Resilience)
	fmt.Fprintf(&b, "%s %s %s %v", p.Name, p.Hash, policy, err)
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "; %s %s %s %s %s %d %v", s.Name, s.Handler, s.OnError, s.If, s.Timeout, s.Attempts, s.With)
	}
	return b.String()
}

// FuzzScan checks that the scanner loses no text: the fragments can be joined to the
// original text.
func FuzzScan(f *testing.F) {
	for _, text := range []string{"a ${{ b }} c", "$${{ a", "${{ '}}' }}}}", "${{"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fragments, unclosed := scan(text)
		if unclosed >= 0 {
			return
		}
		length := 0
		for _, fragment := range fragments {
			length += len(fragment.text)
		}
		if length > len(text) || !strings.Contains(text, opening) && length != len(text) {
			t.Errorf("scan(%q) = %+v", text, fragments)
		}
	})
}
