package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/workqueue"
)

func seriesTests() []test {
	return []test{
		{"the life of items", seriesLife},
		{"actions of users", seriesChanges},
		{"rescued and expired items", seriesRescued},
		{"groups and filters", seriesGroups},
		{"batches of several queues, pipelines and bands", seriesBatches},
		{"sums stay the same when they are added", seriesFolds},
		{"two processes add at the same time", seriesFoldsContend},
		{"quantiles", seriesQuantiles},
		{"samples", seriesSamples},
		{"old periods are removed", seriesExpires},
		{"random histories", seriesHistory},
		{"a removed queue", seriesRemovedQueue},
		{"bad parameters", seriesBad},
		{"counts only", seriesCountsOnly},
	}
}

// series reads the statistics of the last and the next hour.
func (x *fixture) series(p workqueue.SeriesParams) workqueue.Series {
	x.Helper()
	if p.By == "" {
		p.By = workqueue.ByMinute
	}
	if p.From.IsZero() {
		p.From, p.Until = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	s, err := x.Store.Series(x.ctx, p)
	if err != nil {
		x.Fatal(err)
	}
	return s
}

// total is the sum of the only group.
func (x *fixture) total(p workqueue.SeriesParams) workqueue.SeriesPoint {
	x.Helper()
	s := x.series(p)
	if len(s.Totals) != 1 {
		x.Fatalf("%d groups, want one: %s", len(s.Totals), asJSON(s.Totals))
	}
	return s.Totals[0]
}

// counts are the numbers of a point, without those that are 0.
func counts(p workqueue.SeriesPoint) map[string]int64 {
	all := map[string]int64{
		"enqueued": p.Enqueued, "started": p.Started, "succeeded": p.Succeeded, "errors": p.Errors, "business": p.BusinessErrors,
		"retried": p.Retried, "cancelled": p.Cancelled, "rescued": p.Rescued, "released": p.Released, "snoozed": p.Snoozed,
	}
	for kind, n := range p.FailedByKind {
		all["failed "+string(kind)] = n
	}
	for kind, n := range p.CancelledByKind {
		all["cancelled "+string(kind)] = n
	}
	maps.DeleteFunc(all, func(_ string, n int64) bool { return n == 0 })
	return all
}

// wantSeries checks the numbers of all queues before and after they are added to the sums,
// at each resolution, and that a recount finds the same.
func (x *fixture) wantSeries(want map[string]int64) {
	x.Helper()
	check := func(when string) {
		x.Helper()
		for _, by := range workqueue.Resolutions() {
			if got := counts(x.total(workqueue.SeriesParams{By: by})); !maps.Equal(got, want) {
				x.Errorf("%s, by %s: %v, want %v", when, by, got, want)
			}
		}
	}
	check("before the fold")
	x.wantRecount()
	x.fold()
	check("after the fold")
	x.wantRecount()
}

// wantRecount checks that the check of the statistics over time finds nothing.
func (x *fixture) wantRecount() {
	x.Helper()
	if err := seriesIsSound(x.ctx, x.Store); err != nil {
		x.Error(err)
	}
}

// seriesIsSound runs the check of the statistics over time, if the store has one.
func seriesIsSound(ctx context.Context, store Store) error {
	checker, ok := store.(workqueue.Checker)
	if !ok {
		return nil
	}
	report, err := checker.Check(ctx, workqueue.CheckParams{})
	for _, v := range report.Violations {
		if v.Check == workqueue.CheckSeries {
			err = errors.Join(err, fmt.Errorf("%s: %s", v.Subject(), v.Found))
		}
	}
	return err
}

// fold adds everything to the sums.
func (x *fixture) fold() {
	x.Helper()
	for {
		n, err := x.Store.FoldSeries(x.ctx, 7) // a small batch, so that there are several
		if err != nil {
			x.Fatal(err)
		}
		if n < 7 {
			return
		}
	}
}

// begun makes an item whose run has begun.
func (x *fixture) begun(w workqueue.Worker, queue string) workqueue.Item {
	x.Helper()
	it := x.running(w, queue)
	x.begin(w, workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence})
	return it
}

func seriesLife(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.finish(w, success(x.running(w, "")))
	x.finish(w, failure(x.running(w, ""), workqueue.Ready))
	business := failure(x.running(w, ""), workqueue.Cancelled)
	business.ErrorKind = workqueue.KindBusiness
	x.finish(w, business)
	timeout := failure(x.running(w, ""), workqueue.Ready)
	timeout.ErrorKind, timeout.Attempt.Outcome = workqueue.KindTimeout, "timeout"
	x.finish(w, timeout)
	x.finish(w, asCopy(x.running(w, ""), 1)) // the copy counts as enqueued
	for _, outcome := range []string{"released", "snoozed"} {
		it := x.running(w, "")
		x.finish(w, workqueue.Finish{
			ItemID: it.ID, Fence: it.Fence, State: workqueue.Ready, Delay: time.Hour,
			Attempt: &workqueue.AttemptNote{Number: 1, Outcome: outcome},
		})
	}
	back := x.running(w, "")
	x.finish(w, workqueue.Finish{ItemID: back.ID, Fence: back.Fence, State: workqueue.Ready}) // it had not begun
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, farAway, back.ID)
	stale := success(x.begun(w, "")) // still runs, and counts as started
	stale.Fence--
	x.finish(w, stale)
	if _, err := x.Store.ChangeItem(x.ctx, back.ID, workqueue.Change{Action: workqueue.Clone}); err != nil {
		x.Fatal(err)
	}
	x.wantSeries(map[string]int64{
		"enqueued": 11, "started": 8, "succeeded": 1, "errors": 3, "business": 1, "failed error": 2, "failed business": 1, "failed timeout": 1,
		"retried": 3, "cancelled": 2, "cancelled business": 1, "cancelled error": 1, "released": 1, "snoozed": 1,
	})
	total := x.total(workqueue.SeriesParams{})
	if total.Wait == nil || total.Wait.Count != 6 || total.Run == nil || total.Run.Count != 1 {
		x.Errorf("wait %s and run %s, want those of the starts and of the success", asJSON(total.Wait), asJSON(total.Run))
	}
}

func seriesChanges(x *fixture) {
	w := x.Worker(WorkerOpts{})
	running, waiting, done := x.running(w, ""), x.Item(ItemOpts{}), x.running(w, "")
	x.finish(w, success(done))
	for _, id := range []int64{running.ID, waiting.ID} {
		must(x, Do(x.ctx, x.Store, workqueue.Cancel, id, "why"))
	}
	x.wantSeries(map[string]int64{"enqueued": 3, "started": 2, "succeeded": 1, "cancelled": 2, "cancelled cancelled": 2})
	// What is gone cannot be counted again, but its figures stay.
	must(x, Do(x.ctx, x.Store, workqueue.Delete, waiting.ID, "why"))
	must(x, Do(x.ctx, x.Store, workqueue.Repeat, done.ID, "why"))
	x.wantSeries(map[string]int64{"enqueued": 3, "started": 2, "succeeded": 1, "cancelled": 2, "cancelled cancelled": 2})
}

func seriesRescued(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.begun(w, "")
	x.expire(it.ID)
	x.rescue()
	unbegun := x.running(w, "") // a release: its run was not known to have begun
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s WHERE "Id" = %d`, longAgo, unbegun.ID)
	x.rescue()
	late := x.Item(ItemOpts{Deadline: time.Now().Add(time.Hour)})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "Id" = %d`, longAgo, late.ID)
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		_, err := tx.Expire(ctx)
		return err
	})
	x.wantSeries(map[string]int64{"enqueued": 3, "started": 1, "rescued": 1, "released": 1, "cancelled": 1, "cancelled expired": 1})
}

func seriesGroups(x *fixture) {
	x.define("test", []string{"mail"}, workqueue.Queue{Name: "mail"})
	ann, bob := x.Worker(WorkerOpts{Name: "ann"}), x.Worker(WorkerOpts{Name: "bob"})
	x.Item(ItemOpts{State: workqueue.Processed, Worker: ann, Queue: "mail", Priority: 2000, Pipeline: "Send"})
	x.Item(ItemOpts{State: workqueue.Processed, Worker: ann, Priority: 1000})
	x.Item(ItemOpts{State: workqueue.Processed, Worker: bob, Priority: 100})
	running := x.Item(ItemOpts{State: workqueue.Blocked, Worker: bob, Priority: 499})
	x.begin(bob, workqueue.ItemRef{ItemID: running.ID, Fence: running.Fence})
	whole := workqueue.NewItem{IntegrationConfig: "name: x\nsteps: []\n", Priority: 500} // has no name
	if _, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{whole}); err != nil {
		x.Fatal(err)
	}
	for range 2 { // before and after the fold
		for _, tt := range []struct {
			p    workqueue.SeriesParams
			want map[string][2]int64 // enqueued and succeeded by group
		}{
			{workqueue.SeriesParams{Group: workqueue.GroupQueue}, map[string][2]int64{"default": {4, 2}, "mail": {1, 1}}},
			{workqueue.SeriesParams{Group: workqueue.GroupBand}, map[string][2]int64{"high": {1, 1}, "medium": {2, 1}, "low": {2, 1}}},
			{workqueue.SeriesParams{Group: workqueue.GroupPipeline}, map[string][2]int64{"Send": {1, 1}, Pipeline: {3, 2}, "": {1, 0}}},
			{workqueue.SeriesParams{Group: workqueue.GroupWorker}, map[string][2]int64{"ann": {0, 2}, "bob": {0, 1}, "": {5, 0}}},
			{workqueue.SeriesParams{Queue: "mail"}, map[string][2]int64{"": {1, 1}}},
			{workqueue.SeriesParams{Pipeline: "Send"}, map[string][2]int64{"": {1, 1}}},
			{workqueue.SeriesParams{Band: "low"}, map[string][2]int64{"": {2, 1}}},
			{workqueue.SeriesParams{Worker: "bob", Group: workqueue.GroupBand}, map[string][2]int64{"low": {0, 1}}},
			{workqueue.SeriesParams{Queue: "nowhere"}, map[string][2]int64{"": {0, 0}}},
		} {
			got := map[string][2]int64{}
			for _, total := range x.series(tt.p).Totals {
				got[total.Group] = [2]int64{total.Enqueued, total.Succeeded}
			}
			if !maps.Equal(got, tt.want) {
				x.Errorf("%s: %v, want %v", asJSON(tt.p), got, tt.want)
			}
		}
		if n := x.total(workqueue.SeriesParams{Worker: "bob"}).Started; n != 2 {
			x.Errorf("bob started %d runs, want 2, of which one still runs", n)
		}
		x.fold()
	}
}

// seriesBatches enqueues and ends, in one call each, items of all combinations of queues,
// pipelines, bands and durations.
func seriesBatches(x *fixture) {
	x.define("test", []string{"mail"}, workqueue.Queue{Name: "mail"})
	var batch []workqueue.NewItem
	for _, queue := range []string{"default", "mail"} {
		for _, pipeline := range []string{Pipeline, "Send", "name: x\nsteps: []\n# " + strings.Repeat("long ", 50)} {
			for _, priority := range []int{2000, 1001, 1000, 499} {
				batch = append(batch, slices.Repeat([]workqueue.NewItem{{QueueName: queue, IntegrationConfig: pipeline, Priority: priority}}, 5)...)
			}
		}
	}
	results, err := x.Store.Enqueue(x.ctx, batch)
	if err != nil {
		x.Fatal(err)
	}
	w := x.Worker(WorkerOpts{Capacity: len(batch)})
	var ids []int64
	for _, r := range results {
		ids = append(ids, r.ID)
	}
	x.Assign(w, ids...)
	items := x.claim(w, len(ids))
	x.exec(int64(len(ids)), `UPDATE "BotWorkQueueItems" SET "StartedAt" = %s, "FirstStartedAt" = %s WHERE "State" = 1`, longAgo, longAgo)
	var ends []workqueue.Finish
	for i, it := range items {
		end := success(it)
		end.StartedAt, end.Took = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC), time.Duration(i%7+1)*time.Second
		ends = append(ends, end)
	}
	x.finish(w, ends...)
	for _, tt := range []struct {
		group workqueue.SeriesGroup
		want  map[string]int64
	}{
		{workqueue.GroupQueue, map[string]int64{"default": 60, "mail": 60}},
		{workqueue.GroupPipeline, map[string]int64{Pipeline: 40, "Send": 40, "": 40}},
		{workqueue.GroupBand, map[string]int64{"high": 60, "medium": 30, "low": 30}},
	} {
		succeeded, enqueued := map[string]int64{}, map[string]int64{}
		for _, total := range x.series(workqueue.SeriesParams{Group: tt.group}).Totals {
			succeeded[total.Group], enqueued[total.Group] = total.Succeeded, total.Enqueued
			if total.Run == nil || total.Run.Count != total.Succeeded {
				x.Errorf("by %s, %q: runs %s, want %d", tt.group, total.Group, asJSON(total.Run), total.Succeeded)
			}
		}
		if !maps.Equal(succeeded, tt.want) || !maps.Equal(enqueued, tt.want) {
			x.Errorf("by %s: enqueued %v, succeeded %v, want %v of both", tt.group, enqueued, succeeded, tt.want)
		}
	}
	x.wantSeries(map[string]int64{"enqueued": 120, "started": 120, "succeeded": 120})
}

// seriesFolds compares whole series, with durations, before and after the fold.
func seriesFolds(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for i := range 30 {
		end := success(x.running(w, ""))
		end.Took = time.Duration(i*i) * time.Millisecond
		x.finish(w, end)
	}
	for _, by := range workqueue.Resolutions() {
		p := workqueue.SeriesParams{By: by, From: time.Now().Add(-time.Hour), Until: time.Now().Add(time.Hour)}
		before := x.series(p)
		x.fold()
		x.fold()
		if after := x.series(p); asJSON(after.Points) != asJSON(before.Points) || asJSON(after.Totals) != asJSON(before.Totals) {
			x.Errorf("by %s: after the fold %s, want %s", by, asJSON(after.Totals), asJSON(before.Totals))
		}
	}
	x.wantRecount()
}

func seriesFoldsContend(x *fixture) {
	const items = 60
	w := x.Worker(WorkerOpts{})
	done := make(chan struct{})
	var folds sync.WaitGroup
	for range 3 {
		store := x.Another(x.T)
		folds.Go(func() {
			for more := true; more; {
				select {
				case <-done:
					more = false
				default:
				}
				if _, err := store.FoldSeries(x.ctx, 5); err != nil {
					x.Error(err)
				}
				if _, err := store.SampleGauges(x.ctx); err != nil {
					x.Error(err)
				}
			}
		})
	}
	for range items {
		x.finish(w, success(x.running(w, "")))
	}
	close(done)
	folds.Wait()
	x.wantSeries(map[string]int64{"enqueued": items, "started": items, "succeeded": items})
}

// seriesQuantiles compares the quantiles of durations with the exact ones.
func seriesQuantiles(x *fixture) {
	w := x.Worker(WorkerOpts{})
	var ends []workqueue.Finish
	const runs = 100
	ids := x.Items(runs, ItemOpts{State: workqueue.Assigned, Worker: w})
	// The claims began long ago, so that the runs may have taken that long.
	items := x.claim(w, len(ids))
	x.exec(runs, `UPDATE "BotWorkQueueItems" SET "StartedAt" = %s, "FirstStartedAt" = %s WHERE "State" = 1`, longAgo, longAgo)
	var sum time.Duration
	for i, it := range items {
		end := success(it)
		end.StartedAt = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
		end.Took = time.Duration(i+1) * 100 * time.Millisecond // 0.1 s to 10 s
		sum += end.Took
		ends = append(ends, end)
	}
	x.finish(w, ends...)
	for range 2 {
		run := x.total(workqueue.SeriesParams{}).Run
		if run == nil || run.Count != runs || time.Duration(run.Mean) != sum/runs {
			x.Fatalf("runs %s, want %d with a mean of %s", asJSON(run), runs, sum/runs)
		}
		for _, q := range []struct {
			name      string
			got, want time.Duration
		}{{"p50", time.Duration(run.P50), 5 * time.Second}, {"p95", time.Duration(run.P95), 9500 * time.Millisecond}, {"p99", time.Duration(run.P99), 9900 * time.Millisecond}} {
			if off := (q.got - q.want).Abs().Seconds() / q.want.Seconds(); off > workqueue.DurationError+0.001 {
				x.Errorf("%s is %s, want %s within %.1f %%", q.name, q.got, q.want, 100*workqueue.DurationError)
			}
		}
		x.fold()
	}
}

func seriesSamples(x *fixture) {
	x.define("test", []string{"mail"}, workqueue.Queue{Name: "mail"})
	x.Items(3, ItemOpts{})
	x.Item(ItemOpts{In: time.Hour}) // not due
	old := x.Item(ItemOpts{Priority: 2000, Queue: "mail", Pipeline: "Send"})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, longAgo, old.ID)
	ann, bob := x.Worker(WorkerOpts{Name: "ann", Capacity: 3}), x.Worker(WorkerOpts{Name: "bob", Capacity: 2})
	x.running(ann, "")
	x.Item(ItemOpts{State: workqueue.Blocked, Worker: ann, Pipeline: "Send"})
	x.Item(ItemOpts{State: workqueue.Assigned, Worker: bob, Pipeline: "Send"})
	samples := 0
	for range 3 {
		sampled, err := x.Store.SampleGauges(x.ctx)
		if err != nil {
			x.Fatal(err)
		}
		if sampled {
			samples++
		}
	}
	if samples < 1 || samples > 2 { // 2 if the minute changed
		x.Fatalf("%d of 3 calls sampled, want one in each minute", samples)
	}
	for _, by := range workqueue.Resolutions() {
		g := x.total(workqueue.SeriesParams{By: by}).Gauges
		if g == nil || int(g.Samples) != samples || g.Backlog != 5 || g.SlotsUsed != 2 || time.Duration(g.OldestWaiting) < 10*365*24*time.Hour ||
			g.SlotsOffered == nil || *g.SlotsOffered != 5 || *g.MostSlotsOffered != 5 {
			x.Errorf("by %s: %s, want a backlog of 5, two slots of 5 and an item due since 2001", by, asJSON(g))
		}
	}
	for _, tt := range []struct {
		p    workqueue.SeriesParams
		want string // group: backlog, slots used, slots offered
	}{
		{workqueue.SeriesParams{Band: workqueue.BandHigh}, ": 1 0 -"},
		{workqueue.SeriesParams{Pipeline: "Send"}, ": 2 1 -"},
		{workqueue.SeriesParams{Pipeline: "Send", Queue: "mail"}, ": 1 0 -"},
		{workqueue.SeriesParams{Pipeline: "Send", Group: workqueue.GroupBand}, "high: 1 0 -, medium: 1 1 -"},
		{workqueue.SeriesParams{Worker: "ann"}, ": 0 2 3"},
		{workqueue.SeriesParams{Group: workqueue.GroupQueue}, "default: 4 2 -, mail: 1 0 -"},
		{workqueue.SeriesParams{Group: workqueue.GroupPipeline}, "Send: 2 1 -, Work: 3 1 -"},
		{workqueue.SeriesParams{Group: workqueue.GroupPipeline, Queue: "mail"}, "Send: 1 0 -"},
		{workqueue.SeriesParams{Group: workqueue.GroupWorker}, ": 4 0 0, ann: 0 2 3, bob: 1 0 2"},
		{workqueue.SeriesParams{Group: workqueue.GroupWorker, Queue: "mail"}, ": none"},
		{workqueue.SeriesParams{Worker: "ann", Pipeline: "Send"}, ": none"},
	} {
		var got []string
		for _, total := range x.series(tt.p).Totals {
			got = append(got, total.Group+": "+gaugeText(total.Gauges))
		}
		if text := strings.Join(got, ", "); text != tt.want {
			x.Errorf("%s: %s, want %s", asJSON(tt.p), text, tt.want)
		}
	}
}

func gaugeText(g *workqueue.SeriesGauges) string {
	if g == nil {
		return "none"
	}
	offered := "-"
	if g.SlotsOffered != nil {
		offered = fmt.Sprint(*g.SlotsOffered)
	}
	return fmt.Sprintf("%v %v %s", g.Backlog, g.SlotsUsed, offered)
}

func seriesExpires(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.finish(w, success(x.running(w, "")))
	x.fold()
	rows := x.Exec(x.T, `UPDATE "BotStatistics" SET "StartsAt" = `+longAgo)
	if rows < 3 {
		x.Fatalf("%d rows, want one for each resolution at least", rows)
	}
	// An event that is older than what is kept is dropped, not kept for good.
	x.exec(1, `INSERT INTO "BotStatisticsDeltas" ("At", "QueueName", "Event", "Events") VALUES (%s, 'default', 'enqueued', 1)`, longAgo)
	x.fold()
	x.exec(0, `UPDATE "BotStatistics" SET "Band" = 'low'`)
	x.exec(0, `UPDATE "BotStatisticsDeltas" SET "Events" = 0`)
}

// seriesHistory runs random operations. A recount must find the same numbers.
func seriesHistory(x *fixture) {
	x.defineStatQueues()
	x.maxReleases(2)
	testgroup.Check(x.T, 10, func(rt *rapid.T) {
		for _, table := range []string{"BotWorkItemAttempts", "BotWorkQueueItems", "BotQueueStats", "BotStatistics", "BotStatisticsDeltas", "BotWorkers"} {
			x.Exec(x.T, `DELETE FROM "`+table+`"`)
		}
		h := statProcess{ctx: x.ctx, store: x.Store, worker: x.Worker(WorkerOpts{}), pick: func(n int) int { return fair(n).Draw(rt, "pick") }}
		h.byHand = func(format string, args ...any) { x.Exec(x.T, fmt.Sprintf(format, args...)) }
		kept := rapid.Bool().Draw(rt, "items are kept")
		rt.Repeat(map[string]func(*rapid.T){
			"step": func(rt *rapid.T) {
				if kept {
					must(rt, h.keptStep())
				} else {
					must(rt, h.step())
				}
			},
			"fold": func(*rapid.T) { x.fold() },
		})
		must(rt, seriesIsSound(x.ctx, x.Store))
		if !kept {
			return
		}
		for _, note := range x.seriesNotes() {
			if strings.Contains(note, "kept 20") || strings.Contains(note, "hides 20") { // the archive of the queue small is trimmed
				rt.Fatalf("not compared, although no item was removed or run again: %s", note)
			}
		}
	})
}

// keptStep is a step that removes no item and repeats none.
func (h *statProcess) keptStep() error {
	switch n := h.pick(10); {
	case n < 2:
		return h.enqueue()
	case n < 4:
		return h.assign()
	case n < 5:
		return h.claim()
	case n < 8:
		return h.finishKept()
	default:
		return h.rescue()
	}
}

// finishKept ends one run; the item stays.
func (h *statProcess) finishKept() error {
	if len(h.held) == 0 {
		if err := h.claim(); err != nil || len(h.held) == 0 {
			return err
		}
	}
	it := h.held[0]
	h.held = h.held[1:]
	it.QueueName = "" // no archive is trimmed
	ends := []workqueue.Finish{success(it), failure(it, workqueue.Ready), failure(it, workqueue.Cancelled), asCopy(it, it.RetryCount+1)}
	end := ends[h.pick(len(ends))]
	if end.Delay > 0 {
		end.Delay = 0
	}
	_, err := h.store.Finish(h.ctx, h.worker.ID, h.worker.InstanceID, []workqueue.Finish{end})
	return err
}

// seriesNotes are the notes of the check: which queues cannot be counted again.
func (x *fixture) seriesNotes() []string {
	x.Helper()
	checker, ok := x.Store.(workqueue.Checker)
	if !ok {
		return nil
	}
	report, err := checker.Check(x.ctx, workqueue.CheckParams{})
	if err != nil {
		x.Fatal(err)
	}
	for _, c := range report.Checks {
		if c.Check == workqueue.CheckSeries {
			return c.Notes
		}
	}
	return nil
}

func seriesRemovedQueue(x *fixture) {
	x.define("test", []string{"mail"}, workqueue.Queue{Name: "mail"})
	x.Item(ItemOpts{State: workqueue.Processed, Queue: "mail"})
	x.fold()
	it := x.Item(ItemOpts{Queue: "mail"})
	must(x, Do(x.ctx, x.Store, workqueue.Delete, it.ID, "why"))
	x.changeAll(workqueue.ItemFilter{QueueName: "mail"}, workqueue.Change{Action: workqueue.Delete})
	must(x, x.Store.DeleteQueue(x.ctx, "mail"))
	if got := counts(x.total(workqueue.SeriesParams{Queue: "mail"})); len(got) != 0 {
		x.Errorf("after the queue was removed: %v, want nothing", got)
	}
}

func seriesBad(x *fixture) {
	now := time.Now()
	for _, p := range []workqueue.SeriesParams{
		{By: "week", From: now, Until: now},
		{By: workqueue.ByDay, From: now, Until: now, Band: "urgent"},
		{By: workqueue.ByDay, From: now, Until: now, Group: "robot"},
		{By: workqueue.ByDay, From: now, Until: now.Add(-time.Hour)},
		{By: workqueue.ByMinute, From: now.AddDate(-1, 0, 0), Until: now},
	} {
		if _, err := x.Store.Series(x.ctx, p); err == nil {
			x.Errorf("%s: no error", asJSON(p))
		}
	}
}

// seriesCountsOnly compares a reading of the counts with a whole one.
func seriesCountsOnly(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.finish(w, success(x.running(w, "")))
	x.finish(w, failure(x.running(w, ""), workqueue.Ready))
	p := workqueue.SeriesParams{Group: workqueue.GroupQueue}
	want := x.series(p)
	p.CountsOnly = true
	got := x.series(p)
	if !got.At.IsZero() || !got.KeptSince.IsZero() || len(got.Points) == 0 {
		x.Errorf("got %d points at %s, kept since %s, want points without times", len(got.Points), got.At, got.KeptSince)
	}
	for i := range want.Points {
		want.Points[i].Gauges = nil
	}
	if diff := cmp.Diff(want.Points, got.Points); diff != "" {
		x.Errorf("the counts differ: -whole +counts only\n%s", diff)
	}
}
