package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

func auditTests() []test {
	return []test{
		{"each method that changes something writes one entry", auditMethods},
		{"every method is audited or has a reason not to be", auditDecided},
		{"a command is one entry, whatever its number of pages", auditPages},
		{"a page whose keys are taken is one entry about what was changed", auditKeysTaken},
		{"the items that a command names are one entry", auditNamed},
		{"a dry run writes none", auditDryRun},
		{"a repeated part writes none", auditRepeatedPart},
		{"the same part at the same time is counted once", auditContended},
		{"values before and after", auditValuesOf},
		{"long texts are hashes", auditLong},
		{"a deleted item is described", auditDeleted},
		{"a deleted failure can be counted", auditDeletedFailure},
		{"a change without an actor", auditNobody},
		{"filters", auditFilters},
		{"the entries of an item", auditOfItem},
		{"old entries are removed after their items", auditRemoved},
		{"a random sequence of changes, each in the log once", auditRandom},
	}
}

// auditor is the actor of these tests.
var auditor = workqueue.Actor{Name: "ann", Via: workqueue.ViaCLI, Host: "desk-1", Reason: "ticket 4711"}

// asAuditor is the context of a change by the auditor.
func (x *fixture) asAuditor() context.Context { return workqueue.WithActor(x.ctx, auditor) }

// audit lists entries, the newest first.
func (x *fixture) audit(f workqueue.AuditFilter) []workqueue.AuditEntry {
	x.Helper()
	entries, err := x.Store.AuditEntries(x.ctx, f)
	if err != nil {
		x.Fatal(err)
	}
	return entries
}

// lastAudit returns the id of the newest entry; 0 if there is none.
func (x *fixture) lastAudit() int64 {
	x.Helper()
	if last := x.audit(workqueue.AuditFilter{Limit: 1}); len(last) > 0 {
		return last[0].ID
	}
	return 0
}

// auditSince lists the entries after one, the oldest first.
func (x *fixture) auditSince(id int64) (entries []workqueue.AuditEntry) {
	x.Helper()
	for _, e := range x.audit(workqueue.AuditFilter{Limit: 1000}) {
		if e.ID > id {
			entries = append(entries, e)
		}
	}
	slices.Reverse(entries)
	return entries
}

// oneAudit returns the only entry after one.
func (x *fixture) oneAudit(after int64) workqueue.AuditEntry {
	x.Helper()
	entries := x.auditSince(after)
	if len(entries) != 1 {
		x.Fatalf("the audit log has %d new entries, want 1: %s", len(entries), asJSON(entries))
	}
	return entries[0]
}

// auditItems lists all items of an entry.
func (x *fixture) auditItems(id int64) (all []workqueue.AuditItem) {
	x.Helper()
	for after := int64(0); ; {
		page, err := x.Store.AuditItems(x.ctx, id, after, 7)
		if err != nil {
			x.Fatal(err)
		}
		if all = append(all, page...); len(page) < 7 {
			return all
		}
		after = page[len(page)-1].ID
	}
}

// auditIDs lists the ids of the items of an entry, in ascending order.
func (x *fixture) auditIDs(id int64) []int64 {
	x.Helper()
	ids := []int64{}
	for _, it := range x.auditItems(id) {
		ids = append(ids, it.ItemID)
	}
	slices.Sort(ids)
	return ids
}

// wantValues checks values of the audit log. A want of "*" is any value.
func (x *fixture) wantValues(what string, got workqueue.JSONText, want map[string]any) {
	x.Helper()
	have := map[string]any{}
	if got != "" {
		if err := json.Unmarshal([]byte(got), &have); err != nil {
			x.Fatalf("%s: %v: %s", what, err, got)
		}
	}
	for key, value := range want {
		if _, ok := have[key]; ok && value == "*" {
			have[key] = value
		}
	}
	if asJSON(have) != asJSON(want) {
		x.Errorf("%s: %s, want %s", what, asJSON(have), asJSON(want))
	}
}

func auditPages(x *fixture) {
	ids := x.Items(25, ItemOpts{Priority: 700})
	x.Items(3, ItemOpts{Priority: 900})
	before := x.lastAudit()
	f := workqueue.ItemFilter{Band: workqueue.Band{Min: 700, Max: 700}, Limit: 10}
	c := workqueue.Change{Action: workqueue.Cancel, Reason: "no longer needed", Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey()}}
	for pages := 1; ; pages++ {
		c.Batch.Part++
		got, err := x.Store.ChangeItems(x.asAuditor(), f, c)
		if err != nil {
			x.Fatal(err)
		}
		// A command that is killed now leaves an entry about exactly what it has done.
		if e := x.oneAudit(before); e.Changed != int64(min(10*pages, 25)) || len(x.auditItems(e.ID)) != int(e.Changed) {
			x.Errorf("after %d pages the entry is %s with %d items", pages, asJSON(e), len(x.auditItems(e.ID)))
		}
		if got.Next == 0 {
			break
		}
		f.BeforeID = got.Next
	}
	e := x.oneAudit(before)
	if e.Action != "items.cancel" || e.TargetKind != workqueue.TargetItem || e.Target != "" || e.Filter != `{"band":{"max":700,"min":700}}` ||
		e.Reason != auditor.Reason || e.Actor != "ann" || deref(e.Operation) != c.Batch.Key {
		x.Errorf("the entry is %s", asJSON(e))
	}
	x.wantClean("At", &e.At)
	x.wantIDs("its items", x.auditIDs(e.ID), ids)
}

// auditKeysTaken repeats a page of which one item cannot have its key back: the page is rolled
// back, and its items are changed one by one.
func auditKeysTaken(x *fixture) {
	x.keyQueues()
	add := func(name string) int64 { return x.wantNew(name, key("keyed", name)) }
	a, b, c := add("a"), add("b"), add("c")
	x.exec(3, `UPDATE "BotWorkQueueItems" SET "State" = 3, "UniqueKey" = NULL, "FinishedAt" = %s`, longAgo)
	add("b")
	before := x.lastAudit()
	got, err := x.Store.ChangeItems(x.asAuditor(), workqueue.ItemFilter{States: []workqueue.State{workqueue.Cancelled}}, workqueue.Change{Action: workqueue.Repeat})
	if err != nil || got.Changed != 2 || got.KeysTaken != 1 {
		x.Fatalf("ChangeItems = %+v, %v, want 2 repeated and 1 key taken", got, err)
	}
	x.wantIDs("items of the entry", x.auditIDs(x.oneAudit(before).ID), []int64{a, c})
	after := x.lastAudit()
	x.wantDuplicate(Do(x.asAuditor(), x.Store, workqueue.Repeat, b, ""), b+2)
	if more := x.auditSince(after); len(more) != 0 {
		x.Errorf("a refused change wrote %s", asJSON(more))
	}
}

func auditNamed(x *fixture) {
	ids := x.Items(3, ItemOpts{})
	before := x.lastAudit()
	c := workqueue.Change{Action: workqueue.Archive, Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey()}}
	for i, id := range append(ids, ids[0]) { // the last one is done already
		if _, err := x.Store.ChangeItem(x.asAuditor(), id, c); err != nil {
			x.Fatal(err)
		}
		want := ""
		if i == 0 {
			want = fmt.Sprint(id)
		}
		if e := x.oneAudit(before); e.Target != want || e.Filter != "" {
			x.Errorf("after %d items the entry is %s, want the target %q", i+1, asJSON(e), want)
		}
	}
	x.wantIDs("items of the entry", x.auditIDs(x.oneAudit(before).ID), ids)
}

func auditDryRun(x *fixture) {
	id := x.Item(ItemOpts{}).ID
	before := x.lastAudit()
	c := workqueue.Change{Action: workqueue.Cancel, DryRun: true}
	if _, err := x.Store.ChangeItem(x.asAuditor(), id, c); err != nil {
		x.Fatal(err)
	}
	if _, err := x.Store.ChangeItems(x.asAuditor(), workqueue.ItemFilter{}, c); err != nil {
		x.Fatal(err)
	}
	if got := x.auditSince(before); len(got) != 0 {
		x.Errorf("a dry run wrote %s", asJSON(got))
	}
}

func auditRepeatedPart(x *fixture) {
	x.Items(3, ItemOpts{})
	before := x.lastAudit()
	c := workqueue.Change{Action: workqueue.Clone, Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}}
	f := workqueue.ItemFilter{BeforeID: x.list(workqueue.ItemFilter{})[0] + 1}
	for range 2 {
		if _, err := x.Store.ChangeItems(x.asAuditor(), f, c); err != nil {
			x.Fatal(err)
		}
	}
	if e := x.oneAudit(before); e.Changed != 3 || len(x.auditItems(e.ID)) != 3 {
		x.Errorf("the entry is %s, want 3 items", asJSON(e))
	}
}

func auditContended(x *fixture) {
	ids := x.Items(40, ItemOpts{})
	before := x.lastAudit()
	c := workqueue.Change{Action: workqueue.Cancel, Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}}
	stores := []Store{x.Store, x.Another(x.T), x.Another(x.T)}
	errs := make(chan error, len(stores))
	for _, s := range stores {
		go func() {
			_, err := s.ChangeItems(x.asAuditor(), workqueue.ItemFilter{}, c)
			errs <- err
		}()
	}
	for range stores {
		if err := <-errs; err != nil {
			x.Error(err)
		}
	}
	e := x.oneAudit(before)
	x.wantIDs("items of the entry", x.auditIDs(e.ID), ids)
	if e.Changed != int64(len(ids)) {
		x.Errorf("the entry counts %d items, want %d", e.Changed, len(ids))
	}
}

func auditNobody(x *fixture) {
	id := x.Item(ItemOpts{}).ID
	before := x.lastAudit()
	if err := Do(x.ctx, x.Store, workqueue.Cancel, id, "because"); err != nil {
		x.Fatal(err)
	}
	if e := x.oneAudit(before); e.Actor != "" || e.Via != workqueue.ViaGo || e.Host != "" || e.Reason != "because" {
		x.Errorf("the entry is %s", asJSON(e))
	}
	long := workqueue.Actor{Name: strings.Repeat("ä", 300), Via: workqueue.ViaCLI, Host: strings.Repeat("h", 300), Reason: strings.Repeat("r", 1500) + "\x00"}
	before = x.lastAudit()
	if err := Do(workqueue.WithActor(x.ctx, long), x.Store, workqueue.Repeat, id, ""); err != nil {
		x.Fatal(err)
	}
	if e := x.oneAudit(before); e.Actor != strings.Repeat("ä", 200) || len(e.Host) != 200 || len(e.Reason) != 1000 {
		x.Errorf("long texts are %s", asJSON(e))
	}
}

func auditRemoved(x *fixture) {
	s := x.cleaned()
	for n := range 3 {
		x.Items(4, ItemOpts{})
		if _, err := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{States: []workqueue.State{workqueue.Ready}}, workqueue.Change{Action: workqueue.Cancel}); err != nil {
			x.Fatal(err)
		}
		x.exec(1, `UPDATE "BotAuditLog" SET "At" = %s WHERE "Id" = %d`, ago(time.Duration(n+1)*24*time.Hour), x.lastAudit())
	}
	for _, want := range []int{3, 3, 2, 2, 0} { // eight items of two entries, and then the entries
		n, err := s.RemoveAudit(x.ctx, *days(2), 3)
		x.wantRemoved(n, err, want)
	}
	left := x.audit(workqueue.AuditFilter{})
	if len(left) != 1 || len(x.auditItems(left[0].ID)) != 4 {
		x.Errorf("%s remain, want the entry of yesterday with its 4 items", asJSON(left))
	}
}
