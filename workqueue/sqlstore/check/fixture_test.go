package check_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// longAgo and farAway are in the far past and in the far future by every clock.
const (
	longAgo = `'2001-01-01 00:00:00.000'`
	farAway = `'2099-01-01 00:00:00.000'`
)

// checked is a database, with a connection that may change anything by hand.
type checked struct {
	*testing.T
	*storetest.Factory
	engine testdb.Engine
	store  *sqlstore.Store
	byHand *sql.Conn
	params workqueue.CheckParams

	// uncounted skips the recount of the statistics before each check. Without it they are
	// recounted, as a user does after changing ended items by hand.
	uncounted bool
}

func newChecked(t *testing.T, e testdb.Engine) *checked {
	dsn := e.DSN(t)
	store := e.Open(t, dsn)
	conn, err := e.SQL(t, dsn).Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &checked{T: t, Factory: storetest.NewFactory(t, store), engine: e, store: store, byHand: conn,
		params: workqueue.CheckParams{PipelinePolicy: pipelinePolicy}}
}

// pipelinePolicy is the policies of the pipelines in these tests: the factory's pipeline, which
// sets no policy, one that allows two attempts, and one that has done so since yesterday.
func pipelinePolicy(config string) (workqueue.Resilience, time.Time, error) {
	switch config {
	case storetest.Pipeline:
		return workqueue.Resilience{}, time.Time{}, nil
	case "Twice":
		return workqueue.Resilience{Limit: 2}, time.Time{}, nil
	case "TwiceOfLate":
		return workqueue.Resilience{Limit: 2}, time.Now().AddDate(0, 0, -1), nil
	}
	return workqueue.Resilience{}, time.Time{}, errors.New("there is no such pipeline")
}

// free allows rows that the schema forbids. SQLite cannot drop a constraint, but it can ignore
// it.
func (x *checked) free() {
	x.Helper()
	switch x.engine.Driver {
	case database.SQLite:
		x.exec(`PRAGMA ignore_check_constraints = ON`)
		x.exec(`PRAGMA foreign_keys = OFF`)
	default:
		for _, c := range []string{"BotWorkQueueItems.CK_BotWorkQueueItems_State", "BotWorkQueueItems.CK_BotWorkQueueItems_Counts",
			"BotWorkItemAttempts.FK_BotWorkItemAttempts_Item", "BotWorkers.CK_BotWorkers_State"} {
			x.drop(c)
		}
		if x.engine.Driver == database.Postgres {
			x.exec(`ALTER TABLE "BotWorkQueueItems" DISABLE TRIGGER USER`)
			x.exec(`ALTER TABLE "BotQueues" DISABLE TRIGGER USER`)
			return
		}
		x.drop("BotWorkQueueItems.FK_BotWorkQueueItems_Queue")
	}
}

// dropUnique drops a unique key. On SQLite the key is part of the table, so the table is
// recreated without it.
func (x *checked) dropUnique(table, constraint string) {
	x.Helper()
	if x.engine.Driver != database.SQLite {
		x.drop(table + "." + constraint)
		return
	}
	x.exec(`PRAGMA legacy_alter_table = ON`) // else the view that refers to the table prevents it
	x.exec(`CREATE TABLE Copy AS SELECT * FROM ` + table)
	x.exec(`DROP TABLE ` + table)
	x.exec(`ALTER TABLE Copy RENAME TO ` + table)
}

func (x *checked) drop(constraint string) {
	x.Helper()
	table, name, _ := strings.Cut(constraint, ".")
	x.exec(`ALTER TABLE "` + table + `" DROP CONSTRAINT "` + name + `"`)
}

// exec runs a statement by hand and returns how many rows it changed.
func (x *checked) exec(statement string, args ...any) int64 {
	x.Helper()
	statement = fmt.Sprintf(statement, args...)
	result, err := x.byHand.ExecContext(x.Context(), statement)
	if err != nil {
		x.Fatalf("%s: %v", statement, err)
	}
	n, _ := result.RowsAffected() // PRAGMAs and DDL do not return a number on every engine
	return n
}

// set changes columns of one item by hand.
func (x *checked) set(id int64, columns string, args ...any) {
	x.Helper()
	if n := x.exec(`UPDATE "BotWorkQueueItems" SET `+quoteColumns(columns)+` WHERE "Id" = %d`, append(args, id)...); n != 1 {
		x.Fatalf("item %d: %d rows changed", id, n)
	}
}

// quoteColumns quotes column names: words outside of literals that begin with a capital letter.
func quoteColumns(text string) string {
	parts := strings.Split(text, "'")
	for i := 0; i < len(parts); i += 2 {
		words := strings.Split(parts[i], " ")
		for j, w := range words {
			if name := strings.TrimRight(w, ","); name != "" && name[0] >= 'A' && name[0] <= 'Z' && name != "NULL" {
				words[j] = `"` + name + `"` + w[len(name):]
			}
		}
		parts[i] = strings.Join(words, " ")
	}
	return strings.Join(parts, "'")
}

// when returns a time relative to the database's clock as SQL.
func (x *checked) when(ahead time.Duration) string {
	x.Helper()
	now, err := x.store.Now(x.Context())
	if err != nil {
		x.Fatal(err)
	}
	text := now.Add(ahead).UTC().Format("2006-01-02 15:04:05.000")
	if x.engine.Driver == database.Postgres {
		text += "+00"
	}
	return "'" + text + "'"
}

// truth returns a truth value as SQL.
func (x *checked) truth(v bool) string {
	switch {
	case x.engine.Driver == database.Postgres:
		return fmt.Sprint(v)
	case v:
		return "1"
	default:
		return "0"
	}
}

// insert inserts an item by hand, with only the name of its pipeline, and returns its id.
func (x *checked) insert() int64 {
	x.Helper()
	x.exec(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig") VALUES ('Work')`)
	return x.number(`SELECT MAX("Id") FROM "BotWorkQueueItems"`)
}

func (x *checked) number(query string, args ...any) (n int64) {
	x.Helper()
	if err := x.byHand.QueryRowContext(x.Context(), fmt.Sprintf(query, args...)).Scan(&n); err != nil {
		x.Fatal(err)
	}
	return n
}

// attempt inserts an attempt by hand.
func (x *checked) attempt(item, fence int64, outcome, started string) {
	x.Helper()
	x.exec(`INSERT INTO "BotWorkItemAttempts" ("ItemId", "AttemptNumber", "Fence", "Outcome", "StartedAt", "FinishedAt")
		VALUES (%d, 1, %d, '%s', %s, %s)`, item, fence, outcome, started, started)
}

// run inserts a run of a system pipeline by hand and returns its id.
func (x *checked) run(pipeline, planned string, worker int64, outcome, errText string) int64 {
	x.Helper()
	x.exec(`INSERT INTO "BotPipelineRuns" ("Pipeline", "TriggerName", "PlannedAt", "WorkerId", "Outcome", "Error")
		VALUES ('%s', 'cron', %s, %d, '%s', %s)`, pipeline, planned, worker, outcome, errText)
	return x.number(`SELECT MAX("Id") FROM "BotPipelineRuns"`)
}

// firing inserts the record of a planned instant by hand.
func (x *checked) firing(schedule, planned, worker, outcome string) {
	x.Helper()
	x.exec(`INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "WorkerName", "Outcome", "Reason", "RecordedBy", "RecordedAt")
		VALUES ('%s', %s, '%s', '%s', '', 'worker-1', %s)`, schedule, planned, worker, outcome, planned)
}

func (x *checked) check() workqueue.CheckReport {
	x.Helper()
	if !x.uncounted {
		if _, err := x.store.RecountStatistics(x.Context(), nil); err != nil {
			x.Fatal(err)
		}
	}
	report, err := x.store.Check(x.Context(), x.params)
	if err != nil {
		x.Fatal(err)
	}
	if report.Clean != (len(report.Violations) == 0) {
		x.Errorf("clean is %v, with %d violations", report.Clean, len(report.Violations))
	}
	return report
}

func (x *checked) wantClean() {
	x.Helper()
	for _, v := range x.check().Violations {
		x.Errorf("got %s: %s: %s", v.Check, v.Subject(), v.Found)
	}
}

// wantOne fails unless there is exactly this violation, with the text in what was found.
func (x *checked) wantOne(check, subject, found string) {
	x.Helper()
	report := x.check()
	if len(report.Violations) != 1 {
		x.Errorf("got %d violations, want one of the check %s", len(report.Violations), check)
		for _, v := range report.Violations {
			x.Logf("%s: %s: %s", v.Check, v.Subject(), v.Found)
		}
		return
	}
	v := report.Violations[0]
	if v.Check != check || v.Subject() != subject || !strings.Contains(v.Found, found) || v.Wanted == "" || v.Hint == "" {
		x.Errorf("got %s: %q: found %q, wanted %q, hint %q; want %s: %q: found %q, and a hint",
			v.Check, v.Subject(), v.Found, v.Wanted, v.Hint, check, subject, found)
	}
	counted := slices.IndexFunc(report.Checks, func(c workqueue.CheckResult) bool { return c.Check == check && c.Violations == 1 })
	if counted < 0 {
		x.Errorf("no check counts the violation: %+v", report.Checks)
	}
}

func subjectOf(id int64) string { return fmt.Sprintf("item %d", id) }
