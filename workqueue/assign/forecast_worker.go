package assign

import (
	"cmp"
	"slices"
	"time"

	"botwork/workqueue"
)

// forecastWorker is a worker of a forecast with its items.
type forecastWorker struct {
	load     workqueue.WorkerLoad // without its items
	channels workqueue.Channels

	running  []*forecastItem
	assigned []*forecastItem // in the order in which it starts them
}

// forecastItem is an item that a worker of a forecast holds.
type forecastItem struct {
	workqueue.HeldItem
	takes  time.Duration // how long it runs
	ends   time.Time     // of running ones
	waited bool          // it was not assigned when the forecast began
}

// cost returns how many slots an item needs, and how many items of its channel run at a time; 0:
// as many as fit.
func (w *forecastWorker) cost(channel string) (slots, most int) {
	c, ok := w.channels.For(channel)
	if !ok {
		return 1, 0
	}
	return c.Cost, c.Max
}

// free returns the number of free slots.
func (w *forecastWorker) free() int {
	free := w.load.Capacity
	for i := range w.running {
		slots, _ := w.cost(w.running[i].Channel)
		free -= slots
	}
	return free
}

// runs returns how many items of a channel run.
func (w *forecastWorker) runs(channel string) (n int) {
	for i := range w.running {
		if w.running[i].Channel == channel {
			n++
		}
	}
	return n
}

// holds reports whether it runs an item of the pipeline or has one to run.
func (w *forecastWorker) holds(p *forecastPipeline) bool {
	of := func(it *forecastItem) bool { return p.runs(it.Priority) }
	return slices.ContainsFunc(w.running, of) || slices.ContainsFunc(w.assigned, of)
}

// startable removes and returns the item that the worker starts next, of those whose priority is
// open; nil if there is none. As on a worker, an item that needs more slots than are free blocks
// those after it; one that only waits for its channel does not.
func (w *forecastWorker) startable(open func(priority int) bool) *forecastItem {
	free := w.free()
	for i := range w.assigned {
		if free <= 0 {
			return nil
		}
		it := w.assigned[i]
		slots, most := w.cost(it.Channel)
		if !open(it.Priority) || most > 0 && w.runs(it.Channel) >= most {
			continue
		}
		kept := 0
		if it.Priority <= workqueue.HighPriority {
			kept = max(min(w.load.Reserved, w.load.Capacity-1), 0)
		}
		if slots > free-kept {
			return nil
		}
		if i == 0 {
			w.assigned = w.assigned[1:] // without moving the rest of a long list
		} else {
			w.assigned = slices.Delete(w.assigned, i, i+1)
		}
		return it
	}
	return nil
}

// run starts an item.
func (w *forecastWorker) run(it *forecastItem, now time.Time) {
	it.Running, it.Since, it.ends = true, now, now.Add(max(it.takes, time.Millisecond))
	w.running = append(w.running, it)
}

// end removes and returns the items that have ended.
func (w *forecastWorker) end(now time.Time) (ended []*forecastItem) {
	w.running = slices.DeleteFunc(w.running, func(it *forecastItem) bool {
		if it.ends.After(now) {
			return false
		}
		ended = append(ended, it)
		w.load.AvailableSince = now
		return true
	})
	return ended
}

// give adds an item; order sorts the items.
func (w *forecastWorker) give(it *forecastItem) { w.assigned = append(w.assigned, it) }

func (w *forecastWorker) order() {
	slices.SortStableFunc(w.assigned, inRunOrder)
}

// inRunOrder orders items as a worker starts them.
func inRunOrder(a, b *forecastItem) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.RunOrder, b.RunOrder), cmp.Compare(a.ID, b.ID))
}

// take removes an item that has not started; nil if the worker does not hold it.
func (w *forecastWorker) take(id int64) *forecastItem {
	i := slices.IndexFunc(w.assigned, func(it *forecastItem) bool { return it.ID == id })
	if i < 0 {
		return nil
	}
	it := w.assigned[i]
	w.assigned = slices.Delete(w.assigned, i, i+1)
	return it
}

// loadFor returns what a pass reads about the worker: everything that runs, with its remaining
// time, and what is assigned at or above a priority.
func (w *forecastWorker) loadFor(least int, defaultEstimate time.Duration, now time.Time) workqueue.WorkerLoad {
	load := w.load
	load.Held = nil
	at := map[workqueue.HeldWork]int{}
	count := func(it *forecastItem, left time.Duration) {
		key := workqueue.HeldWork{Priority: it.Priority, Running: it.Running, Channel: it.Channel}
		i, ok := at[key]
		if !ok {
			i = len(load.Held)
			at[key] = i
			load.Held = append(load.Held, key)
		}
		load.Held[i].Count++
		load.Held[i].Estimate += left
	}
	for i := range w.running {
		count(w.running[i], w.running[i].ends.Sub(now))
	}
	for i := range w.assigned {
		if it := w.assigned[i]; it.Priority >= least {
			count(it, cmp.Or(it.Estimate, defaultEstimate))
		}
	}
	slices.SortStableFunc(load.Held, func(a, b workqueue.HeldWork) int {
		running := 0
		if a.Running != b.Running {
			running = 1
			if a.Running {
				running = -1
			}
		}
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), running, cmp.Compare(a.Channel, b.Channel))
	})
	return load
}
