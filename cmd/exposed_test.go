package cmd

import (
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/internal/doctor"
)

func TestWideFoldersAreReportedWhereverAPersonLooks(t *testing.T) {
	inProject(t)
	writeFile(t, "botwork.yaml", "handlers: {folders: [.]}\n")
	const says = "steps can write the pipelines (pipelines.dir), the settings (botwork.yaml) and the database (database.dsn) in this folder"

	r := botwork(t, "pipelines", "check")
	if r.code != cli.ExitDone || !strings.Contains(r.stdout+r.stderr, "botwork.yaml:1:22: warning: handlers.folders[0]: "+says) {
		t.Errorf("pipelines check: exit code %d, %s%s", r.code, r.stdout, r.stderr)
	}
	r = botwork(t, "run", "--once")
	if r.code != cli.ExitDone || !strings.Contains(r.stderr, says) {
		t.Errorf("run: exit code %d, %s", r.code, r.stderr)
	}
	if got := doctorFound(t, cli.ExitDone)["exposed-files"]; got.State != doctor.Warning || !strings.Contains(got.Found, says) || !strings.Contains(got.Advice, "such as data") {
		t.Errorf("doctor: %+v", got)
	}
	writeFile(t, "botwork.yaml", "handlers: {folders: [data]}\n")
	if r := botwork(t, "pipelines", "check"); strings.Contains(r.stdout+r.stderr, "exposed-files") {
		t.Errorf("pipelines check with a folder of its own: %s%s", r.stdout, r.stderr)
	}
}
