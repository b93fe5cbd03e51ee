package storetest

import (
	"errors"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// purge purges all pages.
func (x *fixture) purge(p workqueue.PurgeParams) (removed, pages int) {
	x.Helper()
	for {
		r, err := x.Store.PurgeQueue(x.ctx, p)
		if err != nil {
			x.Fatal(err)
		}
		pages++
		if removed += r.Removed; r.Next == 0 {
			return removed, pages
		}
		p.BeforeID = r.Next
	}
}

func purgeAll(x *fixture) {
	x.defineThese(
		workqueue.Queue{Name: "full", QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}},
		workqueue.Queue{Name: "other"},
	)
	var running, others []workqueue.Item
	for _, state := range workqueue.States() {
		it := x.Item(ItemOpts{Queue: "full", State: state})
		if state == workqueue.Blocked {
			running = append(running, it)
		}
		others = append(others, x.Item(ItemOpts{Queue: "other", State: state}))
	}
	hidden := x.Item(ItemOpts{Queue: "full", State: workqueue.Cancelled})
	if _, err := x.Store.ChangeItem(x.ctx, hidden.ID, workqueue.Change{Action: workqueue.Delete}); err != nil {
		x.Fatal(err)
	}
	x.row("hidden by hand while it runs", "full", `"State" = 1`, `"DeletedAt" = `+longAgo)
	x.recount()
	if n, _ := x.purge(workqueue.PurgeParams{Queue: "full"}); n != len(workqueue.States())-1+1 {
		x.Errorf("removed %d items, want all but the running ones", n)
	}
	for _, it := range slices.Concat(running, others) {
		x.wantSame(it)
	}
	if err := keptIsCounted(x.ctx, x.Store); err != nil {
		x.Error(err)
	}
	if left, want := x.left(), len(running)+len(others)+1; len(left) != want {
		x.Errorf("the remaining items are %q, want %d", left, want)
	}
	if n, _ := x.purge(workqueue.PurgeParams{Queue: "full"}); n != 0 {
		x.Errorf("a second purge removed %d items, want 0", n)
	}
}

func purgePages(x *fixture) {
	x.defineThese(workqueue.Queue{Name: "full"})
	x.row("x", "full", `"State" = 4`)
	x.several(1<<10, `"IntegrationConfig", "QueueName", "State"`)
	x.exec(100, `UPDATE "BotWorkQueueItems" SET "State" = 1 WHERE "Id" IN (
		SELECT "Id" FROM "BotWorkQueueItems" WHERE "Id" BETWEEN %d AND %d)`, x.anyID("full")-149, x.anyID("full")-50)
	first, err := x.Store.PurgeQueue(x.ctx, workqueue.PurgeParams{Queue: "full", Limit: 10})
	if err != nil || first.Removed != 10 || first.Next == 0 {
		x.Fatalf("PurgeQueue = %+v, %v, want 10 items removed and a next page", first, err)
	}
	n, pages := x.purge(workqueue.PurgeParams{Queue: "full"})
	if n != 1<<10-100-10 || pages != 2 {
		x.Errorf("removed %d items in %d pages, want %d in 2", n, pages, 1<<10-100-10)
	}
}

// anyID returns the newest id of a queue.
func (x *fixture) anyID(queue string) int64 {
	x.Helper()
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{QueueName: queue, Limit: 1})
	if err != nil || len(items) != 1 {
		x.Fatalf("Items = %d, %v", len(items), err)
	}
	return items[0].ID
}

func purgeLifecycles(x *fixture) {
	for _, state := range workqueue.States() {
		x.Item(ItemOpts{State: state, Pipeline: strings.ToLower(state.String())})
	}
	x.Item(ItemOpts{In: time.Hour, Pipeline: "scheduled"})
	x.row("deleted", "default", `"State" = 3`, `"DeletedAt" = `+longAgo)
	all := x.left()
	without := func(names ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(names, name) })
	}
	for _, c := range []struct {
		of   []workqueue.Lifecycle
		left []string
	}{
		{[]workqueue.Lifecycle{workqueue.LifeCompleted}, without("processed")},
		{[]workqueue.Lifecycle{workqueue.LifeScheduled}, without("processed", "scheduled")},
		{[]workqueue.Lifecycle{workqueue.LifeArchived, workqueue.LifeDeleted}, without("processed", "scheduled", "cancelled", "deleted")},
		{[]workqueue.Lifecycle{workqueue.LifePending, workqueue.LifeAssigned}, []string{"blocked"}},
	} {
		x.purge(workqueue.PurgeParams{Queue: "default", Lifecycles: c.of})
		x.wantLeft(c.left...)
	}
}

func purgeRefused(x *fixture) {
	it := x.Item(ItemOpts{})
	if _, err := x.Store.PurgeQueue(x.ctx, workqueue.PurgeParams{Queue: "nowhere"}); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("PurgeQueue of an unknown queue = %v, want ErrNotFound", err)
	}
	p := workqueue.PurgeParams{Queue: "default", Lifecycles: []workqueue.Lifecycle{workqueue.LifePending, workqueue.LifeActive}}
	if _, err := x.Store.PurgeQueue(x.ctx, p); err == nil || !strings.Contains(err.Error(), "running") {
		x.Errorf("PurgeQueue of running items = %v, want an error", err)
	}
	x.wantSame(it)
}
