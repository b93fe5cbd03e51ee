package simulation

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

// live runs the history: a time of trouble, a calm time, and the shutdown.
func (w *world) live(d dice) {
	for _, m := range w.machine {
		m.start()
	}
	w.loose.Go(w.watch)
	var expected []expectation
	for _, e := range w.script(d) {
		w.sleep(e.at - w.elapsed())
		if w.isOver() {
			break
		}
		expected = append(expected, e.do()...)
	}
	w.heal()
	if !w.isOver() {
		w.settle(expected)
	}
	w.closing.Store(true)
	for _, p := range w.everyone() {
		p.stop()
	}
	w.loose.Wait()
	w.judge.checkUnwritten()
}

// event is an action of the director.
type event struct {
	at time.Duration
	do func() []expectation
}

// expectation is an item and its expected end.
type expectation struct {
	id       int64
	state    workqueue.State
	failures int
	anyhow   bool // it has a deadline, or a user has interfered: any end is correct
}

// script draws all events, in order of time.
func (w *world) script(d dice) []event {
	var events []event
	add := func(do func(d dice) []expectation) {
		n := len(events)
		at := d.between(0, w.rules.Trouble)
		events = append(events, event{at, func() []expectation { return do(roll(w.seed, "event", n)) }})
	}
	for range w.rules.Items {
		add(w.enqueue)
	}
	if w.rules.Burst > 0 {
		add(w.burst)
	}
	leases := int(w.rules.Trouble / w.rules.Lease)
	if !onlyPerson(w.seed) {
		for range d.IntN(4 + leases) {
			add(w.strike)
		}
		for range d.IntN(8) {
			add(w.edit)
		}
		for range roll(w.seed, "gates", 0).IntN(4) {
			add(w.crowd)
		}
	}
	if hasPerson(w.seed) {
		for range 1 + roll(w.seed, "person", 1).IntN(6) {
			add(w.person)
		}
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	return events
}

// enqueue makes an item. The id of an item decides its plan, and so its policy. The
// next id is known in advance.
func (w *world) enqueue(d dice) []expectation {
	w.items++
	id := w.items
	plan := w.planOf(id)
	priorities := []int{1500, 1001, 1000, 700, 500, 499, 100}
	n := workqueue.NewItem{
		State: workqueue.Pending, Priority: priorities[d.IntN(len(priorities))], IntegrationConfig: pipelineNames[roll(w.seed, "pipeline", int(id)).IntN(len(pipelineNames))],
		ResilienceConfig: plan.policy(), Estimate: time.Duration(d.IntN(60)) * time.Second,
	}
	if d.chance(20) {
		n.In = time.Duration(d.IntN(120)) * time.Second
	}
	if plan.brief {
		n.In, n.IntegrationConfig, n.Estimate = 0, "Work", time.Duration(d.IntN(20))*time.Millisecond
	}
	late := roll(w.seed, "deadline", int(id))
	if late.chance(12) { // a deadline before the item is due would be refused
		n.Deadline = w.db.now().Add(n.In + late.between(time.Second, w.rules.Trouble/2)).Truncate(time.Millisecond)
	}
	if got := w.db.enqueue(n); got != id && !w.isOver() {
		w.judge.violation("the new item is %d, want %d", got, id)
	}
	w.judge.log("user", "enqueues %d, priority %d: %+v", id, n.Priority, plan)
	state, failures := plan.end()
	return []expectation{{id: id, state: state, failures: failures, anyhow: !n.Deadline.IsZero()}}
}

// burst makes many items at the same time, most of them short: a worker claims such items
// in advance, and then claims one that takes long.
func (w *world) burst(d dice) (expected []expectation) {
	w.burstAfter.Store(w.items)
	for range w.rules.Burst {
		expected = append(expected, w.enqueue(d)...)
	}
	return expected
}

// strike disturbs one machine.
func (w *world) strike(d dice) []expectation {
	m := w.machine[d.IntN(len(w.machine))]
	p := m.present.Load()
	back := d.between(time.Second, 2*w.rules.Lease)
	switch what := d.IntN(100); {
	case p == nil:
	case what < 25:
		p.kill()
		w.later(back, m.start)
	case what < 50:
		p.freeze(back)
	case what < 65:
		w.judge.count(&w.judge.figures.cuts, 1)
		p.log("loses its connection for %s", back)
		p.part()
		w.later(back, func() {
			p.log("has a connection again")
			p.join()
		})
	case what < 75:
		m.replace(p, back)
	case what < 90:
		// It hangs, is replaced as if it were dead, and then continues beside the new process.
		m.present.Store(nil)
		p.freeze(back + d.between(0, 2*w.rules.Lease))
		w.later(back, m.start)
	default:
		w.judge.log("user", "drains %s", m.name)
		for _, p := range w.everyone() {
			if p.machine == m {
				p.drained.Store(true) // any of them may have the name
			}
		}
		_ = w.db.drain(m.name, "") // the worker may not be registered yet
		w.later(back, func() {
			if m.present.Load() == p {
				m.replace(p, 0)
			}
		})
	}
	return nil
}

// replace stops a process gracefully and starts another.
func (m *machine) replace(p *process, after time.Duration) {
	m.w.judge.count(&m.w.judge.figures.stops, 1)
	m.present.Store(nil)
	m.w.loose.Go(func() {
		p.stop()
		m.w.sleep(after)
		if m.present.Load() == nil && !m.w.isOver() {
			m.start()
		}
	})
}

// heal ends the trouble: frozen processes continue, including those that were asked to stop
// in the meantime, and dead or drained processes start again.
func (w *world) heal() {
	w.judge.log("world", "the trouble ends")
	w.calm.Store(true)
	for _, p := range w.everyone() {
		if p.drained.Load() && !p.isDead() {
			p.kill()
		}
		p.thaw()
		p.join()
		p.relieve()
	}
	w.db.pause(false)
	w.db.letGo()
	for _, m := range w.machine {
		if m.present.Load() == nil {
			m.start()
		}
	}
}

// settle waits until every item has ended, and checks that each end is the
// expected one.
func (w *world) settle(expected []expectation) {
	const patience = 45 * time.Minute
	calm := time.Now()
	for {
		w.sleep(10 * time.Second)
		open := w.db.open()
		if open == "" || w.isOver() {
			break
		}
		if time.Since(calm) > patience {
			w.judge.violation("%s after the trouble has ended, these items have not ended:\n%s", patience, open)
			return
		}
	}
	w.db.cleanSteps()
	for _, e := range expected {
		w.db.mu.Lock()
		it := *w.db.model.Items[e.id]
		w.db.mu.Unlock()
		poison := it.State == workqueue.Cancelled && it.ErrorKind != nil && *it.ErrorKind == workqueue.KindPoison
		switch {
		case w.isOver() || e.anyhow || w.db.edited[e.id]:
		case poison && it.ReleaseCount >= w.rules.MaxReleases && it.RetryCount <= e.failures:
		case it.State != e.state || it.RetryCount != e.failures:
			w.judge.violation("item %d ended as %v after %d failures, want %v after %d", e.id, it.State, it.RetryCount, e.state, e.failures)
		}
	}
}

// open lists the items that have not ended.
func (o *oracle) open() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := ""
	for _, id := range o.model.IDs() {
		if it := o.model.Items[id]; it.State != workqueue.Processed && it.State != workqueue.Cancelled && it.DeletedAt == nil {
			worker := int64(0)
			if it.WorkerID != nil {
				worker = *it.WorkerID
			}
			text += fmt.Sprintf("item %d: %v, priority %d, worker %d, fence %d, due %s\n", id, it.State, it.Priority, worker, it.Fence, it.AvailableAt)
		}
	}
	return text
}

// checkUnwritten finds ends of runs that a live process did not write.
func (j *judge) checkUnwritten() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.violations) > 0 {
		return
	}
	for ref, instance := range j.open {
		j.violationLocked("%s never wrote the end of run %d/%d", instance, ref.ItemID, ref.Fence)
		return
	}
}
