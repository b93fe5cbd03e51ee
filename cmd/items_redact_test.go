package cmd

import (
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
)

func TestItemsShowHidesSecretsOfOlderRows(t *testing.T) {
	inProject(t)
	writeFile(t, "pipelines/leak.yaml", "resilience: {limit: 1}\nsteps:\n  - {handler: Log, with: {message: it is hunter22}}\n  - {handler: Fail, with: {message: not with hunter22}}\n")
	mustDo(t, "enqueue", "--pipeline", "leak", "--priority", "700")
	if r := botwork(t, "run", "--once"); r.code != cli.ExitDone {
		t.Fatal(r.stderr)
	}
	if shown := mustDo(t, "items", "show", "1", "-o", "json"); !strings.Contains(shown, "not with hunter22") {
		t.Fatalf("the item shows %s", shown)
	}
	for _, format := range []string{"json", "yaml", "table"} {
		r := botworkWith(t, "", []string{"BOTWORK_SECRET_TOKEN=hunter22"}, "items", "show", "1", "-o", format)
		if r.code != cli.ExitDone || strings.Contains(r.stdout, "hunter22") || !strings.Contains(r.stdout, "secret") {
			t.Errorf("items show -o %s: exit code %d, %s%s", format, r.code, r.stdout, r.stderr)
		}
	}
}
