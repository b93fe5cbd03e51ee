package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

func TestWorkerLogsToFile(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", `
secrets: {token: {value: hunter2}}
log: {file: {path: logs/worker.log}}
`)
	clitest.WriteFile(t, "pipelines/tell.yaml", "steps:\n  - handler: Log\n    with: {message: \"the token is ${{ secrets.token }}\"}\n")
	clitest.Must(t, "enqueue", "--pipeline", "tell")
	r := clitest.Do(t, "run", "--once", "ExecuteWorkQueue")
	if r.Code != cli.ExitDone || r.Stderr != "" {
		t.Errorf("exit code %d, standard error %q; want 0, and the log in its file alone", r.Code, r.Stderr)
	}
	data, err := os.ReadFile(filepath.Join("logs", "worker.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"message":"the token is <secret>"`, `"message":"item succeeded"`, `"message":"worker stopped"`} {
		if strings.Count(string(data), want) != 1 {
			t.Errorf("the log has %s %d times, want once:\n%s", want, strings.Count(string(data), want), data)
		}
	}
}

func TestWorkerReportsLogThatCannotBeWritten(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", "log: {file: {path: logs/worker.log}}\n")
	clitest.WriteFile(t, "logs", "a file where the folder should be")
	clitest.Do(t, "run", "--once").WantFailure(t, cli.ExitFailed, "log.file.path: create the folder of the log", "logs")
}
