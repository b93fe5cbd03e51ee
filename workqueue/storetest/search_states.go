package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"botwork/internal/testgroup"
	"botwork/workqueue"
)

// searchStates compares lists and counts by state, in every combination with a time, a queue and an order, with what
// the items say of themselves. Stores read them by other indexes than lists without a state.
func searchStates(x *fixture) {
	if _, err := x.Store.DefineQueues(x.ctx, []workqueue.Queue{{Name: "mail"}}, "test"); err != nil {
		x.Fatal(err)
	}
	var ids []int64
	for i, state := range slices.Concat(workqueue.States(), workqueue.States(), workqueue.States()) {
		o := ItemOpts{State: state, Queue: workqueue.DefaultQueue}
		if i%2 == 1 {
			o.Queue = "mail"
		}
		if i%3 == 1 {
			o.Deadline = time.Now().Add(time.Hour)
		}
		ids = append(ids, x.searchItem(o, 1+i%6))
	}
	for i, id := range ids {
		it := x.show(id)
		switch {
		case it.State == workqueue.Processed && i%4 != 0:
			x.exec(1, `UPDATE "BotWorkQueueItems" SET "RetainUntil" = %s WHERE "Id" = %d`, x.agoSQL(-time.Hour), id)
		case it.State == workqueue.Cancelled && i%4 == 0:
			x.exec(1, `UPDATE "BotWorkQueueItems" SET "ErrorKind" = 'business' WHERE "Id" = %d`, id)
		case it.State == workqueue.Ready && i >= 12:
			x.exec(1, `UPDATE "BotWorkQueueItems" SET "RetryCount" = 1, "AvailableAt" = %s WHERE "Id" = %d`, x.agoSQL(-time.Hour), id)
		}
		if i >= 12 && i%2 == 0 && (it.State == workqueue.Processed || it.State == workqueue.Cancelled) {
			x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, x.agoSQL(0), id)
		}
	}
	all := make([]workqueue.Item, len(ids))
	for i, id := range ids {
		all[i] = x.show(id)
	}
	since := time.Now().Add(-3*time.Hour - 30*time.Minute)
	n := 0
	for _, f := range stateFilters() {
		for _, queue := range []string{"", "mail"} {
			for _, finished := range []workqueue.TimeRange{{}, {Since: since}, {Since: since, Until: since.Add(2 * time.Hour)}} {
				for _, by := range []workqueue.ItemSort{{}, {By: workqueue.SortID}, {By: workqueue.SortFinished, Descending: true}} {
					if n++; n%testgroup.Cases(5, 1) != 0 {
						continue // every value is tried, but not every combination
					}
					f.QueueName, f.Finished, f.Sort = queue, finished, by
					x.wantSelected(f, all)
				}
			}
		}
	}
}

// stateFilters are filters by each state, lifecycle and status, by pairs of them, and by two that exclude each other.
func stateFilters() (all []workqueue.ItemFilter) {
	states, statuses := workqueue.States(), workqueue.Statuses()
	for i, s := range states {
		all = append(all, workqueue.ItemFilter{States: []workqueue.State{s}}, workqueue.ItemFilter{States: []workqueue.State{s, states[(i+1)%len(states)]}})
	}
	for _, l := range workqueue.Lifecycles() {
		all = append(all, workqueue.ItemFilter{Lifecycles: []workqueue.Lifecycle{l}})
	}
	for i, s := range statuses {
		all = append(all, workqueue.ItemFilter{Statuses: []workqueue.Status{s}}, workqueue.ItemFilter{Statuses: []workqueue.Status{s, statuses[(i+3)%len(statuses)]}})
	}
	return append(all, workqueue.ItemFilter{}, workqueue.ItemFilter{States: []workqueue.State{workqueue.Blocked}, Statuses: []workqueue.Status{workqueue.StatusSucceeded}})
}

// wantSelected checks the list and the counts of a filter by states, queue and end.
func (x *fixture) wantSelected(f workqueue.ItemFilter, all []workqueue.Item) {
	x.Helper()
	var want []workqueue.Item
	for i := range all {
		it := &all[i]
		in := f.Finished
		switch {
		case it.DeletedAt != nil && !f.Deleted(), f.QueueName != "" && it.QueueName != f.QueueName:
		case len(f.States) > 0 && !slices.Contains(f.States, it.State):
		case len(f.Lifecycles) > 0 && !slices.Contains(f.Lifecycles, it.Lifecycle):
		case len(f.Statuses) > 0 && !slices.Contains(f.Statuses, it.Status()):
		case in != (workqueue.TimeRange{}) && it.FinishedAt == nil:
		case !in.Since.IsZero() && it.FinishedAt.Before(in.Since), !in.Until.IsZero() && !it.FinishedAt.Before(in.Until):
		default:
			want = append(want, *it)
		}
	}
	slices.SortFunc(want, func(a, b workqueue.Item) int {
		switch f.Sort.By {
		case workqueue.SortID:
			return cmp.Compare(a.ID, b.ID)
		case workqueue.SortFinished:
			return cmp.Or(latestFirst(a.FinishedAt, b.FinishedAt), cmp.Compare(b.ID, a.ID))
		}
		return cmp.Compare(b.ID, a.ID)
	})
	what := fmt.Sprintf("states %v, lifecycles %v, statuses %v, queue %q, finished %v, sort %v", f.States, f.Lifecycles, f.Statuses, f.QueueName, f.Finished, f.Sort)
	x.wantIDs(what, x.list(f), idsOf(want))
	f.Limit = 2
	x.wantIDs(what+", two", x.list(f), idsOf(want[:min(len(want), 2)]))
	for most, count := range map[int64]int{0: len(want), 1: min(len(want), 1)} {
		f.CountAtMost = most
		if n, err := x.Store.CountItems(x.ctx, f); err != nil || n != int64(count) {
			x.Errorf("%s: counted %d of at most %d, %v; want %d", what, n, most, err, count)
		}
	}
}

// latestFirst orders times, with those that are missing last.
func latestFirst(a, b *time.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return b.Compare(*a)
}
