package checker_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"botwork/internal/author/checker"
)

// elsewhere maps the codes that no file of the corpus can cause to a test that does.
var elsewhere = map[string]string{
	"empty-trigger":   "../../../pipelines/testdata/lint/trigger-empty.want",
	"duplicate-case":  "../../../pipelines/pipelinetest/pipelinetest_test.go",
	"invalid-schema":  "../../../pipelines/testdata/lint/input-schema.want",
	"key-in-use":      "../../../cmd/enqueue/policy_test.go",
	"no-cases":        "../../../pipelines/pipelinetest/pipelinetest_test.go",
	"no-environment":  "../../../config/layers_test.go",
	"no-file":         "open_test.go",
	"no-value":        "../../../config/load_test.go",
	"not-json":        "../../../cmd/testdata/golden/enqueue_lines.txt",
	"too-long":        "../../../cmd/enqueue/limits_test.go",
	"too-many":        "../../../cmd/enqueue/lines_test.go",
	"unreadable-file": "named_test.go",
}

// TestEveryCodeOccurs checks that each kind of finding occurs in the expected findings of
// the corpus or in the test named for it, and no other kind.
func TestEveryCodeOccurs(t *testing.T) {
	pattern := regexp.MustCompile(`\[([a-z0-9]+(?:-[a-z0-9]+)+)\](?:;|$)`)
	found := map[string]bool{}
	for _, folder := range []string{"testdata/files/*.want", "testdata/projects/*/want.txt", "../../../pipelines/testdata/lint/*.want"} {
		for _, path := range glob(t, folder) {
			for line := range strings.Lines(text(t, path)) {
				for _, m := range pattern.FindAllStringSubmatch(strings.TrimSpace(line), -1) {
					found[m[1]] = true
				}
			}
		}
	}
	var known []string
	for _, rule := range checker.Rules() {
		known = append(known, rule.Code)
		switch path := elsewhere[rule.Code]; {
		case found[rule.Code]:
		case path == "":
			t.Errorf("no file of the corpus has the finding %s", rule.Code)
		case !strings.Contains(text(t, path), rule.Code):
			t.Errorf("%s does not contain %s", path, rule.Code)
		}
	}
	for code := range found {
		if !slices.Contains(known, code) {
			t.Errorf("the corpus has the finding %s, but there is no such rule", code)
		}
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
