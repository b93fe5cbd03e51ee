package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/workqueue"
)

// auditSequence compares the audit log with what a sequence of changes has really changed.
type auditSequence struct {
	*fixture
	worker workqueue.Worker
	last   int64 // the newest entry so far
	paused map[string]bool
}

// auditRandom draws sequences of changes, refused and empty ones among them, and of what is not
// audited. After each step the log has exactly one entry more if the step has changed something,
// and none otherwise; the entry names exactly the items that are different.
func auditRandom(x *fixture) {
	x.define("ann", []string{"kept"}, workqueue.Queue{Name: "kept", QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}})
	a := &auditSequence{fixture: x, worker: x.Worker(WorkerOpts{Capacity: 100}), paused: map[string]bool{}}
	testgroup.Check(x.T, 10, func(t *rapid.T) {
		for _, queue := range []string{"kept", workqueue.DefaultQueue} {
			if _, err := x.Store.PurgeQueue(x.ctx, workqueue.PurgeParams{Queue: queue}); err != nil {
				t.Fatal(err)
			}
		}
		a.last = x.lastAudit()
		first := a.last
		steps := []func(*rapid.T) (string, int64){a.enqueue, a.one, a.one, a.many, a.purge, a.pause, a.run}
		var want []string
		for range rapid.IntRange(3, 12).Draw(t, "steps") {
			before := a.versions()
			action, others := rapid.SampledFrom(steps).Draw(t, "step")(t)
			if e := a.check(t, action, others, before); e != "" {
				want = append(want, e)
			}
		}
		// The log as a whole: no entry was lost or added later.
		var got []string
		for _, e := range x.auditSince(first) {
			got = append(got, fmt.Sprintf("%s %d", e.Action, e.Changed))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("the log has %q, want %q", got, want)
		}
	})
}

// versions returns the versions of all items.
func (a *auditSequence) versions() map[int64]int64 {
	items, err := a.Store.Items(a.ctx, workqueue.ItemFilter{Statuses: workqueue.Statuses(), Limit: 1000})
	if err != nil {
		a.Fatal(err)
	}
	versions := map[int64]int64{}
	for _, it := range items {
		versions[it.ID] = it.Version
	}
	return versions
}

// check compares the log after a step. others is how many other objects than items it has changed.
// It returns the new entry, "" if there is none.
func (a *auditSequence) check(t *rapid.T, action string, others int64, before map[int64]int64) string {
	after := a.versions()
	var changed []int64
	for id, version := range before {
		if now, present := after[id]; !present || now != version {
			changed = append(changed, id)
		}
	}
	slices.Sort(changed)
	entries := a.auditSince(a.last)
	if action == "" || len(changed) == 0 && others == 0 {
		if len(entries) != 0 {
			t.Fatalf("%q changed nothing that is audited, but wrote %s", action, asJSON(entries))
		}
		return ""
	}
	if len(entries) != 1 {
		t.Fatalf("%s changed items %v and %d others, and wrote %d entries: %s", action, changed, others, len(entries), asJSON(entries))
	}
	e := entries[0]
	a.last = e.ID
	items := a.auditIDs(e.ID)
	if action == "items.clone" && len(changed) == 0 && int64(len(items)) == others { // the originals stay as they are
		changed, others = items, 0
	}
	if e.Action != action || e.Changed != int64(len(changed))+others || !slices.Equal(items, changed) && len(changed) > 0 {
		t.Fatalf("%s changed items %v and %d others, and wrote %s with the items %v", action, changed, others, asJSON(e), items)
	}
	return fmt.Sprintf("%s %d", e.Action, e.Changed)
}

func (a *auditSequence) enqueue(t *rapid.T) (string, int64) {
	o := ItemOpts{Queue: rapid.SampledFrom([]string{"", "kept"}).Draw(t, "queue"), Priority: rapid.SampledFrom([]int{600, 900}).Draw(t, "priority")}
	if rapid.Bool().Draw(t, "scheduled") {
		o.In = time.Hour
	}
	a.Items(rapid.IntRange(1, 4).Draw(t, "items"), o)
	return "", 0
}

// change draws an action.
func (a *auditSequence) change(t *rapid.T) workqueue.Change {
	c := workqueue.Change{
		Action: rapid.SampledFrom(append(workqueue.Actions(), workqueue.Update)).Draw(t, "action"),
		DryRun: rapid.IntRange(0, 9).Draw(t, "dry") == 0,
	}
	if c.Action == workqueue.Update {
		c.Update = &workqueue.ItemUpdate{Priority: new(rapid.SampledFrom([]int{600, 900}).Draw(t, "new priority"))}
	}
	return c
}

// one changes an item that may not exist or not allow it.
func (a *auditSequence) one(t *rapid.T) (string, int64) {
	ids := []int64{1 << 40}
	for id := range a.versions() {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	c := a.change(t)
	clone, err := a.Store.ChangeItem(a.asAuditor(), rapid.SampledFrom(ids).Draw(t, "item"), c)
	return a.done(t, c, clones(clone), err)
}

// many changes the items of a filter in pages, as a command does.
func (a *auditSequence) many(t *rapid.T) (string, int64) {
	f := workqueue.ItemFilter{
		QueueName: rapid.SampledFrom([]string{"", "kept"}).Draw(t, "queue"), Limit: rapid.IntRange(1, 5).Draw(t, "page"),
		Band: rapid.SampledFrom([]workqueue.Band{{}, {Min: 600, Max: 600}}).Draw(t, "band"),
	}
	c := a.change(t)
	c.Batch.Key = workqueue.NewBatchKey()
	made := int64(0)
	for {
		c.Batch.Part++
		page, err := a.Store.ChangeItems(a.asAuditor(), f, c)
		if made += int64(len(page.Clones)); err != nil || page.Next == 0 {
			return a.done(t, c, made, err)
		}
		f.BeforeID = page.Next
	}
}

// done returns the action of a change, and how many items it has cloned.
func (a *auditSequence) done(t *rapid.T, c workqueue.Change, cloned int64, err error) (string, int64) {
	var refused *workqueue.TransitionError
	if err != nil && !errors.As(err, &refused) && !errors.Is(err, workqueue.ErrNotFound) {
		t.Fatalf("%s: %v", c.Action, err)
	}
	action := "items." + string(c.Action)
	switch {
	case c.DryRun:
		return "", 0
	case c.Action != workqueue.Clone:
		return action, 0
	default:
		return action, cloned
	}
}

func clones(id int64) int64 {
	if id > 0 {
		return 1
	}
	return 0
}

func (a *auditSequence) purge(t *rapid.T) (string, int64) {
	p := workqueue.PurgeParams{Queue: "kept", Limit: rapid.IntRange(1, 3).Draw(t, "page"), Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey()}}
	for {
		p.Batch.Part++
		page, err := a.Store.PurgeQueue(a.asAuditor(), p)
		if err != nil {
			t.Fatal(err)
		}
		if page.Next == 0 {
			return "queues.purge", 0
		}
		p.BeforeID = page.Next
	}
}

// pause pauses or resumes a queue or a pipeline, which may be so already.
func (a *auditSequence) pause(t *rapid.T) (string, int64) {
	paused, kind := rapid.Bool().Draw(t, "pause"), rapid.SampledFrom([]string{"queues", "pipelines"}).Draw(t, "of")
	call := map[string]map[bool]func(context.Context) (bool, error){
		"queues": {
			true:  func(ctx context.Context) (bool, error) { return a.Store.PauseQueue(ctx, "kept") },
			false: func(ctx context.Context) (bool, error) { return a.Store.ResumeQueue(ctx, "kept") },
		},
		"pipelines": {
			true: func(ctx context.Context) (bool, error) {
				return a.Store.PausePipeline(ctx, workqueue.PipelinePause{Pipeline: "Nightly"})
			},
			false: func(ctx context.Context) (bool, error) { return a.Store.ResumePipeline(ctx, "Nightly", "") },
		},
	}[kind][paused]
	changed, err := call(a.asAuditor())
	if err != nil || changed != (a.paused[kind] != paused) {
		t.Fatalf("pause %s %v: changed %v, %v", kind, paused, changed, err)
	}
	a.paused[kind] = paused
	if !changed {
		return "", 0
	}
	return kind + "." + map[bool]string{true: "pause", false: "resume"}[paused], 1
}

// run assigns, claims and finishes an item, which is not audited.
func (a *auditSequence) run(t *rapid.T) (string, int64) {
	id := a.Items(1, ItemOpts{Priority: 600})[0]
	a.Assign(a.worker, id)
	if rapid.Bool().Draw(t, "claim") {
		if claimed := a.claim(a.worker, 1); len(claimed) == 1 && rapid.Bool().Draw(t, "finish") {
			a.finish(a.worker, workqueue.Finish{ItemID: claimed[0].ID, Fence: claimed[0].Fence, State: workqueue.Processed})
		}
	}
	return "", 0
}
