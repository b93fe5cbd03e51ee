package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
)

func TestAWorkersLogGoesToItsFile(t *testing.T) {
	inProject(t)
	writeFile(t, "botwork.yaml", `
secrets: {token: {value: hunter2}}
log: {file: {path: logs/worker.log}}
`)
	writeFile(t, "pipelines/tell.yaml", "steps:\n  - handler: Log\n    with: {message: \"the token is ${{ secrets.token }}\"}\n")
	mustDo(t, "enqueue", "--pipeline", "tell")
	r := botwork(t, "run", "--once", "ExecuteWorkQueue")
	if r.code != cli.ExitDone || r.stderr != "" {
		t.Errorf("exit code %d, standard error %q; want 0, and the log in its file alone", r.code, r.stderr)
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

func TestALogThatCannotBeWrittenIsTold(t *testing.T) {
	inProject(t)
	writeFile(t, "botwork.yaml", "log: {file: {path: logs/worker.log}}\n")
	writeFile(t, "logs", "a file where the folder should be")
	botwork(t, "run", "--once").wantFailure(t, cli.ExitFailed, "log.file.path: make the folder of the log", "logs")
}
