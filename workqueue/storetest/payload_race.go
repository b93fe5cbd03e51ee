package storetest

import (
	"cmp"
	"slices"
	"time"

	"botwork/workqueue"
)

// payloadChangedMeanwhile changes a payload again and again while another call changes the item by a
// filter, whose search goes on for long after it has found the item. No such change may follow one
// after which the payload does not match; the audit log has their order.
func payloadChangedMeanwhile(x *fixture) {
	id := x.searchedLong()
	f := workqueue.ItemFilter{Payload: x.filterByPayload(`amount > 10`)}
	changed := 0
	change := func(priority int) {
		result, err := x.Store.ChangeItems(x.ctx, f, workqueue.Change{Action: workqueue.Update, Update: &workqueue.ItemUpdate{Priority: &priority}})
		if err != nil {
			x.Fatal(err)
		}
		changed += result.Changed
	}
	change(501)
	if changed != 1 {
		x.Fatalf("changed %d items, want 1", changed)
	}
	for round := range 30 {
		x.whileAmountChanges(id, round, func() { change(600 + round) })
	}
	x.wantOnlyMatching(changed)
}

// payloadClonedMeanwhile is payloadChangedMeanwhile for clones: each has a payload that matches.
func payloadClonedMeanwhile(x *fixture) {
	id := x.searchedLong()
	for round := range 30 {
		f := workqueue.ItemFilter{Payload: x.filterByPayload(`amount > 10`), BeforeID: id + 1} // without the clones
		x.whileAmountChanges(id, round, func() {
			result, err := x.Store.ChangeItems(x.ctx, f, workqueue.Change{Action: workqueue.Clone})
			if err != nil || result.Changed != len(result.Clones) {
				x.Fatalf("cloned %s, error %v", asJSON(result), err)
			}
			for _, clone := range result.Clones {
				if payload := x.show(clone).Payload; payload != `{"amount":11}` && payload != `{"amount":12}` {
					x.Errorf("item %d was cloned with the payload %s", clone, payload)
				}
			}
		})
	}
}

// searchedLong makes an item with the amount 11 that a search finds at once, before it looks at many
// others.
func (x *fixture) searchedLong() int64 {
	x.Helper()
	if _, err := x.Store.Enqueue(x.ctx, slices.Repeat([]workqueue.NewItem{{IntegrationConfig: "x", Payload: `{"amount":1}`}}, 1500)); err != nil {
		x.Fatal(err)
	}
	return x.wantNew("contended", workqueue.NewItem{IntegrationConfig: "x", Payload: `{"amount":11}`})
}

// whileAmountChanges runs do while the amount of an item falls below 10 and rises above it, faster in
// the first rounds.
func (x *fixture) whileAmountChanges(id int64, round int, do func()) {
	x.Helper()
	done := make(chan error, 1)
	go func() {
		for _, amount := range []string{"9", "11", "8", "12"} {
			payload := workqueue.JSONText(`{"amount":` + amount + `}`)
			change := workqueue.Change{Action: workqueue.Update, Update: &workqueue.ItemUpdate{Payload: &payload}, Reason: amount}
			if _, err := x.Store.ChangeItem(x.ctx, id, change); err != nil {
				done <- err
				return
			}
			time.Sleep(time.Duration(round) * time.Millisecond / 4)
		}
		done <- nil
	}()
	do()
	if err := <-done; err != nil {
		x.Fatal(err)
	}
}

// wantOnlyMatching checks that the items of the filter were changed as often as was reported, and only
// while the payload matched.
func (x *fixture) wantOnlyMatching(changed int) {
	x.Helper()
	entries, err := x.Store.AuditEntries(x.ctx, workqueue.AuditFilter{Limit: 1000})
	if err != nil {
		x.Fatal(err)
	}
	slices.SortFunc(entries, func(a, b workqueue.AuditEntry) int { return cmp.Compare(a.ID, b.ID) })
	reason, byFilter := "11", 0
	for _, e := range entries {
		switch {
		case e.Action != workqueue.AuditItemsPrefix+string(workqueue.Update):
		case e.Filter == "":
			reason = e.Reason
		default:
			if byFilter++; reason == "9" || reason == "8" {
				x.Errorf("the item was changed by the filter while its amount was %s", reason)
			}
		}
	}
	if byFilter != changed {
		x.Errorf("the audit log has %d changes by the filter, want the reported %d", byFilter, changed)
	}
}
