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
		{"natural keys, by the queue's scope", uniqueScopes},
		{"natural keys of deleted items", uniqueDeleted},
		{"while it is not finished", uniqueUnfinished},
		{"for a time", uniqueTimed},
		{"twins in one call", uniqueTwins},
		{"a repeat or a clone that would double a key", uniqueAgain},
		{"eight enqueuers of the same keys", uniqueContended},
		{"items that their queue refuses leave nothing behind", uniqueRefused},
	}
}

// put enqueues one item and says what became of it.
func (x *fixture) put(it workqueue.NewItem) workqueue.Enqueued {
	x.Helper()
	it.IntegrationConfig = Pipeline
	made, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{it})
	if err != nil || len(made) != 1 {
		x.Fatalf("Enqueue = %v, %v, want one result", made, err)
	}
	return made[0]
}

// wantNew and wantExisting put an item and check whether it is made.
func (x *fixture) wantNew(what string, it workqueue.NewItem) int64 {
	x.Helper()
	got := x.put(it)
	if got.Existing {
		x.Errorf("%s: item %d was there already, want a new one", what, got.ID)
	}
	return got.ID
}

func (x *fixture) wantExisting(what string, it workqueue.NewItem, id int64) {
	x.Helper()
	if got := x.put(it); got != (workqueue.Enqueued{ID: id, Existing: true}) {
		x.Errorf("%s: %+v, want item %d that was there", what, got, id)
	}
}

// keyQueues makes a queue of each scope, and a second of the wide one.
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
	// Keys are compared to the letter on every engine.
	x.wantNew("another case", key("keyed", "a"))
	x.wantNew("a space behind", key("keyed", "A "))
	x.wantNew("another sign", key("keyed", "Á"))
	x.wantNew("per queue, no key", key("keyed", ""))
	x.wantNew("per queue, no key again", key("keyed", ""))
	wide := x.wantNew("global", key("global-1", "A"))
	x.wantExisting("global, another queue", key("global-2", "A"), wide)
	long := strings.Repeat("ключ", 100)
	id := x.wantNew("the longest key", key("keyed", long))
	x.wantExisting("the longest key, again", key("keyed", long), id)
	if got := x.show(id); deref(got.NaturalKey) != long {
		x.Errorf("the key came back as %s", deref(got.NaturalKey))
	}
	// A finished item keeps its key.
	if err := Do(x.ctx, x.Store, workqueue.Cancel, first, "done with"); err != nil {
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
		if err := Do(x.ctx, x.Store, workqueue.Delete, first, "gone"); err != nil {
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
		// The first comes back only when the key is free again.
		err := Do(x.ctx, x.Store, workqueue.Repeat, first, "")
		x.wantDuplicate(err, second)
		if err := Do(x.ctx, x.Store, workqueue.Delete, second, "gone as well"); err != nil {
			x.Fatal(err)
		}
		if err := Do(x.ctx, x.Store, workqueue.Repeat, first, ""); err != nil {
			x.Fatal(err)
		}
		x.wantExisting("its key again", key(c.queue, "K"+c.queue), first)
	}
}

func (x *fixture) wantDuplicate(err error, id int64) {
	x.Helper()
	if twin, ok := errors.AsType[*workqueue.DuplicateError](err); !ok || twin.ItemID != id {
		x.Errorf("error %v, want a *DuplicateError that names item %d", err, id)
	}
}

func uniqueUnfinished(x *fixture) {
	it := workqueue.NewItem{Payload: `{"n": 1}`, UniqueFor: workqueue.UniqueWhileUnfinished}
	first := x.wantNew("first", it)
	x.wantExisting("while it waits", it, first)
	spaced := it
	spaced.Payload = `{ "n":1 }`
	x.wantExisting("the same JSON in other spaces", spaced, first)
	other := it
	other.Payload = `{"n": 2}`
	x.wantNew("another payload", other)
	plain := it
	plain.UniqueFor = 0
	x.wantNew("one that need not be unique", plain)

	w := x.Worker(WorkerOpts{})
	x.Assign(w, first)
	x.wantExisting("while it is assigned", it, first)
	claimed := x.claim(w, 1)
	x.wantExisting("while it runs", it, first)
	x.finish(w, success(claimed[0]))
	second := x.wantNew("when it is finished", it)
	// The first is set back by hand: the engine itself rejects it.
	x.wantDuplicate(Do(x.ctx, x.Store, workqueue.Repeat, first, ""), second)
	x.wantState(workqueue.Processed, first)
}

func uniqueTimed(x *fixture) {
	it := workqueue.NewItem{Payload: `{"n": 1}`, UniqueFor: time.Hour}
	first := x.wantNew("first", it)
	if err := Do(x.ctx, x.Store, workqueue.Cancel, first, "done with"); err != nil {
		x.Fatal(err)
	}
	x.wantExisting("in that time, although it is finished", it, first)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "TimedUntil" = %s WHERE "Id" = %d`, longAgo, first)
	second := x.wantNew("when the time is over", it)
	x.wantExisting("in the next time", it, second)
	if err := Do(x.ctx, x.Store, workqueue.Delete, second, ""); err != nil {
		x.Fatal(err)
	}
	x.wantNew("when it is deleted for good", it)
}

// Of two with the same key in one call the first is made; both name it.
func uniqueTwins(x *fixture) {
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
				x.Errorf("item %d of the call is said to have been there", i)
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
	// In bulk the one that cannot be is passed over.
	result, err := x.Store.ChangeItems(x.ctx, workqueue.ItemFilter{QueueName: "keyed"}, workqueue.Change{Action: workqueue.Clone})
	if err != nil || result.Changed != 2 || result.KeysTaken != 1 {
		x.Errorf("cloned %+v, %v, want the 2 without a key, and one whose key is taken", result, err)
	}
}

// However many callers enqueue at the same time, each key creates one item, and all
// callers get its id.
func uniqueContended(x *fixture) {
	const enqueuers, keys, rounds = 8, 12, 3
	x.keyQueues()
	type named struct {
		key string
		id  int64
	}
	var mu sync.Mutex
	made, told := map[named]int{}, map[string]map[int64]bool{}
	note := func(batch []workqueue.NewItem, results []workqueue.Enqueued) {
		mu.Lock()
		defer mu.Unlock()
		for i, r := range results {
			k := batch[i].NaturalKey + string(batch[i].Payload)
			if !r.Existing {
				made[named{k, r.ID}]++
			}
			if told[k] == nil {
				told[k] = map[int64]bool{}
			}
			told[k][r.ID] = true
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
					// Each begins elsewhere, so that they take the keys in different orders.
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
				note(batch, results)
			}
		})
	}
	wg.Wait()
	if len(made) != keys || len(told) != keys {
		x.Errorf("%d items were made for %d keys, want one for each of %d", len(made), len(told), keys)
	}
	for k, ids := range told {
		if len(ids) != 1 {
			x.Errorf("key %s: the enqueuers got %v, want one id", k, ids)
		}
	}
	if n := len(x.list(workqueue.ItemFilter{Limit: 1000})); n != keys {
		x.Errorf("%d items are there, want %d", n, keys)
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
		{"the same in distances", workqueue.NewItem{In: 2 * time.Hour, DeadlineIn: time.Hour}, []string{"deadline", "1h from now", "2h from now", "never start"}},
		{"a negative time of uniqueness", workqueue.NewItem{UniqueFor: -time.Second}, []string{"unique for", "-1s"}},
		{"a payload that misses its schema", workqueue.NewItem{QueueName: "checked", Payload: `{"n": "x"}`}, []string{"payload.n", "integer"}},
		{"a payload without what its schema wants", workqueue.NewItem{QueueName: "checked", Payload: `{}`}, []string{"payload", "n"}},
		{"several faults", workqueue.NewItem{LimitKey: strings.Repeat("k", 201), Tags: []string{""}, Metadata: map[string]string{"": "x"}},
			[]string{"limit key", "tags", "metadata"}},
	} {
		c.item.IntegrationConfig = Pipeline
		good := workqueue.NewItem{IntegrationConfig: Pipeline}
		_, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{good, c.item, good})
		bad, ok := errors.AsType[*workqueue.BadItemError](err)
		if !ok || bad.Index != 1 || bad.Of != 3 {
			x.Errorf("%s: error %v, want a *BadItemError of the second of three", c.name, err)
			continue
		}
		if fault, ok := errors.AsType[*workqueue.ItemFault](err); !ok || fault.Field == "" {
			x.Errorf("%s: error %v, want an *ItemFault that names the field", c.name, err)
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
