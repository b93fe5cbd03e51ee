package pipelines

import (
	"strings"
	"testing"
)

// The time of a check grows with the length of a file, also if the file is one line. The test has no
// limit of its own: with a search of the whole line for each step it takes minutes.
func TestLintOfOneLongLine(t *testing.T) {
	const steps = 5_000
	step := "{handler: Echo, with: {text: a $payload b}}"
	p, findings := testCompiler(nil).Parse("long.yaml", []byte("steps: ["+strings.Repeat(step+",", steps)+step+"]\n"))
	if len(findings) > 0 || len(p.Warnings) != steps+1 {
		t.Fatalf("findings = %d, warnings = %d, want 0 and %d", len(findings), len(p.Warnings), steps+1)
	}
}
