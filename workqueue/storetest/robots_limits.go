package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"botwork/workqueue"
)

func checkoutLimitTests() []test {
	return []test{
		{"concurrency", checkoutConcurrency},
		{"concurrency of a key", checkoutKeys},
		{"starts in a period", checkoutRate},
		{"starts of a key in a period", checkoutKeyRate},
		{"items enqueued with a checkout", checkoutLimitNew},
		{"eight robots at the same time", checkoutLimitContended},
	}
}

// limitForms makes the queue forms with limits.
func (x *fixture) limitForms(limits workqueue.QueueLimits) {
	x.Helper()
	x.robots(func(q *workqueue.Queue) { q.QueueLimits = limits })
}

// of returns items with a limit key.
func of(key string, n int) []workqueue.NewItem {
	items := make([]workqueue.NewItem, n)
	for i := range items {
		items[i] = form(1)
		items[i].LimitKey = key
	}
	return items
}

func (x *fixture) release(c workqueue.Checkout, items ...workqueue.Item) {
	x.Helper()
	for _, it := range items {
		if err := x.Store.ReleaseCheckout(x.ctx, holdOf(ann, c, it), ""); err != nil {
			x.Fatal(err)
		}
	}
}

func checkoutConcurrency(x *fixture) {
	x.limitForms(workqueue.QueueLimits{Concurrency: 3})
	ids := x.enqueueForms(of("", 5)...)
	two := x.take(2)
	x.wantIDs("taken", idsOf(two.Items), ids[:2])
	x.wantIDs("taken up to the limit", idsOf(x.take(2).Items), ids[2:3])
	x.wantIDs("taken beyond the limit", idsOf(x.take(1).Items), nil)
	x.release(two, two.Items[0])
	x.wantIDs("taken after a release", idsOf(x.take(2).Items), ids[:1])
	x.limitForms(workqueue.QueueLimits{})
	x.wantIDs("taken without a limit", idsOf(x.take(9).Items), ids[3:])
	if _, err := x.Store.PauseQueue(x.ctx, forms); err != nil {
		x.Fatal(err)
	}
	x.exec(1, `UPDATE "BotQueues" SET "ConcurrencyLimit" = 100 WHERE "Name" = '%s'`, forms)
	x.enqueueForms(form(1))
	x.wantIDs("taken from a paused queue", idsOf(x.take(1).Items), nil)
}

// Items of full keys do not hide the items after them, regardless of their
// number.
func checkoutKeys(x *fixture) {
	x.limitForms(workqueue.QueueLimits{KeyConcurrency: 2})
	a := x.enqueueForms(of("a", 30)...)
	b := x.enqueueForms(of("b", 30)...)
	none := x.enqueueForms(of("", 3)...)
	first := x.take(3)
	x.wantIDs("taken", idsOf(first.Items), []int64{a[0], a[1], b[0]})
	x.wantIDs("taken after that", idsOf(x.take(3).Items), []int64{b[1], none[0], none[1]})
	x.release(first, first.Items[1])
	x.wantIDs("taken after a release", idsOf(x.take(9).Items), []int64{a[1], none[2]})
	seen, err := x.Store.PeekItems(x.ctx, workqueue.CheckoutParams{Robot: ann, Queue: forms, Max: 2})
	if err != nil {
		x.Fatal(err)
	}
	x.wantIDs("peeked, regardless of limits", idsOf(seen), []int64{a[2], a[3]})
}

func checkoutRate(x *fixture) {
	x.limitForms(workqueue.QueueLimits{Rate: workqueue.Rate{Limit: 2, Per: workqueue.Duration(time.Hour)}})
	ids := x.enqueueForms(of("", 4)...)
	first := x.take(4)
	x.wantIDs("taken", idsOf(first.Items), ids[:2])
	x.release(first, first.Items...)
	x.wantIDs("taken again within the period", idsOf(x.take(4).Items), nil)
	x.exec(1, `UPDATE "BotQueueStarts" SET "StartedAt" = %s WHERE "ItemId" = %d`, longAgo, ids[0])
	x.wantIDs("taken when one start is outside of the period", idsOf(x.take(4).Items), ids[:1])
}

func checkoutKeyRate(x *fixture) {
	x.limitForms(workqueue.QueueLimits{KeyRate: workqueue.Rate{Limit: 1, Per: workqueue.Duration(time.Hour)}})
	a, b := x.enqueueForms(of("a", 3)...), x.enqueueForms(of("b", 2)...)
	none := x.enqueueForms(of("", 2)...)
	x.wantIDs("taken", idsOf(x.take(9).Items), []int64{a[0], b[0], none[0], none[1]})
	x.wantIDs("taken within the period", idsOf(x.take(9).Items), nil)
}

func checkoutLimitNew(x *fixture) {
	x.limitForms(workqueue.QueueLimits{Concurrency: 2})
	made := x.addAs(ann, &workqueue.CheckoutOnEnqueue{}, of("", 3)...)
	ids := workqueue.IDs(made.Items)
	x.wantIDs("taken of the enqueued items", idsOf(made.Checkout.Items), ids[:2])
	x.wantState(workqueue.Pending, ids[2])
	if more := x.addAs(ann, &workqueue.CheckoutOnEnqueue{}, of("", 1)...); len(more.Checkout.Items) != 0 || more.Checkout.LockKey != "" {
		x.Errorf("took %s beyond the limit, want no items", asJSON(more))
	}
}

func checkoutLimitContended(x *fixture) {
	const robots, items, most = 8, 60, 3
	x.limitForms(workqueue.QueueLimits{Concurrency: most})
	x.enqueueForms(of("", items)...)
	var held, highest, done atomic.Int64
	var wg sync.WaitGroup
	for n := range robots {
		store, robot := x.Another(x.T), fmt.Sprintf("robot-%d", n)
		wg.Go(func() {
			for range 50 * items {
				if done.Load() == items {
					return
				}
				c, err := store.Checkout(x.ctx, workqueue.CheckoutParams{Robot: robot, Queue: forms, Max: 1 + n%2, Lease: leaseTime})
				if err != nil {
					x.Errorf("%s: %v", robot, err)
					return
				}
				taken := int64(len(c.Items))
				if now := held.Add(taken); now > most {
					x.Errorf("%d items are taken at the same time, want at most %d", now, most)
				} else if now > highest.Load() {
					highest.Store(now)
				}
				held.Add(-taken) // before other robots can take more
				for _, it := range c.Items {
					if _, err := store.FinishCheckout(x.ctx, holdOf(robot, c, it), workqueue.RobotEnd{}); err != nil {
						x.Errorf("%s: %v", robot, err)
					}
					done.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if done.Load() != items || highest.Load() == 0 {
		x.Errorf("%d of %d items were finished, at most %d at the same time", done.Load(), items, highest.Load())
	}
}
