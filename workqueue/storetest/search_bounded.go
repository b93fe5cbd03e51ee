package storetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"botwork/internal/testgroup"
	"botwork/workqueue"
)

// searchBounded compares what a search finds that looks at a bounded number of items with what it finds without the
// bound: the same down to the id that it reports, and all of it page by page.
func searchBounded(x *fixture) {
	if _, err := x.Store.DefineQueues(x.ctx, []workqueue.Queue{{Name: "mail"}}, "test"); err != nil {
		x.Fatal(err)
	}
	var ids []int64
	for i := range 4 {
		for _, state := range workqueue.States() {
			o := ItemOpts{State: state, Queue: workqueue.DefaultQueue}
			if i%2 == 1 {
				o.Queue = "mail"
			}
			ids = append(ids, x.searchItem(o, 1+i))
		}
	}
	first, last, middle := ids[0], ids[len(ids)-1], ids[len(ids)/2]
	cuts, whole, n := 0, 0, 0
	for _, f := range stateFilters() {
		for _, queue := range []string{"", "mail"} {
			for _, by := range []workqueue.ItemSort{{}, {By: workqueue.SortFinished, Descending: true}} {
				for _, before := range []int64{0, middle} {
					for _, most := range []int64{1, 5, 15, last - first, last - first + 1, 1 << 40} {
						if n++; n%testgroup.Cases(5, 1) != 0 {
							continue // every value is tried, but not every combination
						}
						f.QueueName, f.Sort, f.BeforeID = queue, by, before
						beyond := last + 1
						if before > 0 {
							beyond = before
						}
						if x.wantBounded(f, most, beyond) {
							cuts++
						} else {
							whole++
						}
					}
				}
			}
			f.Sort, f.BeforeID = workqueue.ItemSort{}, 0
			x.wantBoundedPages(f)
		}
	}
	if cuts < 100 || whole < 100 {
		x.Errorf("%d searches were cut and %d were not, want many of both", cuts, whole)
	}
	// An index has the items of these states, or these items.
	running := workqueue.ItemFilter{Statuses: []workqueue.Status{workqueue.StatusRunning}, LookAt: 4}
	ended := workqueue.ItemFilter{Statuses: []workqueue.Status{workqueue.StatusSucceeded}, Finished: workqueue.TimeRange{Since: time.Now().Add(-24 * time.Hour)}, LookAt: 4}
	for _, f := range []workqueue.ItemFilter{running, ended, {IDs: []int64{first, middle}, LookAt: 1}} {
		all := f
		all.LookAt = 0
		if want := x.list(all); len(want) == 0 {
			x.Errorf("%+v: found none", all)
		} else {
			x.wantIDs("by an index", x.list(f), want)
		}
	}
	few := workqueue.ItemFilter{LookAt: 2, Statuses: []workqueue.Status{workqueue.StatusSucceeded}}
	if items, err := x.Store.Items(x.ctx, few); err == nil {
		x.Errorf("succeeded items among two: found %d of %d, and not where the search ended", len(items), len(ids))
	}
}

// wantBounded checks a list and its count that look at most items below an id, and reports whether they were cut.
func (x *fixture) wantBounded(f workqueue.ItemFilter, most, beyond int64) bool {
	x.Helper()
	what := fmt.Sprintf("states %v, lifecycles %v, statuses %v, queue %q, sort %v, before %d, look at %d", f.States, f.Lifecycles, f.Statuses, f.QueueName, f.Sort, f.BeforeID, most)
	all := x.list(f)
	f.LookAt = most
	items, err := x.Store.Items(x.ctx, f)
	var cut *workqueue.IncompleteError
	if err != nil && !errors.As(err, &cut) {
		x.Fatalf("%s: %v", what, err)
	}
	want := all
	if cut != nil {
		if cut.Below != beyond-most || int64(cut.Looked) != most {
			x.Errorf("%s: looked at %d down to %d, want down to %d", what, cut.Looked, cut.Below, beyond-most)
		}
		want = slices.DeleteFunc(slices.Clone(all), func(id int64) bool { return id < cut.Below })
	}
	x.wantIDs(what, idsOf(items), want)
	n, err := x.Store.CountItems(x.ctx, f)
	if (err != nil) != (cut != nil) || n != int64(len(want)) {
		x.Errorf("%s: counted %d, %v; want %d, cut %t", what, n, err, len(want), cut != nil)
	}
	if f.CountAtMost = 1; len(want) > 0 {
		if n, err := x.Store.CountItems(x.ctx, f); n != 1 || err != nil {
			x.Errorf("%s: counted %d of at most 1, %v", what, n, err)
		}
	}
	return cut != nil
}

// wantBoundedPages follows the pages of a list that looks at three items for each.
func (x *fixture) wantBoundedPages(f workqueue.ItemFilter) {
	x.Helper()
	want := x.list(f)
	var got []int64
	f.LookAt, f.Limit = 3, 2
	for {
		items, err := x.Store.Items(x.ctx, f)
		var cut *workqueue.IncompleteError
		if err != nil && !errors.As(err, &cut) {
			x.Fatal(err)
		}
		got = append(got, idsOf(items)...)
		switch {
		case cut != nil:
			f.BeforeID = cut.Below
		case len(items) == f.Limit:
			f.BeforeID = items[len(items)-1].ID
		default:
			x.wantIDs(fmt.Sprintf("states %v, lifecycles %v, statuses %v, queue %q, page by page", f.States, f.Lifecycles, f.Statuses, f.QueueName), got, want)
			return
		}
	}
}
