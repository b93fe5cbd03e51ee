package simulation

import (
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

const (
	// sampleEvery is how often the world looks for work that waits.
	sampleEvery = 997 * time.Millisecond

	// wakeBound and tickBound are how long an item that is due may wait beside a free
	// slot: where its pipeline wakes, until the processes look and wake it again; else a
	// tick. Both have some seconds for the statements of the run that begins then.
	wakeBound, tickBound = lookEvery + wakeAgain + 4*time.Second, time.Minute + 5*time.Second

	// settleIn is the longest pause of a process after something has gone wrong: the
	// scheduler's between two starts of a run. Besides, it may have to beat again.
	settleIn = 30 * time.Second
)

// waiting is an item that could begin in a process.
type waiting struct {
	process *process
	item    int64
}

// watch holds the processes to the promise that no free slot waits beside a due item
// which it could take, and that nothing is hoarded, until no process starts any more.
func (w *world) watch() {
	since := map[waiting]time.Time{}
	for !w.closing.Load() && !w.isOver() {
		now, waits := time.Now(), map[waiting]time.Time{}
		for _, p := range w.everyone() {
			if !p.able() {
				continue
			}
			p.hoards()
			for _, it := range p.couldBegin() {
				key := waiting{p, it.ID}
				first, before := since[key]
				if !before {
					first = now
				}
				waits[key] = first
				if waited := now.Sub(first); waited > w.boundOf(it) {
					w.judge.violation("item %d of priority %d, which is %v, has waited for %s beside a free slot of %s", it.ID, it.Priority, it.State, waited, p.instance)
				}
			}
		}
		since = waits
		w.sleep(sampleEvery)
	}
}

// boundOf is how long an item may wait beside a free slot.
func (w *world) boundOf(it *workqueue.Item) time.Duration {
	for _, j := range jobs {
		if w.rules.wakes(j) && j.assign.Contains(it.Priority) {
			return wakeBound
		}
	}
	return tickBound
}

// able reports whether a process is well, and has been for so long that nothing which
// went wrong before has to be waited for.
func (p *process) able() bool {
	p.mu.Lock()
	runner := p.runner
	p.mu.Unlock()
	if runner == nil || closed(runner.Draining()) || closed(runner.Replaced()) || !p.takes() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.spoiled && !p.isDead() && !p.isAsked() && !p.drained.Load() && p.frozen == nil && p.cut == nil &&
		p.troubles == 0 && time.Since(p.troubled) > settleIn+p.w.rules.Heartbeat
}

// takes reports whether the process may be given items, by its row. While slots are stuck
// something is wrong with it: its runs fail when all of them are.
func (p *process) takes() bool {
	o := p.w.db
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tick()
	row := o.model.Workers[p.runner.Worker().ID]
	if row != nil && row.StuckSlots > 0 {
		p.trouble(0)
	}
	return o.model.Takes(row) && row.InstanceID == p.instance
}

// couldBegin returns the items that could begin in the process now, together: those that
// wait or are assigned to it, are due, and find free slots, in the order in which they
// would start. What needs more slots than are free keeps those of its priority and below
// behind it.
func (p *process) couldBegin() (items []*workqueue.Item) {
	rules, worker := &p.w.rules, p.runner.Worker().ID
	o := p.w.db
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tick()
	var due []*workqueue.Item
	free, holds, claimed := rules.Capacity, false, map[string]int{}
	for _, id := range o.model.IDs() {
		it := o.model.Items[id]
		switch its := o.model.HeldBy(it, worker); {
		case it.State == workqueue.Blocked && its:
			takes, _ := rules.Channels.Of(profile(it.IntegrationConfig).Channel)
			free -= takes.Cost
			claimed[profile(it.IntegrationConfig).Channel]++
			holds = true
		case it.State == workqueue.Assigned && its:
			holds = true
			fallthrough
		case it.State == workqueue.Ready || it.State == workqueue.Pending:
			if o.model.Startable(it) {
				due = append(due, it)
			}
		}
	}
	slices.SortFunc(due, workqueue.CompareStarts)
	p.mu.Lock()
	defer p.mu.Unlock()
	free = min(free, rules.Capacity-p.slots)
	if p.turnCost <= rules.Capacity-p.slots {
		p.turn, p.turnCost = workqueue.EveryPriority.Min, 0
	}
	for _, it := range due {
		channel := profile(it.IntegrationConfig).Channel
		takes, _ := rules.Channels.Of(channel)
		if takes.Max > 0 && max(p.running[channel], claimed[channel]) >= takes.Max {
			continue
		}
		kept := 0
		if it.Priority <= workqueue.HighPriority {
			kept = rules.Reserved
		}
		if takes.Cost > free-kept { // it may have kept its turn longer than those of its priority
			return slices.DeleteFunc(items, func(before *workqueue.Item) bool { return before.Priority == it.Priority })
		}
		free -= takes.Cost
		claimed[channel]++
		if it.State != workqueue.Assigned && holds && rules.Workers == assign.IdleWorkers {
			continue // a worker that holds anything may be given nothing
		}
		if p.turnCost > 0 && it.Priority <= p.turn {
			continue // the large item keeps its turn until there is room, also when others have taken it
		}
		it := *it
		items = append(items, &it)
	}
	return items
}

// trouble notes that something goes wrong with a statement of the process from now on,
// with -1 that it does no longer, and with 0 that something else has gone wrong.
func (p *process) trouble(more int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.troubles += more
	p.troubled = time.Now()
}
