package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/config"
)

// project writes files to a new folder and returns the path of botwork.yaml in it.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "botwork.yaml")
}

func TestEnvironmentIsMergedOverTheFile(t *testing.T) {
	path := project(t, map[string]string{
		"botwork.yaml": `
database: {driver: postgres, dsn: {env: DEV_DSN}, pool: {maxOpen: 7}}
worker: {name: base, capacity: 3, lease: 2m, labels: {site: lisbon, gpu: true}, queues: [a, b]}
pipelines: {dir: p}
secrets: {token: {env: TOKEN}, old: {value: abcd}}
log: {level: debug, format: json}
http: {listen: "127.0.0.1:1"}
queues: {mail: {maxAttempts: 3}, test: {maxAttempts: 4}}
values: {url: http://dev, limits: {rows: 10, retries: 2}, to: [a, b], gone: 1}
`,
		"botwork.prod.yaml": `
database: {dsn: {file: dsn}}
worker:
  name: prod
  lease:
  capacity: null
  labels: {site: porto}
  queues: [c]
pipelines: {dir: q}
secrets: {token: {file: token}, old: null}
log:
http: off
queues: {mail: {maxAttempts: 9}, test: ~}
values: {url: https://prod, limits: {rows: 99}, to: [c], gone: null, more: 1}
`,
		"dsn": "postgres://db/prod", "token": "prod-token",
	})
	c := load(t, path, "BOTWORK_ENVIRONMENT=prod", "BOTWORK_WORKER_NAME=variable")
	if got := c.Database.DSN.Reveal(); got != "postgres://db/prod" || c.Database.Driver != "postgres" || c.Database.Pool.MaxOpen != 7 {
		t.Errorf("database = %+v with the DSN %s, want that of the environment and the rest of the file", c.Database, got)
	}
	if w := c.Worker; w.Name != "variable" || w.Capacity != config.Default().Worker.Capacity || w.Lease.String() != "2m0s" {
		t.Errorf("worker = %+v, want the variable's name, the default capacity and the lease of the file", w)
	}
	if diff := cmp.Diff(config.Labels{"site": "porto", "gpu": true}, c.Worker.Labels); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"c"}, c.Worker.Queues); diff != "" {
		t.Error(diff)
	}
	if c.Pipelines.Dir != filepath.Join(filepath.Dir(path), "q") || c.File != path || c.Environment != "prod" {
		t.Errorf("dir = %s, file = %s, environment = %q", c.Pipelines.Dir, c.File, c.Environment)
	}
	if c.Secrets["token"].Reveal() != "prod-token" || len(c.Secrets) != 1 {
		t.Errorf("secrets = %v, want token of the environment and no other", c.Secrets)
	}
	if c.Log.Level != "debug" || !c.HTTP.Off {
		t.Errorf("log = %+v, http.off = %v", c.Log, c.HTTP.Off)
	}
	if diff := cmp.Diff(map[string]any{"mail": map[string]any{"maxAttempts": 9}}, c.Queues.Any()); diff != "" {
		t.Error(diff)
	}
	values := map[string]any{"url": "https://prod", "limits": map[string]any{"rows": 99, "retries": 2}, "to": []any{"c"}, "more": 1}
	if diff := cmp.Diff(values, c.Values.Any()); diff != "" {
		t.Error(diff)
	}
	// Without an environment, its file changes nothing.
	if c := load(t, path, "DEV_DSN=postgres://db/dev"); c.Environment != "" || c.Worker.Name != "base" || c.Database.DSN.Reveal() != "postgres://db/dev" {
		t.Errorf("without an environment: %q, worker %s, %s", c.Environment, c.Worker.Name, c.Database.DSN.Reveal())
	}
}

// The first environment has the settings in use, the others those of their files.
func TestEnvironments(t *testing.T) {
	path := project(t, map[string]string{
		"botwork.yaml": "values: {a: 1, b: 2}\n", "botwork.prod.yaml": "values: {b: 3}\nwroker: {}\n", "botwork.test-2.yaml": "values: {a: null}\nlog: {level: lout}\ndatabase: {driver: postgres}\n",
		"botwork.empty.yaml": "# nothing\n", "botwork.yaml.bak": "values: {a: 9}\n", "botwork.x.y.yaml": "values: {a: 9}\n", "other.prod.yaml": "values: {a: 9}\n", "botwork.con.yaml": "",
		"other.yaml": "",
	})
	type environment struct {
		Name, File string
		Values     any
		Findings   string
	}
	list := func(c config.Config) []environment {
		var got []environment
		for _, e := range c.Environments {
			got = append(got, environment{e.Name, filepath.Base(e.File), e.Map(), strings.ReplaceAll(e.Findings.Error(), filepath.Dir(path)+"/", "")})
		}
		return got
	}
	alone := environment{"", "botwork.yaml", map[string]any{"a": 1, "b": 2}, ""}
	empty := environment{"empty", "botwork.empty.yaml", map[string]any{"a": 1, "b": 2}, ""}
	test := environment{"test-2", "botwork.test-2.yaml", map[string]any{"b": 2}, `botwork.test-2.yaml:2:14: log.level: got "lout", want trace, debug, info, warn, error [invalid-value]`}
	prod := environment{"prod", "botwork.prod.yaml", map[string]any{"a": 1, "b": 3}, `botwork.prod.yaml:2:1: unknown key "wroker" [unknown-key]; did you mean "worker"?`}
	if diff := cmp.Diff([]environment{alone, empty, prod, test}, list(load(t, path))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]environment{empty, prod, test}, list(load(t, path, "BOTWORK_ENVIRONMENT=empty"))); diff != "" {
		t.Error(diff)
	}
	other := filepath.Join(filepath.Dir(path), "other.yaml")
	if diff := cmp.Diff([]environment{{"prod", "other.prod.yaml", map[string]any{"a": 9}, ""}}, list(load(t, other, "BOTWORK_ENVIRONMENT=prod"))); diff != "" {
		t.Error(diff)
	}
}

func TestFindingsOfAnEnvironment(t *testing.T) {
	files := map[string]string{
		// Both files have a mistake at the same position.
		"botwork.yaml":      "worker: {capacity: many}\nlog: {level: loud}\n",
		"botwork.prod.yaml": "worker: {heartbeat: abc}\nlog: {fromat: json}\nvalues: {1a: x}\n",
		"botwork.dev.yaml":  "", "botwork.list.yaml": "- a\n", "botwork.broken.yaml": "a: [\n", "botwork.value.yaml": "values: [a]\n",
	}
	for name, want := range map[string][]string{
		"prod": {
			`botwork.prod.yaml:1:21: worker.heartbeat: got "abc", want a duration`, `botwork.prod.yaml:2:7: unknown key "fromat" in log [unknown-key]; did you mean "format"?`,
			`botwork.prod.yaml:3:14: values.1a: got the name "1a", want letters`, `botwork.yaml:1:20: worker.capacity: got text, want a whole number`, `botwork.yaml:2:14: log.level: got "loud"`,
		},
		"list":   {"botwork.list.yaml:1:1: got a list, want a mapping"},
		"broken": {"botwork.broken.yaml:", "[yaml-syntax]"},
		"value":  {"botwork.value.yaml:1:9: values: got a list, want a mapping of names to values [wrong-type]"},
		"prd":    {`botwork.prd.yaml: there is no environment "prd" [no-environment]; did you mean "prod"? the environments are broken, dev, list, prod, value`},
		"PROD":   {`there is no environment "PROD" [no-environment]; did you mean "prod"?`},
		"qa":     {`there is no environment "qa" [no-environment]; the environments are broken, dev`},
		"a/b":    {`environment: got the name "a/b", want letters, digits, - and _ [invalid-name]`},
		"nul":    {`environment: got the name "nul": NUL is a device on Windows, want another name`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Load(project(t, files), []string{"BOTWORK_ENVIRONMENT=" + name})
			for _, text := range want {
				if err == nil || !strings.Contains(err.Error(), text) {
					t.Errorf("Load = %v\nwant %s", err, text)
				}
			}
		})
	}
	_, err := config.Load(project(t, map[string]string{"botwork.yaml": ""}), []string{"BOTWORK_ENVIRONMENT=prod"})
	if want := `there is no environment "prod" [no-environment]; botwork.yaml has no environments; create this file, or choose none`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Load = %v, want %s", err, want)
	}
	_, err = config.Load(project(t, map[string]string{"botwork.prod.yaml": ""}), []string{"BOTWORK_ENVIRONMENT=prod"})
	if want := "botwork.yaml: there is no such settings file"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Load = %v, want %s", err, want)
	}
}

func TestWithEnvironment(t *testing.T) {
	for name, want := range map[string][]string{"": {"A=1"}, "dev": {"A=1", "BOTWORK_ENVIRONMENT=dev"}} {
		if diff := cmp.Diff(want, config.WithEnvironment([]string{"BOTWORK_ENVIRONMENT=prod", "A=1"}, name)); diff != "" {
			t.Error(diff)
		}
	}
}
