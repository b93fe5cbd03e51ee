package cmd

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
)

func TestPipelinesCheckFix(t *testing.T) {
	inProject(t)
	const broken = "# a comment\nresilence: {limt: 3} # another\nsteps:\n  - handler: Log\n    tiemout: 5min\n    with: {message: 5}\n"
	writeFile(t, "pipelines/broken.yaml", broken)

	r := botwork(t, "pipelines", "check", "--fix", "--dry-run")
	if r.code != cli.ExitDone || !strings.Contains(r.stdout, "--- pipelines/broken.yaml") || !strings.Contains(r.stdout, "\n+resilience: {limit: 3} # another\n") {
		t.Errorf("--dry-run: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if got, err := os.ReadFile("pipelines/broken.yaml"); err != nil || string(got) != broken {
		t.Errorf("--dry-run changed the file: %q, %v", got, err)
	}

	r = botwork(t, "pipelines", "check", "--fix", "--output", "json", "pipelines/broken.yaml")
	if r.code != cli.ExitDone || r.stdout != "[]\n" || strings.Count(r.stderr, "fixed: pipelines/broken.yaml:") != 3 {
		t.Errorf("--fix: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	want := "# a comment\nresilience: {limit: 3} # another\nsteps:\n  - handler: Log\n    timeout: 5m\n    with: {message: \"5\"}\n"
	if got, err := os.ReadFile("pipelines/broken.yaml"); err != nil || string(got) != want {
		t.Errorf("--fix made\n%s\nwant\n%s\n%v", got, want, err)
	}
	// One that cannot be written does not keep the others from being fixed.
	writeFile(t, "pipelines/fixed.yaml", broken)
	writeFile(t, "pipelines/broken.yaml", broken)
	if err := os.Chmod("pipelines/broken.yaml", 0o400); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod("pipelines/broken.yaml", 0o600) // Windows does not remove it otherwise
	r = botwork(t, "pipelines", "check", "--fix")
	if r.code != cli.ExitUsage || !strings.Contains(r.stderr, "read-only") || !strings.Contains(r.stdout, "fixed: pipelines/fixed.yaml:") {
		t.Errorf("a read-only file: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	botwork(t, "pipelines", "check", "--dry-run").wantFailure(t, cli.ExitUsage, "--dry-run goes with --fix")
}

// The settings are fixed first, because pipelines refer to them.
func TestPipelinesCheckFixSettings(t *testing.T) {
	inProject(t)
	writeFile(t, "botwork.yaml", "secretes: {token: {value: x}}\nworker: {capacity: \"2\"}\n")
	writeFile(t, "pipelines/named.yaml", "steps:\n  - handler: Log\n    with: {mesage: '${{ secrets.token }}'}\n")
	r := botwork(t, "pipelines", "check", "--fix")
	if r.code != cli.ExitDone || strings.Count(r.stdout, "fixed: ") != 4 || !strings.Contains(r.stdout, "no mistakes") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

func TestPipelinesCheckSarif(t *testing.T) {
	inProject(t)
	writeFile(t, "pipelines/broken.yaml", "steps: [{handler: Lgo}]\n")
	r := botwork(t, "pipelines", "check", "--output", "sarif")
	var log struct {
		Version string
		Runs    []struct{ Results []struct{ RuleID string } }
	}
	if err := json.Unmarshal([]byte(r.stdout), &log); err != nil || r.code != cli.ExitUsage {
		t.Fatalf("exit code %d, %v\n%s%s", r.code, err, r.stdout, r.stderr)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 || log.Runs[0].Results[0].RuleID != "unknown-handler" {
		t.Errorf("the log is %+v", log)
	}
	botwork(t, "pipelines", "check", "--output", "xml").wantFailure(t, cli.ExitUsage, "want table, json, yaml or sarif")
}
