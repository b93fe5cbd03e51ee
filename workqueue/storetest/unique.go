package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"botwork/workqueue"
)

func uniqueTests() []test {
	return []test{
		{"natural keys in the queue's scope", uniqueScopes},
		{"natural keys of deleted items", uniqueDeleted},
		{"unique while unfinished", uniqueUnfinished},
		{"unique for a time", uniqueTimed},
		{"duplicates in one call", uniqueDuplicates},
		{"a repeat or a clone that would duplicate a key", uniqueAgain},
		{"eight processes enqueue the same keys", uniqueContended},
		{"refused items create nothing", uniqueRefused},
	}
}

// put enqueues one item and returns the result.
func (x *fixture) put(it workqueue.NewItem) workqueue.Enqueued {
	x.Helper()
	it.IntegrationConfig = Pipeline
	made, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{it})
	if err != nil || len(made) != 1 {
		x.Fatalf("Enqueue = %v, %v, want one result", made, err)
	}
	return made[0]
}

// wantNew and wantExisting enqueue an item and check whether it is new.
func (x *fixture) wantNew(what string, it workqueue.NewItem) int64 {
	x.Helper()
	got := x.put(it)
	if got.Existing {
		x.Errorf("%s: item %d already existed, want a new one", what, got.ID)
	}
	return got.ID
}

func (x *fixture) wantExisting(what string, it workqueue.NewItem, id int64) {
	x.Helper()
	if got := x.put(it); got != (workqueue.Enqueued{ID: id, Existing: true}) {
		x.Errorf("%s: %+v, want the existing item %d", what, got, id)
	}
}

// keyQueues makes a queue of each scope, and a second one of the global scope.
func (x *fixture) keyQueues() {
	x.define("test", []string{"global-1", "global-2", "keyed"},
		workqueue.Queue{Name: "keyed", QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeQueue}, QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}},
		workqueue.Queue{Name: "global-1", QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeGlobal, DeletedKeysCount: true}, QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}},
		workqueue.Queue{Name: "global-2", QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeGlobal}},
	)
}

func key(queue, key string) workqueue.NewItem {
	return workqueue.NewItem{QueueName: queue, NaturalKey: key}
}

func uniqueScopes(x *fixture) {
	x.keyQueues()
	x.wantNew("no scope", key("", "A"))
	x.wantNew("no scope, again", key("", "A"))
	first := x.wantNew("per queue", key("keyed", "A"))
	x.wantExisting("per queue, again", key("keyed", "A"), first)
	// Keys are compared byte by byte on every engine.
	x.wantNew("another case", key("keyed", "a"))
	x.wantNew("a trailing space", key("keyed", "A "))
	x.wantNew("another letter", key("keyed", "Á"))
	x.wantNew("per queue, no key", key("keyed", ""))
	x.wantNew("per queue, no key again", key("keyed", ""))
	wide := x.wantNew("global", key("global-1", "A"))
	x.wantExisting("global, another queue", key("global-2", "A"), wide)
	long := strings.Repeat("ключ", 100)
	id := x.wantNew("the longest key", key("keyed", long))
	x.wantExisting("the longest key, again", key("keyed", long), id)
	if got := x.show(id); deref(got.NaturalKey) != long {
		x.Errorf("the stored key is %s", deref(got.NaturalKey))
	}
	// A finished item keeps its key.
	if err := Do(x.ctx, x.Store, workqueue.Cancel, first, "no longer needed"); err != nil {
		x.Fatal(err)
	}
	x.wantExisting("per queue, of a finished item", key("keyed", "A"), first)
}

func uniqueDeleted(x *fixture) {
	x.keyQueues()
	for _, c := range []struct {
		queue string
		holds bool
	}{{"keyed", false}, {"global-1", true}, {"global-2", false}} {
		first := x.wantNew(c.queue, key(c.queue, "K"+c.queue))
		if err := Do(x.ctx, x.Store, workqueue.Delete, first, "no longer needed"); err != nil {
			x.Fatal(err)
		}
		if c.holds {
			x.wantExisting(c.queue+", of a deleted item", key(c.queue, "K"+c.queue), first)
			continue
		}
		second := x.wantNew(c.queue+", of a deleted item", key(c.queue, "K"+c.queue))
		if c.queue != "keyed" {
			continue
		}
		// The first item can run again only when the key is free.
		err := Do(x.ctx, x.Store, workqueue.Repeat, first, "")
		x.wantDuplicate(err, second)
		if err := Do(x.ctx, x.Store, workqueue.Delete, second, "no longer needed"); err != nil {
			x.Fatal(err)
		}
		if err := Do(x.ctx, x.Store, workqueue.Repeat, first, ""); err != nil {
			x.Fatal(err)
		}
		x.wantExisting("the first item has the key again", key(c.queue, "K"+c.queue), first)
	}
}

func (x *fixture) wantDuplicate(err error, id int64) {
	x.Helper()
	if duplicate, ok := errors.AsType[*workqueue.DuplicateError](err); !ok || duplicate.ItemID != id {
		x.Errorf("error %v, want a *DuplicateError with item %d", err, id)
	}
}

func uniqueUnfinished(x *fixture) {
	it := workqueue.NewItem{Payload: `{"n": 1}`, UniqueFor: workqueue.UniqueWhileUnfinished}
	first := x.wantNew("first", it)
	x.wantExisting("while it waits", it, first)
	spaced := it
	spaced.Payload = `{ "n":1 }`
	x.wantExisting("the same JSON with different spaces", spaced, first)
	other := it
	other.Payload = `{"n": 2}`
	x.wantNew("another payload", other)
	plain := it
	plain.UniqueFor = 0
	x.wantNew("an item without uniqueness", plain)

	w := x.Worker(WorkerOpts{})
	x.Assign(w, first)
	x.wantExisting("while it is assigned", it, first)
	claimed := x.claim(w, 1)
	x.wantExisting("while it runs", it, first)
	x.finish(w, success(claimed[0]))
	second := x.wantNew("when it is finished", it)
	// A user repeats the first item: the engine itself rejects it.
	x.wantDuplicate(Do(x.ctx, x.Store, workqueue.Repeat, first, ""), second)
	x.wantState(workqueue.Processed, first)
}

func uniqueTimed(x *fixture) {
	it := workqueue.NewItem{Payload: `{"n": 1}`, UniqueFor: time.Hour}
	first := x.wantNew("first", it)
	if err := Do(x.ctx, x.Store, workqueue.Cancel, first, "no longer needed"); err != nil {
		x.Fatal(err)
	}
	x.wantExisting("within the time, although it is finished", it, first)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "TimedUntil" = %s WHERE "Id" = %d`, longAgo, first)
	second := x.wantNew("after the time", it)
	x.wantExisting("within the new time", it, second)
	if err := Do(x.ctx, x.Store, workqueue.Delete, second, ""); err != nil {
		x.Fatal(err)
	}
	x.wantNew("after it was deleted", it)
}

// Of several items with the same key in one call, one is created; all results have its id.
func uniqueDuplicates(x *fixture) {
	x.keyQueues()
	var batch []workqueue.NewItem
	for n := range 30 {
		it := key("keyed", fmt.Sprint("K", n%10))
		it.IntegrationConfig, it.Priority = Pipeline, n
		batch = append(batch, it, workqueue.NewItem{IntegrationConfig: Pipeline, Priority: 1000 + n})
	}
	made, err := x.Store.Enqueue(x.ctx, batch)
	if err != nil {
		x.Fatal(err)
	}
	for i, e := range made {
		if keyed := i%2 == 0; !keyed {
			if e.Existing {
				x.Errorf("item %d of the call is reported as existing", i)
			}
			continue
		}
		first := made[i%20]
		if e.ID != first.ID || e.Existing != (i >= 20) {
			x.Errorf("result %d = %+v, want item %d", i, e, first.ID)
		}
		if got := x.show(e.ID); deref(got.NaturalKey) != fmt.Sprint("K", i/2%10) || got.Priority != i/2%10 {
			x.Errorf("result %d is item %d with key %s and priority %d", i, e.ID, deref(got.NaturalKey), got.Priority)
		}
	}
	if n := len(x.list(workqueue.ItemFilter{Limit: 1000})); n != 40 {
		x.Errorf("%d items were made, want 40", n)
	}
}

func uniqueAgain(x *fixture) {
	x.keyQueues()
	first := x.wantNew("first", key("keyed", "A"))
	_, err := x.Store.ChangeItem(x.ctx, first, workqueue.Change{Action: workqueue.Clone})
	x.wantDuplicate(err, first)
	plain := x.wantNew("no key", key("keyed", ""))
	if _, err := x.Store.ChangeItem(x.ctx, plain, workqueue.Change{Action: workqueue.Clone}); err != nil {
		x.Errorf("a clone of an item without a key: %v", err)
	}
	// In bulk, items that cannot be cloned are skipped.
	result, err := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{QueueName: "keyed"}, workqueue.Change{Action: workqueue.Clone})
	if err != nil || result.Changed != 2 || result.KeysTaken != 1 {
		x.Errorf("cloned %+v, %v, want the 2 without a key, and 1 with a key in use", result, err)
	}
}

// Regardless of how many callers enqueue at the same time, each key creates one item, and
// all callers get its id.
func uniqueContended(x *fixture) {
	const enqueuers, keys, rounds = 8, 12, 3
	x.keyQueues()
	type keyedID struct {
		key string
		id  int64
	}
	var mu sync.Mutex
	made, returned := map[keyedID]int{}, map[string]map[int64]bool{}
	record := func(batch []workqueue.NewItem, results []workqueue.Enqueued) {
		mu.Lock()
		defer mu.Unlock()
		for i, r := range results {
			k := batch[i].NaturalKey + string(batch[i].Payload)
			if !r.Existing {
				made[keyedID{k, r.ID}]++
			}
			if returned[k] == nil {
				returned[k] = map[int64]bool{}
			}
			returned[k][r.ID] = true
		}
	}
	var wg sync.WaitGroup
	for n := range enqueuers {
		store := x.Store
		if n%2 == 1 {
			store = x.Another(x.T)
		}
		wg.Go(func() {
			for round := range rounds {
				var batch []workqueue.NewItem
				for k := range keys {
					// Each process starts with a different key, so that the order of keys differs.
					k = (k + n + round) % keys
					it := key([]string{"keyed", "global-1", "global-2"}[k%3], fmt.Sprint("K", k))
					if k%4 == 3 {
						it = workqueue.NewItem{Payload: workqueue.JSONText(fmt.Sprint(k)), UniqueFor: time.Hour}
					}
					it.IntegrationConfig = Pipeline
					batch = append(batch, it)
				}
				results, err := store.Enqueue(x.ctx, batch)
				if err != nil {
					x.Error(err)
					return
				}
				record(batch, results)
			}
		})
	}
	wg.Wait()
	if len(made) != keys || len(returned) != keys {
		x.Errorf("%d items were made for %d keys, want one for each of %d", len(made), len(returned), keys)
	}
	for k, ids := range returned {
		if len(ids) != 1 {
			x.Errorf("key %s: the processes got %v, want one id", k, ids)
		}
	}
	if n := len(x.list(workqueue.ItemFilter{Limit: 1000})); n != keys {
		x.Errorf("%d items exist, want %d", n, keys)
	}
}

func uniqueRefused(x *fixture) {
	x.keyQueues()
	x.define("test", []string{"checked"}, workqueue.Queue{
		Name:         "checked",
		QueueSchemas: workqueue.QueueSchemas{PayloadSchema: `{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}`},
	})
	negative := -time.Second
	for _, c := range []struct {
		name string
		item workqueue.NewItem
		want []string
	}{
		{"a key above its length", key("keyed", strings.Repeat("k", 401)), []string{"natural key", "401", "400"}},
		{"a key that is too long in UTF-16", key("keyed", strings.Repeat("🚀", 201)), []string{"natural key", "402"}},
		{"a limit key above its length", workqueue.NewItem{LimitKey: strings.Repeat("k", 201)}, []string{"limit key", "201", "200"}},
		{"a negative estimate", workqueue.NewItem{Estimate: -time.Second}, []string{"estimated duration", "-1s", "more than 0s"}},
		{"a negative retention", workqueue.NewItem{Retain: &negative}, []string{"retention", "-1s"}},
		{"a negative deadline", workqueue.NewItem{DeadlineIn: -time.Second}, []string{"deadline", "-1s"}},
		{"a deadline before it is due", workqueue.NewItem{At: time.Date(2090, 1, 2, 0, 0, 0, 0, time.UTC), Deadline: time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC)},
			[]string{"deadline", "2090-01-01T00:00:00Z", "2090-01-02T00:00:00Z", "never start"}},
		{"the same with durations", workqueue.NewItem{In: 2 * time.Hour, DeadlineIn: time.Hour}, []string{"deadline", "1h from now", "2h from now", "never start"}},
		{"a negative duration of uniqueness", workqueue.NewItem{UniqueFor: -time.Second}, []string{"unique for", "-1s"}},
		{"a payload that does not match its schema", workqueue.NewItem{QueueName: "checked", Payload: `{"n": "x"}`}, []string{"payload.n", "integer"}},
		{"a payload without a required field", workqueue.NewItem{QueueName: "checked", Payload: `{}`}, []string{"payload", "n"}},
		{"several faults", workqueue.NewItem{LimitKey: strings.Repeat("k", 201), Tags: []string{""}, Metadata: map[string]string{"": "x"}},
			[]string{"limit key", "tags", "metadata"}},
	} {
		c.item.IntegrationConfig = Pipeline
		good := workqueue.NewItem{IntegrationConfig: Pipeline}
		_, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{good, c.item, good})
		bad, ok := errors.AsType[*workqueue.BadItemError](err)
		if !ok || bad.Index != 1 || bad.Of != 3 {
			x.Errorf("%s: error %v, want a *BadItemError for the second of three items", c.name, err)
			continue
		}
		if fault, ok := errors.AsType[*workqueue.ItemFault](err); !ok || fault.Field == "" {
			x.Errorf("%s: error %v, want an *ItemFault with the field", c.name, err)
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				x.Errorf("%s: %q does not contain %q", c.name, err, part)
			}
		}
	}
	if n := len(x.list(workqueue.ItemFilter{})); n != 0 {
		x.Errorf("%d items were made, want none", n)
	}
}
