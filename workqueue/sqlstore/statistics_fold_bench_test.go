package sqlstore_test

import (
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// BenchmarkFold ends 100,000 items during an hour, in batches of a hundred with five durations:
// once with statistics compacted every minute and once without, by turns.
func BenchmarkFold(b *testing.B) {
	eachBenched(b, func(b *testing.B, e testdb.Engine) {
		for b.Loop() {
			benchFold(b, e)
		}
		b.ReportMetric(0, "ns/op") // covers both and their preparation, so it is meaningless
	})
}

// hour is one of the two variants.
type hour struct {
	store  storetest.Store
	make   *storetest.Factory
	worker workqueue.Worker
	rows   func() int
	took   []time.Duration // of each batch of ends
	read   []time.Duration // of the figures, each minute
}

func benchFold(b *testing.B, e testdb.Engine) {
	const batches = 1000
	clock := time.Now().UTC().Truncate(time.Minute)
	open := func() *hour {
		dsn := e.DSN(b)
		e.Open(b, dsn) // migrates
		store := openAt(b, e, dsn, func() time.Time { return clock })
		h := &hour{store: store, make: storetest.NewFactory(b, store)}
		h.worker = h.make.Worker(storetest.WorkerOpts{})
		db := e.SQL(b, dsn)
		h.rows = func() (n int) {
			if err := db.QueryRowContext(b.Context(), `SELECT COUNT(*) FROM "BotQueueStats"`).Scan(&n); err != nil {
				b.Fatal(err)
			}
			return n
		}
		return h
	}
	folded, left := open(), open()
	var folds, idle []time.Duration
	most := 0
	fold := func(into *[]time.Duration) (moved int) {
		began := time.Now()
		moved, err := folded.store.CompactStatistics(b.Context(), 0)
		if err != nil {
			b.Fatal(err)
		}
		*into = append(*into, time.Since(began))
		return moved
	}
	for n := range batches {
		began := clock
		for _, h := range []*hour{folded, left} {
			clock = began
			h.endBatch(b, func(d time.Duration) { clock = clock.Add(d) })
		}
		clock = began.Add(time.Hour / batches)
		if n%(batches/60) != 0 {
			continue
		}
		most = max(most, folded.rows())
		if fold(&folds) > 0 && fold(&idle) > 0 {
			b.Fatal("rows were left to compact")
		}
		for _, h := range []*hour{folded, left} {
			began := time.Now()
			if _, err := h.store.Statistics(b.Context(), ""); err != nil {
				b.Fatal(err)
			}
			h.read = append(h.read, time.Since(began))
		}
	}
	b.ReportMetric(float64(most), "rows/folded")
	b.ReportMetric(float64(left.rows()), "rows/left")
	b.ReportMetric(float64(sum(folds))/float64(sum(folded.took)), "folds/ends")
	b.ReportMetric(float64(median(folds).Microseconds()), "µs/fold")
	b.ReportMetric(float64(median(idle).Microseconds()), "µs/idle")
	b.ReportMetric(float64(sum(folded.took))/float64(sum(left.took)), "ends/ends")
	b.ReportMetric(float64(sum(left.read[40:]))/float64(sum(folded.read[40:])), "read/read")
}

// endBatch ends a hundred items with five durations.
func (h *hour) endBatch(b *testing.B, pass func(time.Duration)) {
	const size, claims = 100, 5
	h.make.Items(size, storetest.ItemOpts{State: workqueue.Assigned, Worker: h.worker})
	var ends []workqueue.Finish
	for n := range claims {
		p := claimAll(h.worker, time.Hour)
		p.Max = size / claims
		items, err := h.store.Claim(b.Context(), p)
		if err != nil || len(items) != p.Max {
			b.Fatalf("claimed %d, %v", len(items), err)
		}
		for _, it := range items {
			ends = append(ends, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, State: workqueue.Processed})
		}
		pass(time.Duration(n+1) * 100 * time.Millisecond)
	}
	began := time.Now()
	if lost, err := h.store.Finish(b.Context(), h.worker.ID, h.worker.InstanceID, ends); err != nil || len(lost) > 0 {
		b.Fatalf("finish: lost %v, %v", lost, err)
	}
	h.took = append(h.took, time.Since(began))
}

func sum(d []time.Duration) (total time.Duration) {
	for _, one := range d {
		total += one
	}
	return total
}
