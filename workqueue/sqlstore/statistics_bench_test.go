package sqlstore_test

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	sqlfiles "botwork/sql"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// eachBenched runs a benchmark on every available engine.
func eachBenched(b *testing.B, bench func(b *testing.B, e testdb.Engine)) {
	for _, e := range testdb.Engines {
		b.Run(string(e.Driver), func(b *testing.B) {
			if e.Server != "" && os.Getenv(e.Server) == "" {
				b.Skipf("%s is not set", e.Server)
			}
			bench(b, e)
		})
	}
}

// BenchmarkFinish compares ending a batch of runs with and without statistics, by turns.
func BenchmarkFinish(b *testing.B) {
	eachBenched(b, func(b *testing.B, e testdb.Engine) {
		for _, size := range []int{1, 10, 100, 500} {
			b.Run(fmt.Sprintf("%d", size), func(b *testing.B) { benchFinish(b, e, size) })
		}
	})
}

func benchFinish(b *testing.B, e testdb.Engine, size int) {
	ctx := b.Context()
	dsn := e.DSN(b)
	store := e.Open(b, dsn)
	plain, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(e.Driver), DSN: dsn, Statements: withoutStatistics(b)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = plain.Close() })
	factory := storetest.NewFactory(b, store)
	worker := factory.Worker(storetest.WorkerOpts{})
	ends := func() []workqueue.Finish {
		factory.Items(size, storetest.ItemOpts{State: workqueue.Assigned, Worker: worker})
		p := claimAll(worker, time.Hour)
		p.Max = size
		items, err := store.Claim(ctx, p)
		if err != nil || len(items) != size {
			b.Fatalf("claimed %d, %v", len(items), err)
		}
		var all []workqueue.Finish
		for _, it := range items {
			all = append(all, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, State: workqueue.Processed, Output: `{"done":true}`})
		}
		return all
	}
	var kept, unkept []time.Duration
	timed := func(into *[]time.Duration, finish func([]workqueue.Finish) error) {
		batch := ends()
		began := time.Now()
		if err := finish(batch); err != nil {
			b.Fatal(err)
		}
		*into = append(*into, time.Since(began))
	}
	with := func() {
		timed(&kept, func(f []workqueue.Finish) error {
			_, err := store.Finish(ctx, worker.ID, worker.InstanceID, f)
			return err
		})
	}
	without := func() {
		timed(&unkept, func(f []workqueue.Finish) error {
			return plain.FinishWithoutStatistics(ctx, worker.ID, worker.InstanceID, f)
		})
	}
	turn := 0
	for b.Loop() {
		if turn++; turn%2 == 0 {
			with()
			without()
		} else {
			without()
			with()
		}
	}
	b.ReportMetric(0, "ns/op") // covers two batches and their preparation, so it is meaningless
	reportRatio(b, "kept", kept, "unkept", unkept)
}

// withoutStatistics returns the statements with a statement finish that only ends runs, on
// every engine.
func withoutStatistics(b *testing.B) fs.FS {
	b.Helper()
	const name = "postgres/queries/finish.sql"
	all := copyStatements(b)
	finish, err := sqlfiles.Read(sqlfiles.Files, name)
	if err != nil {
		b.Fatal(err)
	}
	_, text, found := strings.Cut(finish, "WITH done AS (\n")
	text, _, cut := strings.Cut(text, `, j."Completed"`)
	if !found || !cut {
		b.Fatal("finish.sql of PostgreSQL has changed")
	}
	all[name] = &fstest.MapFile{Data: []byte(text + ";")}
	return all
}

// BenchmarkStatistics compares reading the statistics of a table with a million finished items
// with those of a thousand, by turns, and with counting the million.
func BenchmarkStatistics(b *testing.B) {
	eachBenched(b, func(b *testing.B, e testdb.Engine) {
		if e.Driver == database.SQLServer {
			b.Skip("the statements that insert the rows are for the other engines")
		}
		small, large := benchTable(b, e, 1000), benchTable(b, e, 1_000_000)
		var few, many, counted []time.Duration
		timed := func(into *[]time.Duration, do func() error) {
			began := time.Now()
			if err := do(); err != nil {
				b.Fatal(err)
			}
			*into = append(*into, time.Since(began))
		}
		for b.Loop() {
			for _, t := range []struct {
				store storetest.Store
				into  *[]time.Duration
			}{{small.store, &few}, {large.store, &many}} {
				timed(t.into, func() error {
					_, err := t.store.Statistics(b.Context(), "")
					return err
				})
			}
			if len(counted) < 5 {
				timed(&counted, large.count)
			}
		}
		b.ReportMetric(0, "ns/op")
		reportRatio(b, "million", many, "thousand", few)
		b.ReportMetric(float64(median(counted).Microseconds()), "µs/counted")
	})
}

type benchStore struct {
	store storetest.Store
	count func() error
}

// benchTable inserts items that finished during the last day, in 10,000 batches or one by one,
// and their statistics, compacted.
func benchTable(b *testing.B, e testdb.Engine, items int) benchStore {
	b.Helper()
	dsn := e.DSN(b)
	store := e.Open(b, dsn)
	db := e.SQL(b, dsn)
	exec := func(statement string) {
		b.Helper()
		if _, err := db.ExecContext(b.Context(), statement); err != nil {
			b.Fatalf("%s: %v", statement, err)
		}
	}
	series := func(n int) string {
		if e.Driver == database.Postgres {
			return fmt.Sprintf(`generate_series(1, %d) AS s(n)`, n)
		}
		return fmt.Sprintf(`(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s) s`, n)
	}
	at := func(seconds string) string {
		if e.Driver == database.Postgres {
			return `now() - (` + seconds + `) * INTERVAL '1 second'`
		}
		return `strftime('%Y-%m-%d %H:%M:%f', 'now', printf('-%.3f seconds', ` + seconds + `))`
	}
	ago := func(n int) string { return at(fmt.Sprintf("s.n * 86400.0 / %d", n)) }
	exec(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "State", "FinishedAt") SELECT 'Work', 2, ` + ago(items) + ` FROM ` + series(items))
	batches := min(items, 10_000)
	each := fmt.Sprint(items / batches)
	exec(`INSERT INTO "BotQueueStats" ("QueueName", "Kind", "StartsAt", "Bucket", "Events", "Level", "DurationMs")
		SELECT 'default', 'completed', ` + ago(batches) + `, 50 + s.n % 20, ` + each + `, ` + each + `, 12345 FROM ` + series(batches))
	for moved := 1; moved > 0; {
		var err error
		if moved, err = store.CompactStatistics(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
	}
	if e.Driver == database.Postgres {
		exec(`VACUUM ANALYZE "BotWorkQueueItems"`)
		exec(`VACUUM ANALYZE "BotQueueStats"`)
	}
	figures, err := store.Statistics(b.Context(), workqueue.DefaultQueue)
	if err != nil || figures[0].Items[workqueue.LifeCompleted] != int64(items) {
		b.Fatalf("statistics are %v, %v", figures, err)
	}
	return benchStore{store, func() error {
		var n int
		return db.QueryRowContext(b.Context(), `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "State" = 2`).Scan(&n)
	}}
}

// reportRatio reports two medians in microseconds and their ratio.
func reportRatio(b *testing.B, name string, a []time.Duration, other string, c []time.Duration) {
	b.ReportMetric(float64(median(a).Nanoseconds())/1000, "µs/"+name)
	b.ReportMetric(float64(median(c).Nanoseconds())/1000, "µs/"+other)
	b.ReportMetric(float64(median(a))/float64(median(c)), "ratio")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
