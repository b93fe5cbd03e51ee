package sqlstore

import (
	"fmt"
	"slices"

	"botwork/workqueue"
)

// conflicts returns a *ConflictError if items that must not exist do, or have the key of an
// earlier item of the call.
func (e *enqueue) conflicts(items []workqueue.NewItem, found map[int]keyRow) error {
	var list []workqueue.Conflict
	for i := range items {
		if items[i].Conflict != workqueue.ConflictFail {
			continue
		}
		earlier, duplicate := e.duplicates[i]
		if !duplicate && !e.results[i].Existing {
			continue
		}
		c := workqueue.Conflict{Index: i, ItemID: e.results[i].ID, What: sharedBy(&items[i], found[i])}
		if duplicate {
			c.Earlier, c.ItemID = earlier, e.results[earlier].ID
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil
	}
	return &workqueue.ConflictError{Conflicts: slices.Clip(list), Of: len(items)}
}

// sharedBy names what an item has in common with the holder of one of its keys.
func sharedBy(it *workqueue.NewItem, key keyRow) string {
	if key.Kind == "unique" {
		return fmt.Sprintf("natural key %q", it.NaturalKey)
	}
	return "queue, pipeline and payload"
}
