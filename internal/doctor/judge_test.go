package doctor

import (
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/procid"
	"botwork/workqueue"
)

// wantResult checks the state and what is said.
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

func TestJudgeSpace(t *testing.T) {
	const mib, gib = 1 << 20, 1 << 30
	for _, c := range []struct {
		name        string
		free, total uint64
		state       State
		found       string
	}{
		{"a full disk", 0, 100 * gib, Fault, "0 MiB free of 100 GiB"},
		{"just too full", 100*mib - 1, 100 * gib, Fault, "99 MiB free"},
		{"room for a while", 100 * mib, 100 * gib, Warning, "100 MiB free"},
		{"just too little", gib - 1, 2 * gib, Warning, "1023 MiB free of 2048 MiB"},
		{"enough", gib, 2 * gib, OK, "1024 MiB free"},
		{"plenty", 44 * gib, 251 * gib, OK, "44 GiB free of 251 GiB"},
	} {
		wantResult(t, c.name, judgeSpace(c.free, c.total), c.state, c.found)
	}
}

func TestJudgeVersion(t *testing.T) {
	for _, c := range []struct {
		driver database.Driver
		a      about
		state  State
		text   string
	}{
		{database.SQLite, about{version: "3.53.4"}, OK, "SQLite 3.53.4"},
		{database.Postgres, about{version: "13.22"}, Fault, "14 is the oldest"},
		{database.Postgres, about{version: "14.0"}, OK, "PostgreSQL 14.0"},
		{database.Postgres, about{version: "19beta1"}, OK, "19beta1"},
		{database.Postgres, about{version: "16.1", readOnly: true}, Fault, "standby"},
		{database.Postgres, about{version: "unknown"}, Warning, "which is none"},
		{database.SQLServer, about{version: "14.0.3456.2", edition: 3, compatibility: 140}, Fault, "2019"},
		{database.SQLServer, about{version: "15.0.2000.5", edition: 3, compatibility: 150}, OK, "SQL Server 15"},
		{database.SQLServer, about{version: "16.0.1000.6", edition: 4, compatibility: 120}, Fault, "COMPATIBILITY_LEVEL"},
		{database.SQLServer, about{version: "16.0.1000.6", edition: 4, compatibility: 160, readOnly: true}, Fault, "read-only"},
		{database.SQLServer, about{version: "12.0.2000.8", edition: 5, compatibility: 160}, OK, "Azure SQL"},
		{database.SQLServer, about{version: "12.0.2000.8", edition: 8, compatibility: 150}, OK, "Azure SQL"},
	} {
		wantResult(t, string(c.driver)+" "+c.a.version, judgeVersion(c.driver, c.a)[0], c.state, c.text)
	}
}

func TestJudgeSchema(t *testing.T) {
	wantResult(t, "new", judgeSchema(12, 0, 12)[0], Warning, "not there yet", "botwork db migrate")
	wantResult(t, "older", judgeSchema(2, 10, 12)[0], Warning, "migration 10", "2 migrations")
	wantResult(t, "up to date", judgeSchema(0, 12, 12)[0], OK, "migration 12")
	wantResult(t, "newer", judgeSchema(0, 14, 12)[0], Warning, "newer than this program", "14")
}

func TestJudgeRights(t *testing.T) {
	has, lacks := right{on: "BotQueues", what: "SELECT", has: true}, right{on: "BotQueues", what: "DELETE"}
	create := right{on: "schema public", what: "CREATE", change: true}
	wantResult(t, "all", judgeRights(database.Postgres, "bot", []right{has}, 3)[0], OK, "1 table", "change the schema")
	wantResult(t, "a table", judgeRights(database.Postgres, "b\"t", []right{has, lacks, create}, 0)[0], Fault, "DELETE on BotQueues", `TO "b""t"`)
	wantResult(t, "on SQL Server", judgeRights(database.SQLServer, "bot", []right{lacks, {on: "schema dbo", what: "ALTER", change: true}}, 0)[0], Fault, "ON SCHEMA::[dbo] TO [bot]")
	wantResult(t, "the schema, nothing to come", judgeRights(database.Postgres, "bot", []right{has, create}, 0)[0], OK, "another login before an upgrade")
	wantResult(t, "the schema, and it is to change", judgeRights(database.Postgres, "bot", []right{has, create}, 1)[0], Fault, "CREATE on schema public", "1 migration to come")
}

func TestJudgeClock(t *testing.T) {
	for _, c := range []struct {
		name          string
		ahead, asking time.Duration
		state         State
		text          string
	}{
		{"the same", 80 * time.Millisecond, time.Millisecond, OK, "are the same"},
		{"not to be told from the way", 3 * time.Second, 4 * time.Second, OK, "are the same"},
		{"a little", 2 * time.Second, time.Millisecond, OK, "2s behind the database"},
		{"behind", 5 * time.Second, time.Millisecond, Warning, "5s behind the database"},
		{"ahead", -90 * time.Minute, time.Millisecond, Warning, "1h30m0s ahead of the database"},
	} {
		wantResult(t, c.name, judgeClock(c.ahead, c.asking)[0], c.state, c.text)
	}
}

func TestJudgeWorkers(t *testing.T) {
	live := func(name, host string) worker {
		return worker{name: name, host: host, state: "active", pid: 7, seen: 3 * time.Second, lease: time.Minute}
	}
	crashed := live("here", "host")
	crashed.process = procid.Ended
	dead := worker{name: "Old", host: "far", state: "active", pid: 8, seen: time.Hour, lease: -59 * time.Minute}
	stopped := worker{name: "here", host: "far", state: "stopped", pid: 9, seen: time.Minute, lease: -1}
	for _, c := range []struct {
		name        string
		all         []worker
		state       State
		text        string
		nameState   State
		aboutTheOne string
	}{
		{"none ever", nil, Warning, "no worker has ever registered", OK, "free"},
		{"all gone", []worker{dead}, Warning, "1h0m0s ago", OK, "free"},
		{"others work", []worker{live("b", "far"), live("a", "near"), dead}, OK, "2 workers seen within 15 minutes: a, b", OK, "free"},
		{"this machine works", []worker{live("HERE", "host")}, OK, "1 worker", OK, "as process 7"},
		{"whether this machine works is not known", []worker{live("here", "host")}, OK, "1 worker", OK, "cannot be seen from here, and its lease ends in 1m0s"},
		{"the one of this machine has died", []worker{crashed}, OK, "1 worker", OK, "has ended"},
		{"another has the name", []worker{live("here", "far")}, OK, "1 worker", Fault, `host "far"`},
		{"another had the name", []worker{stopped}, Warning, "no worker runs", OK, "free"},
	} {
		got := judgeWorkers(c.all, "here", "host")
		wantResult(t, c.name, got[0], c.state, c.text)
		wantResult(t, c.name, got[1], c.nameState, c.aboutTheOne)
	}
}

func TestJudgeStalled(t *testing.T) {
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
		{"nothing hangs", all, nil, OK, []string{"none"}},
		{"it cannot look", none, nil, OK, []string{"lacks VIEW SERVER STATE and ALTER ANY CONNECTION", "GRANT VIEW SERVER STATE, ALTER ANY CONNECTION TO [a]]b]"}},
		{"a worker hangs", all, []stalledSession{hung}, Warning, []string{`session 57 of botwork, process 12 on host "LAPTOP", login svc, holds the assignment lock and has done nothing for 1m35s`, "another worker ends", "KILL 57"}},
		{"a worker hangs, and stays", some, []stalledSession{hung}, Warning, []string{"KILL 57", "after `GRANT ALTER ANY CONNECTION TO [a]]b]`"}},
		{"a person's transaction", some, []stalledSession{person}, Warning, []string{"locks on items", "commit or close", "KILL 58"}},
	} {
		wantResult(t, c.name, judgeStalled("a]b", c.rights, c.found)[0], c.state, c.texts...)
	}
}
