package assign

import (
	"slices"
	"sort"
	"time"

	"botwork/workqueue"
)

// waitingItems are the due items of a forecast that no worker holds, in the order of DueItems.
type waitingItems struct {
	list  []workqueue.DueItem
	gone  []bool
	at    map[int64]int32
	taken int
}

func newWaitingItems(list []workqueue.DueItem) *waitingItems {
	w := &waitingItems{list: list}
	w.index()
	return w
}

func (w *waitingItems) index() {
	w.gone, w.taken = make([]bool, len(w.list)), 0
	w.at = make(map[int64]int32, len(w.list))
	for i := range w.list {
		w.at[w.list[i].ID] = int32(i) //nolint:gosec // a forecast reads no more than mostWindow
	}
}

// add adds an item unless it is there.
func (w *waitingItems) add(it workqueue.DueItem) {
	if _, ok := w.at[it.ID]; ok {
		return
	}
	w.compact()
	i, _ := slices.BinarySearchFunc(w.list, it, workqueue.CompareDue)
	w.list = slices.Insert(w.list, i, it)
	w.index()
}

// take removes an item; false if it is not there.
func (w *waitingItems) take(id int64) (workqueue.DueItem, bool) {
	i, ok := w.at[id]
	if !ok {
		return workqueue.DueItem{}, false
	}
	it := w.list[i]
	delete(w.at, id)
	w.gone[i] = true
	if w.taken++; w.taken > 64 && w.taken > len(w.list)/2 {
		w.compact()
	}
	return it, true
}

func (w *waitingItems) compact() {
	if w.taken == 0 {
		return
	}
	list := make([]workqueue.DueItem, 0, len(w.list)-w.taken)
	for i := range w.list {
		if !w.gone[i] {
			list = append(list, w.list[i])
		}
	}
	w.list = list
	w.index()
}

// of returns up to limit items of a band that have not expired and that full does not name.
func (w *waitingItems) of(band workqueue.Band, full workqueue.Full, limit int, now time.Time) []workqueue.DueItem {
	var due []workqueue.DueItem
	queues := map[string]bool{}
	for _, queue := range full.Queues {
		queues[queue] = true
	}
	keys := map[workqueue.LimitKey]bool{}
	for _, key := range full.Keys {
		keys[key] = true
	}
	first := sort.Search(len(w.list), func(i int) bool { return w.list[i].Priority <= band.Max })
	for i := first; i < len(w.list) && w.list[i].Priority >= band.Min && len(due) < limit; i++ {
		it := &w.list[i]
		late := !it.Deadline.IsZero() && it.Deadline.Before(now)
		if w.gone[i] || late || queues[it.QueueName] || it.LimitKey != "" && keys[workqueue.LimitKey{Queue: it.QueueName, Key: it.LimitKey}] {
			continue
		}
		due = append(due, *it)
	}
	return due
}

// any reports whether an item of a band waits.
func (w *waitingItems) any(band workqueue.Band) bool {
	i := sort.Search(len(w.list), func(i int) bool { return w.list[i].Priority <= band.Max })
	for ; i < len(w.list) && w.list[i].Priority >= band.Min; i++ {
		if !w.gone[i] {
			return true
		}
	}
	return false
}
