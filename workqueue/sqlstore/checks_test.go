package sqlstore_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// If the check does not read at a single moment, it leaves out queues in which an item has
// ended meanwhile, and compares the others. A failure alone, or a compaction, does not count as
// a change.
func TestCheckStatisticsWithoutSnapshot(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		store, byHand := e.Open(t, dsn), e.SQL(t, dsn)
		x := storetest.NewFactory(t, store)
		exec := func(statement string) {
			t.Helper()
			if _, err := byHand.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		exec(`INSERT INTO "BotQueues" ("Name") VALUES ('mail')`)
		x.Item(storetest.ItemOpts{State: workqueue.Processed, Queue: "mail"})
		ended := x.Item(storetest.ItemOpts{State: workqueue.Processed})
		worker := x.Worker(storetest.WorkerOpts{})
		exec(`UPDATE "BotQueueStats" SET "StartsAt" = '2001-01-01 00:00:00.000'`)
		exec(`DELETE FROM "BotWorkQueueItems" WHERE "QueueName" = 'mail'`)
		for _, tt := range []struct {
			name      string
			meanwhile func() error
			moved     bool
		}{
			{"nothing", func() error { return nil }, false},
			{"old statistics are compacted", func() error {
				moved, err := store.CompactStatistics(t.Context(), 0)
				if moved == 0 {
					err = errors.Join(err, errors.New("nothing was compacted"))
				}
				return err
			}, false},
			{"an attempt fails", func() error {
				exec(`INSERT INTO "BotQueueStats" ("QueueName", "Kind", "Events") VALUES ('default', 'failed', 1)`)
				return nil
			}, false},
			{"items end", func() error { return storetest.EndTen(t.Context(), store, worker) }, true},
			{"an item is removed", func() error { return storetest.Do(t.Context(), store, workqueue.Delete, ended.ID, "") }, true},
		} {
			t.Run(tt.name, func(t *testing.T) {
				var meanwhile error
				found, err := store.EndedWithoutSnapshot(t.Context(), func() { meanwhile = tt.meanwhile() })
				if err := errors.Join(err, meanwhile); err != nil {
					t.Fatal(err)
				}
				if len(found.Wrong) != 1 || found.Wrong[0].Queue != "mail" {
					t.Errorf("found %+v wrong, want one of the idle queue", found.Wrong)
				}
				if moved := slices.Equal(found.Moved, []string{"default"}); moved != tt.moved || len(found.Moved) > 1 {
					t.Errorf("moved queues %q; want the queue default among them: %t", found.Moved, tt.moved)
				}
			})
		}
	})
}

// An engine without snapshots counts again where items ended meanwhile, and finds what was changed by
// hand; a queue in which items end during each count is left out.
func TestRecountWhileItemsEnd(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		store := e.Open(t, dsn)
		byHand, x := e.SQL(t, dsn), storetest.NewFactory(t, store)
		if _, err := byHand.ExecContext(t.Context(), `INSERT INTO "BotQueues" ("Name") VALUES ('mail')`); err != nil {
			t.Fatal(err)
		}
		x.Item(storetest.ItemOpts{State: workqueue.Processed, Queue: "mail"})
		x.Item(storetest.ItemOpts{State: workqueue.Processed})
		worker := x.Worker(storetest.WorkerOpts{})
		if _, err := byHand.ExecContext(t.Context(), `DELETE FROM "BotWorkQueueItems" WHERE "QueueName" = 'mail'`); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name   string
			ends   int // how many counts see items end
			counts int
			moved  []string
		}{
			{"nothing ends", 0, 1, nil},
			{"items end during the first count", 1, 2, nil},
			{"items end during each count", 100, 5, []string{"default"}},
		} {
			counts := 0
			found, moved, err := store.RecountWithoutSnapshot(t.Context(), func() {
				if counts++; counts <= c.ends {
					if err := storetest.EndTen(t.Context(), store, worker); err != nil {
						t.Error(err)
					}
				}
			})
			if err != nil || len(found) != 1 || found[0].Queue != "mail" || found[0].Kept != 1 || found[0].Counted != 0 {
				t.Errorf("%s: would correct %+v, %v, want only what was deleted by hand", c.name, found, err)
			}
			if counts != c.counts || !slices.Equal(moved, c.moved) {
				t.Errorf("%s: %d counts, moved %v, want %d and %v", c.name, counts, moved, c.counts, c.moved)
			}
		}
	})
}

// Counting ended items reads only the indexes for it. (PostgreSQL is left out, because its
// planner decides by the contents of the table.)
func TestCheckCountsByIndexes(t *testing.T) {
	e := testdb.Engines[slices.IndexFunc(testdb.Engines, func(e testdb.Engine) bool { return e.Driver == database.SQLite })]
	dsn := e.DSN(t)
	e.Open(t, dsn)
	plan := explain(t, e, e.SQL(t, dsn), "checks/ended_count", nil)
	for _, index := range []string{"Completed", "Retained", "Archived", "Deleted"} {
		if !strings.Contains(plan, "IX_BotWorkQueueItems_"+index) {
			t.Errorf("the plan does not use the index %s:\n%s", index, plan)
		}
	}
	if sorts := strings.Count(plan, "TEMP B-TREE"); sorts != 2 {
		t.Errorf("the plan sorts %d times, want only for retained and deleted items:\n%s", sorts, plan)
	}
}
