package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/config"
)

// write creates a settings file in a new folder and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "botwork.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, path string, environ ...string) config.Config {
	t.Helper()
	c, err := config.Load(path, environ)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEnvironmentOverridesFile(t *testing.T) {
	path := write(t, "database: {pool: {maxOpen: 7}}\nworker: {name: file, capacity: 3, lease: 2m}\nsecrets: {api-token: old}\nconnections: {Erp: {driver: postgres}}\n")
	c := load(t, path,
		"BOTWORK_DATABASE_DRIVER=postgres", "BOTWORK_DATABASE_DSN=postgres://bot:hunter2@db/work",
		"BOTWORK_DATABASE_POOL_MAXIDLE=2", "BOTWORK_DATABASE_POOL_MAXLIFETIME=1h",
		"BOTWORK_WORKER_NAME=environment", "BOTWORK_WORKER_HEARTBEAT=10s", "BOTWORK_WORKER_SHUTDOWNGRACE=0s",
		"BOTWORK_WORKER_LABELS=gpu=true, ram=64,load=0.5,version=1e5,zip=0123,url=a=b,serial=\"9007199254740993\"",
		"BOTWORK_WORKER_CHANNELS=voice=2, chat=1:4", "BOTWORK_WORKER_QUEUES=erp,mail", "BOTWORK_WORKER_RESERVEDSLOTS=1",
		"BOTWORK_WORKER_CAPACITY=", // empty counts as not set
		"BOTWORK_PIPELINES_TIMEZONE=UTC", "BOTWORK_HANDLERS_FOLDERS=/in,out",
		"BOTWORK_LOG_LEVEL=debug", "BOTWORK_LOG_FORMAT=json",
		"BOTWORK_SECRET_API_TOKEN=new-1", "BOTWORK_SECRET_OTHER=other",
		"BOTWORK_CONNECTIONS_ERP_DSN=host=erp", "BOTWORK_CONNECTIONS_DWH_DRIVER=sqlite", "BOTWORK_CONNECTIONS_DWH_DSN=:memory:",
		"BOTWORK_TEST_POSTGRES_DSN=x", "BOTWORK_SERVICE_HOST=10.0.0.1", "BOTWORK_PORT_80_TCP=x", "BOTWORK_PORT=tcp://x",
		"BOTWORK_PIPELINE=p", "BOTWORK_STEP=s", "BOTWORK_ITEM_ID=7", "BOTWORK_ATTEMPT=1", "BOTWORK_FENCE=2", "BOTWORK_IDEMPOTENCY_KEY=k", "BOTWORK_RUN=r", "PATH=/bin")
	if c.Database.Driver != "postgres" || c.Database.DSN.Reveal() != "postgres://bot:hunter2@db/work" ||
		c.Database.Pool != (config.Pool{MaxOpen: 7, MaxIdle: 2, MaxLifetime: time.Hour}) {
		t.Errorf("database = %+v", c.Database)
	}
	want := config.Worker{Name: "environment", Capacity: 3, Heartbeat: 10 * time.Second, Lease: 2 * time.Minute,
		ReservedSlots: 1, Channels: config.Channels{"voice": {Cost: 2}, "chat": {Cost: 1, Max: new(4)}}, Queues: []string{"erp", "mail"},
		Labels: config.Labels{"gpu": true, "ram": 64, "load": 0.5, "version": "1e5", "zip": "0123", "url": "a=b", "serial": "9007199254740993"}}
	if diff := cmp.Diff(want, c.Worker); diff != "" {
		t.Error(diff)
	}
	if c.Pipelines.Timezone != "UTC" || c.Log != (config.Log{Level: "debug", Format: "json", File: config.Default().Log.File}) {
		t.Errorf("pipelines = %+v, log = %+v", c.Pipelines, c.Log)
	}
	if diff := cmp.Diff([]string{"/in", filepath.Join(filepath.Dir(path), "out")}, c.Handlers.Folders); diff != "" {
		t.Error(diff)
	}
	if c.Secrets["api-token"].Reveal() != "new-1" || c.Secrets["other"].Reveal() != "other" || len(c.Secrets) != 2 {
		t.Errorf("secrets = %v", c.Secrets)
	}
	if c.Connections["Erp"].DSN.Reveal() != "host=erp" || c.Connections["dwh"].DSN.Reveal() != ":memory:" || len(c.Connections) != 2 {
		t.Errorf("connections = %v", c.Connections)
	}
}

func TestEveryMistakeAtOnce(t *testing.T) {
	path := write(t, "worker: {capasity: 3}\nlog: {level: loud}\n")
	_, err := config.Load(path, []string{
		"BOTWORK_WORKER_CAPACITY=many", "BOTWORK_WORKER_LEASE=60", "BOTWORK_WORKER_LABELS=gpu", "BOTWORK_WORKER_NMAE=x",
		"BOTWORK_WORKER_CHANNELS=voice=60:",
		"BOTWORK_DATABASE_POOL_MAXOPEN=0", "BOTWORK_DATABASE_DRIVER=postgres", "BOTWORK_CONNECTIONS_ERP_DRIVER=mysql", "BOTWORK_X=1",
	})
	want := strings.Join([]string{
		path + `:1:1: database.dsn: driver postgres needs a DSN [missing-key]`,
		path + `:1:10: unknown key "capasity" in worker [unknown-key]; did you mean "capacity"?`,
		path + `:2:14: log.level: got "loud", want trace, debug, info, warn, error [invalid-value]`,
		`BOTWORK_CONNECTIONS_ERP_DRIVER: connections.erp.driver: got "mysql", want sqlite, sqlserver, postgres [invalid-value]`,
		`BOTWORK_DATABASE_POOL_MAXOPEN: database.pool.maxOpen: got 0, want 1 to 1000 [out-of-range]`,
		`BOTWORK_WORKER_CAPACITY: got "many", want a whole number [invalid-value]`,
		`BOTWORK_WORKER_CHANNELS: want name=cost,name=cost:max, such as voice=60,chat=10:2 [invalid-value]`,
		`BOTWORK_WORKER_LABELS: want name=value,name=value [invalid-value]`,
		`BOTWORK_WORKER_LEASE: got "60", want a duration [invalid-value]; write a number and a unit, such as 30s, 5m or 1h30m`,
		`BOTWORK_WORKER_NMAE: no setting has this environment variable [unknown-variable]; did you mean "BOTWORK_WORKER_NAME"?`,
		`BOTWORK_X: no setting has this environment variable [unknown-variable]`,
	}, "\n")
	if err == nil {
		t.Fatal("Load found nothing")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

// A number that cannot be stored exactly is an error in the environment too, and does not
// become text.
func TestLabelsRejectInexactNumbers(t *testing.T) {
	path := write(t, "worker: {}\n")
	for _, value := range []string{"NaN", "1e400", "9007199254740993", "92233720368547758070000001"} {
		_, err := config.Load(path, []string{"BOTWORK_WORKER_LABELS=site=lisbon,serial=" + value})
		if err == nil || !strings.Contains(err.Error(), `label "serial": `+value) || !strings.Contains(err.Error(), `in double quotes: "`+value+`"`) {
			t.Errorf("serial=%s: error %v, want one that says how the text is written", value, err)
		}
	}
}

func TestWhichFile(t *testing.T) {
	path := write(t, "worker: {name: here}\n")
	t.Run("named", func(t *testing.T) {
		if c := load(t, path); c.Worker.Name != "here" || c.File != path {
			t.Errorf("name = %q, file = %q", c.Worker.Name, c.File)
		}
	})
	t.Run("named by the environment", func(t *testing.T) {
		if c := load(t, "", "BOTWORK_CONFIG="+path); c.Worker.Name != "here" {
			t.Errorf("name = %q", c.Worker.Name)
		}
	})
	t.Run("found in the working folder", func(t *testing.T) {
		t.Chdir(filepath.Dir(path))
		if c := load(t, ""); c.Worker.Name != "here" || filepath.Base(c.File) != "botwork.yaml" || !filepath.IsAbs(c.File) {
			t.Errorf("name = %q, file = %q", c.Worker.Name, c.File)
		}
	})
	t.Run("none", func(t *testing.T) {
		dir := t.TempDir()
		t.Chdir(dir)
		host, err := os.Hostname()
		if err != nil {
			t.Fatal(err)
		}
		if c := load(t, ""); c.File != "" || c.Worker.Name != host || filepath.Base(c.Pipelines.Dir) != "pipelines" || !filepath.IsAbs(c.Pipelines.Dir) {
			t.Errorf("file = %q, name = %q, dir = %q", c.File, c.Worker.Name, c.Pipelines.Dir)
		}
	})
	t.Run("named and missing", func(t *testing.T) {
		missing := filepath.Join(t.TempDir(), "no.yaml")
		for _, args := range [][]string{{missing}, {"", "BOTWORK_CONFIG=" + missing}} {
			_, err := config.Load(args[0], args[1:])
			if want := missing + ": there is no such settings file [no-file]; botwork init writes one"; err == nil || err.Error() != want {
				t.Errorf("Load = %v, want %s", err, want)
			}
		}
	})
	t.Run("a folder", func(t *testing.T) {
		if _, err := config.Load(t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "[no-file]") {
			t.Errorf("Load = %v", err)
		}
	})
}

func TestRelativePaths(t *testing.T) {
	path := write(t, "pipelines: {dir: p}\nhandlers: {folders: [in, ./out/../done]}\n")
	dir := filepath.Dir(path)
	c := load(t, path)
	if c.Pipelines.Dir != filepath.Join(dir, "p") || c.Handlers.Folders[1] != filepath.Join(dir, "done") {
		t.Errorf("dir = %s, folders = %v, want them below %s", c.Pipelines.Dir, c.Handlers.Folders, dir)
	}
	for dsn, want := range map[string]string{
		"botwork.db":                     filepath.Join(dir, "botwork.db"),
		"/var/botwork.db":                "/var/botwork.db",
		":memory:":                       ":memory:",
		"file:data/b.db?mode=ro":         "file:" + dir + "/data/b.db?mode=ro",
		"file:./b%20c.db":                "file:" + dir + "/b%20c.db",
		"file:/var/b.db":                 "file:/var/b.db",
		"file:///var/b.db":               "file:///var/b.db",
		"file::memory:?cache=shared":     "file::memory:?cache=shared",
		"file:x?mode=memory&cache=share": "file:x?mode=memory&cache=share",
	} {
		c := load(t, path, "BOTWORK_DATABASE_DSN="+dsn, "BOTWORK_CONNECTIONS_X_DRIVER=sqlite", "BOTWORK_CONNECTIONS_X_DSN="+dsn)
		if got := c.Database.DSN.Reveal(); got != want {
			t.Errorf("database DSN %q is %q, want %q", dsn, got, want)
		}
		if got := c.Connections["x"].DSN.Reveal(); got != want {
			t.Errorf("connection DSN %q is %q, want %q", dsn, got, want)
		}
	}
}

func TestTextsFromElsewhere(t *testing.T) {
	path := write(t, `
database: {driver: postgres, dsn: {file: dsn.txt}}
connections:
  erp: {driver: sqlite, dsn: {env: ERP}}
  gone: {driver: sqlite, dsn: {env: GONE}}
secrets:
  token: {env: TOKEN}
  mail: {file: mail.txt}
  lost: {env: LOST}
  none: {file: none.txt}
  empty: {file: empty.txt}
  big: {file: big.txt}
`)
	dir := filepath.Dir(path)
	for name, text := range map[string]string{"dsn.txt": "postgres://bot:hunter2@db/work\r\n", "mail.txt": " two\nlines \n", "empty.txt": "\n", "big.txt": strings.Repeat("x", 70_000)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := load(t, path, "TOKEN=token-1", "ERP=erp.db")
	if got := c.Database.DSN.Reveal(); got != "postgres://bot:hunter2@db/work" {
		t.Errorf("dsn = %q", got)
	}
	if c.Secrets["token"].Reveal() != "token-1" || c.Secrets["mail"].Reveal() != " two\nlines " || c.Connections["erp"].DSN.Reveal() != filepath.Join(dir, "erp.db") {
		t.Errorf("token = %q, mail = %q, erp = %q", c.Secrets["token"].Reveal(), c.Secrets["mail"].Reveal(), c.Connections["erp"].DSN.Reveal())
	}
	want := strings.Join([]string{
		path + ":5:31: connections.gone.dsn: the environment variable GONE is not set [no-value]",
		path + ":9:9: secrets.lost: the environment variable LOST is not set [no-value]",
		path + ":10:9: secrets.none: open " + filepath.Join(dir, "none.txt") + ": no such file or directory [no-value]",
		path + ":11:10: secrets.empty: " + filepath.Join(dir, "empty.txt") + " is empty [no-value]",
		path + ":12:8: secrets.big: " + filepath.Join(dir, "big.txt") + " is bigger than 64 KiB [no-value]",
	}, "\n")
	err := c.CheckSecrets()
	if err == nil {
		t.Fatal("CheckSecrets found nothing")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}

	// The queue's own database is needed by every command.
	_, err = config.Load(write(t, "database: {driver: postgres, dsn: {env: GONE}}\n"), nil)
	if err == nil || !strings.Contains(err.Error(), "botwork.yaml:1:35: database.dsn: the environment variable GONE is not set [no-value]") {
		t.Errorf("Load = %v", err)
	}
}
