package pipelines

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse holds the checker to this: it never panics, gives a pipeline
// exactly when there is no finding, points into the text, and does the same
// for the same text.
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
			t.Fatalf("a pipeline = %v beside findings %v", p != nil, findings)
		}
		// YAML knows more line ends than most editors do.
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
			t.Errorf("compiled again, the pipeline is another one:\n%s\n%s", outline(p), outline(again))
		}
		if err := p.CheckPayload("{"); err == nil {
			t.Error("CheckPayload took a broken payload")
		}
	})
}

// outline is what a pipeline shows of itself.
func outline(p *Pipeline) string {
	var b strings.Builder
	policy, err := json.Marshal(p.Resilience)
	fmt.Fprintf(&b, "%s %s %s %v", p.Name, p.Hash, policy, err)
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "; %s %s %s %s %s %d %v", s.Name, s.Handler, s.OnError, s.If, s.Timeout, s.Attempts, s.With)
	}
	return b.String()
}

// FuzzScan holds the scanner to losing no text: what it takes apart can be put
// together again.
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
