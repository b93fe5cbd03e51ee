package runner

import (
	"fmt"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// stop prevents a step from starting more items.
func (sv *supervisor) stop(st *step, cause error) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if st.stopped == nil {
		st.stopped = cause
	}
	sv.giveBackClosed()
	sv.poke()
}

// stopAll prevents all steps from starting more items.
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

// endRun counts a run that has ended or was given up, and hands its outcome to the
// completer. written is closed when the outcome is written or never will be.
func (sv *supervisor) endRun(a *activeRun, outcome workqueue.Outcome) (written <-chan struct{}) {
	now := time.Now()
	took := now.Sub(a.started)
	// Count first: when everything is written, everything must be counted.
	sv.count(a.step, outcome.Verdict, now, took)
	over := make(chan struct{})
	sv.r.completer.add(outcome.Settle(a.run, took, random()), func(settled bool) {
		sv.over(a.step, settled)
		close(over)
	})
	return over
}

// abandon ends a run that has lost its item and does not stop. There is no outcome to
// write.
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

// over records that the outcome of an item is written, or with false that it never will be.
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
	for _, s := range sv.sessions { // all of them may use the slot
		s.itemEnded(s.o.Wakes)
		left = left || s.left
	}
	if st.items == 0 || left {
		sv.poke()
	}
}

// giveBackLate gives back items that have waited too long for a slot: another worker may have
// a free one. If slots become free only now and then and there is new work, it gives back all
// waiting items, since the next slot is for the most urgent item. A large item keeps its
// turn.
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

// giveBackClosed gives back waiting items of steps that start nothing more.
func (sv *supervisor) giveBackClosed() {
	for _, it := range sv.line.removeAll(func(it *claimed) bool { return !it.step.open() }) {
		sv.giveBack(it)
	}
}

// giveBack releases an item that was claimed and not started. The item keeps the error of an
// earlier failure.
func (sv *supervisor) giveBack(it *claimed) {
	f := workqueue.Finish{ItemID: it.ID, Fence: it.Fence, QueueName: it.QueueName, State: workqueue.Ready, RetryCount: it.RetryCount}
	f.Error, f.ErrorKind = it.LastFailure()
	sv.handBack(f, it.step)
}

// handBack hands the outcome of an item that was not started to the completer.
func (sv *supervisor) handBack(f workqueue.Finish, st *step) {
	if !sv.r.completer.offer(f, func(written bool) { sv.returned(st, written) }) {
		sv.countOver(st, false)
	}
}

// returned is over for an item that was not started. It waits again, and earlier passes could
// not see it.
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

// refuse gives back an item that this worker must not run, with the reason. It counts no
// attempt. The item is delayed, because a pass might otherwise assign it to this worker over
// and over.
func (sv *supervisor) refuse(it *claimed, reason error) {
	sv.r.o.Log.Warn().Int64("item_id", it.ID).Str("reason", reason.Error()).Msg("released an item that this worker may not run")
	f := workqueue.Outcome{Verdict: workqueue.Released, Error: reason.Error()}.Settle(workqueue.NewRun(&it.Item), 0, 0)
	f.Delay = assign.RefillEvery
	if it.step != nil {
		it.step.result.Released++
	}
	sv.handBack(f, it.step)
}

// stick records that the slots of a run are stuck, or with -1 that they are about to become
// free. Items that can only wait for stuck slots are given back.
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
