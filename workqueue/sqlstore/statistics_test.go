package sqlstore_test

import (
	"database/sql"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/internal/testgroup"
	sqlfiles "botwork/sql"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// ended is one end of a run, as the test recorded it.
type ended struct {
	at       time.Time
	tookMs   int64
	failed   bool
	archived bool
}

// Whenever items run, and whenever old statistics are compacted, each window contains exactly
// what has happened since its start.
func TestStatisticsOfMovingWindows(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		var clock time.Time
		e.Open(t, dsn) // migrates
		store := openAt(t, e, dsn, func() time.Time { return clock })
		hand := e.SQL(t, dsn)
		testgroup.Check(t, 10, func(rt *rapid.T) {
			for _, table := range []string{"BotWorkItemAttempts", "BotWorkQueueItems", "BotQueueStats", "BotWorkers"} {
				if _, err := hand.ExecContext(t.Context(), `DELETE FROM "`+table+`"`); err != nil {
					rt.Fatal(err)
				}
			}
			clock = time.Date(2026, 1, 31, 13, 45, 7, 0, time.UTC)
			make := storetest.NewFactory(t, store)
			spec := make.Spec(storetest.WorkerOpts{})
			spec.Lease = 1_000_000 * time.Hour // it is not renewed
			worker, err := store.RegisterWorker(t.Context(), spec)
			if err != nil {
				rt.Fatal(err)
			}
			var all []ended
			pass := func(d time.Duration) { clock = clock.Add(d.Truncate(time.Millisecond)) }
			rt.Repeat(map[string]func(*rapid.T){
				"wait": func(rt *rapid.T) {
					longest := rapid.SampledFrom([]time.Duration{time.Second, 20 * time.Second, 2 * time.Minute, 20 * time.Minute, 8 * time.Hour}).Draw(rt, "up to")
					pass(time.Duration(rapid.Int64Range(0, int64(longest)).Draw(rt, "wait")))
				},
				"run": func(rt *rapid.T) {
					n := rapid.IntRange(1, 3).Draw(rt, "items")
					make.Items(n, storetest.ItemOpts{State: workqueue.Assigned, Worker: worker})
					items, err := store.Claim(t.Context(), claimAll(worker, 1000*time.Hour))
					if err != nil {
						rt.Fatal(err)
					}
					began := clock
					pass(time.Duration(rapid.Int64Range(0, int64(90*time.Second)).Draw(rt, "takes")))
					how := ended{at: clock, tookMs: clock.Sub(began).Milliseconds()}
					end := workqueue.Finish{State: workqueue.Processed}
					switch rapid.IntRange(0, 3).Draw(rt, "end") {
					case 0:
						how.failed, end.State, end.Delay = true, workqueue.Ready, 1000*time.Hour
					case 1:
						how.failed, how.archived, end.State = true, true, workqueue.Cancelled
					}
					if how.failed {
						end.RetryCount, end.ErrorKind, end.Attempt = 1, workqueue.KindError, &workqueue.AttemptNote{Number: 1, Outcome: "failed"}
					}
					var ends []workqueue.Finish
					for _, it := range items {
						end.ItemID, end.Fence, end.QueueName, end.StartedAt = it.ID, it.Fence, it.QueueName, *it.StartedAt
						ends = append(ends, end)
						all = append(all, how)
					}
					if lost, err := store.Finish(t.Context(), worker.ID, worker.InstanceID, ends); err != nil || len(lost) > 0 {
						rt.Fatalf("finish: lost %v, %v", lost, err)
					}
				},
				"compact": func(rt *rapid.T) {
					limit := rapid.IntRange(0, 8).Draw(rt, "limit")
					if _, err := store.CompactStatistics(t.Context(), limit); err != nil {
						rt.Fatal(err)
					}
				},
				"check": func(rt *rapid.T) {
					if fault := wantWindows(t, store, clock, all); fault != "" {
						rt.Fatal(fault)
					}
				},
			})
			if fault := wantWindows(t, store, clock, all); fault != "" {
				rt.Fatal(fault)
			}
		})
	})
}

// wantWindows compares the windows with the recorded ends.
func wantWindows(t *testing.T, store storetest.Store, now time.Time, all []ended) string {
	t.Helper()
	figures, err := store.Statistics(t.Context(), workqueue.DefaultQueue)
	if err != nil {
		return err.Error()
	}
	steps := []time.Duration{10 * time.Second, 10 * time.Second, time.Minute, 15 * time.Minute}
	for i, w := range figures[0].Windows {
		length := workqueue.StatisticsWindows()[i]
		if back := now.Sub(w.Since); back < length || back >= length+steps[i] {
			return fmt.Sprintf("the window of %s begins %s ago, want less than %s more", length, back, steps[i])
		}
		var completed, failed, archived, sum int64
		var took []int64
		for _, e := range all {
			if e.at.Before(w.Since) {
				continue
			}
			if e.failed {
				failed++
			} else {
				completed++
				sum += e.tookMs
				took = append(took, e.tookMs)
			}
			if e.archived {
				archived++
			}
		}
		if w.Completed != completed || w.Failed != failed || w.Archived != archived {
			return fmt.Sprintf("in %s: completed %d, failed %d, archived %d; want %d, %d, %d",
				length, w.Completed, w.Failed, w.Archived, completed, failed, archived)
		}
		if want := float64(completed) / now.Sub(w.Since).Minutes(); math.Abs(w.CompletedPerMinute-want) > 1e-9 {
			return fmt.Sprintf("in %s: %g completed in a minute, want %g", length, w.CompletedPerMinute, want)
		}
		if completed == 0 {
			if w.MeanDuration != nil || w.P95Duration != nil {
				return fmt.Sprintf("in %s: durations of no runs", length)
			}
			continue
		}
		if mean := time.Duration(*w.MeanDuration).Milliseconds(); mean != sum/completed {
			return fmt.Sprintf("in %s: mean %d ms, want %d", length, mean, sum/completed)
		}
		slices.Sort(took)
		exact := float64(took[(len(took)*95+99)/100-1])
		if p95 := float64(*w.P95Duration) / float64(time.Millisecond); math.Abs(p95-exact) > exact*workqueue.DurationError+1e-6 {
			return fmt.Sprintf("in %s: p95 %g ms, want %g within %g", length, p95, exact, exact*workqueue.DurationError)
		}
	}
	return ""
}

// At every age an event is in the windows that start before it and in no other, while the
// statistics are compacted all the time. A row that crossed the start of a window would be
// counted or lost as a whole.
func TestStatisticsOfEveryAge(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn) // migrates
		begin := time.Date(2026, 1, 31, 13, 43, 51, 0, time.UTC)
		clock := begin
		store := openAt(t, e, dsn, func() time.Time { return clock })
		hand := e.SQL(t, dsn)
		var all []ended
		for at := begin; at.Before(begin.Add(20 * time.Minute)); at = at.Add(7 * time.Second) {
			all = append(all, ended{at: at, tookMs: 1})
			if _, err := hand.ExecContext(t.Context(), fmt.Sprintf(`INSERT INTO "BotQueueStats" ("QueueName", "Kind", "StartsAt", "Bucket", "Events", "Level", "DurationMs")
					VALUES ('default', 'completed', '%s', 1, 1, 1, 1)`, at.Format("2006-01-02 15:04:05.000"))); err != nil {
				t.Fatal(err)
			}
		}
		for _, ages := range []struct{ from, to, step time.Duration }{
			{20 * time.Minute, 29 * time.Minute, 3 * time.Second}, // the last minute and the last five
			{30 * time.Minute, 100 * time.Minute, 23 * time.Second},
			{23*time.Hour + 50*time.Minute, 24*time.Hour + 50*time.Minute, 71 * time.Second},
		} {
			for age := ages.from; age < ages.to; age += ages.step {
				clock = begin.Add(age)
				for moved := 1; moved > 0; {
					var err error
					if moved, err = store.CompactStatistics(t.Context(), 0); err != nil {
						t.Fatal(err)
					}
				}
				if fault := wantWindows(t, store, clock, all); fault != "" {
					t.Fatalf("%s after the first event: %s", age, fault)
				}
			}
		}
		if figures, err := store.Statistics(t.Context(), ""); err != nil || figures[0].Items[workqueue.LifeCompleted] != int64(len(all)) || figures[0].Windows[3].Completed != 0 {
			t.Errorf("a day later: %+v, %v, want %d completed items, none of them in a window", figures, err, len(all))
		}
	})
}

// The statistics stay small however much has happened, and compacting loses nothing.
func TestStatisticsStaySmall(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		const every, n = 20 * time.Second, 3 * 24 * 3 * 60 // three days
		begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		e.Open(t, dsn) // migrates
		store := openAt(t, e, dsn, func() time.Time { return begin.Add(n * every) })
		db := e.SQL(t, dsn)
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < n; {
			var rows []string
			for ; len(rows) < 360; i++ { // SQL Server inserts up to 1,000 rows at a time
				rows = append(rows, fmt.Sprintf(`('default', 'completed', '%[1]s', 7, 1, 1, 10), ('default', 'archived', '%[1]s', 0, 1, -1, 0)`,
					begin.Add(time.Duration(i)*every).Format("2006-01-02 15:04:05.000")))
			}
			if _, err := tx.ExecContext(t.Context(), `INSERT INTO "BotQueueStats" ("QueueName", "Kind", "StartsAt", "Bucket", "Events", "Level", "DurationMs")
				VALUES `+strings.Join(rows, ", ")); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		const limit = 700
		calls := 0
		for {
			moved, err := store.CompactStatistics(t.Context(), limit)
			if err != nil {
				t.Fatal(err)
			}
			if calls++; moved < limit {
				break
			}
		}
		if again, err := store.CompactStatistics(t.Context(), limit); err != nil || again != 0 {
			t.Errorf("compacted again: %d rows, %v; want none left after %d calls", again, err, calls)
		}
		var rows, totals, events, took, archived int64
		if err := db.QueryRowContext(t.Context(), `SELECT COUNT(*), SUM(CASE WHEN "Tier" = 4 THEN 1 ELSE 0 END),
				SUM(CASE WHEN "Kind" = 'completed' THEN "Events" ELSE 0 END), SUM("DurationMs"), SUM(CASE WHEN "Kind" = 'archived' THEN "Level" ELSE 0 END)
				FROM "BotQueueStats"`).Scan(&rows, &totals, &events, &took, &archived); err != nil {
			t.Fatal(err)
		}
		if events != n || took != 10*n || archived != -n {
			t.Errorf("there are %d events, %d ms and a level of %d, want %d, %d and %d", events, took, archived, n, 10*n, -n)
		}
		// For each kind: two steps of moments, then 6 minutes in rows of ten seconds, 1¼ hours
		// of minutes, 24½ hours of quarters, and one row.
		if most := int64(2 * (2 + 6*6 + 6 + 76 + 15 + 98 + 1)); rows > most || totals != 2 {
			t.Errorf("%d rows are left of %d, %d of them totals; want at most %d and 2", rows, 2*n, totals, most)
		}
	})
}

// PostgreSQL itself puts durations into classes: they must be the same.
func TestFinishUsesClassesOfDurations(t *testing.T) {
	const server = "BOTWORK_TEST_POSTGRES_DSN"
	if os.Getenv(server) == "" {
		t.Skipf("%s is not set", server)
	}
	text, err := sqlfiles.Read(sqlfiles.Files, "postgres/queries/finish.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, class, found := strings.Cut(text, `t."TookMs",`+"\n")
	class, _, cut := strings.Cut(class, ` AS "Bucket"`)
	if !found || !cut {
		t.Fatal("finish.sql no longer has the class at this position")
	}
	durations := []int64{math.MaxInt32 * 1000, math.MaxInt32*1000 + 1, math.MaxInt64}
	for ms := range int64(50_000) {
		durations = append(durations, ms)
	}
	for end := 1.0; end < math.MaxInt32*1000; end *= 1.1 {
		durations = append(durations, int64(end)-1, int64(end), int64(end)+1)
	}
	i := slices.IndexFunc(testdb.Engines, func(e testdb.Engine) bool { return e.Driver == database.Postgres })
	db := testdb.Engines[i].SQL(t, os.Getenv(server))
	rows, err := db.QueryContext(t.Context(), `SELECT t."TookMs", `+class+` FROM unnest(CAST($1 AS bigint[])) AS t("TookMs")`, durations)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var ms int64
		var bucket int
		if err := rows.Scan(&ms, &bucket); err != nil {
			t.Fatal(err)
		}
		if want := workqueue.DurationBucket(ms); bucket != want {
			t.Errorf("%d ms are of class %d, want %d", ms, bucket, want)
		}
	}
	if err := rows.Err(); err != nil || n != len(durations) {
		t.Errorf("%d of %d durations, %v", n, len(durations), err)
	}
}

// The migration counts items once that ended before the statistics existed.
func TestStatisticsOfOldItems(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		store := e.Open(t, dsn)
		db := e.SQL(t, dsn)
		exec := func(statement string) {
			t.Helper()
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		const at = `'2026-01-01 00:00:00.000'`
		exec(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "State", "FinishedAt", "DeletedAt")
			VALUES ('Work', 2, ` + at + `, NULL), ('Work', 2, ` + at + `, NULL), ('Work', 3, ` + at + `, NULL), ('Work', 3, ` + at + `, ` + at + `), ('Work', 4, NULL, NULL)`)
		migrations := provider(t, e, db)
		if _, err := migrations.DownTo(t.Context(), 6); err != nil {
			t.Fatal(err)
		}
		if _, err := migrations.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
		figures, err := store.Statistics(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		items := figures[0].Items
		if items[workqueue.LifeCompleted] != 2 || items[workqueue.LifeArchived] != 1 || items[workqueue.LifeDeleted] != 1 || items[workqueue.LifePending] != 1 {
			t.Errorf("items = %v, want 2 completed, 1 archived, 1 deleted and 1 pending", items)
		}
	})
}

// Reading the statistics of one queue costs as much as that queue has, and compacting as much
// as there is to compact.
func TestStatisticsUseTheirIndexes(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		fillStatistics(t, e, db)
		const at = "2026-01-01 00:00:00.000"
		for _, c := range []struct {
			statement string
			values    map[string]any
			index     string
		}{
			{"stat_read_queue", map[string]any{"queue": "q1", "since_1": at, "since_2": at, "since_3": at, "since_4": at}, "IX_BotQueueStats_Queue"},
			{"stat_fold", map[string]any{"tier": 0, "before": at, "limit_rows": 10}, "IX_BotQueueStats_Tier"},
			{"stat_past", map[string]any{"before_0": at, "before_1": at, "before_2": at, "before_3": at}, "IX_BotQueueStats_Tier"},
			{"stat_forget", map[string]any{"queue": "q1"}, "IX_BotQueueStats_Queue"},
		} {
			if plan := explain(t, e, db, c.statement, c.values); !strings.Contains(plan, c.index) {
				t.Errorf("%s does not use %s:\n%s", c.statement, c.index, plan)
			}
		}
	})
}

// Samples of pipelines and workers can be many times those of queues: reading one kind does not
// read the others.
func TestSamplesUseTheirIndex(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		statement := `INSERT INTO "BotStatisticsGauges" ("Resolution", "StartsAt", "Kind", "QueueName", "Band", "Name", "Samples")
			SELECT 'minute', CONCAT('2026-01-0', 1 + n % 9, ' 00:00:00.000'), CASE WHEN n % 100 = 0 THEN 'slots' ELSE 'worker' END, '', '', CONCAT('w', n), 1 FROM ` + series(e, 20_000)
		if e.Driver == database.Postgres {
			statement = strings.Replace(statement, "CONCAT('2026-01-0', 1 + n % 9, ' 00:00:00.000')", "CAST(CONCAT('2026-01-0', 1 + n % 9, ' 00:00:00.000') AS timestamptz)", 1)
		}
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		countRows(t, e, db, "BotStatisticsGauges")
		const from, until = "2026-01-01 00:00:00.000", "2026-01-02 00:00:00.000"
		read := func(kind string) map[string]any {
			return map[string]any{"resolution": "minute", "since": from, "until": until, "kind": kind, "queue": nil, "band": nil, "name": nil}
		}
		for _, c := range []struct {
			statement string
			values    map[string]any
		}{
			{"gauge_read", read("")},
			{"gauge_read", read("pipeline")},
			{"gauge_expire", map[string]any{"resolution": "hour", "before": from, "limit_rows": 10}},
			{"gauge_turn", map[string]any{"starts": from}},
		} {
			if plan := explain(t, e, db, c.statement, c.values); scansSamples(e, plan) {
				t.Errorf("%s reads all samples:\n%s", c.statement, plan)
			}
		}
	})
}

func scansSamples(e testdb.Engine, plan string) bool {
	switch e.Driver {
	case database.Postgres:
		return strings.Contains(plan, `Seq Scan on "BotStatisticsGauges"`)
	case database.SQLServer:
		return strings.Contains(plan, "Scan BotStatisticsGauges")
	default:
		return strings.Contains(plan, "SCAN g") || strings.Contains(plan, "SCAN s") || strings.Contains(plan, "SCAN BotStatisticsGauges")
	}
}

// fillStatistics inserts statistics of many queues, most of them moments.
func fillStatistics(t *testing.T, e testdb.Engine, db *sql.DB) {
	t.Helper()
	statement := `INSERT INTO "BotQueueStats" ("QueueName", "Kind", "Tier", "Level")
		SELECT CONCAT('q', n % 100), 'completed', CASE WHEN n % 50 = 0 THEN 0 ELSE 2 END, 1 FROM ` + series(e, 20_000)
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	countRows(t, e, db, "BotQueueStats")
}
