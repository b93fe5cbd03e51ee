package storetest

import (
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

func failureTests() []test {
	return []test{
		{"what counts as a failure", failuresOfAttempts},
		{"items that ended", failuresOfItems},
		{"pages", failurePages},
		{"the fields", failureFields},
		{"long texts", failureLong},
	}
}

// failures lists failures as "id of the item: error", the latest first.
func (x *fixture) failures(f workqueue.FailureFilter) (list []string) {
	x.Helper()
	found, err := x.Store.Failures(x.ctx, f)
	if err != nil {
		x.Fatal(err)
	}
	for _, one := range found {
		list = append(list, fmt.Sprintf("%d: %s", one.ItemID, one.Error))
	}
	return list
}

// attempt writes an attempt of an item by hand, that ended so long ago.
func (x *fixture) attempt(item int64, outcome string, ago time.Duration, text string) {
	x.Helper()
	x.exec(1, `INSERT INTO "BotWorkItemAttempts" ("ItemId", "AttemptNumber", "Fence", "Outcome", "Error", "ErrorKind", "FinishedAt") VALUES (%d, 1, 1, '%s', '%s', 'error', %s)`,
		item, outcome, text, x.agoSQL(ago))
}

func lastHours(n int) workqueue.FailureFilter {
	now := time.Now()
	return workqueue.FailureFilter{Since: now.Add(-time.Duration(n) * time.Hour), Until: now}
}

func failuresOfAttempts(x *fixture) {
	x.define("test", []string{"other"}, workqueue.Queue{Name: "other"})
	a, b := x.Item(ItemOpts{}).ID, x.Item(ItemOpts{Queue: "other", State: workqueue.Pending}).ID
	for i, outcome := range []string{"failed", "timeout", "rescued", "released", "snoozed"} {
		x.attempt(a, outcome, time.Duration(i+1)*time.Hour, outcome)
	}
	x.attempt(b, "failed", 90*time.Minute, "of another queue")
	x.attempt(a, "failed", 30*time.Hour, "long ago")
	want := []string{fmt.Sprint(a, ": failed"), fmt.Sprint(b, ": of another queue"), fmt.Sprint(a, ": timeout"), fmt.Sprint(a, ": rescued")}
	if got := x.failures(lastHours(10)); !slices.Equal(got, want) {
		x.Errorf("failures = %q, want %q", got, want)
	}
	f := lastHours(10)
	f.Since, f.Until = f.Until.Add(-150*time.Minute), f.Until.Add(-80*time.Minute)
	if got := x.failures(f); !slices.Equal(got, want[1:3]) {
		x.Errorf("failures in a part of the time = %q, want %q", got, want[1:3])
	}
	for _, f := range []workqueue.FailureFilter{{Ended: true}, {Queue: "other"}} {
		if got, err := x.Store.Failures(x.ctx, f); err == nil {
			x.Errorf("Failures(%+v) = %v, want an error", f, got)
		}
	}
}

func failuresOfItems(x *fixture) {
	x.define("test", []string{"other"}, workqueue.Queue{Name: "other", QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}})
	ended := func(queue, text string, hours int) int64 {
		id := x.searchItem(ItemOpts{State: workqueue.Cancelled, Queue: queue}, hours)
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "Error" = '%s' WHERE "Id" = %d`, text, id)
		return id
	}
	a, b := ended("other", "late", 1), ended("other", "early", 5)
	ended("", "of the default queue", 2)
	ended("other", "long ago", 20)
	hidden := ended("other", "hidden", 3)
	if err := Do(x.ctx, x.Store, workqueue.Delete, hidden, ""); err != nil {
		x.Fatal(err)
	}
	x.searchItem(ItemOpts{State: workqueue.Processed, Queue: "other"}, 1)
	f := lastHours(10)
	f.Ended, f.Queue = true, "other"
	want := []string{fmt.Sprint(a, ": late"), fmt.Sprint(b, ": early")}
	if got := x.failures(f); !slices.Equal(got, want) {
		x.Errorf("failed items = %q, want %q", got, want)
	}
}

// failurePages reads page by page, although several ended at the same time.
func failurePages(x *fixture) {
	item := x.Item(ItemOpts{State: workqueue.Cancelled})
	at := item.FinishedAt.Add(-time.Hour)
	text := at.UTC().Format("2006-01-02 15:04:05.000")
	for i := range 7 {
		x.attempt(item.ID, "failed", time.Hour, fmt.Sprint(i))
	}
	x.exec(7, `UPDATE "BotWorkItemAttempts" SET "FinishedAt" = '%s' WHERE "Error" <> 'made to fail'`, text)
	for range 4 {
		id := x.Item(ItemOpts{State: workqueue.Cancelled}).ID
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "FinishedAt" = '%s' WHERE "Id" = %d`, text, id)
		x.exec(1, `DELETE FROM "BotWorkItemAttempts" WHERE "ItemId" = %d`, id)
	}
	for _, c := range []struct {
		f    workqueue.FailureFilter
		want int
	}{
		{workqueue.FailureFilter{Limit: 3}, 8},
		{workqueue.FailureFilter{Limit: 2, Ended: true, Queue: workqueue.DefaultQueue}, 5},
	} {
		c.f.Since, c.f.Until = at, time.Now().Add(time.Minute)
		seen := map[int64]bool{}
		last := c.f.Until
		for pages := 0; ; pages++ {
			page, err := x.Store.Failures(x.ctx, c.f)
			if err != nil || pages > c.want {
				x.Fatalf("page %d of %+v: %v", pages, c.f, err)
			}
			for _, one := range page {
				if one.At.After(last) || seen[one.ID] {
					x.Errorf("failure %d at %s is out of order, or there twice", one.ID, one.At)
				}
				seen[one.ID], last = true, one.At
			}
			if len(page) < c.f.Limit {
				break
			}
			c.f.Until, c.f.BeforeID = page[len(page)-1].At, page[len(page)-1].ID
		}
		if len(seen) != c.want {
			x.Errorf("%+v: %d failures on all pages, want %d", c.f, len(seen), c.want)
		}
		c.f.Until, c.f.BeforeID = at, 0
		if got := x.failures(c.f); len(got) > 0 {
			x.Errorf("failures before the first one = %q, want none", got)
		}
	}
}

func failureFields(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Cancelled, Worker: w, Pipeline: "load"})
	f := lastHours(1)
	f.Until = f.Until.Add(time.Hour)
	attempts, err := x.Store.Failures(x.ctx, f)
	if err != nil || len(attempts) != 1 {
		x.Fatalf("%d failed attempts, %v; want 1", len(attempts), err)
	}
	x.wantClean("At", &attempts[0].At)
	want := workqueue.Failure{
		ID: x.attempts(it.ID)[0].ID, ItemID: it.ID, Queue: workqueue.DefaultQueue, Pipeline: "load", Step: "work", Kind: workqueue.KindPermanent,
		Error: "made to fail", Worker: w.Name, Host: w.Host, At: attempts[0].At,
	}
	if attempts[0] != want {
		x.Errorf("the attempt is\n     %s\nwant %s", asJSON(attempts[0]), asJSON(want))
	}
	f.Ended, f.Queue = true, workqueue.DefaultQueue
	items, err := x.Store.Failures(x.ctx, f)
	if err != nil || len(items) != 1 {
		x.Fatalf("%d failed items, %v; want 1", len(items), err)
	}
	want = workqueue.Failure{
		ID: it.ID, ItemID: it.ID, Queue: workqueue.DefaultQueue, Pipeline: "load", Kind: workqueue.KindPermanent, Error: "made to fail", At: *it.FinishedAt,
	}
	if items[0] != want {
		x.Errorf("the item is\n     %s\nwant %s", asJSON(items[0]), asJSON(want))
	}
}

func failureLong(x *fixture) {
	long := string(slices.Repeat([]rune("🚀é"), 2000))
	w := x.Worker(WorkerOpts{})
	id := x.Item(ItemOpts{Pipeline: "{" + long}).ID
	it := x.claimOne(w, id)
	x.finish(w, workqueue.Finish{ItemID: id, Fence: it.Fence, State: workqueue.Cancelled, RetryCount: 1, Error: long, ErrorKind: workqueue.KindError})
	f := lastHours(1)
	f.Until, f.Ended, f.Queue = f.Until.Add(time.Hour), true, workqueue.DefaultQueue
	found, err := x.Store.Failures(x.ctx, f)
	if err != nil || len(found) != 1 {
		x.Fatalf("%d failed items, %v; want 1", len(found), err)
	}
	if text, name := len([]rune(found[0].Error)), len([]rune(found[0].Pipeline)); text > workqueue.FailureTextLen || text < workqueue.FailureTextLen/2 ||
		name > workqueue.FailurePipelineLen || name < workqueue.FailurePipelineLen/2 {
		x.Errorf("the texts have %d and %d characters, want them cut to %d and %d", text, name, workqueue.FailureTextLen, workqueue.FailurePipelineLen)
	}
}
