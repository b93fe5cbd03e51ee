package pipelines

import (
	"regexp"
	"strings"
	"testing"
)

// The checker and the patterns for editors accept the same names.
func TestNamesFollowTheirPatterns(t *testing.T) {
	pipeline, step := regexp.MustCompile(pipelinePattern), regexp.MustCompile(stepPattern)
	long := strings.Repeat("ä", 100)
	for _, name := range []string{
		"", "a", "7", "_", "_a", "a_", "-a", "a-b", ".a", "a.b", " a", "a ", "a b", "Übergabe 2", "Ⅷ", "½", "名前", "a\n", "\na", "a\nb", "a:b", "a/b", "{",
		"a\x00", "\xff", "a\xff", "\ufffd", "e\u0301", "٣", long, long + "a", long + "é", long[2:] + "_", "_" + long[2:], "_" + long,
	} {
		if got, want := isPipelineName(name), pipeline.MatchString(name); got != want {
			t.Errorf("isPipelineName(%q) = %v, the pattern says %v", name, got, want)
		}
		if got, want := isStepName(name), step.MatchString(name); got != want {
			t.Errorf("isStepName(%q) = %v, the pattern says %v", name, got, want)
		}
	}
}
