package simulation

import (
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

const (
	// sampleEvery is how often the world checks for waiting work.
	sampleEvery = 997 * time.Millisecond

	// wakeBound and tickBound are how long a due item may wait beside a free slot: with a
	// pipeline that wakes, until the processes poll and wake it again; otherwise a tick.
	// Both include some seconds for the statements of the run that begins then.
	wakeBound, tickBound = lookEvery + wakeAgain + 4*time.Second, time.Minute + 5*time.Second

	// settleIn is the longest pause of a process after a failure: the scheduler's
	// pause between two starts of a run. The process may also have to send a heartbeat first.
	settleIn = 30 * time.Second

	// settleTurn is how long the check for a large item, which is made now and then, may take.
	settleTurn = time.Second
)

// waiting is an item that could begin in this process.
type waiting struct {
	process *process
	item    int64
}

// watch checks for each process that no free slot waits beside a due item that it could
// take, and that no claimed item waits too long, until no more processes start.
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

// boundOf returns how long an item may wait beside a free slot.
func (w *world) boundOf(it *workqueue.Item) time.Duration {
	for _, j := range jobs {
		if w.rules.wakes(j) && j.assign.Contains(it.Priority) {
			return wakeBound
		}
	}
	return tickBound
}

// able reports whether a process is well, and has been for so long that earlier failures
// no longer have an effect on what starts.
func (p *process) able() bool { return p.wellFor(settleIn + p.w.rules.Heartbeat) }

// wellFor reports whether a process is well, takes items, and had no failure for this long.
func (p *process) wellFor(d time.Duration) bool {
	p.mu.Lock()
	runner := p.runner
	p.mu.Unlock()
	if runner == nil || closed(runner.Draining()) || runner.Suspended() || runner.Gated() || p.gate.Closed() != "" || closed(runner.Replaced()) || !p.takes() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.spoiled && !p.isDead() && !p.isStopping() && !p.drained.Load() && p.frozen == nil && p.cut == nil &&
		p.troubles == 0 && time.Since(p.troubled) > d
}

// takes reports whether the process may be assigned items, by its row. A process with stuck
// slots is not well: its runs fail when all slots are stuck.
func (p *process) takes() bool {
	o := p.w.db
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tick()
	row := o.model.Workers[p.runner.Worker().ID]
	if row != nil && row.StuckSlots > 0 {
		p.trouble(0)
	}
	return o.model.Assignable(row) && row.InstanceID == p.instance
}

// couldBegin returns the items that could begin in the process now, together: waiting items
// and those assigned to it that are due and fit into free slots, in the order in which they
// would start. An item that needs more slots than are free blocks those of its priority and
// below.
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
			takes, _ := rules.Channels.For(profile(it.IntegrationConfig).Channel)
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
	p.checkTurn(worker)
	for _, it := range due {
		channel := profile(it.IntegrationConfig).Channel
		takes, _ := rules.Channels.For(channel)
		if takes.Max > 0 && max(p.running[channel], claimed[channel]) >= takes.Max {
			continue
		}
		kept := rules.kept(it.Priority)
		if takes.Cost > free-kept { // it may keep its turn before items of the same priority
			return slices.DeleteFunc(items, func(before *workqueue.Item) bool { return before.Priority == it.Priority })
		}
		free -= takes.Cost
		claimed[channel]++
		if it.State != workqueue.Assigned && holds && rules.Workers == assign.IdleWorkers {
			continue // a worker that holds an item may get no more
		}
		if p.turn.cost > 0 && it.Priority <= p.turn.priority {
			continue // the large item keeps its turn
		}
		it := *it
		items = append(items, &it)
	}
	return items
}

// largeItem is an item of several slots that a process claimed and had to release.
type largeItem struct {
	id             int64
	priority, cost int
	due            time.Time // when it was to start, as the process claimed it
	waited         time.Time // when it was last seen waiting for this process
}

// checkTurn ends the turn of the large item if there is room for it, or if it has not waited
// for so long that the process, which checks now and then, must have noticed. p.mu and the
// oracle's lock are held.
func (p *process) checkTurn(worker int64) {
	large, rules, m := p.turn, &p.w.rules, p.w.db.model
	if it := m.Items[large.id]; it != nil && it.DeletedAt == nil && !it.AvailableAt.After(large.due) &&
		(it.State == workqueue.Ready || it.State == workqueue.Pending || it.State == workqueue.Assigned && m.HeldBy(it, worker)) {
		p.turn.waited = time.Now()
	}
	if large.cost <= rules.Capacity-p.slots-rules.kept(large.priority) || time.Since(p.turn.waited) > assign.RefillEvery+settleTurn {
		p.turn = largeItem{priority: workqueue.EveryPriority.Min}
	}
}

// kept returns how many slots items of a priority may not use.
func (r *rules) kept(priority int) int {
	if priority > workqueue.HighPriority {
		return 0
	}
	return r.Reserved
}

// trouble records with 1 that a statement of the process is failing from now on, with -1
// that it has ended, and with 0 that another failure happened.
func (p *process) trouble(more int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.troubles += more
	p.troubled = time.Now()
}
