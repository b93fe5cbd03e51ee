//go:build linux

package failover

import (
	"time"

	"botwork/internal/tests/chaos/ledger"
	"botwork/workqueue"
)

// claim is what may run once.
type claim struct{ item, fence int64 }

// figures are the results of comparing the ledger and the database.
type figures struct {
	items, lost, repeated, overlaps int
	unrecorded                      int           // of the repeated ones, those whose previous run had ended
	longest                         time.Duration // longest overlap
}

// judge compares the ledger with the database. Regardless of what was lost, no claim runs twice
// and no id of an acknowledged order is used for another one.
func (c *cluster) judge() figures {
	c.Helper()
	rows := c.rows()
	byID := map[int64]int{}
	f := figures{items: len(c.ids)}
	for number, id := range c.ids {
		if other, ok := byID[id]; ok {
			c.Errorf("the orders %d and %d were both acknowledged as item %d", other, number, id)
		}
		byID[id] = number
		switch row, ok := rows[number]; {
		case !ok:
			f.lost++
		case row.ID != id:
			c.Errorf("order %d was acknowledged as item %d and is item %d", number, id, row.ID)
		case row.State != workqueue.Processed:
			c.Errorf("item %d is %s with %q, want Processed", id, row.State, deref(row.Error))
		}
	}
	begun := map[claim]ledger.Line{}
	ended := map[int64]bool{}
	endedAs := map[claim]bool{}
	last := map[claim]ledger.Line{}
	order := map[int64][]int64{} // the fences of an item in order of their begins
	for _, l := range c.lines() {
		at := claim{l.Item, l.Fence}
		if l.Kind == ledger.Begin {
			if before, twice := begun[at]; twice {
				c.Errorf("item %d ran twice with fence %d: on %s and on %s", l.Item, l.Fence, before.Worker, l.Worker)
			}
			begun[at] = l
			order[l.Item] = append(order[l.Item], l.Fence)
		}
		last[at] = l
		if l.Kind == ledger.End {
			ended[l.Item], endedAs[at] = true, true
		}
	}
	for item, fences := range order {
		f.repeated += len(fences) - 1
		for i, fence := range fences[:len(fences)-1] {
			if endedAs[claim{item, fence}] {
				f.unrecorded++
			}
			if over := last[claim{item, fence}].Time().Sub(begun[claim{item, fences[i+1]}].Time()); over > 0 {
				f.overlaps++
				f.longest = max(f.longest, over)
			}
		}
	}
	for number, row := range rows {
		if row.State == workqueue.Processed && !ended[row.ID] {
			c.Errorf("item %d (order %d) is processed, but none of its runs ended", row.ID, number)
		}
	}
	return f
}

// beganAfter waits until a run begins after a time, and returns how long after.
func (c *cluster) beganAfter(t time.Time) time.Duration {
	c.Helper()
	var waited time.Duration
	c.await("work to go on", func() bool {
		for _, l := range c.lines() {
			if l.Kind == ledger.Begin && l.Time().After(t) {
				waited = l.Time().Sub(t)
				return true
			}
		}
		return false
	})
	return waited
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
