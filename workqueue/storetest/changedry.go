package storetest

import (
	"errors"

	"botwork/workqueue"
)

// changeDry does a dry run of every action in every state: it returns the same
// refusals, and changes nothing.
func changeDry(x *fixture) {
	for _, a := range workqueue.Actions() {
		c := workqueue.Change{Action: a, Reason: "the reason", By: "ann", DryRun: true}
		for _, state := range workqueue.States() {
			before := x.Item(ItemOpts{State: state, In: later(state)})
			clone, err := x.Store.ChangeItem(x.ctx, before.ID, c)
			if _, may := lifeOf[a][state]; !may {
				x.wantTransition(err, before.ID, string(a), state)
			} else if err != nil || clone != 0 {
				x.Errorf("a dry run of %s of an item that is %s = %d, %v, want no clone and no error", a, state, clone, err)
			}
			x.wantSame(before)
			x.exec(1, `DELETE FROM "BotWorkQueueItems" WHERE "Id" = %d`, before.ID)
		}
		if _, err := x.Store.ChangeItem(x.ctx, 4711, c); !errors.Is(err, workqueue.ErrNotFound) {
			x.Errorf("a dry run of %s of an item that does not exist: %v, want ErrNotFound", a, err)
		}
	}
	x.wantIDs("remaining items", x.list(workqueue.ItemFilter{}), nil)
}

// changeDryPages compares each dry run with the change after it, deleted items included.
func changeDryPages(x *fixture) {
	x.exec(1, `INSERT INTO "BotQueues" ("Name", "Deletion") VALUES ('kept', 'logical')`)
	for _, state := range workqueue.States() {
		for range 3 {
			x.Item(ItemOpts{Queue: "kept", State: state})
		}
	}
	deleted := x.Item(ItemOpts{Queue: "kept", State: workqueue.Cancelled})
	if err := Do(x.ctx, x.Store, workqueue.Delete, deleted.ID, ""); err != nil {
		x.Fatal(err)
	}
	all := workqueue.ItemFilter{QueueName: "kept", Lifecycles: workqueue.Lifecycles(), Limit: 4}
	for _, c := range []struct {
		action workqueue.Action
		want   int
	}{
		{workqueue.RunNow, 12},
		{workqueue.Clone, 19},
		{workqueue.Cancel, 12 + 6 + 19}, // those of RunNow, those of workers, the clones
		{workqueue.Repeat, 38},
		{workqueue.Archive, 38},
		{workqueue.Delete, 38},
	} {
		before := x.listedStates()
		if would, _ := x.changeAll(all, workqueue.Change{Action: c.action, DryRun: true}); would != c.want {
			x.Errorf("a dry run of %s would change %d items, want %d", c.action, would, c.want)
		}
		if after := x.listedStates(); after != before {
			x.Errorf("a dry run of %s changed the items to %s, were %s", c.action, after, before)
		}
		if changed, _ := x.changeAll(all, workqueue.Change{Action: c.action}); changed != c.want {
			x.Errorf("%s changed %d items, want %d", c.action, changed, c.want)
		}
	}
}

// listedStates returns all items as JSON.
func (x *fixture) listedStates() string {
	x.Helper()
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{Lifecycles: workqueue.Lifecycles(), Limit: 1000})
	if err != nil {
		x.Fatal(err)
	}
	return asJSON(items)
}
