package check_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// wantFigure fails unless this wrong number of a queue is the only violation, beside those of the
// statistics over time, which count the same items.
func (x *checked) wantFigure(queue, found string) {
	x.Helper()
	report := x.check()
	wrong := slices.DeleteFunc(slices.Clone(report.Violations), func(v workqueue.Violation) bool { return v.Check == workqueue.CheckSeries })
	if len(wrong) != 1 || wrong[0].Check != workqueue.CheckStatistics || wrong[0].Subject() != "queue "+queue || !strings.Contains(wrong[0].Found, found) {
		x.Errorf("got %+v, want one violation of the check statistics: queue %s: %s", wrong, queue, found)
	}
	for _, v := range report.Violations {
		if !strings.Contains(v.Hint, "`botwork queues stats --recount`") {
			x.Errorf("the hint is %q, want the command that fixes it", v.Hint)
		}
	}
}

// TestCheckStatistics checks that changes by hand that the statistics do not include are
// reported until a recount, and that changes by the program are not.
func TestCheckStatistics(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newChecked(t, e)
		x.uncounted = true
		x.exec(`INSERT INTO "BotQueues" ("Name") VALUES ('mail')`)
		for _, state := range []workqueue.State{workqueue.Processed, workqueue.Cancelled, workqueue.Ready} {
			for range 3 {
				x.Item(storetest.ItemOpts{State: state, Queue: "mail"})
				x.Item(storetest.ItemOpts{State: state})
			}
		}
		x.wantClean()
		if _, err := x.store.CompactStatistics(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		x.wantClean()
		id := func(queue string, state workqueue.State) int64 {
			return x.number(`SELECT MIN("Id") FROM "BotWorkQueueItems" WHERE "QueueName" = '%s' AND "State" = %d AND "DeletedAt" IS NULL`, queue, int(state))
		}
		x.set(id("mail", workqueue.Processed), `RetainUntil = `+farAway) // counted separately
		x.wantClean()
		for _, tt := range []struct {
			name, queue, found string
			change             func()
		}{
			{"an item is run again", "mail", "3 completed items by the statistics, 2 in BotWorkQueueItems", func() {
				x.set(id("mail", workqueue.Processed), `State = 0, FinishedAt = NULL`)
			}},
			{"an item is cancelled", "default", "3 archived items by the statistics, 4 in", func() {
				x.set(id("default", workqueue.Ready), `State = 3, FinishedAt = `+longAgo)
			}},
			{"a waiting item is hidden", "mail", "0 deleted items by the statistics, 1 in", func() {
				x.set(id("mail", workqueue.Ready), `DeletedAt = `+longAgo)
			}},
			{"rows are removed", "mail", "3 archived items by the statistics, 0 in", func() {
				x.exec(`DELETE FROM "BotWorkItemAttempts" WHERE "ItemId" IN (SELECT "Id" FROM "BotWorkQueueItems" WHERE "QueueName" = 'mail' AND "State" = 3)`)
				x.exec(`DELETE FROM "BotWorkQueueItems" WHERE "QueueName" = 'mail' AND "State" = 3`)
			}},
			{"a wrong row is added", "default", "10 completed items by the statistics, 3 in", func() {
				x.exec(`INSERT INTO "BotQueueStats" ("QueueName", "Kind", "Level") VALUES ('default', 'completed', 7)`)
			}},
			{"rows of the statistics are deleted", "default", "0 archived items by the statistics, 4 in", func() {
				x.exec(`DELETE FROM "BotQueueStats" WHERE "QueueName" = 'default' AND "Kind" = 'archived'`)
			}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				x.T = t
				tt.change()
				x.wantFigure(tt.queue, tt.found)
				if _, err := x.store.RecountStatistics(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				x.wantClean()
			})
		}
	})
}

// While items end continuously, a number that was changed by hand is reported with the exact
// difference, and no other number.
func TestCheckStatisticsUnderLoad(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newChecked(t, e)
		x.uncounted = true
		x.exec(`INSERT INTO "BotQueues" ("Name") VALUES ('mail')`)
		for range 3 {
			x.Item(storetest.ItemOpts{State: workqueue.Processed, Queue: "mail"})
		}
		ctx, stop := context.WithCancel(t.Context())
		var load sync.WaitGroup
		defer load.Wait()
		defer stop()
		busy := make(chan struct{}, 1)
		worker := x.Worker(storetest.WorkerOpts{})
		load.Go(func() {
			for ctx.Err() == nil {
				if err := storetest.EndTen(ctx, x.store, worker); err != nil && ctx.Err() == nil {
					t.Errorf("the load: %v", err)
					return
				}
				select {
				case busy <- struct{}{}:
				default:
				}
			}
		})
		figures := func() (all []workqueue.Violation) {
			t.Helper()
			for range 2 {
				<-busy // items have ended meanwhile
			}
			report, err := workqueue.ConfirmedCheck(t.Context(), x.store, x.params)
			if err != nil {
				t.Fatal(err)
			}
			return slices.DeleteFunc(report.Violations, func(v workqueue.Violation) bool { return v.Check != workqueue.CheckStatistics })
		}
		for range 20 {
			for _, v := range figures() {
				t.Fatalf("%s: %s, although no row was changed by hand", v.Subject(), v.Found)
			}
		}
		x.exec(`DELETE FROM "BotWorkQueueItems" WHERE "QueueName" = 'mail'`)
		want := []string{"queue mail|completed +3"}
		if e.Driver != database.SQLServer { // there the check skips queues that are not idle
			x.exec(`INSERT INTO "BotQueueStats" ("QueueName", "Kind", "Level") VALUES ('default', 'completed', -2)`)
			want = append([]string{"queue default|completed -2"}, want...)
		}
		var got []string
		for _, v := range figures() {
			got = append(got, v.Subject()+"|"+v.Mark)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
	})
}

// TestCheckSeries checks that a change by hand shows in the statistics over time until a recount,
// which makes the check compare later hours only.
func TestCheckSeries(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newChecked(t, e)
		x.uncounted = true
		id := x.Item(storetest.ItemOpts{State: workqueue.Processed}).ID
		x.wantClean()
		x.set(id, `State = 3, ErrorKind = 'error', Error = 'by hand'`)
		found := map[string]bool{}
		for _, v := range x.check().Violations {
			if v.Check == workqueue.CheckSeries {
				_, what, _ := strings.Cut(v.Found, "Z, ")
				found[what] = true
			}
		}
		for _, want := range []string{"1 succeeded by the statistics over time, 0 by the items", "0 cancelled (error) by the statistics over time, 1 by the items"} {
			if !found[want] {
				t.Errorf("found %v, want %q", found, want)
			}
		}
		if _, err := x.store.RecountStatistics(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		x.wantClean()
	})
}
