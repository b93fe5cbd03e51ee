package config_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/config"
	"botwork/internal/author/strictyaml"
)

var update = flag.Bool("update", false, "rewrite the expected findings in testdata")

// TestWrongFiles compares the findings of Parse for each file in testdata/wrong with the
// expected ones.
func TestWrongFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/wrong/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("files = %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, findings := config.Parse(filepath.Base(file), data)
			got := findings.Error() + "\n"
			if strings.Contains(got, "hunter2") {
				t.Errorf("the findings show a secret:\n%s", got)
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDefaultIsValid(t *testing.T) {
	c := config.Default()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidateAfterOverride(t *testing.T) {
	c, findings := config.Parse("botwork.yaml", []byte("worker:\n  capacity: 7\n  heartbeat: 10s\n  lease: 30s\n"))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	c.Worker.Capacity = 0
	c.SetFrom("worker.capacity", "--capacity")
	c.Worker.Heartbeat = 15e9
	c.Log.Level = "loud"
	want := strings.Join([]string{
		`--capacity: worker.capacity: got 0, want 1 to 10000 [out-of-range]`,
		`botwork.yaml:1:1: log.level: got "loud", want trace, debug, info, warn, error [invalid-value]`,
		`botwork.yaml:4:10: worker.lease: got 30s, want more than two heartbeats of 15s [invalid-pair]; three heartbeats are 45s`,
	}, "\n")
	err := c.Validate()
	if _, ok := errors.AsType[strictyaml.Findings](err); !ok {
		t.Fatalf("Validate = %v, want findings", err)
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestParseOverDefaults(t *testing.T) {
	c, findings := config.Parse("botwork.yaml", []byte(`
database: {driver: postgres, dsn: "postgres://bot:hunter2@db/work", pool: {maxOpen: 3, maxIdle: 1}}
worker: {labels: {gpu: true, ram: 64, load: 0.5, site: lisbon}}
connections:
  erp: {driver: sqlserver, dsn: {env: ERP_DSN}}
secrets:
  plain: hunter2
  number: {value: 4242}
handlers: {folders: [in, out]}
log:
`))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	if c.Database.DSN.Reveal() != "postgres://bot:hunter2@db/work" || c.Database.Pool.MaxOpen != 3 || c.Database.Pool.MaxLifetime.Minutes() != 30 {
		t.Errorf("database = %+v", c.Database)
	}
	if diff := cmp.Diff(config.Labels{"gpu": true, "ram": 64, "load": 0.5, "site": "lisbon"}, c.Worker.Labels); diff != "" {
		t.Error(diff)
	}
	if c.Secrets["plain"].Reveal() != "hunter2" || c.Secrets["number"].Reveal() != "4242" {
		t.Errorf("secrets = %q, %q", c.Secrets["plain"].Reveal(), c.Secrets["number"].Reveal())
	}
	if c.Log != config.Default().Log {
		t.Errorf("log = %+v, want the defaults", c.Log)
	}
}

func TestParseNothing(t *testing.T) {
	for _, text := range []string{"", "# only comments\n", "---\n"} {
		c, findings := config.Parse("botwork.yaml", []byte(text))
		if len(findings) > 0 || c.Pipelines != config.Default().Pipelines {
			t.Errorf("Parse(%q) = %+v, %v, want the defaults", text, c, findings)
		}
	}
}

// uncommented matches a commented-out setting in the sample.
var uncommented = regexp.MustCompile(`(?m)^( *)# ( *(?:[a-z]\w*:( .*)?|- .*))$`)

func TestSample(t *testing.T) {
	as, findings := config.Parse("sample.yaml", config.Sample())
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	want := config.Default()
	for name, pair := range map[string][2]any{
		"database": {as.Database, want.Database}, "worker": {as.Worker, want.Worker}, "pipelines": {as.Pipelines, want.Pipelines},
		"connections": {as.Connections, want.Connections}, "secrets": {as.Secrets, want.Secrets},
		"encryption": {as.Encryption, want.Encryption}, "handlers": {as.Handlers, want.Handlers}, "log": {as.Log, want.Log},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("the sample changes %s to %+v, want %+v", name, pair[0], pair[1])
		}
	}

	text := uncommented.ReplaceAll(config.Sample(), []byte("$1$2"))
	full, findings := config.Parse("sample.yaml", text)
	if len(findings) > 0 {
		t.Fatalf("%v in\n%s", findings, text)
	}
	if len(full.Connections) == 0 || len(full.Secrets) == 0 || len(full.Handlers.Folders) == 0 || !full.HasKeyset() || len(full.Worker.Labels) == 0 || len(full.Worker.Channels) == 0 || len(full.Worker.Queues) == 0 || full.Worker.Gate.DiskFree != 1<<30 || full.Log.File.Path == "" {
		t.Errorf("examples are missing: %+v", full)
	}
	got := full
	if got.Database.DSN.Reveal() != want.Database.DSN.Reveal() {
		t.Errorf("dsn = %v, want the default %v", got.Database.DSN, want.Database.DSN)
	}
	got.Worker.Name, got.Worker.Capacity, got.Worker.Labels = want.Worker.Name, want.Worker.Capacity, nil
	got.Worker.Channels, got.Worker.Queues, got.Worker.Gate, got.Log.File.Path = nil, nil, config.Gate{}, want.Log.File.Path
	if got.Database.Driver != want.Database.Driver || got.Database.Pool != want.Database.Pool ||
		!reflect.DeepEqual(got.Worker, want.Worker) || got.Pipelines != want.Pipelines || got.Log != want.Log {
		t.Errorf("commented settings\n%+v\nwant the defaults\n%+v", got, want)
	}

	var keys func(reflect.Type)
	keys = func(typ reflect.Type) {
		for f := range typ.Fields() {
			key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			if key == "" || key == "-" {
				continue
			}
			if !regexp.MustCompile(`(?m)^ *` + key + `:`).Match(text) {
				t.Errorf("the sample does not name %q", key)
			}
			inner := f.Type
			if inner.Kind() == reflect.Map {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				keys(inner)
			}
		}
	}
	keys(reflect.TypeFor[config.Config]())
}

func TestWorkerNameCountsCharacters(t *testing.T) {
	for n, wrong := range map[int]bool{100: false, 101: true} {
		_, findings := config.Parse("c.yaml", []byte("worker: {name: "+strings.Repeat("é", n)+"}"))
		if got := len(findings) > 0; got != wrong {
			t.Errorf("a name of %d characters: %v, want a mistake: %t", n, findings, wrong)
		}
	}
}

// The default of the idle connections fits a smaller pool; a number that is set must fit itself.
func TestIdleConnectionsFitThePool(t *testing.T) {
	for text, want := range map[string]int{
		"": 10, "database: {pool: {maxOpen: 8}}\n": 8, "database: {pool: {maxOpen: 30}}\n": 10, "database: {pool: {maxOpen: 8, maxIdle: 2}}\n": 2,
	} {
		if c, findings := config.Parse("botwork.yaml", []byte(text)); len(findings) > 0 || c.Database.Pool.MaxIdle != want {
			t.Errorf("%q: %d idle connections, %v; want %d", text, c.Database.Pool.MaxIdle, findings, want)
		}
	}
	if _, findings := config.Parse("botwork.yaml", []byte("database: {pool: {maxOpen: 8, maxIdle: 9}}\n")); len(findings) != 1 {
		t.Errorf("9 of 8: %v", findings)
	}
	c, err := config.Load("", []string{"BOTWORK_DATABASE_POOL_MAXOPEN=4"})
	if err != nil || c.Database.Pool.MaxIdle != 4 {
		t.Errorf("from the environment: %d idle connections, %v; want 4", c.Database.Pool.MaxIdle, err)
	}
	if _, err := config.Load("", []string{"BOTWORK_DATABASE_POOL_MAXOPEN=4", "BOTWORK_DATABASE_POOL_MAXIDLE=5"}); err == nil {
		t.Error("from the environment: 5 of 4 is no error")
	}
}
