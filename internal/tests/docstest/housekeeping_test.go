package docstest

import (
	"strings"
	"testing"

	"botwork/handlers/queue"
)

// TestLimitsOfCleanUp compares the table of docs/housekeeping.md with the step's
// parameters.
func TestLimitsOfCleanUp(t *testing.T) {
	got := map[string]string{}
	for _, tab := range read(t, "docs/housekeeping.md").tablesWith(t, "parameter", "default", "removes") {
		for _, r := range tab.rows {
			got[strings.Trim(r.cells[0], "`")] = strings.Trim(r.cells[1], "`")
		}
	}
	for _, k := range queue.Kinds(queue.Services{}) {
		if k.Name != "CleanUp" {
			continue
		}
		for _, f := range k.Fields() {
			switch f.Name {
			case "batch", "for": // described in the text
				continue
			}
			if got[f.Name] != f.Default {
				t.Errorf("docs/housekeeping.md says that %s is %q by default, want %q", f.Name, got[f.Name], f.Default)
			}
			delete(got, f.Name)
		}
	}
	for name := range got {
		t.Errorf("docs/housekeeping.md lists the parameter %s, which the step does not have", name)
	}
}
