package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/cmd/config"
	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

func TestShow(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.WriteFile(t, "botwork.yaml", `database: {dsn: "postgres://bot:hunter22@db/work"}
worker: {name: w, capacity: 3, labels: {site: lisbon}}
secrets: {token: {env: TOKEN}, plain: {value: hunter23}}
notifications: {targets: {hook: {kind: webhook, url: "https://example.com/hunter24"}}}
queues: {"mail.x": {maxAttempts: 3}}
values: {url: "http://dev", apiToken: hunter25, to: [a, "https://u:hunter26@x"], text: "two\nlines", on: {a: "on"}}
http: off
`)
	clitest.WriteFile(t, "botwork.prod.yaml", "values: {url: 'https://prod'}\n\nworker: {lease: 5m}\n")
	environ := []string{"BOTWORK_LOG_LEVEL=warn", "TOKEN=hunter27"}
	r := clitest.DoWith(t, "", environ, "config", "show", "--environment", "prod")
	var got []string
	for line := range strings.Lines(r.Stdout) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	for _, want := range []string{
		"driver: postgres # botwork.yaml:1", "dsn: postgres://bot:<secret>@db/work # botwork.yaml:1", "maxOpen: 20 # default", "name: w # botwork.yaml:2",
		"site: lisbon # botwork.yaml:2", "lease: 5m # botwork.prod.yaml:3", `token: {"env":"TOKEN"} # botwork.yaml:3`, "plain: <secret> # botwork.yaml:3",
		"url: <secret> # botwork.yaml:4", "mail.x:", "maxAttempts: 3 # botwork.yaml:5", "url: https://prod # botwork.prod.yaml:1", "apiToken: <secret> # botwork.yaml:6",
		`to: ["a","<secret>"] # botwork.yaml:6`, `text: "two\nlines" # botwork.yaml:6`, `"on":`, `"off": true # botwork.yaml:7`, "listen: 127.0.0.1:8321 # default", "level: warn # BOTWORK_LOG_LEVEL",
	} {
		if !strings.Contains("\n"+strings.Join(got, "\n")+"\n", "\n"+want+"\n") {
			t.Errorf("no line %q in\n%s", want, r.Stdout)
		}
	}
	json := clitest.DoWith(t, "", environ, "config", "show", "--environment", "prod", "--output", "json")
	view := clitest.Decode[config.View](t, json.Stdout)
	if view.Environment != "prod" || !strings.HasSuffix(view.File, "botwork.yaml") {
		t.Errorf("environment %q, file %q", view.Environment, view.File)
	}
	sources := map[string]string{}
	for _, s := range view.Settings {
		sources[s.Path] = s.Source
	}
	for path, want := range map[string]string{"worker.lease": "botwork.prod.yaml:3", "values.on.a": "botwork.yaml:6", "queues.mail.x.maxAttempts": "botwork.yaml:5"} {
		if diff := cmp.Diff(want, sources[path]); diff != "" {
			t.Errorf("the source of %s: %s", path, diff)
		}
	}
	if strings.Contains(r.Stdout+json.Stdout, "hunter") {
		t.Errorf("a secret is shown:\n%s%s", r.Stdout, json.Stdout)
	}
	// What it prints is a settings file.
	clitest.WriteFile(t, "shown.yaml", r.Stdout)
	if again := clitest.DoWith(t, "", nil, "config", "show", "--config", "shown.yaml"); again.Code != cli.ExitDone {
		t.Errorf("the printed settings are not valid: %s", again.Stderr)
	}
}
