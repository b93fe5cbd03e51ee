package pipelines

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected findings of testdata/lint")

// TestLint compares the findings in each file of testdata/lint or, without findings, its
// warnings with the .want file of the same name.
func TestLint(t *testing.T) {
	files, err := filepath.Glob("testdata/lint/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("files = %v, %v", files, err)
	}
	c := testCompiler(nil)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, findings := c.Parse(filepath.Base(file), data)
			if (p == nil) != (len(findings) > 0) {
				t.Errorf("returned a pipeline = %v with %d findings", p != nil, len(findings))
			}
			if p != nil {
				findings = p.Warnings
			}
			got := ""
			if len(findings) > 0 {
				got = findings.Error() + "\n"
			}
			wantFile := strings.TrimSuffix(file, ".yaml") + ".want"
			if *update {
				if err := os.WriteFile(wantFile, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(wantFile)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("findings:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}
