package sqlstore_test

import (
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// BenchmarkCheck measures how much of a check of a million finished items is spent on counting
// them for the statistics.
func BenchmarkCheck(b *testing.B) {
	eachBenched(b, func(b *testing.B, e testdb.Engine) {
		if e.Driver == database.SQLServer {
			b.Skip("the statements that insert the rows are for the other engines")
		}
		store := benchTable(b, e, 1_000_000).store.(*sqlstore.Store)
		var whole, counting []time.Duration
		for b.Loop() {
			began := time.Now()
			if _, err := store.Check(b.Context(), workqueue.CheckParams{}); err != nil {
				b.Fatal(err)
			}
			whole = append(whole, time.Since(began))
			began = time.Now()
			ended, err := store.EndedWithoutSnapshot(b.Context(), func() {})
			if err != nil || len(ended.Wrong) > 0 {
				b.Fatalf("%+v, %v", ended.Wrong, err)
			}
			counting = append(counting, time.Since(began))
		}
		b.ReportMetric(0, "ns/op") // covers both, so it is meaningless
		reportRatio(b, "counting", counting, "check", whole)
	})
}
