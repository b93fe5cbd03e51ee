package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/config"
)

func TestSecretSources(t *testing.T) {
	path := write(t, `
database: {driver: postgres, dsn: {env: PGDSN}}
connections:
  erp: {driver: sqlserver, dsn: {env: ERP_DSN}}
  local: {driver: sqlite, dsn: erp.db}
secrets:
  token: {env: API_TOKEN}
  mail: {file: mail.txt}
  lost: {env: LOST}
notifications: {targets: {hook: {kind: webhook, url: "https://example.com/hook-hunter2", token: {env: HOOK}, headers: {X-Team: night, X-Api-Key: api-hunter2, X-Route: {env: ROUTE}}}}}
encryption: {keyset: {file: /keys/set.json}}
`)
	dir := filepath.Dir(path)
	if err := os.WriteFile(filepath.Join(dir, "mail.txt"), []byte("mail-hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := config.LoadFrom(path, []string{
		"PGDSN=postgres://bot:h%40nter2@db/work", "ERP_DSN=overridden", "BOTWORK_CONNECTIONS_ERP_DSN=server=db;user id=bot;password=erp-hunter2",
		"API_TOKEN=old-hunter2", "BOTWORK_SECRET_TOKEN=new-hunter2", "BOTWORK_WORKER_NAME=x", "HOOK=hook-token", "ROUTE=route-hunter2",
	}, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	wantVariables := map[string]string{
		"PGDSN": "database.dsn", "ERP_DSN": "connections.erp.dsn", "BOTWORK_CONNECTIONS_ERP_DSN": "connections.erp.dsn",
		"API_TOKEN": "secrets.token", "BOTWORK_SECRET_TOKEN": "secrets.token", "LOST": "secrets.lost",
		"HOOK": "notifications.targets.hook.token", "ROUTE": "notifications.targets.hook.headers.X-Route",
	}
	if diff := cmp.Diff(wantVariables, c.SecretVariables()); diff != "" {
		t.Error(diff)
	}
	values := c.SecretValues()
	for _, want := range []string{"new-hunter2", "mail-hunter2", "h@nter2", "h%40nter2", "erp-hunter2", "hook-token", "api-hunter2", "route-hunter2", "https://example.com/hook-hunter2", "postgres://bot:h%40nter2@db/work"} {
		if !slices.Contains(values, want) {
			t.Errorf("SecretValues() = %q, want %q among them", values, want)
		}
	}
	if slices.ContainsFunc(values, func(v string) bool { return strings.HasSuffix(v, "erp.db") }) {
		t.Errorf("SecretValues() = %q, want no path of a database", values)
	}
	if slices.Contains(values, "night") {
		t.Errorf("SecretValues() = %q, want no word of a header whose name suggests no secret", values)
	}
	if got := config.HeaderValues(c.Notifications.Targets["hook"].Headers); got["X-Team"] != "night" || got["X-Route"] != "route-hunter2" {
		t.Errorf("headers %q, want what is sent", got)
	}
	wantFiles := []config.SecretFile{{Setting: "encryption.keyset", File: "/keys/set.json"}, {Setting: "secrets.mail", File: filepath.Join(dir, "mail.txt")}}
	if diff := cmp.Diff(wantFiles, c.SecretFiles()); diff != "" {
		t.Error(diff)
	}
}

func TestCredentials(t *testing.T) {
	path := write(t, "database: {driver: postgres, dsn: {credential: dsn}}\nsecrets: {token: {credential: token}}\n")
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "dsn"), []byte("postgres://bot:hunter2@db/work\n"), 0o400); err != nil {
		t.Fatal(err)
	}
	c := load(t, path, "CREDENTIALS_DIRECTORY="+folder)
	if got := c.Database.DSN.Reveal(); got != "postgres://bot:hunter2@db/work" {
		t.Errorf("dsn = %q", got)
	}
	if err := c.CheckSecrets(); err == nil || !strings.Contains(err.Error(), "secrets.token: open "+filepath.Join(folder, "token")) {
		t.Errorf("CheckSecrets() = %v", err)
	}
	if got, want := c.SecretFiles(), (config.SecretFile{Setting: "database.dsn", File: filepath.Join(folder, "dsn")}); got[0] != want {
		t.Errorf("SecretFiles() = %v, want %v first", got, want)
	}
	_, err := config.Load(path, nil)
	if err == nil || !strings.Contains(err.Error(), "database.dsn: there is no credential dsn: the environment variable CREDENTIALS_DIRECTORY is not set") {
		t.Errorf("Load = %v", err)
	}
	for _, name := range []string{"../dsn", "a/b", "/dsn", "..", `a\b`} {
		_, err := config.Load(write(t, "secrets: {a: {credential: '"+name+"'}}\n"), nil)
		if err == nil || !strings.Contains(err.Error(), "secrets.a.credential: got") {
			t.Errorf("the credential %s: %v", name, err)
		}
	}
}

// A worker that was started with the token of a person hides it from pipelines.
func TestTokenForAServerIsSecret(t *testing.T) {
	cfg, err := config.Load("", []string{"BOTWORK_SERVER=https://botwork.example.com", "BOTWORK_TOKEN=bw_secret", "BOTWORK_TOKEN_FILE=f", "BOTWORK_CA_FILE=f"})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := cfg.SecretVariables()["BOTWORK_TOKEN"]; !ok {
		t.Errorf("got %v, want BOTWORK_TOKEN among them", cfg.SecretVariables())
	}
}
