package items_test

import (
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

func TestItemsShowHidesSecretsOfOlderRows(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/leak.yaml", "resilience: {limit: 1}\nsteps:\n  - {handler: Log, with: {message: it is hunter22}}\n  - {handler: Fail, with: {message: not with hunter22}}\n")
	clitest.Must(t, "enqueue", "--pipeline", "leak", "--priority", "700")
	if r := clitest.Do(t, "run", "--once"); r.Code != cli.ExitDone {
		t.Fatal(r.Stderr)
	}
	if shown := clitest.Must(t, "items", "show", "1", "-o", "json"); !strings.Contains(shown, "not with hunter22") {
		t.Fatalf("the item shows %s", shown)
	}
	for _, format := range []string{"json", "yaml", "table"} {
		r := clitest.DoWith(t, "", []string{"BOTWORK_SECRET_TOKEN=hunter22"}, "items", "show", "1", "-o", format)
		if r.Code != cli.ExitDone || strings.Contains(r.Stdout, "hunter22") || !strings.Contains(r.Stdout, "secret") {
			t.Errorf("items show -o %s: exit code %d, %s%s", format, r.Code, r.Stdout, r.Stderr)
		}
	}
}
