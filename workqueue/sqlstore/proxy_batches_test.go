package sqlstore_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"botwork/internal/faultproxy"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

const countMadeBy = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "CreatedBy" = $1`

// batchMethods are the methods that do parts of batches.
var batchMethods = []method{
	{"EnqueueBatch", 3, true, func(x *behindProxy) trial {
		if err := x.store.CopyPolicies(x.Context(), x.way); err != nil {
			x.Fatal(err)
		}
		by := x.make.Spec(storetest.WorkerOpts{}).Name
		part := workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}
		item := workqueue.NewItem{IntegrationConfig: "x", CreatedBy: by}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.EnqueueBatch(ctx, part, []workqueue.NewItem{item, item, item})
			return err
		}, func() int { return x.count(countMadeBy, by) }}
	}},
	{"ChangeItem of a batch", 1, true, func(x *behindProxy) trial {
		it := x.make.Item(storetest.ItemOpts{State: workqueue.Processed})
		c := workqueue.Change{Action: workqueue.Clone, By: x.make.Spec(storetest.WorkerOpts{}).Name, Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey()}}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.ChangeItem(ctx, it.ID, c)
			return err
		}, func() int { return x.count(countMadeBy, c.By) }}
	}},
	{"RemoveBatches", 1, true, func(x *behindProxy) trial {
		part := workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}
		if _, err := x.way.EnqueueBatch(x.Context(), part, []workqueue.NewItem{{IntegrationConfig: "x"}}); err != nil {
			x.Fatal(err)
		}
		x.byHand(`UPDATE "BotBatches" SET "CreatedAt" = '2001-01-01' WHERE "BatchKey" = '%s'`, part.Key)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RemoveBatches(ctx, years, 0)
			return err
		}, func() int { return 1 - x.count(`SELECT COUNT(*) FROM "BotBatches" WHERE "BatchKey" = $1`, part.Key) }}
	}},
	{"RemoveAudit", 3, true, func(x *behindProxy) trial {
		it := x.make.Item(storetest.ItemOpts{})
		if err := storetest.Do(x.Context(), x.way, workqueue.Cancel, it.ID, ""); err != nil {
			x.Fatal(err)
		}
		const ofItem = `FROM "BotAuditItems" WHERE "ItemId" = %d`
		x.byHand(`INSERT INTO "BotAuditItems" ("AuditId", "ItemId") SELECT "AuditId", "ItemId" `+ofItem, it.ID)
		x.byHand(`INSERT INTO "BotAuditItems" ("AuditId", "ItemId") SELECT MIN("AuditId"), MIN("ItemId") `+ofItem, it.ID)
		x.byHand(`UPDATE "BotAuditLog" SET "At" = '2001-01-01' WHERE "Id" IN (SELECT "AuditId" `+ofItem+`)`, it.ID)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RemoveAudit(ctx, years, 0)
			return err
		}, func() int { return 3 - x.count(`SELECT COUNT(*) FROM "BotAuditItems" WHERE "ItemId" = $1`, it.ID) }}
	}},
	reading("AuditEntries", func(ctx context.Context, s *sqlstore.Store, it workqueue.Item) error {
		_, err := s.AuditEntries(ctx, workqueue.AuditFilter{ItemID: it.ID})
		return err
	}),
	reading("AuditItems", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.AuditItems(ctx, 1, 0, 0)
		return err
	}),
	reading("EachBatchRecord", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		return s.EachBatchRecord(ctx, "unknown", func(workqueue.BatchRecord) error { return nil })
	}),
}

// Wherever the answer is cut: unless the error says that the outcome is unknown, nothing was
// done, and repeating the call does the rest, once.
func TestBatchWithLostAnswerIsEnqueuedOnce(t *testing.T) {
	t.Parallel()
	eachProxied(t, func(x *behindProxy) {
		if err := x.store.CopyPolicies(x.Context(), x.way); err != nil {
			x.Fatal(err)
		}
		enqueue := func() ([]workqueue.Enqueued, string, workqueue.BatchPart, error) {
			by := x.make.Spec(storetest.WorkerOpts{}).Name
			part := workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 7}
			items := slices.Repeat([]workqueue.NewItem{{IntegrationConfig: "x", CreatedBy: by}}, 3)
			got, err := x.store.EnqueueBatch(x.Context(), part, items)
			return got, by, part, err
		}
		x.fresh()
		before := x.proxy.ResponseBytes()
		if _, _, _, err := enqueue(); err != nil {
			x.Fatal(err)
		}
		answer := int(x.proxy.ResponseBytes() - before)
		unanswered, undone := 0, 0
		for _, after := range []int{0, answer / 4, answer / 2, answer * 3 / 4, answer - 40, answer - ready - 1, answer - ready - 6, answer - 1} {
			x.fresh()
			x.proxy.Set(faultproxy.TruncateResponse(after))
			_, by, part, err := enqueue()
			x.fresh()
			x.awaitQuiet()
			inserted := x.count(countMadeBy, by)
			unknown, is := errors.AsType[*workqueue.UnansweredError](err)
			switch {
			case err == nil: // the call does not need the end of the answer
			case is && unknown.BatchPart != part:
				x.Errorf("cut after %d of %d bytes: the error names %v, want %v", after, answer, unknown.BatchPart, part)
			case is:
				unanswered++
			case inserted != 0:
				x.Errorf("cut after %d of %d bytes: %v, but %d items were inserted; want an UnansweredError", after, answer, err, inserted)
			default:
				undone++
			}
			again, err := x.store.EnqueueBatch(x.Context(), part, slices.Repeat([]workqueue.NewItem{{IntegrationConfig: "x", CreatedBy: by}}, 3))
			if n := x.count(countMadeBy, by); err != nil || n != 3 || len(again) != 3 {
				x.Errorf("cut after %d of %d bytes, again: %v, %v; %d items, want 3", after, answer, again, err, n)
			}
			for _, e := range again {
				if e.Existing || x.item(e.ID).CreatedBy == nil || *x.item(e.ID).CreatedBy != by {
					x.Errorf("cut after %d of %d bytes, again: %v, want the new items", after, answer, again)
				}
			}
		}
		if unanswered == 0 || undone == 0 {
			x.Errorf("%d calls were unanswered and %d undone, want both", unanswered, undone)
		}
	})
}

// A commit that arrives late does not insert the items a second time.
func TestBatchWithStalledCommitIsEnqueuedOnce(t *testing.T) {
	t.Parallel()
	eachProxied(t, func(x *behindProxy) {
		by := x.make.Spec(storetest.WorkerOpts{}).Name
		part := workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}
		items := slices.Repeat([]workqueue.NewItem{{IntegrationConfig: "x", CreatedBy: by}}, 3)
		if err := x.store.CopyPolicies(x.Context(), x.way); err != nil {
			x.Fatal(err)
		}
		x.fresh()
		x.proxy.Set(faultproxy.Stall())
		ctx, cancel := context.WithTimeout(x.Context(), 200*time.Millisecond)
		defer cancel()
		if _, err := x.store.EnqueueBatch(ctx, part, items); err == nil {
			x.Fatal("the stalled call returned no error")
		}
		if _, err := x.way.EnqueueBatch(x.Context(), part, items); err != nil {
			x.Fatal(err)
		}
		x.proxy.Set(faultproxy.Fault{})
		x.await("the stalled bytes to arrive", func() bool { return x.proxy.Links() == 0 })
		x.awaitQuiet()
		if n := x.count(countMadeBy, by); n != 3 {
			x.Errorf("%d items, want 3", n)
		}
	})
}
