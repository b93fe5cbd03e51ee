package pipelines_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

func TestPipelinesCheckFix(t *testing.T) {
	clitest.InProject(t)
	const broken = "# a comment\nresilence: {limt: 3} # another\nsteps:\n  - handler: Log\n    tiemout: 5min\n    with: {message: 5}\n"
	clitest.WriteFile(t, "pipelines/broken.yaml", broken)

	r := clitest.Do(t, "pipelines", "check", "--fix", "--dry-run")
	if r.Code != cli.ExitDone || !strings.Contains(r.Stdout, "--- pipelines/broken.yaml") || !strings.Contains(r.Stdout, "\n+resilience: {limit: 3} # another\n") {
		t.Errorf("--dry-run: exit code %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	if got, err := os.ReadFile("pipelines/broken.yaml"); err != nil || string(got) != broken {
		t.Errorf("--dry-run changed the file: %q, %v", got, err)
	}

	r = clitest.Do(t, "pipelines", "check", "--fix", "--output", "json", "pipelines/broken.yaml")
	if r.Code != cli.ExitDone || r.Stdout != "[]\n" || strings.Count(r.Stderr, "fixed: pipelines/broken.yaml:") != 3 {
		t.Errorf("--fix: exit code %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	want := "# a comment\nresilience: {limit: 3} # another\nsteps:\n  - handler: Log\n    timeout: 5m\n    with: {message: \"5\"}\n"
	if got, err := os.ReadFile("pipelines/broken.yaml"); err != nil || string(got) != want {
		t.Errorf("--fix made\n%s\nwant\n%s\n%v", got, want, err)
	}
	// One that cannot be written does not keep the others from being fixed.
	clitest.WriteFile(t, "pipelines/fixed.yaml", broken)
	clitest.WriteFile(t, "pipelines/broken.yaml", broken)
	if err := os.Chmod("pipelines/broken.yaml", 0o400); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod("pipelines/broken.yaml", 0o600) // Windows does not remove it otherwise
	r = clitest.Do(t, "pipelines", "check", "--fix")
	if r.Code != cli.ExitUsage || !strings.Contains(r.Stderr, "read-only") || !strings.Contains(r.Stdout, "fixed: pipelines/fixed.yaml:") {
		t.Errorf("a read-only file: exit code %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	clitest.Do(t, "pipelines", "check", "--dry-run").WantFailure(t, cli.ExitUsage, "--dry-run goes with --fix")
}

// The settings are fixed first, because pipelines refer to them.
func TestPipelinesCheckFixSettings(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", "secretes: {token: {value: xxxx}}\nworker: {capacity: \"2\"}\n")
	clitest.WriteFile(t, "pipelines/named.yaml", "steps:\n  - handler: Log\n    with: {mesage: '${{ secrets.token }}'}\n")
	r := clitest.Do(t, "pipelines", "check", "--fix")
	if r.Code != cli.ExitDone || strings.Count(r.Stdout, "fixed: ") != 4 || !strings.Contains(r.Stdout, "no errors") {
		t.Errorf("exit code %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
}

func TestPipelinesCheckSarif(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/broken.yaml", "steps: [{handler: Lgo}]\n")
	r := clitest.Do(t, "pipelines", "check", "--output", "sarif")
	var log struct {
		Version string
		Runs    []struct{ Results []struct{ RuleID string } }
	}
	if err := json.Unmarshal([]byte(r.Stdout), &log); err != nil || r.Code != cli.ExitUsage {
		t.Fatalf("exit code %d, %v\n%s%s", r.Code, err, r.Stdout, r.Stderr)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 || log.Runs[0].Results[0].RuleID != "unknown-handler" {
		t.Errorf("the log is %+v", log)
	}
	clitest.Do(t, "pipelines", "check", "--output", "xml").WantFailure(t, cli.ExitUsage, "want table, json, yaml or sarif")
}
