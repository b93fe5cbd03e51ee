package runner

import (
	"fmt"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// endRun counts a run that has ended, or is given up, and hands its end over. What it
// returns is closed when that is written, or never will be.
func (d *dispatcher) endRun(a *activeRun, outcome workqueue.Outcome) (written <-chan struct{}) {
	now := time.Now()
	took := now.Sub(a.started)
	// Counted before it is handed over: when all is written, all is counted.
	d.count(a.step, outcome.Verdict, now, took)
	over := make(chan struct{})
	d.r.completer.add(outcome.Settle(a.run, took, random()), func(settled bool) {
		d.over(a.step, settled)
		close(over)
	})
	return over
}

// abandon ends a run that has lost its item and does not stop. There is nothing
// to write.
func (d *dispatcher) abandon(a *activeRun) {
	now := time.Now()
	d.count(a.step, workqueue.Released, now, now.Sub(a.started))
	d.r.held.remove(workqueue.ItemRef{ItemID: a.run.ID, Fence: a.run.Fence})
	d.over(a.step, true)
}

func (d *dispatcher) count(st *step, v workqueue.Verdict, now time.Time, took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pace.ended(now, took)
	st.count(v)
}

// over notes that the end of an item is written, or, with false, never will be.
func (d *dispatcher) over(st *step, written bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.countOver(st, written)
}

func (d *dispatcher) countOver(st *step, written bool) {
	d.items--
	d.tellQuiet()
	if st == nil {
		return
	}
	st.items--
	if !written {
		st.lost++
	}
	left := false
	for _, s := range d.sessions { // the slot is for all of them
		s.itemEnded(s.o.Wakes)
		left = left || s.left
	}
	if st.items == 0 || left {
		d.poke()
	}
}

// giveBackLate gives back what has waited too long for its slot: another worker may
// have one that is free. Where slots do not come free all the time it also gives back
// what waits for one when there is news: the next slot is for what is most urgent then. A
// large item that no slots come free for keeps its turn.
func (d *dispatcher) giveBackLate(now time.Time) {
	patience, news := d.patience(), d.woken() && d.slow(now)
	late := d.line.takeOut(func(it *claimed) bool {
		return now.Sub(it.since) >= patience || news && it.need.size() == 1 && !d.slots.room(it.need)
	})
	for _, it := range late {
		if it.need.size() > 1 && !d.slots.full(it.need) && (d.reserve == nil || it.need.before(d.reserve.need)) {
			d.reserve = &reserve{need: it.need, it: it, lookAt: now.Add(assign.RefillEvery)}
		}
		it.step.session.left = true
		it.step.session.raise()
		d.giveBack(it)
	}
}

// giveBackClosed gives back what waits for its slot, and is for steps that start
// nothing more.
func (d *dispatcher) giveBackClosed() {
	for _, it := range d.line.takeOut(func(it *claimed) bool { return !it.step.open() }) {
		d.giveBack(it)
	}
}

// giveBack releases an item that was claimed and not started. The error of an earlier
// failure stays with the item.
func (d *dispatcher) giveBack(it *claimed) {
	f := workqueue.Finish{ItemID: it.ID, Fence: it.Fence, QueueName: it.QueueName, State: workqueue.Ready, RetryCount: it.RetryCount}
	f.Error, f.ErrorKind = it.LastFailure()
	d.handBack(f, it.step)
}

// handBack hands over the end of an item that was not started.
func (d *dispatcher) handBack(f workqueue.Finish, st *step) {
	if !d.r.completer.offer(f, func(written bool) { d.returned(st, written) }) {
		d.countOver(st, false)
	}
}

// returned is over for an item that was not started: it waits again, and a pass that was
// made before could not see it.
func (d *dispatcher) returned(st *step, written bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if st != nil {
		st.session.dry, st.session.woken = false, true // it may be more urgent than what is assigned
		st.session.raise()
	}
	d.countOver(st, written)
	d.poke()
}

// refuse gives back an item that this worker must not run, and says why. It counts
// no attempt. For a little while nobody gets it, or the two that give and refuse it
// could do nothing else.
func (d *dispatcher) refuse(it *claimed, reason error) {
	d.r.o.Log.Warn().Int64("item_id", it.ID).Str("reason", reason.Error()).Msg("released an item that this worker may not run")
	f := workqueue.Outcome{Verdict: workqueue.Released, Error: reason.Error()}.Settle(workqueue.NewRun(&it.Item), 0, 0)
	f.Delay = assign.RefillEvery
	if it.step != nil {
		it.step.result.Released++
	}
	d.handBack(f, it.step)
}

// stick notes that the slots of a run are stuck, or with -1 that they will be free
// again soon. What waits for such slots alone goes back.
func (d *dispatcher) stick(n need, more int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.slots.stick(n, more)
	for _, it := range d.line.takeOut(func(it *claimed) bool { return d.slots.hopeless(it.need) }) {
		d.refuse(it, tooStuck(it.need))
	}
	d.poke()
}

func tooStuck(n need) error {
	if n.channel == "" {
		return errAllStuck
	}
	return fmt.Errorf("an item of channel %q takes %d slots here, and too many are stuck: their handlers ignore that they were cancelled",
		n.channel, n.size())
}
