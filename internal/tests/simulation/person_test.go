package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/storetest/reference"
)

// A person holds rows of items for a while: they are changed in an open transaction. SQLite has no
// locks of rows, so in the histories with a person its statements pass over the rows in this table,
// as those of the other engines pass over what another session holds. What a worker writes for
// single claims is divided before it is sent: the stores do that.
const (
	heldTable = `CREATE TABLE HeldRows (ItemId INTEGER PRIMARY KEY)`
	notHeld   = "AND %sId NOT IN (SELECT h.ItemId FROM HeldRows h)"
)

// passesOver names what gets the condition: statements that write, and the conditions that others share.
var passesOver = map[string]func(text string) string{
	"sqlite/fragments/due_in_band.sql":       appended("i."),
	"sqlite/fragments/not_over.sql":          appended("{{row}}"),
	"sqlite/fragments/assign_conditions.sql": appended(""),
	"sqlite/queries/ready.sql":               func(text string) string { return strings.Replace(text, "SELECT l.State,", "SELECT l.Id, l.State,", 1) },
	"sqlite/queries/take.sql":                beforeEnd,
	"sqlite/queries/rescue.sql":              beforeEnd,
	"sqlite/queries/expire.sql":              beforeEnd,
	"sqlite/queries/release_withheld.sql":    beforeEnd,
	"sqlite/queries/release_assigned.sql":    beforeEnd,
	"sqlite/queries/expire_leases.sql":       beforeEnd,
}

func appended(row string) func(string) string {
	return func(text string) string { return text + "\n" + fmt.Sprintf(notHeld, row) }
}

// beforeEnd adds the condition at the end of WHERE, the last clause before RETURNING.
func beforeEnd(text string) string {
	end := strings.LastIndex(text, "RETURNING")
	if end < 0 {
		end = strings.LastIndex(text, ";")
	}
	return text[:end] + "\n" + fmt.Sprintf(notHeld, "") + "\n" + text[end:]
}

// hasPerson reports whether a person holds rows in a history.
func hasPerson(seed uint64) bool { return roll(seed, "person", 0).chance(30) }

// onlyPerson reports whether nothing else happens to the cluster in a history.
func onlyPerson(seed uint64) bool {
	return hasPerson(seed) && roll(seed, "only a person", 0).chance(40)
}

// person holds the rows of some items that have not ended, more often of those that run.
func (w *world) person(d dice) []expectation {
	o := w.db
	var waiting, running []int64
	o.mu.Lock()
	for _, id := range o.model.IDs() {
		switch it := o.model.Items[id]; {
		case o.model.Held[id] || it.State == workqueue.Processed || it.State == workqueue.Cancelled:
		case it.State == workqueue.Blocked:
			running = append(running, id)
		default:
			waiting = append(waiting, id)
		}
	}
	o.mu.Unlock()
	from := waiting
	if len(running) > 0 && d.chance(60) {
		from = running
	}
	if len(from) == 0 {
		return nil
	}
	d.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	ids, until := from[:min(len(from), 1+d.IntN(2))], d.between(time.Second, 2*w.rules.Lease)
	w.judge.count(&w.judge.figures.holds, len(ids))
	o.hold(ids, true)
	w.later(until, func() { o.hold(ids, false) })
	return nil
}

// hold begins or ends the transaction of a person that has changed these rows.
func (o *oracle) hold(ids []int64, held bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.w.judge.log("user", "holds the rows of %v: %t", ids, held)
	o.model.Held = maps.Clone(o.model.Held) // the copies of the model keep theirs
	for _, id := range ids {
		text := "DELETE FROM HeldRows WHERE ItemId = ?"
		if delete(o.model.Held, id); held {
			text = "INSERT INTO HeldRows VALUES (?)"
			o.model.Held[id] = true
		}
		o.holds[id] = o.w.elapsed()
		if _, err := o.eyes.Exec(text, id); err != nil {
			o.w.t.Error(err)
		}
	}
}

// letGo ends all such transactions.
func (o *oracle) letGo() {
	o.mu.Lock()
	ids := slices.Sorted(maps.Keys(o.model.Held))
	o.mu.Unlock()
	if len(ids) > 0 {
		o.hold(ids, false)
	}
}

// isHeld reports whether a person holds an item's row.
func (o *oracle) isHeld(id int64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.model.Held[id]
}

// heldLately reports whether a person has held an item's row within the time of a lease.
func (o *oracle) heldLately(id int64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	last, ever := o.holds[id]
	return o.model.Held[id] || ever && o.w.elapsed()-last <= o.w.rules.Lease+o.w.rules.Heartbeat
}

// divide splits a worker's entries: free have rows that no person holds; locked are the items that the
// worker cannot write because a person does; lost are the items whose claim it no longer has. o.mu is held.
func divide[T any](o *oracle, p reference.Process, all []T, claim func(T) workqueue.ItemRef) (free []T, locked, lost []int64) {
	for _, entry := range all {
		switch ref := claim(entry); {
		case !o.model.Held[ref.ItemID]:
			free = append(free, entry)
		case o.model.Holds(p, ref):
			locked = append(locked, ref.ItemID)
		default: // it reads that
			lost = append(lost, ref.ItemID)
		}
	}
	return free, locked, lost
}

func sameRef(ref workqueue.ItemRef) workqueue.ItemRef { return ref }

// passedOver returns the error for items that could not be written.
func passedOver(locked []int64, err error) error {
	if err == nil && len(locked) > 0 {
		return &workqueue.LockedError{Items: locked}
	}
	return err
}

// excuse lets a claim wait whose row a person holds.
func (p *process) excuse(ref workqueue.ItemRef) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.claims[ref]; c != nil {
		c.well = false
	}
}

// stopped checks that a process that is well stops no run for its lease, unless the item's own row
// was held, or a user has changed it.
func (p *process) stopped(ref workqueue.ItemRef) {
	o := p.w.db
	if !hasPerson(p.w.seed) || o.heldLately(ref.ItemID) || !p.wellFor(3*p.w.rules.Heartbeat) { // it has renewed its leases since
		return
	}
	o.mu.Lock()
	edited := o.edited[ref.ItemID]
	o.mu.Unlock()
	if !edited {
		p.w.judge.violation("run %d/%d of %s was stopped as if its lease were lost, although a person held other rows only", ref.ItemID, ref.Fence, p.instance)
	}
}
