package doctor

import (
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/procid"
	"botwork/workqueue"
)

// wantResult checks the state and the texts of a result.
func wantResult(t *testing.T, name string, got Result, state State, texts ...string) {
	t.Helper()
	if got.State != state {
		t.Errorf("%s: %s (%s), want %s", name, got.State, got.Found, state)
	}
	for _, text := range texts {
		if !strings.Contains(got.Found+"\n"+got.Advice, text) {
			t.Errorf("%s: lacks %q:\n%s\n%s", name, text, got.Found, got.Advice)
		}
	}
	if (got.State == Warning || got.State == Fault) && got.Advice == "" {
		t.Errorf("%s: a %s without advice", name, got.State)
	}
}

func TestEvaluateSpace(t *testing.T) {
	const mib, gib = 1 << 20, 1 << 30
	for _, c := range []struct {
		name        string
		free, total uint64
		state       State
		found       string
	}{
		{"a full disk", 0, 100 * gib, Fault, "0 MiB free of 100 GiB"},
		{"just below 100 MiB", 100*mib - 1, 100 * gib, Fault, "99 MiB free"},
		{"100 MiB", 100 * mib, 100 * gib, Warning, "100 MiB free"},
		{"just below 1 GiB", gib - 1, 2 * gib, Warning, "1023 MiB free of 2048 MiB"},
		{"enough", gib, 2 * gib, OK, "1024 MiB free"},
		{"plenty", 44 * gib, 251 * gib, OK, "44 GiB free of 251 GiB"},
	} {
		wantResult(t, c.name, evaluateSpace(c.free, c.total), c.state, c.found)
	}
}

func TestEvaluateVersion(t *testing.T) {
	for _, c := range []struct {
		driver database.Driver
		a      serverInfo
		state  State
		text   string
	}{
		{database.SQLite, serverInfo{version: "3.53.4"}, OK, "SQLite 3.53.4"},
		{database.Postgres, serverInfo{version: "13.22"}, Fault, "14 is the oldest"},
		{database.Postgres, serverInfo{version: "14.0"}, OK, "PostgreSQL 14.0"},
		{database.Postgres, serverInfo{version: "19beta1"}, OK, "19beta1"},
		{database.Postgres, serverInfo{version: "16.1", readOnly: true}, Fault, "standby"},
		{database.Postgres, serverInfo{version: "unknown"}, Warning, "cannot parse"},
		{database.SQLServer, serverInfo{version: "14.0.3456.2", edition: 3, compatibility: 140}, Fault, "2019"},
		{database.SQLServer, serverInfo{version: "15.0.2000.5", edition: 3, compatibility: 150}, OK, "SQL Server 15"},
		{database.SQLServer, serverInfo{version: "16.0.1000.6", edition: 4, compatibility: 120}, Fault, "COMPATIBILITY_LEVEL"},
		{database.SQLServer, serverInfo{version: "16.0.1000.6", edition: 4, compatibility: 160, readOnly: true}, Fault, "read-only"},
		{database.SQLServer, serverInfo{version: "12.0.2000.8", edition: 5, compatibility: 160}, OK, "Azure SQL"},
		{database.SQLServer, serverInfo{version: "12.0.2000.8", edition: 8, compatibility: 150}, OK, "Azure SQL"},
	} {
		wantResult(t, string(c.driver)+" "+c.a.version, evaluateVersion(c.driver, c.a)[0], c.state, c.text)
	}
}

func TestEvaluateSchema(t *testing.T) {
	wantResult(t, "new", evaluateSchema(12, 0, 12)[0], Warning, "do not exist yet", "botwork db migrate")
	wantResult(t, "older", evaluateSchema(2, 10, 12)[0], Warning, "migration 10", "2 migrations")
	wantResult(t, "up to date", evaluateSchema(0, 12, 12)[0], OK, "migration 12")
	wantResult(t, "newer", evaluateSchema(0, 14, 12)[0], Warning, "newer than this program", "14")
}

func TestEvaluateRights(t *testing.T) {
	has, lacks := right{on: "BotQueues", what: "SELECT", has: true}, right{on: "BotQueues", what: "DELETE"}
	create := right{on: "schema public", what: "CREATE", change: true}
	wantResult(t, "all", evaluateRights(database.Postgres, "bot", []right{has}, 3)[0], OK, "1 table", "change the schema")
	wantResult(t, "a table", evaluateRights(database.Postgres, "b\"t", []right{has, lacks, create}, 0)[0], Fault, "DELETE on BotQueues", `TO "b""t"`)
	wantResult(t, "on SQL Server", evaluateRights(database.SQLServer, "bot", []right{lacks, {on: "schema dbo", what: "ALTER", change: true}}, 0)[0], Fault, "ON SCHEMA::[dbo] TO [bot]")
	wantResult(t, "the schema, no pending migration", evaluateRights(database.Postgres, "bot", []right{has, create}, 0)[0], OK, "another login before an upgrade")
	wantResult(t, "the schema, pending migration", evaluateRights(database.Postgres, "bot", []right{has, create}, 1)[0], Fault, "CREATE on schema public", "1 migration is pending")
}

func TestEvaluateClock(t *testing.T) {
	for _, c := range []struct {
		name          string
		ahead, asking time.Duration
		state         State
		text          string
	}{
		{"the same", 80 * time.Millisecond, time.Millisecond, OK, "are the same"},
		{"less than the round trip", 3 * time.Second, 4 * time.Second, OK, "are the same"},
		{"a little", 2 * time.Second, time.Millisecond, OK, "2s behind the database"},
		{"behind", 5 * time.Second, time.Millisecond, Warning, "5s behind the database"},
		{"ahead", -90 * time.Minute, time.Millisecond, Warning, "1h30m0s ahead of the database"},
	} {
		wantResult(t, c.name, evaluateClock(c.ahead, c.asking)[0], c.state, c.text)
	}
}

func TestEvaluateWorkers(t *testing.T) {
	live := func(name, host string) worker {
		return worker{name: name, host: host, state: "active", pid: 7, seen: 3 * time.Second, lease: time.Minute}
	}
	crashed := live("here", "host")
	crashed.process = procid.Ended
	dead := worker{name: "Old", host: "far", state: "active", pid: 8, seen: time.Hour, lease: -59 * time.Minute}
	expired, draining := live("far", "far"), live("slow", "far")
	expired.seen, expired.lease, draining.state = 61*time.Second, -time.Second, "draining"
	stopped := worker{name: "here", host: "far", state: "stopped", pid: 9, seen: time.Minute, lease: -1}
	for _, c := range []struct {
		name        string
		all         []worker
		state       State
		text        string
		nameState   State
		aboutTheOne string
	}{
		{"no workers", nil, Warning, "no worker has ever registered", OK, "free"},
		{"none active", []worker{dead}, Warning, "1h0m0s ago", OK, "free"},
		{"other workers active", []worker{live("b", "far"), live("a", "near"), dead}, OK, "2 workers take items: a, b", OK, "free"},
		{"active on this machine", []worker{live("HERE", "host")}, OK, "1 worker", OK, "used by process 7"},
		{"unknown whether active on this machine", []worker{live("here", "host")}, OK, "1 worker", OK, "cannot determine whether it still runs; its lease ends in 1m0s"},
		{"crashed on this machine", []worker{crashed}, Warning, `no worker runs; the last one, "here", was seen 3s ago; not running: "here" (process 7 of this machine has ended)`, OK, "has ended"},
		{"crashed a minute ago, elsewhere", []worker{expired}, Warning, `not running: "far" (its lease has ended)`, OK, "free"},
		{"one of two crashed", []worker{live("a", "far"), expired}, OK, `1 worker takes items: a; not running: "far" (its lease has ended)`, OK, "free"},
		{"drained", []worker{draining}, Warning, "no worker takes items; draining: slow", OK, "free"},
		{"one of two drained", []worker{live("a", "far"), draining}, OK, "1 worker takes items: a; draining: slow", OK, "free"},
		{"another host uses the name", []worker{live("here", "far")}, OK, "1 worker", Fault, `host "far"`},
		{"another host used the name", []worker{stopped}, Warning, "no worker runs", OK, "free"},
	} {
		got := evaluateWorkers(c.all, "here", "host")
		wantResult(t, c.name, got[0], c.state, c.text)
		wantResult(t, c.name, got[1], c.nameState, c.aboutTheOne)
	}
}

func TestEvaluateStalled(t *testing.T) {
	hung := stalledSession{workqueue.StalledSession{ID: 57, Host: "LAPTOP", PID: 12, Program: "botwork", Login: "svc", HasAssignment: true, Unchanged: 95 * time.Second}, true}
	person := stalledSession{workqueue.StalledSession{ID: 58, Host: "DESK", PID: 13, Program: "Microsoft SQL Server Management Studio", Login: "dba", Unchanged: time.Hour}, false}
	all := []sessionRight{{"VIEW SERVER STATE", true}, {"ALTER ANY CONNECTION", true}}
	some := []sessionRight{{"VIEW SERVER STATE", true}, {"ALTER ANY CONNECTION", false}}
	none := []sessionRight{{"VIEW SERVER STATE", false}, {"ALTER ANY CONNECTION", false}}
	for _, c := range []struct {
		name   string
		rights []sessionRight
		found  []stalledSession
		state  State
		texts  []string
	}{
		{"no stalled session", all, nil, OK, []string{"none"}},
		{"missing rights", none, nil, OK, []string{"lacks VIEW SERVER STATE and ALTER ANY CONNECTION", "GRANT VIEW SERVER STATE, ALTER ANY CONNECTION TO [a]]b]"}},
		{"stalled worker", all, []stalledSession{hung}, Warning, []string{`session 57 of botwork, process 12 on host "LAPTOP", login svc, holds the assignment lock and has done nothing for 1m35s`, "another worker ends", "KILL 57"}},
		{"stalled worker, missing rights", some, []stalledSession{hung}, Warning, []string{"KILL 57", "after `GRANT ALTER ANY CONNECTION TO [a]]b]`"}},
		{"transaction of a user", some, []stalledSession{person}, Warning, []string{"locks on items", "commit or close", "KILL 58"}},
	} {
		wantResult(t, c.name, evaluateStalled("a]b", c.rights, c.found)[0], c.state, c.texts...)
	}
}
