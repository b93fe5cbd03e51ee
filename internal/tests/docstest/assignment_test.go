package docstest

import (
	"regexp"
	"strings"
	"testing"
)

// TestAssignmentOutput compares the output in docs/assignment.md with the output of
// the commands: the golden files of package cmd.
func TestAssignmentOutput(t *testing.T) {
	shown := regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`).ReplaceAllString(read(t, "docs/assignment.md").text, "YYYY-MM-DD hh:mm:ssZ")
	why := read(t, "cmd/testdata/golden/items_why.txt").text
	_, dryRun, found := strings.Cut(read(t, "cmd/testdata/golden/assign.txt").text, "\n\n")
	if !found {
		t.Fatal("assign.txt shows one pipeline, want two with a line between them")
	}
	for name, output := range map[string]string{"items why": why, "assign --dry-run": dryRun} {
		if !strings.Contains(shown, "```text\n"+strings.TrimSpace(output)+"\n```\n") {
			t.Errorf("docs/assignment.md does not show what botwork %s prints:\n%s", name, output)
		}
	}
}
