package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"botwork/workqueue"
)

func conflictTests() []test {
	return []test{
		{"a key in use fails the call", conflictFails},
		{"all rows with keys in use are named", conflictNamesRows},
		{"a repeated part of a batch is no conflict", conflictBatch},
		{"of eight processes one enqueues", conflictContended},
	}
}

// conflicting returns the item with ConflictFail.
func conflicting(it workqueue.NewItem) workqueue.NewItem {
	it.IntegrationConfig, it.Conflict = Pipeline, workqueue.ConflictFail
	return it
}

// wantConflict enqueues items and checks the conflicts, as "index: item".
func (x *fixture) wantConflict(what string, items []workqueue.NewItem, want ...string) {
	x.Helper()
	before := x.list(workqueue.ItemFilter{Limit: 1000})
	_, err := x.Store.Enqueue(x.ctx, items)
	conflict, ok := errors.AsType[*workqueue.ConflictError](err)
	if !ok {
		x.Errorf("%s: error %v, want a *ConflictError", what, err)
		return
	}
	var got []string
	for _, c := range conflict.Conflicts {
		got = append(got, fmt.Sprintf("%d: %s", c.Index, c))
	}
	if !slices.Equal(got, want) || conflict.Of != len(items) {
		x.Errorf("%s: conflicts %q of %d items, want %q", what, got, conflict.Of, want)
	}
	if after := x.list(workqueue.ItemFilter{Limit: 1000}); len(after) != len(before) {
		x.Errorf("%s: the failed call made %d items", what, len(after)-len(before))
	}
}

func conflictFails(x *fixture) {
	x.keyQueues()
	one := conflicting(key("keyed", "A"))
	first := x.wantNew("the first", one)
	natural := fmt.Sprintf(`0: item %d has the same natural key "A"`, first)
	x.wantConflict("a key in use", []workqueue.NewItem{one}, natural)
	x.wantExisting("the same key without the rule", key("keyed", "A"), first)
	x.wantNew("a queue whose keys may repeat", conflicting(key("", "A")))
	x.wantNew("a queue whose keys may repeat, again", conflicting(key("", "A")))

	_, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{one})
	x.wantDuplicate(err, first)
	if !strings.Contains(err.Error(), fmt.Sprintf("item %d has the same natural key", first)) {
		x.Errorf("error %q does not name item %d", err, first)
	}

	same := conflicting(workqueue.NewItem{Payload: `1`, UniqueFor: workqueue.UniqueWhileUnfinished})
	waiting := x.wantNew("unique until it has ended", same)
	x.wantConflict("the same payload", []workqueue.NewItem{same}, fmt.Sprintf("0: item %d has the same queue, pipeline and payload", waiting))
	if err := Do(x.ctx, x.Store, workqueue.Cancel, waiting, "not needed"); err != nil {
		x.Fatal(err)
	}
	x.wantNew("after the first has ended", same)
	// The natural key stays with its finished item.
	if err := Do(x.ctx, x.Store, workqueue.Cancel, first, "not needed"); err != nil {
		x.Fatal(err)
	}
	x.wantConflict("the key of a finished item", []workqueue.NewItem{one}, natural)
}

func conflictNamesRows(x *fixture) {
	x.keyQueues()
	a := x.wantNew("A", key("keyed", "A"))
	b := x.wantNew("B", key("global-1", "B"))
	lenient := key("keyed", "A")
	lenient.IntegrationConfig = Pipeline
	x.wantConflict("several", []workqueue.NewItem{
		conflicting(key("keyed", "new")), conflicting(key("keyed", "A")), conflicting(key("keyed", "")), lenient,
		conflicting(key("keyed", "new")), conflicting(key("global-2", "B")),
	},
		fmt.Sprintf(`1: item %d has the same natural key "A"`, a),
		`4: item 1 of the same call has the same natural key "new"`,
		fmt.Sprintf(`5: item %d has the same natural key "B"`, b),
	)
	var many []workqueue.NewItem
	for range 2500 {
		many = append(many, conflicting(workqueue.NewItem{Payload: `2`}))
	}
	many = append(many, conflicting(key("keyed", "A")))
	x.wantConflict("after more rows than one statement inserts", many, fmt.Sprintf(`2500: item %d has the same natural key "A"`, a))
}

func conflictBatch(x *fixture) {
	x.keyQueues()
	part := workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}
	items := []workqueue.NewItem{conflicting(key("keyed", "A")), conflicting(key("keyed", "B"))}
	made, err := x.Store.EnqueueBatch(x.ctx, part, items)
	if err != nil {
		x.Fatal(err)
	}
	if again, err := x.Store.EnqueueBatch(x.ctx, part, items); err != nil || !slices.Equal(again, made) {
		x.Errorf("the repeated part = %v, %v, want the results of the first call %v", again, err, made)
	}
	other := workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}
	_, err = x.Store.EnqueueBatch(x.ctx, other, items)
	if conflict, ok := errors.AsType[*workqueue.ConflictError](err); !ok || len(conflict.Conflicts) != 2 {
		x.Errorf("another batch with the same keys = %v, want a *ConflictError for both items", err)
	}
	// The failed part was not recorded: with other keys it can be enqueued.
	if _, err := x.Store.EnqueueBatch(x.ctx, other, []workqueue.NewItem{conflicting(key("keyed", "C"))}); err != nil {
		x.Error(err)
	}
}

func conflictContended(x *fixture) {
	const enqueuers, keys = 8, 10
	x.keyQueues()
	var mu sync.Mutex
	made, refused := 0, 0
	var wg sync.WaitGroup
	for n := range enqueuers {
		store := x.Store
		if n%2 == 1 {
			store = x.Another(x.T)
		}
		wg.Go(func() {
			for k := range keys {
				_, err := store.Enqueue(x.ctx, []workqueue.NewItem{conflicting(key("keyed", fmt.Sprint("K", k)))})
				_, conflict := errors.AsType[*workqueue.ConflictError](err)
				mu.Lock()
				switch {
				case err == nil:
					made++
				case conflict:
					refused++
				default:
					x.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if made != keys || refused != (enqueuers-1)*keys {
		x.Errorf("%d calls enqueued and %d were refused, want %d and %d", made, refused, keys, (enqueuers-1)*keys)
	}
}
