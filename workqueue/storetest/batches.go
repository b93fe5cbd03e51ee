package storetest

import (
	"errors"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
)

func batchTests() []test {
	return []test{
		{"a part is enqueued once", batchOnce},
		{"several processes enqueue the same part", batchContend},
		{"a part with different items is refused", batchMismatch},
		{"a refused part is not recorded", batchRefused},
		{"a change is made once", batchChanges},
		{"a page is changed once", batchPages},
		{"a page is purged once", batchPurge},
		{"a robot enqueues a part once", batchOfRobot},
		{"a task is run once", batchOfTask},
		{"a run is requested once", batchOfRequest},
		{"old records are removed", batchRemoved},
	}
}

func (x *fixture) batch(key string) (records []workqueue.BatchRecord) {
	x.Helper()
	err := x.Store.EachBatchRecord(x.ctx, key, func(r workqueue.BatchRecord) error { records = append(records, r); return nil })
	if err != nil {
		x.Fatal(err)
	}
	return records
}

func batchOnce(x *fixture) {
	x.defineThese(workqueue.Queue{Name: "keys", QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeQueue}})
	x.Items(1, ItemOpts{})
	existing, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{{QueueName: "keys", IntegrationConfig: Pipeline, NaturalKey: "taken"}})
	if err != nil {
		x.Fatal(err)
	}
	items := []workqueue.NewItem{
		{IntegrationConfig: Pipeline, Tags: []string{"a"}, Metadata: map[string]string{"a": "1", "b": "2"}, Retain: new(time.Hour)},
		{IntegrationConfig: Pipeline},
		{QueueName: "keys", IntegrationConfig: Pipeline, NaturalKey: "taken"},
		{QueueName: "keys", IntegrationConfig: Pipeline, NaturalKey: "new"},
		{QueueName: "keys", IntegrationConfig: Pipeline, NaturalKey: "new"},
	}
	key := workqueue.NewBatchKey()
	var first []workqueue.Enqueued
	for try := range 3 {
		got, err := x.Store.EnqueueBatch(x.ctx, workqueue.BatchPart{Key: key, Part: 1}, items)
		if err != nil || len(got) != 5 || !got[2].Existing || got[2].ID != existing[0].ID || got[3].Existing || !got[4].Existing || got[4].ID != got[3].ID {
			x.Fatalf("try %d: %v, %v", try, got, err)
		}
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			x.Errorf("try %d: %v, want the same as before: %v", try, got, first)
		}
	}
	more := slices.Repeat([]workqueue.NewItem{{IntegrationConfig: Pipeline, CreatedBy: "ann"}}, 2500)
	for range 2 {
		if got, err := x.Store.EnqueueBatch(x.ctx, workqueue.BatchPart{Key: key, Part: 2}, more); err != nil || len(got) != 2500 {
			x.Fatalf("got %d results, %v", len(got), err)
		}
		more[0].CreatedBy = "bo" // CreatedBy is not part of the comparison
	}
	if n := len(x.list(workqueue.ItemFilter{Limit: 5000})); n != 2+3+2500 {
		x.Errorf("%d items exist, want 2505", n)
	}
	records := x.batch(key)
	if len(records) != 2 || records[0].Kind != workqueue.BatchEnqueue || records[0].Items != 5 || !slices.Equal(records[0].Enqueued, first) ||
		records[1].Part != 2 || records[1].Items != 2500 || len(records[1].Enqueued) != 2500 {
		x.Errorf("the records are %.300s", asJSON(records))
	}
	x.wantClean("CreatedAt", &records[0].CreatedAt)
	if other := x.batch(workqueue.NewBatchKey()); other != nil {
		x.Errorf("an unknown batch has %v", other)
	}
}

func batchContend(x *fixture) {
	part := workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}
	items := slices.Repeat([]workqueue.NewItem{{IntegrationConfig: Pipeline}}, 10)
	all := make([][]workqueue.Enqueued, 8)
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			var err error
			if all[i], err = x.Store.EnqueueBatch(x.ctx, part, items); err != nil {
				x.Error(err)
			}
		})
	}
	group.Wait()
	for _, got := range all {
		if !slices.Equal(got, all[0]) {
			x.Errorf("got %v and %v, want the same", got, all[0])
		}
	}
	if n := len(x.list(workqueue.ItemFilter{})); n != 10 {
		x.Errorf("%d items exist, want 10", n)
	}
}

func batchMismatch(x *fixture) {
	part := workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}
	item := workqueue.NewItem{IntegrationConfig: Pipeline, Payload: `{"a": 1}`}
	if _, err := x.Store.EnqueueBatch(x.ctx, part, []workqueue.NewItem{item}); err != nil {
		x.Fatal(err)
	}
	for name, change := range map[string]func(it *workqueue.NewItem){
		"payload":  func(it *workqueue.NewItem) { it.Payload = `{"a": 2}` },
		"priority": func(it *workqueue.NewItem) { it.Priority = 7 },
		"key":      func(it *workqueue.NewItem) { it.NaturalKey = "k" },
		"tag":      func(it *workqueue.NewItem) { it.Tags = []string{"t"} },
		"due":      func(it *workqueue.NewItem) { it.In = time.Second },
		"retain":   func(it *workqueue.NewItem) { it.Retain = new(time.Duration(0)) },
	} {
		other := item
		change(&other)
		var mismatch *workqueue.BatchMismatchError
		if _, err := x.Store.EnqueueBatch(x.ctx, part, []workqueue.NewItem{other}); !errors.As(err, &mismatch) {
			x.Errorf("different %s: %v, want *BatchMismatchError", name, err)
		}
	}
	if n := len(x.list(workqueue.ItemFilter{})); n != 1 {
		x.Errorf("%d items exist, want 1", n)
	}
}

func batchRefused(x *fixture) {
	key := workqueue.NewBatchKey()
	var bad *workqueue.BadItemError
	_, err := x.Store.EnqueueBatch(x.ctx, workqueue.BatchPart{Key: key, Part: 1}, []workqueue.NewItem{{IntegrationConfig: Pipeline}, {}})
	if !errors.As(err, &bad) || bad.Index != 1 {
		x.Errorf("got %v, want *BadItemError for the second item", err)
	}
	if records := x.batch(key); records != nil {
		x.Errorf("the records are %v, want none", records)
	}
}

func batchChanges(x *fixture) {
	w := x.Worker(WorkerOpts{})
	done, waits := x.Item(ItemOpts{State: workqueue.Processed, Worker: w}), x.Item(ItemOpts{})
	c := workqueue.Change{Action: workqueue.Clone, By: "ann", Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey()}}
	first, err := x.Store.ChangeItem(x.ctx, done.ID, c)
	again, againErr := x.Store.ChangeItem(x.ctx, done.ID, c)
	other, otherErr := x.Store.ChangeItem(x.ctx, waits.ID, c)
	if err := errors.Join(err, againErr, otherErr); err != nil || first == 0 || again != first || other == first || other == 0 {
		x.Errorf("cloned as %d, %d and %d, %v; want the same id twice, then a different one", first, again, other, err)
	}
	if records := x.batch(c.Batch.Key); len(records) != 2 || records[0].Items != 1 || len(records[0].Clones) != 1 {
		x.Errorf("the records are %s", asJSON(records))
	}
	cancel := workqueue.Change{Action: workqueue.Cancel, Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey()}}
	for range 2 { // it is already cancelled the second time
		if _, err := x.Store.ChangeItem(x.ctx, waits.ID, cancel); err != nil {
			x.Error(err)
		}
	}
	_, err = x.Store.ChangeItem(x.ctx, done.ID, cancel)
	x.wantTransition(err, done.ID, "cancel", workqueue.Processed)
	if records := x.batch(cancel.Batch.Key); len(records) != 1 {
		x.Errorf("the records are %s, want one", asJSON(records))
	}
}

func batchPages(x *fixture) {
	ids := x.Items(10, ItemOpts{})
	c := workqueue.Change{Action: workqueue.Cancel, Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}}
	for range 2 {
		got, err := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{Limit: 6}, c)
		if err != nil || got.Changed != 6 || got.Next != ids[4] || got.Top != ids[9]+1 {
			x.Errorf("ChangeItems = %+v, %v; want 6 changed and a next page", got, err)
		}
	}
	c.Batch.Part = 2
	if got, err := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{BeforeID: ids[4], Limit: 6}, c); err != nil || got.Changed != 4 || got.Next != 0 {
		x.Errorf("ChangeItems = %+v, %v; want the last 4", got, err)
	}
	clone := workqueue.Change{Action: workqueue.Clone, Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}}
	first, err := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{Limit: 3}, clone)
	again, againErr := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{BeforeID: first.Top, Limit: 3}, clone)
	if err := errors.Join(err, againErr); err != nil || first.Changed != 3 || !slices.Equal(first.Clones, again.Clones) {
		x.Errorf("cloned %+v and %+v, %v; want the same clones", first, again, err)
	}
	if n := len(x.list(workqueue.ItemFilter{})); n != 13 {
		x.Errorf("%d items exist, want 13", n)
	}
}

func batchPurge(x *fixture) {
	x.Items(10, ItemOpts{})
	p := workqueue.PurgeParams{Queue: workqueue.DefaultQueue, Limit: 6, Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}}
	for range 2 {
		if got, err := x.Store.PurgeQueue(x.ctx, p); err != nil || got.Removed != 6 || got.Next == 0 {
			x.Errorf("PurgeQueue = %+v, %v; want 6 removed and a next page", got, err)
		}
	}
	if n := len(x.list(workqueue.ItemFilter{})); n != 4 {
		x.Errorf("%d items exist, want 4", n)
	}
}

func batchRemoved(x *fixture) {
	s := x.cleaned()
	key := workqueue.NewBatchKey()
	for part := range int64(3) {
		if _, err := s.EnqueueBatch(x.ctx, workqueue.BatchPart{Key: key, Part: part}, []workqueue.NewItem{{IntegrationConfig: Pipeline}}); err != nil {
			x.Fatal(err)
		}
		x.exec(1, `UPDATE "BotBatches" SET "CreatedAt" = `+ago(time.Duration(part)*24*time.Hour)+` WHERE "Part" = %d`, part)
	}
	n, err := s.RemoveBatches(x.ctx, 24*time.Hour, 1)
	x.wantRemoved(n, err, 1)
	n, err = s.RemoveBatches(x.ctx, 24*time.Hour, 0)
	x.wantRemoved(n, err, 1)
	if left := x.batch(key); len(left) != 1 || left[0].Part != 0 {
		x.Errorf("the remaining records are %v, want the newest", left)
	}
}
