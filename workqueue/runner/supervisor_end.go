package runner

import (
	"fmt"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// stop lets nothing more be started for a step.
func (sv *supervisor) stop(st *step, cause error) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if st.stopped == nil {
		st.stopped = cause
	}
	sv.giveBackClosed()
	sv.poke()
}

// stopAll lets nothing more be started.
func (sv *supervisor) stopAll(cause error) {
	for _, s := range sv.sessions {
		for _, st := range s.steps {
			if st.stopped == nil {
				st.stopped = cause
			}
		}
	}
	sv.giveBackClosed()
}

// endRun counts a run that has ended, or is given up, and hands its end over. What it
// returns is closed when that is written, or never will be.
func (sv *supervisor) endRun(a *activeRun, outcome workqueue.Outcome) (written <-chan struct{}) {
	now := time.Now()
	took := now.Sub(a.started)
	// Counted before it is handed over: when all is written, all is counted.
	sv.count(a.step, outcome.Verdict, now, took)
	over := make(chan struct{})
	sv.r.completer.add(outcome.Settle(a.run, took, random()), func(settled bool) {
		sv.over(a.step, settled)
		close(over)
	})
	return over
}

// abandon ends a run that has lost its item and does not stop. There is nothing
// to write.
func (sv *supervisor) abandon(a *activeRun) {
	now := time.Now()
	sv.count(a.step, workqueue.Released, now, now.Sub(a.started))
	sv.r.held.remove(workqueue.ItemRef{ItemID: a.run.ID, Fence: a.run.Fence})
	sv.over(a.step, true)
}

func (sv *supervisor) count(st *step, v workqueue.Verdict, now time.Time, took time.Duration) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.pace.ended(now, took)
	st.count(v)
}

// over notes that the end of an item is written, or, with false, never will be.
func (sv *supervisor) over(st *step, written bool) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.countOver(st, written)
}

func (sv *supervisor) countOver(st *step, written bool) {
	sv.items--
	sv.closeQuiet()
	if st == nil {
		return
	}
	st.items--
	if !written {
		st.lost++
	}
	left := false
	for _, s := range sv.sessions { // the slot is for all of them
		s.itemEnded(s.o.Wakes)
		left = left || s.left
	}
	if st.items == 0 || left {
		sv.poke()
	}
}

// giveBackLate gives back what has waited too long for its slot: another worker may
// have one that is free. Where slots do not come free all the time it also gives back
// what waits for one when there is news: the next slot is for what is most urgent then. A
// large item that no slots come free for keeps its turn.
func (sv *supervisor) giveBackLate(now time.Time) {
	patience, news := sv.patience(), sv.woken() && sv.slow(now)
	late := sv.line.removeAll(func(it *claimed) bool {
		return now.Sub(it.since) >= patience || news && it.need.size() == 1 && !sv.slots.room(it.need)
	})
	for _, it := range late {
		if it.need.size() > 1 && !sv.slots.full(it.need) && (sv.reserve == nil || it.need.before(sv.reserve.need)) {
			sv.reserve = &reserve{need: it.need, it: it, lookAt: now.Add(assign.RefillEvery)}
		}
		it.step.session.left = true
		it.step.session.raise()
		sv.giveBack(it)
	}
}

// giveBackClosed gives back what waits for its slot, and is for steps that start
// nothing more.
func (sv *supervisor) giveBackClosed() {
	for _, it := range sv.line.removeAll(func(it *claimed) bool { return !it.step.open() }) {
		sv.giveBack(it)
	}
}

// giveBack releases an item that was claimed and not started. The error of an earlier
// failure stays with the item.
func (sv *supervisor) giveBack(it *claimed) {
	f := workqueue.Finish{ItemID: it.ID, Fence: it.Fence, QueueName: it.QueueName, State: workqueue.Ready, RetryCount: it.RetryCount}
	f.Error, f.ErrorKind = it.LastFailure()
	sv.handBack(f, it.step)
}

// handBack hands over the end of an item that was not started.
func (sv *supervisor) handBack(f workqueue.Finish, st *step) {
	if !sv.r.completer.offer(f, func(written bool) { sv.returned(st, written) }) {
		sv.countOver(st, false)
	}
}

// returned is over for an item that was not started: it waits again, and a pass that was
// made before could not see it.
func (sv *supervisor) returned(st *step, written bool) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if st != nil {
		st.session.dry, st.session.woken = false, true // it may be more urgent than what is assigned
		st.session.raise()
	}
	sv.countOver(st, written)
	sv.poke()
}

// refuse gives back an item that this worker must not run, and says why. It counts
// no attempt. For a little while nobody gets it, or the two that give and refuse it
// could do nothing else.
func (sv *supervisor) refuse(it *claimed, reason error) {
	sv.r.o.Log.Warn().Int64("item_id", it.ID).Str("reason", reason.Error()).Msg("released an item that this worker may not run")
	f := workqueue.Outcome{Verdict: workqueue.Released, Error: reason.Error()}.Settle(workqueue.NewRun(&it.Item), 0, 0)
	f.Delay = assign.RefillEvery
	if it.step != nil {
		it.step.result.Released++
	}
	sv.handBack(f, it.step)
}

// stick notes that the slots of a run are stuck, or with -1 that they will be free
// again soon. What waits for such slots alone goes back.
func (sv *supervisor) stick(n need, more int) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.slots.stick(n, more)
	for _, it := range sv.line.removeAll(func(it *claimed) bool { return sv.slots.hopeless(it.need) }) {
		sv.refuse(it, tooStuck(it.need))
	}
	sv.poke()
}

func tooStuck(n need) error {
	if n.channel == "" {
		return errAllStuck
	}
	return fmt.Errorf("an item of channel %q takes %d slots here, and too many are stuck: their handlers ignore that they were cancelled",
		n.channel, n.size())
}
