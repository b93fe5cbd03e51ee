package storetest

import (
	"errors"
	"slices"

	"botwork/workqueue"
)

func listTests() []test {
	return []test{
		{"an item that does not exist", listMissing},
		{"filters", listFilters},
		{"by status", listByStatus},
		{"a hundred by default", listLimit},
		{"pages have no gap and no duplicate while items arrive", listPages},
		{"attempts in the order of their ends", listAttempts},
		{"times are UTC to the millisecond", listTimes},
	}
}

func listMissing(x *fixture) {
	if _, err := x.Store.Item(x.ctx, 4711); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("Item: error %v, want ErrNotFound", err)
	}
	if attempts, err := x.Store.Attempts(x.ctx, 4711); err != nil || len(attempts) != 0 {
		x.Errorf("Attempts = %v, %v, want none", attempts, err)
	}
}

func listFilters(x *fixture) {
	x.exec(1, `INSERT INTO "BotQueues" ("Name") VALUES ('mail')`)
	ann, bob := x.Worker(WorkerOpts{Name: "ann"}), x.Worker(WorkerOpts{Name: "bob"})
	ready := x.Item(ItemOpts{Priority: 499}).ID
	mail := x.Item(ItemOpts{Queue: "mail", Priority: 500}).ID
	pending := x.Item(ItemOpts{State: workqueue.Pending, Pipeline: "Invoice"}).ID
	done := x.Item(ItemOpts{State: workqueue.Processed, Worker: ann, Priority: 1001}).ID
	held := x.Item(ItemOpts{State: workqueue.Assigned, Worker: ann, Priority: 1001}).ID
	failed := x.Item(ItemOpts{State: workqueue.Cancelled, Worker: bob}).ID
	deleted := x.Item(ItemOpts{}).ID
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, longAgo, deleted)
	for _, c := range []struct {
		name   string
		filter workqueue.ItemFilter
		want   []int64 // the newest first
	}{
		{"none", workqueue.ItemFilter{}, []int64{failed, held, done, pending, mail, ready}},
		{"one state", workqueue.ItemFilter{States: []workqueue.State{workqueue.Ready}}, []int64{mail, ready}},
		{"states", workqueue.ItemFilter{States: []workqueue.State{workqueue.Processed, workqueue.Cancelled}}, []int64{failed, done}},
		{"queue", workqueue.ItemFilter{QueueName: "mail"}, []int64{mail}},
		{"a queue that does not exist", workqueue.ItemFilter{QueueName: "nowhere"}, nil},
		{"pipeline", workqueue.ItemFilter{Pipeline: "Invoice"}, []int64{pending}},
		{"worker", workqueue.ItemFilter{Worker: "ann"}, []int64{held, done}},
		{"a worker that does not exist", workqueue.ItemFilter{Worker: "eve"}, nil},
		{"high", workqueue.ItemFilter{Band: highBand}, []int64{held, done}},
		{"medium", workqueue.ItemFilter{Band: mediumBand}, []int64{failed, pending, mail}},
		{"low", workqueue.ItemFilter{Band: lowBand}, []int64{ready}},
		{"before", workqueue.ItemFilter{BeforeID: pending}, []int64{mail, ready}},
		{"limit", workqueue.ItemFilter{Limit: 2}, []int64{failed, held}},
		{"from an id on", workqueue.ItemFilter{FromID: done, BeforeID: failed}, []int64{held, done}},
		{"several at once", workqueue.ItemFilter{Worker: "ann", States: []workqueue.State{workqueue.Assigned}, Band: highBand, Limit: 5}, []int64{held}},
	} {
		items, err := x.Store.Items(x.ctx, c.filter)
		if err != nil {
			x.Errorf("%s: %v", c.name, err)
		}
		x.wantIDs("filter "+c.name, idsOf(items), c.want)
	}
}

// Each status lists the items that have it, and together they list all items.
func listByStatus(x *fixture) {
	of := func(state workqueue.State, set string) int64 {
		id := x.Item(ItemOpts{}).ID
		if set != "" {
			set = ", " + set
		}
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "State" = %d%s WHERE "Id" = %d`, state, set, id)
		return id
	}
	const later = `"AvailableAt" = '2099-01-01 00:00:00.000'`
	want := map[workqueue.Status][]int64{
		workqueue.StatusScheduled:     {of(workqueue.Ready, later)},
		workqueue.StatusPending:       {of(workqueue.Ready, ""), of(workqueue.Pending, `"RetryCount" = 2, "ErrorKind" = 'business'`)},
		workqueue.StatusAssigned:      {of(workqueue.Assigned, "")},
		workqueue.StatusRunning:       {of(workqueue.Blocked, `"ErrorKind" = 'error'`)},
		workqueue.StatusRetry:         {of(workqueue.Ready, later+`, "RetryCount" = 1`)},
		workqueue.StatusSucceeded:     {of(workqueue.Processed, "")},
		workqueue.StatusFailed:        {of(workqueue.Cancelled, `"ErrorKind" = 'error'`), of(workqueue.Cancelled, `"ErrorKind" = 'poison'`), of(workqueue.Cancelled, `"ErrorKind" = 'of a newer program'`)},
		workqueue.StatusBusinessError: {of(workqueue.Cancelled, `"ErrorKind" = 'business'`)},
		workqueue.StatusExpired:       {of(workqueue.Cancelled, `"ErrorKind" = 'expired'`)},
		workqueue.StatusCancelled:     {of(workqueue.Cancelled, `"ErrorKind" = 'cancelled'`), of(workqueue.Cancelled, `"ErrorKind" = NULL`)},
		workqueue.StatusDeleted:       {of(workqueue.Cancelled, `"ErrorKind" = 'expired', "DeletedAt" = '2026-01-01 00:00:00.000'`)},
	}
	count := 0
	for _, status := range workqueue.Statuses() {
		items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{Statuses: []workqueue.Status{status}})
		if err != nil {
			x.Fatalf("%s: %v", status, err)
		}
		slices.Reverse(items) // the oldest first
		x.wantIDs("status "+string(status), idsOf(items), want[status])
		for i := range items {
			if got := items[i].Status(); got != status {
				x.Errorf("item %d is listed as %s, but it is %s", items[i].ID, status, got)
			}
		}
		count += len(items)
	}
	all, err := x.Store.Items(x.ctx, workqueue.ItemFilter{Statuses: workqueue.Statuses()})
	if err != nil || len(all) != count {
		x.Errorf("all statuses together list %d items, %v; one by one they list %d", len(all), err, count)
	}
	both := workqueue.ItemFilter{Statuses: []workqueue.Status{workqueue.StatusFailed, workqueue.StatusRetry}, Lifecycles: []workqueue.Lifecycle{workqueue.LifeRetry}}
	if items, err := x.Store.Items(x.ctx, both); err != nil || len(items) != 1 {
		x.Errorf("statuses and lifecycles together list %d items, %v; want the one that matches both", len(items), err)
	}
}

func listLimit(x *fixture) {
	x.Items(101, ItemOpts{})
	if items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{}); err != nil || len(items) != 100 {
		x.Errorf("Items = %d items, %v, want 100", len(items), err)
	}
}

func listPages(x *fixture) {
	want := x.Items(25, ItemOpts{})
	slices.Reverse(want)
	var got []int64
	for filter := (workqueue.ItemFilter{Limit: 4}); ; {
		page, err := x.Store.Items(x.ctx, filter)
		if err != nil {
			x.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		got = append(got, idsOf(page)...)
		filter.BeforeID = got[len(got)-1]
		x.Items(3, ItemOpts{}) // newer than every later page
	}
	x.wantIDs("all pages", got, want)
}

func listAttempts(x *fixture) {
	w := x.Worker(WorkerOpts{Name: "ann"})
	id := x.Item(ItemOpts{}).ID
	for n, outcome := range []string{"failed", "timeout", "snoozed", "released"} {
		x.Assign(w, id)
		it := x.claim(w, 1)[0]
		x.finish(w, workqueue.Finish{
			ItemID: id, Fence: it.Fence, State: workqueue.Ready, RetryCount: n, Error: outcome + " text", ErrorKind: workqueue.KindError,
			Attempt: &workqueue.AttemptNote{Number: n + 1, Outcome: outcome, Step: "load", Reason: outcome + " reason"},
		})
	}
	attempts := x.attempts(id)
	if len(attempts) != 4 {
		x.Fatalf("%d attempts, want 4", len(attempts))
	}
	for n, outcome := range []string{"failed", "timeout", "snoozed", "released"} {
		a, text, kind, reason := attempts[n], outcome+" text", "error", "NULL"
		switch outcome { // no failures
		case "snoozed":
			text, kind, reason = "NULL", "NULL", outcome+" reason"
		case "released":
			text, kind = outcome+" reason", "NULL"
		}
		if a.ItemID != id || a.Attempt != n+1 || a.Fence != int64(n+1) || a.Outcome != outcome || deref(a.Error) != text ||
			deref(a.ErrorKind) != kind || deref(a.Reason) != reason || deref(a.Step) != "load" || deref(a.WorkerID) != deref(&w.ID) || deref(a.WorkerName) != "ann" {
			x.Errorf("attempt %d is %s", n+1, asJSON(a))
		}
		x.wantClean("StartedAt", a.StartedAt)
		x.wantClean("FinishedAt", &a.FinishedAt)
		if a.StartedAt != nil && a.FinishedAt.Before(*a.StartedAt) {
			x.Errorf("attempt %d ended at %s, before it started at %s", n+1, a.FinishedAt, a.StartedAt)
		}
	}
}

func listTimes(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.wantClean("a worker's StartedAt", &w.StartedAt)
	x.wantClean("a worker's LastSeenAt", &w.LastSeenAt)
	x.wantClean("a worker's LeaseExpiresAt", w.LeaseExpiresAt)
	running := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.wantClean("CreatedAt", &running.CreatedAt)
	x.wantClean("AvailableAt", &running.AvailableAt)
	x.wantClean("AssignedAt", running.AssignedAt)
	x.wantClean("StartedAt", running.StartedAt)
	x.wantClean("LeaseExpiresAt", running.LeaseExpiresAt)
	done := x.Item(ItemOpts{State: workqueue.Processed})
	x.wantClean("FinishedAt", done.FinishedAt)
}
