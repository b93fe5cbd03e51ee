package doctor_test

import (
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/internal/doctor"
)

func TestEveryCommandReportsFoldersThatAreTooWide(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", "handlers: {folders: [.]}\n")
	const says = "steps can write the pipelines (pipelines.dir), the settings (botwork.yaml) and the database (database.dsn) in this folder"

	r := clitest.Do(t, "pipelines", "check")
	if r.Code != cli.ExitDone || !strings.Contains(r.Stdout+r.Stderr, "botwork.yaml:1:22: warning: handlers.folders[0]: "+says) {
		t.Errorf("pipelines check: exit code %d, %s%s", r.Code, r.Stdout, r.Stderr)
	}
	r = clitest.Do(t, "run", "--once")
	if r.Code != cli.ExitDone || !strings.Contains(r.Stderr, says) {
		t.Errorf("run: exit code %d, %s", r.Code, r.Stderr)
	}
	if got := doctorFound(t, cli.ExitDone)["exposed-files"]; got.State != doctor.Warning || !strings.Contains(got.Found, says) || !strings.Contains(got.Advice, "such as data") {
		t.Errorf("doctor: %+v", got)
	}
	clitest.WriteFile(t, "botwork.yaml", "handlers: {folders: [data]}\n")
	if r := clitest.Do(t, "pipelines", "check"); strings.Contains(r.Stdout+r.Stderr, "exposed-files") {
		t.Errorf("pipelines check with a separate folder: %s%s", r.Stdout, r.Stderr)
	}
}
