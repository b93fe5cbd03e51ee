package sqlstore_test

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/internal/faultproxy"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// The error must name the database that is not available, without its password.
func TestOpenNamesUnavailableDatabase(t *testing.T) {
	unused := faultproxy.FreeAddress(t)
	host, port, err := net.SplitHostPort(unused)
	if err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "none", "botwork.db")
	for _, c := range []struct {
		driver database.Driver
		dsn    string
		names  string
	}{
		{database.Postgres, "postgres://bot:hunter2@" + unused + "/work?sslmode=disable", unused},
		{database.Postgres, "host=" + host + " port=" + port + " user=bot password=hunter2 dbname=work sslmode=disable", "host=" + host},
		{database.SQLServer, "sqlserver://bot:hunter2@" + unused + "?database=work&encrypt=disable&dial+timeout=1", unused},
		{database.SQLServer, "server=" + host + ";port=" + port + ";user id=bot;password=hunter2;encrypt=disable", "server=" + host},
		{database.SQLite, missing, missing},
	} {
		_, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(c.driver), DSN: c.dsn})
		if err == nil {
			t.Errorf("Open of %s %s succeeded", c.driver, database.SafeDSN(c.dsn))
			continue
		}
		if text := err.Error(); !strings.Contains(text, string(c.driver)) || !strings.Contains(text, c.names) || strings.Contains(text, "hunter2") {
			t.Errorf("Open: %q, want it with driver %s and %s, and without the password", text, c.driver, c.names)
		}
	}
	if _, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: "oracle", DSN: "x"}); err == nil || !strings.Contains(err.Error(), "want sqlite, sqlserver or postgres") {
		t.Errorf("Open of an unknown driver: %v", err)
	}
}

func TestMissingSchema(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		store := openEmpty(t, e, e.DSN(t))
		_, enqueue := store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "x"}})
		_, list := store.Items(t.Context(), workqueue.ItemFilter{})
		_, claim := store.Claim(t.Context(), workqueue.ClaimParams{Max: 1})
		for what, err := range map[string]error{"Enqueue": enqueue, "Items": list, "Claim": claim} {
			if err == nil || !strings.Contains(err.Error(), "botwork db migrate") {
				t.Errorf("%s: %v, want the hint to migrate", what, err)
			}
		}
		// The same store works as soon as the schema exists.
		if _, err := store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "x"}}); err != nil {
			t.Error(err)
		}
	})
}

func TestPingAndClock(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		store := e.Open(t, e.DSN(t))
		if err := store.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		first, err := store.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		second, err := store.Now(t.Context())
		if err != nil || first.IsZero() || second.Before(first) || first.Location().String() != "UTC" {
			t.Errorf("Now = %s, then %s (%v), want increasing times in UTC", first, second, err)
		}
		if store.Driver() != e.Driver {
			t.Errorf("Driver = %s, want %s", store.Driver(), e.Driver)
		}
	})
}
