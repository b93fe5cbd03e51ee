package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"botwork/config"
)

// The DSN names the driver when the settings do not.
func TestDriverFromDSN(t *testing.T) {
	for dsn, want := range map[string]string{
		"postgres://bot:hunter2@db/work": "postgres", "host=db user=bot password=hunter2": "postgres",
		"sqlserver://bot:hunter2@db?database=work": "sqlserver", "server=db;user id=bot;password=hunter2": "sqlserver",
		"sqlite:work.db": "sqlite", "work.db": "sqlite",
	} {
		path := write(t, "connections: {erp: {dsn: {env: ERP}}}\n")
		environ := []string{"BOTWORK_DATABASE_DSN=" + dsn}
		if dsn != "work.db" {
			environ = append(environ, "ERP="+dsn)
		}
		c := load(t, path, environ...)
		if got := string(c.Database.Driver); got != want {
			t.Errorf("driver of %s = %s, want %s", dsn, got, want)
		}
		if got := string(c.Connections["erp"].Driver); dsn != "work.db" && got != want {
			t.Errorf("driver of the connection %s = %s, want %s", dsn, got, want)
		}
		if want == "sqlite" && !strings.HasSuffix(c.Database.DSN.Reveal(), filepath.Join(filepath.Dir(path), "work.db")) {
			t.Errorf("DSN = %s, want an absolute path", c.Database.DSN.Reveal())
		}
	}
	_, err := config.Load(write(t, "database: {driver: sqlite}\n"), []string{"BOTWORK_DATABASE_DSN=postgres://bot:hunter2@db/work"})
	if err == nil || !strings.Contains(err.Error(), "the driver is sqlite, but the DSN has the form of postgres: postgres://bot:<secret>@db/work") {
		t.Errorf("Load = %v, want a contradiction of driver and DSN", err)
	}
	_, err = config.Load(write(t, "worker: {name: w1}\n"), []string{"BOTWORK_CONNECTIONS_ERP_DSN=work.db"})
	if err == nil || !strings.Contains(err.Error(), `key "driver" is missing`) {
		t.Errorf("Load = %v, want a missing driver, because the DSN of the connection may be anything", err)
	}
}
