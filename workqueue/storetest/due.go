package storetest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

func dueTests() []test {
	return []test{
		{"only items in a waiting state", dueStates},
		{"no item before its time", dueTime},
		{"in order of priority, deadline and id", dueOrder},
		{"the limit cuts off the least urgent items", dueLimit},
		{"the limit cuts off the latest deadlines", dueLimitDeadlines},
		{"the limit cuts off scheduled items in the same order", dueLimitScheduled},
		{"bands include both ends", dueBands},
		{"no items of a paused queue", duePaused},
		{"no deleted items", dueDeleted},
		{"no items that the pass has assigned", dueAssigned},
		{"the fields of a due item", dueFields},
		{"no items of excluded pipelines", dueExcluding},
		{"the items of one queue", dueOfQueue},
	}
}

func dueStates(x *fixture) {
	ready := x.Item(ItemOpts{}).ID
	pending := x.Item(ItemOpts{State: workqueue.Pending}).ID
	for _, s := range []workqueue.State{workqueue.Blocked, workqueue.Processed, workqueue.Cancelled, workqueue.Assigned} {
		x.Item(ItemOpts{State: s})
		x.Item(ItemOpts{State: s, Deadline: time.Now().Add(time.Hour)})
	}
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 100), []int64{ready, pending})
}

func dueTime(x *fixture) {
	due := x.Item(ItemOpts{})
	x.Item(ItemOpts{In: time.Hour})
	x.Item(ItemOpts{In: time.Hour, Deadline: time.Now().Add(2 * time.Hour)})
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 100), []int64{due.ID})
	x.exec(3, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s`, longAgo)
	if got := x.due(workqueue.EveryPriority, 100); len(got) != 3 {
		x.Errorf("due items = %v, want all 3", got)
	}
}

func dueOrder(x *fixture) {
	soon, later := time.Now().Add(time.Hour), time.Now().Add(2*time.Hour)
	last := x.Item(ItemOpts{Priority: 10}).ID
	none := x.Item(ItemOpts{Priority: 20}).ID
	noneToo := x.Item(ItemOpts{Priority: 20}).ID
	second := x.Item(ItemOpts{Priority: 20, Deadline: later}).ID
	first := x.Item(ItemOpts{Priority: 20, Deadline: soon}).ID
	firstToo := x.Item(ItemOpts{Priority: 20, Deadline: soon}).ID
	top := x.Item(ItemOpts{Priority: 30, Deadline: later}).ID
	topToo := x.Item(ItemOpts{Priority: 30}).ID
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 100), []int64{top, topToo, first, firstToo, second, none, noneToo, last})
}

func dueLimit(x *fixture) {
	low := x.Items(3, ItemOpts{Priority: 1})
	deadline := x.Items(3, ItemOpts{Priority: 2, Deadline: time.Now().Add(time.Hour)})
	high := x.Items(3, ItemOpts{Priority: 3})
	all := append(append(append([]int64{}, high...), deadline...), low...)
	for _, limit := range []int{1, 3, 4, 6, 8, 9, 100} {
		x.wantIDs("due items", x.due(workqueue.EveryPriority, limit), all[:min(limit, len(all))])
	}
}

func dueBands(x *fixture) {
	ids := map[int]int64{}
	for _, p := range []int{499, 500, 1000, 1001} {
		ids[p] = x.Item(ItemOpts{Priority: p}).ID
	}
	for _, c := range []struct {
		band workqueue.Band
		want []int64
	}{
		{highBand, []int64{ids[1001]}},
		{mediumBand, []int64{ids[1000], ids[500]}},
		{lowBand, []int64{ids[499]}},
		{workqueue.Band{Min: 500, Max: workqueue.EveryPriority.Max}, []int64{ids[1001], ids[1000], ids[500]}},
		{workqueue.Band{Min: 1000, Max: 1000}, []int64{ids[1000]}},
		{workqueue.Band{Min: 1000, Max: 999}, nil},
	} {
		x.wantIDs("due items of "+c.band.String(), x.due(c.band, 100), c.want)
	}
}

func duePaused(x *fixture) {
	x.exec(1, `INSERT INTO "BotQueues" ("Name", "Paused") VALUES ('mail', '1')`)
	mail := x.Item(ItemOpts{Queue: "mail"}).ID
	mailToo := x.Item(ItemOpts{Queue: "mail", Deadline: time.Now().Add(time.Hour)}).ID
	other := x.Item(ItemOpts{Priority: 1}).ID
	x.wantIDs("due items while mail is paused", x.due(workqueue.EveryPriority, 100), []int64{other})
	x.exec(1, `UPDATE "BotQueues" SET "Paused" = '0' WHERE "Name" = 'mail'`)
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 100), []int64{mailToo, mail, other})
}

func dueDeleted(x *fixture) {
	kept := x.Item(ItemOpts{}).ID
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, longAgo, x.Item(ItemOpts{}).ID)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, longAgo, x.Item(ItemOpts{Deadline: time.Now().Add(time.Hour)}).ID)
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 100), []int64{kept})
}

func dueAssigned(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ids := x.Items(4, ItemOpts{})
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		for len(ids) > 0 {
			due, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 1)
			if err != nil {
				return err
			}
			if len(due) != 1 || due[0].ID != ids[0] {
				return fmt.Errorf("the pass sees %v, want item %d next", due, ids[0])
			}
			if _, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: ids[0], WorkerID: w.ID}}); err != nil {
				return err
			}
			ids = ids[1:]
		}
		due, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 1)
		if len(due) != 0 {
			x.Errorf("the pass sees %v after it assigned all items", due)
		}
		return err
	})
}

func dueFields(x *fixture) {
	deadline := time.Date(2090, 1, 2, 3, 4, 5, 0, time.UTC)
	inline := `{"name": "` + strings.Repeat("x", 400) + `"}`
	timed := x.Item(ItemOpts{Priority: 3, Deadline: deadline, Estimate: 1500 * time.Millisecond}).ID
	named := x.Item(ItemOpts{Priority: 2, Pipeline: "Invoice"}).ID
	long := x.Item(ItemOpts{Priority: 1, Pipeline: inline}).ID
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		due, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 10)
		if err != nil {
			return err
		}
		if len(due) != 3 {
			return fmt.Errorf("%d due items, want 3", len(due))
		}
		if d := due[0]; d.ID != timed || d.Priority != 3 || !d.Deadline.Equal(deadline) || d.Estimate != 1500*time.Millisecond {
			x.Errorf("the first item is %+v, want item %d with its deadline and estimate", d, timed)
		}
		if d := due[1]; d.ID != named || !d.Deadline.IsZero() || d.Estimate != 0 || d.Pipeline != "Invoice" {
			x.Errorf("the second item is %+v, want item %d with its pipeline", d, named)
		}
		if d := due[2]; d.ID != long || d.Pipeline == "" || !strings.HasPrefix(inline, d.Pipeline) {
			x.Errorf("the third item is %+v, want item %d with the start of its config", d, long)
		}
		return nil
	})
}

func dueExcluding(x *fixture) {
	soon := time.Now().Add(time.Hour)
	work := x.Item(ItemOpts{}).ID
	for range 3 { // more than the limit, in each part of the statement
		x.Item(ItemOpts{Pipeline: "Broken"})
		x.Item(ItemOpts{Pipeline: "Broken", Deadline: soon})
		x.Item(ItemOpts{Pipeline: "Broken one", In: time.Hour})
	}
	later := x.Item(ItemOpts{In: time.Hour, Deadline: soon.Add(time.Hour)}).ID
	dated := x.Item(ItemOpts{Deadline: soon.Add(time.Hour)}).ID
	x.exec(12, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s`, longAgo) // the statement lists items with In separately
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		due, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{Pipelines: []string{"Broken", "Broken one"}}, 3)
		var got []int64
		for _, d := range due {
			got = append(got, d.ID)
		}
		x.wantIDs("due items without those of broken pipelines", got, []int64{later, dated, work})
		return err
	})
}

// dueOfQueue compares the due items of one queue with those of all queues.
func dueOfQueue(x *fixture) {
	x.exec(1, `INSERT INTO "BotQueues" ("Name") VALUES ('mail')`)
	x.exec(1, `INSERT INTO "BotQueues" ("Name") VALUES ('shop')`)
	soon := time.Now().Add(time.Hour)
	for i := range 4 {
		x.Item(ItemOpts{Queue: "shop", Priority: 900 + i})
		x.Item(ItemOpts{Queue: "mail", Priority: 600 + i})
		x.Item(ItemOpts{Queue: "mail", Priority: 600 + i, Deadline: soon})
	}
	for _, queue := range []string{"mail", "shop"} { // not promoted yet
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, longAgo, x.Item(ItemOpts{Queue: queue, Priority: 601, In: time.Hour}).ID)
	}
	x.Item(ItemOpts{Queue: "mail", Priority: 600, In: time.Hour})
	x.Item(ItemOpts{Queue: "mail", Priority: 2000})
	x.Item(ItemOpts{Queue: "mail", Priority: 600, Pipeline: "Broken"})
	for _, queue := range []string{"mail", "shop"} { // two leaders each, and a batch that waits for more items
		in := func(it *workqueue.NewItem) { it.QueueName, it.Priority = queue, 602 }
		x.enqueueBatch(5, workqueue.ItemBatch{Key: "a", Max: 2, Wait: time.Hour, AtMost: time.Hour}, in)
		x.enqueueBatch(1, waitsFor("b"), in)
	}
	band, full := workqueue.Band{Min: 500, Max: 1000}, workqueue.Full{Pipelines: []string{"Broken"}}
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		all, err := tx.DueItems(ctx, band, full, 100)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(d workqueue.DueItem) bool { return d.QueueName != "mail" })
		if len(all) != 11 {
			x.Errorf("%d due items of mail, want 9 that run alone and 2 that lead a batch", len(all))
		}
		for _, limit := range []int{1, 5, 100} {
			got, err := tx.DueOfQueue(ctx, "mail", band, full, limit)
			if err != nil {
				return err
			}
			got = slices.DeleteFunc(got, func(d workqueue.DueItem) bool { return d.Further })
			if want := all[:min(limit, len(all))]; len(want) == 0 || !reflect.DeepEqual(got, want) {
				x.Errorf("up to %d due items of the queue: got\n%v, want\n%v", limit, got, want)
			}
		}
		return nil
	})
	x.exec(1, `UPDATE "BotQueues" SET "Paused" = '1' WHERE "Name" = 'mail'`)
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		got, err := tx.DueOfQueue(ctx, "mail", band, full, 100)
		if len(got) > 0 {
			x.Errorf("got %v while the queue is paused", got)
		}
		return err
	})
}
