package storetest

import (
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

func searchTests() []test {
	return []test{
		{"ranges of times", searchTimes},
		{"states, in every combination", searchStates},
		{"looks at a bounded number of items", searchBounded},
		{"failures in a range", searchFailed},
		{"deadlines in a range", searchDeadlines},
		{"error kinds and parts of texts", searchTexts},
		{"orders", searchSorted},
		{"a count is that of the list", searchCount},
		{"every filter works in a change", searchChange},
	}
}

// searchItem makes an item whose times are so many hours ago.
func (x *fixture) searchItem(o ItemOpts, hours int) int64 {
	id := x.Item(o).ID
	set := `"CreatedAt" = %[1]s, "AvailableAt" = %[1]s`
	if o.State == workqueue.Processed || o.State == workqueue.Cancelled {
		set += `, "StartedAt" = %[1]s, "FinishedAt" = %[1]s`
	}
	x.exec(1, `UPDATE "BotWorkQueueItems" SET `+set+` WHERE "Id" = %[2]d`, x.agoSQL(time.Duration(hours)*time.Hour), id)
	return id
}

// newest returns ids in the order of a list.
func newest(ids ...int64) []int64 {
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids
}

func searchTimes(x *fixture) {
	var ids []int64
	for _, hours := range []int{1, 3, 5} {
		ids = append(ids, x.searchItem(ItemOpts{State: workqueue.Processed}, hours))
	}
	waiting := x.searchItem(ItemOpts{}, 3)
	ago := func(hours int) time.Time { return time.Now().Add(-time.Duration(hours) * time.Hour) }
	for what, c := range map[string]struct {
		set     func(*workqueue.ItemFilter, workqueue.TimeRange)
		waiting bool // whether a waiting item has the time
	}{
		"created":  {func(f *workqueue.ItemFilter, r workqueue.TimeRange) { f.Created = r }, true},
		"due":      {func(f *workqueue.ItemFilter, r workqueue.TimeRange) { f.Due = r }, true},
		"started":  {func(f *workqueue.ItemFilter, r workqueue.TimeRange) { f.Started = r }, false},
		"finished": {func(f *workqueue.ItemFilter, r workqueue.TimeRange) { f.Finished = r }, false},
	} {
		for _, r := range []struct {
			in   workqueue.TimeRange
			want []int64
		}{
			{workqueue.TimeRange{Since: ago(4)}, []int64{ids[0], ids[1]}},
			{workqueue.TimeRange{Until: ago(2)}, []int64{ids[1], ids[2]}},
			{workqueue.TimeRange{Since: ago(4), Until: ago(2)}, []int64{ids[1]}},
			{workqueue.TimeRange{Since: ago(2), Until: ago(4)}, nil},
		} {
			want := r.want
			if c.waiting && slices.Contains(want, ids[1]) {
				want = append(slices.Clone(want), waiting)
			}
			var f workqueue.ItemFilter
			c.set(&f, r.in)
			x.wantIDs(fmt.Sprintf("%s in %+v", what, r.in), x.list(f), newest(want...))
		}
	}
	exact := x.show(ids[1]).CreatedAt
	x.wantIDs("created since its own time", x.list(workqueue.ItemFilter{Created: workqueue.TimeRange{Since: exact, Until: exact.Add(time.Millisecond)}}), newest(ids[1]))
	x.wantIDs("created until its own time", x.list(workqueue.ItemFilter{Created: workqueue.TimeRange{Since: exact.Add(-time.Millisecond), Until: exact}}), nil)
}

func searchFailed(x *fixture) {
	old := x.searchItem(ItemOpts{State: workqueue.Cancelled}, 10)
	technical := x.searchItem(ItemOpts{State: workqueue.Cancelled}, 1)
	business := x.searchItem(ItemOpts{State: workqueue.Cancelled}, 1)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "ErrorKind" = 'business' WHERE "Id" = %d`, business)
	for _, kind := range []string{"'cancelled'", "'expired'", "NULL"} {
		id := x.searchItem(ItemOpts{State: workqueue.Cancelled}, 1)
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "ErrorKind" = %s WHERE "Id" = %d`, kind, id)
	}
	x.searchItem(ItemOpts{State: workqueue.Processed}, 1)
	since := workqueue.TimeRange{Since: time.Now().Add(-5 * time.Hour)}
	x.wantIDs("failed since", x.list(workqueue.ItemFilter{Failed: since}), newest(technical, business))
	x.wantIDs("failed until", x.list(workqueue.ItemFilter{Failed: workqueue.TimeRange{Until: since.Since}}), newest(old))
}

func searchDeadlines(x *fixture) {
	in := func(d time.Duration) time.Time { return time.Now().Add(d) }
	near := x.Item(ItemOpts{Deadline: in(5 * time.Minute)}).ID
	assigned := x.Item(ItemOpts{State: workqueue.Assigned, Deadline: in(6 * time.Minute)}).ID
	later := x.Item(ItemOpts{Deadline: in(time.Hour)}).ID
	x.Item(ItemOpts{})
	x.Item(ItemOpts{State: workqueue.Blocked, Deadline: in(5 * time.Minute)})
	x.Item(ItemOpts{State: workqueue.Processed, Deadline: in(5 * time.Minute)})
	bound := in(15 * time.Minute)
	for what, c := range map[string]struct {
		in   workqueue.TimeRange
		want []int64
	}{
		"until": {workqueue.TimeRange{Until: bound}, []int64{near, assigned}},
		"since": {workqueue.TimeRange{Since: bound}, []int64{later}},
		"both":  {workqueue.TimeRange{Since: in(5*time.Minute + 30*time.Second), Until: bound}, []int64{assigned}},
	} {
		f := workqueue.ItemFilter{Deadline: c.in}
		x.wantIDs("deadline "+what, x.list(f), newest(c.want...))
		if n, err := x.Store.CountItems(x.ctx, f); err != nil || n != int64(len(c.want)) {
			x.Errorf("deadline %s: counted %d, %v; want %d", what, n, err, len(c.want))
		}
		for most, want := range map[int64]int{1: 1, int64(len(c.want)): len(c.want), 10: len(c.want)} {
			f.CountAtMost = most
			if n, err := x.Store.CountItems(x.ctx, f); err != nil || n != int64(want) {
				x.Errorf("deadline %s: counted %d of at most %d, %v; want %d", what, n, most, err, want)
			}
		}
	}
}

func searchTexts(x *fixture) {
	item := func(kind, text, key string) int64 {
		id := x.Item(ItemOpts{State: workqueue.Cancelled}).ID
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "ErrorKind" = '%s', "Error" = '%s', "NaturalKey" = '%s' WHERE "Id" = %d`, kind, text, key, id)
		return id
	}
	timeout := item("timeout", "Connection REFUSED by host_1", "order-17")
	percent := item("error", "disk 100% full [C:]", `path\17`)
	other := item("business", "no such customer", "ORDER-4")
	for what, c := range map[string]struct {
		f    workqueue.ItemFilter
		want []int64
	}{
		"a kind":               {workqueue.ItemFilter{ErrorKinds: []workqueue.ErrorKind{workqueue.KindTimeout}}, []int64{timeout}},
		"two kinds":            {workqueue.ItemFilter{ErrorKinds: []workqueue.ErrorKind{workqueue.KindTimeout, workqueue.KindBusiness}}, []int64{timeout, other}},
		"another case":         {workqueue.ItemFilter{ErrorPart: "connection refused"}, []int64{timeout}},
		"a percent sign":       {workqueue.ItemFilter{ErrorPart: "100% f"}, []int64{percent}},
		"not a pattern":        {workqueue.ItemFilter{ErrorPart: "d%k"}, nil},
		"an underscore":        {workqueue.ItemFilter{ErrorPart: "host_1"}, []int64{timeout}},
		"not any character":    {workqueue.ItemFilter{ErrorPart: "host__"}, nil},
		"brackets":             {workqueue.ItemFilter{ErrorPart: "[C:]"}, []int64{percent}},
		"not a set":            {workqueue.ItemFilter{ErrorPart: "[A-Z]"}, nil},
		"a quote":              {workqueue.ItemFilter{ErrorPart: "'"}, nil},
		"part of a key":        {workqueue.ItemFilter{KeyPart: "order-"}, []int64{timeout, other}},
		"a backslash of a key": {workqueue.ItemFilter{KeyPart: `h\1`}, []int64{percent}},
		"both":                 {workqueue.ItemFilter{KeyPart: "17", ErrorPart: "full"}, []int64{percent}},
	} {
		x.wantIDs(what, x.list(c.f), newest(c.want...))
	}
}

func searchSorted(x *fixture) {
	a := x.searchItem(ItemOpts{State: workqueue.Processed, Priority: 5}, 3)
	b := x.searchItem(ItemOpts{Priority: 9}, 1)
	c := x.searchItem(ItemOpts{State: workqueue.Processed, Priority: 7}, 2)
	d := x.searchItem(ItemOpts{Priority: 5}, 4)
	for text, want := range map[string][]int64{
		"": {d, c, b, a}, "id": {a, b, c, d}, "-id": {d, c, b, a},
		"priority": {d, a, c, b}, "-priority": {b, c, d, a},
		"created": {d, a, c, b}, "-created": {b, c, a, d}, "due": {d, a, c, b}, "-due": {b, c, a, d},
		"finished": {a, c, d, b}, "-finished": {c, a, d, b}, "-started": {c, a, d, b},
	} {
		var by workqueue.ItemSort
		var err error
		if text != "" {
			if by, err = workqueue.ParseItemSort(text); err != nil {
				x.Fatal(err)
			}
		}
		x.wantIDs("sorted by "+text, x.list(workqueue.ItemFilter{Sort: by}), want)
		if got := x.list(workqueue.ItemFilter{Sort: by, Limit: 2}); !slices.Equal(got, want[:2]) {
			x.Errorf("the first two by %q are %v, want %v", text, got, want[:2])
		}
	}
	if by, err := workqueue.ParseItemSort("size"); err == nil {
		x.Errorf("ParseItemSort(size) = %v, want an error", by)
	}
}

func searchCount(x *fixture) {
	x.keyQueues()
	for _, state := range workqueue.States() {
		x.Item(ItemOpts{State: state, Queue: "keyed"})
	}
	hidden := x.Item(ItemOpts{State: workqueue.Processed, Queue: "keyed"}).ID
	if err := Do(x.ctx, x.Store, workqueue.Delete, hidden, ""); err != nil {
		x.Fatal(err)
	}
	for what, f := range map[string]workqueue.ItemFilter{
		"everything": {}, "one state": {States: []workqueue.State{workqueue.Ready}}, "a status": {Statuses: []workqueue.Status{workqueue.StatusFailed}},
		"deleted": {Lifecycles: []workqueue.Lifecycle{workqueue.LifeDeleted}}, "none": {Pipeline: "nothing"}, "a page": {Limit: 1},
	} {
		n, err := x.Store.CountItems(x.ctx, f)
		all := f
		all.Limit = 0
		if want := len(x.list(all)); err != nil || int(n) != want {
			x.Errorf("%s: counted %d items, error %v, want %d", what, n, err, want)
		}
	}
}

// searchChange cancels with each new filter: it changes the items of the list and no others.
func searchChange(x *fixture) {
	for what, f := range map[string]workqueue.ItemFilter{
		"created": {Created: workqueue.TimeRange{Since: time.Now().Add(-2 * time.Hour)}},
		"due":     {Due: workqueue.TimeRange{Until: time.Now().Add(-2 * time.Hour)}},
		"key":     {KeyPart: "right"},
		"error":   {ErrorPart: "right"},
		"kind":    {ErrorKinds: []workqueue.ErrorKind{workqueue.KindTimeout}},
	} {
		queue := "search-" + what
		x.define("test", []string{queue}, workqueue.Queue{Name: queue})
		for _, hours := range []int{1, 3} {
			for _, right := range []string{"right", "wrong"} {
				id := x.searchItem(ItemOpts{Queue: queue}, hours)
				kind := map[string]string{"right": "timeout", "wrong": "error"}[right]
				x.exec(1, `UPDATE "BotWorkQueueItems" SET "NaturalKey" = 'the %[1]s one', "Error" = 'the %[1]s one', "ErrorKind" = '%[2]s' WHERE "Id" = %[3]d`, right, kind, id)
			}
		}
		f.QueueName = queue
		want := x.list(f)
		result, err := x.Store.ChangeItems(x.ctx, f, workqueue.Change{Action: workqueue.Cancel})
		if err != nil || result.Changed != 2 || len(want) != 2 {
			x.Errorf("%s: changed %s, error %v, want the two items %v", what, asJSON(result), err, want)
		}
		for _, id := range want {
			if it := x.show(id); it.State != workqueue.Cancelled {
				x.Errorf("%s: item %d is %s", what, id, it.State)
			}
		}
	}
}
