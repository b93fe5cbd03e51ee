package doctor_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/doctor"
	"botwork/internal/keyring"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// optionsFor returns options without faults, which a test changes.
func optionsFor(t *testing.T, driver database.Driver, dsn string) doctor.Options {
	t.Helper()
	return doctor.Options{
		File: "botwork.yaml", Driver: driver, DSN: dsn, Worker: "here", Timezone: "Europe/Lisbon", ServiceName: "botwork",
		Service:   func(context.Context) (doctor.Service, error) { return doctor.Service{}, nil },
		Pipelines: t.TempDir(), Folders: []string{t.TempDir()}, Log: filepath.Join(t.TempDir(), "logs"),
		CheckPipelines: func() (doctor.PipelineCounts, error) { return doctor.PipelineCounts{Good: 1}, nil },
	}
}

// examine runs all checks and returns the results by check. If a check has several
// results, the last one counts.
func examine(t *testing.T, o doctor.Options) map[string]doctor.Result {
	t.Helper()
	return examineWithin(t, o, 10*time.Second)
}

func examineWithin(t *testing.T, o doctor.Options, timeout time.Duration) map[string]doctor.Result {
	t.Helper()
	d := doctor.New(o)
	found := map[string]doctor.Result{}
	for _, r := range d.Examine(t.Context(), timeout) {
		if strings.Contains(r.Found+r.Advice, "hunter2") {
			t.Errorf("%s shows the password: %s; %s", r.Check, r.Found, r.Advice)
		}
		found[r.Check] = r
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	return found
}

// want checks the state and the texts of the result of a check.
func want(t *testing.T, found map[string]doctor.Result, check string, state doctor.State, texts ...string) {
	t.Helper()
	r, there := found[check]
	if !there || r.State != state {
		t.Errorf("%s: %q (%s), want %s", check, r.State, r.Found, state)
	}
	for _, text := range texts {
		if !strings.Contains(r.Found+"\n"+r.Advice, text) {
			t.Errorf("%s: lacks %q:\n%s\n%s", check, text, r.Found, r.Advice)
		}
	}
}

func exec(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestHealthyWorkerOnEveryEngine(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		store := e.Open(t, dsn)
		if _, err := store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "here", Host: hostname(t), PID: os.Getpid(), Version: "test", Capacity: 1, Lease: time.Minute}); err != nil {
			t.Fatal(err)
		}
		found := examine(t, optionsFor(t, e.Driver, dsn))
		for check, r := range found {
			// Snapshots may be off on a server, and not every server with the TDS protocol
			// has views of its sessions.
			if r.State != doctor.OK && check != "snapshot" && (check != "stalled" || r.State != doctor.Skipped) {
				t.Errorf("%s: %s: %s", check, r.State, r.Found)
			}
		}
		want(t, found, "workers", doctor.OK, "used by process")
		want(t, found, "sealed-items", doctor.OK, "none of the newest items")
		if r := found["snapshot"]; e.Driver == database.SQLServer && r.State == doctor.Warning && !strings.Contains(r.Advice, "SET READ_COMMITTED_SNAPSHOT ON") {
			t.Errorf("snapshot: %+v", r)
		}
	})
}

func TestPausedPipelineOnEveryEngine(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		store := e.Open(t, dsn)
		want(t, examine(t, optionsFor(t, e.Driver, dsn)), "paused", doctor.OK, "no pipeline is paused")
		if _, err := store.PausePipeline(t.Context(), workqueue.PipelinePause{Pipeline: "nightly", By: "ann", Reason: "maintenance"}); err != nil {
			t.Fatal(err)
		}
		found := examine(t, optionsFor(t, e.Driver, dsn))
		want(t, found, "paused", doctor.Warning, "paused by ann", "s ago: maintenance", "botwork pipelines resume nightly")
		if found["paused"].About != "nightly" {
			t.Errorf("the result is about %q, want nightly", found["paused"].About)
		}
	})
}

func TestSchemaOnEveryEngine(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		if e.Driver == database.SQLite {
			writeFile(t, dsn, "")
		}
		found := examine(t, optionsFor(t, e.Driver, dsn))
		want(t, found, "schema", doctor.Warning, "do not exist yet", "botwork db migrate")
		want(t, found, "workers", doctor.Skipped, "migrations are pending")

		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		exec(t, db, `UPDATE goose_db_version SET version_id = 9000 WHERE version_id = 9`)
		found = examine(t, optionsFor(t, e.Driver, dsn))
		want(t, found, "schema", doctor.Warning, "1 migration pending")
		exec(t, db, `UPDATE goose_db_version SET version_id = 9 WHERE version_id = 9000`)
		exec(t, db, `UPDATE goose_db_version SET version_id = 9001 WHERE version_id = 0`)
		found = examine(t, optionsFor(t, e.Driver, dsn))
		want(t, found, "schema", doctor.Warning, "migration 9001 was applied", "newer than this program")
		want(t, found, "workers", doctor.OK)
	})
}

func TestSealedItemsOnEveryEngine(t *testing.T) {
	mine, others := newKeys(t), newKeys(t)
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		insert := func(k *keyring.Keyring) {
			text, err := k.Seal("{}", "item")
			if err != nil {
				t.Fatal(err)
			}
			yes := map[database.Driver]string{database.Postgres: "TRUE"}[e.Driver]
			if yes == "" {
				yes = "1"
			}
			exec(t, db, `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "Payload", "Encrypted") VALUES ('hello', '`+text+`', `+yes+`)`)
		}
		insert(mine)
		o := optionsFor(t, e.Driver, dsn)
		want(t, examine(t, o), "sealed-items", doctor.Fault, "name no keyset")
		o.Keyset = doctor.Keyset{Named: true, Keys: mine}
		want(t, examine(t, o), "sealed-items", doctor.OK, "have keys of this machine")
		insert(others)
		want(t, examine(t, o), "sealed-items", doctor.Fault, "encrypted with 1 key that this machine's keyset does not have")
	})
}

func TestNameUsedByAnotherHost(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		store := e.Open(t, dsn)
		if _, err := store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "here", Host: hostname(t), PID: os.Getpid(), Version: "test", Capacity: 1, Lease: time.Minute}); err != nil {
			t.Fatal(err)
		}
		exec(t, e.SQL(t, dsn), `UPDATE "BotWorkers" SET "Host" = 'far-away'`)
		want(t, examine(t, optionsFor(t, e.Driver, dsn)), "workers", doctor.Fault, `host "far-away" uses this name`)
	})
}

func hostname(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func newKeys(t *testing.T) *keyring.Keyring {
	t.Helper()
	k, err := keyring.New()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
