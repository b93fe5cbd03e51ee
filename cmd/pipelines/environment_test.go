package pipelines_test

import (
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

// Commands use the values of the environment that the flag or the variable chooses.
func TestEnvironment(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", "values: {url: 'http://dev'}\n")
	clitest.WriteFile(t, "botwork.prod.yaml", "values: {url: 'https://prod'}\n")
	clitest.WriteFile(t, "pipelines/where.yaml", "steps: [{handler: Transform, with: {value: '${{ values.url }}'}}]\n")

	prod := []string{"BOTWORK_ENVIRONMENT=prod"}
	clitest.WriteFile(t, "pipelines/where_test.yaml", "pipeline: where\ncases: [{name: prod, expect: {output: 'https://prod'}}]\n")
	clitest.Must(t, "pipelines", "test", "pipelines/where_test.yaml", "--environment", "prod")
	clitest.Do(t, "pipelines", "test", "pipelines/where_test.yaml").WantFailure(t, cli.ExitFailed)

	for _, c := range []struct {
		environ []string
		args    []string
		want    string
	}{
		{nil, nil, "http://dev"},
		{nil, []string{"--environment", "prod"}, "https://prod"},
		{prod, nil, "https://prod"},
		{prod, []string{"--environment", ""}, "http://dev"}, // none
	} {
		for _, command := range [][]string{{"pipelines", "run", "where"}, {"pipelines", "run", "where", "--dry-run"}} {
			r := clitest.DoWith(t, "", c.environ, append(command, append(c.args, "--output", "json")...)...)
			if r.Code != cli.ExitDone || !strings.Contains(r.Stdout, `"`+c.want+`"`) {
				t.Errorf("%v %v %v: exit code %d, want the value %s\n%s%s", c.environ, command, c.args, r.Code, c.want, r.Stdout, r.Stderr)
			}
		}
	}
	clitest.Do(t, "pipelines", "list", "--environment", "prd").WantFailure(t, cli.ExitUsage, `there is no environment "prd" [no-environment]; did you mean "prod"? the environments are prod`)
	clitest.Do(t, "version", "--environment", "a b").WantFailure(t, cli.ExitUsage, `--environment: got the name "a b", want letters`)

	// All environments are checked, also the ones that are not chosen.
	clitest.WriteFile(t, "botwork.prod.yaml", "values: {url: null}\nwroker: {capacity: 2}\n")
	r := clitest.Do(t, "pipelines", "check")
	for _, want := range []string{
		`botwork.prod.yaml:2:1: unknown key "wroker" [unknown-key]; did you mean "worker"?`,
		"pipelines/where.yaml:1:56: values.url is not set in environment prod (botwork.prod.yaml) [unset-value]",
	} {
		if r.Code != cli.ExitUsage || !strings.Contains(r.Stdout, want) {
			t.Errorf("pipelines check: exit code %d, want 2 and %s\n%s", r.Code, want, r.Stdout)
		}
	}
	r = clitest.Do(t, "pipelines", "check", "pipelines/where.yaml")
	if r.Code != cli.ExitUsage || !strings.Contains(r.Stdout, "values.url is not set in environment prod") {
		t.Errorf("pipelines check of a file: exit code %d\n%s", r.Code, r.Stdout)
	}
	// They do not stop a command with another environment.
	clitest.Must(t, "pipelines", "run", "where")
	r = clitest.Do(t, "pipelines", "check", "--fix")
	if !strings.Contains(r.Stdout, "fixed: botwork.prod.yaml:2:1") {
		t.Errorf("pipelines check --fix: exit code %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
}
