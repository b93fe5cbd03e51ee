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
	sv.releaseClosed()
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
	sv.releaseClosed()
}

// endRun counts a run that has ended or was given up, and passes its outcome to the completer.
// written is closed when the outcome is written or never will be.
func (sv *supervisor) endRun(a *activeRun, outcome workqueue.Outcome) (written <-chan struct{}) {
	now := time.Now()
	took := now.Sub(a.started)
	// Count first: when all outcomes are written, all of them must be counted.
	if a.batch != nil {
		sv.countRun(now, took)
		return sv.endBatch(a, outcome, took)
	}
	sv.count(a.step, outcome.Verdict, now, took)
	over := make(chan struct{})
	sv.r.completer.add(outcome.ToFinish(a.run, took, random()), func(settled bool) {
		sv.recordSettled(a.step, settled)
		close(over)
	})
	return over
}

// abandon ends a run that has lost its item and does not stop. Its outcome is not written.
func (sv *supervisor) abandon(a *activeRun) {
	now := time.Now()
	if a.batch != nil {
		sv.countRun(now, now.Sub(a.started))
		sv.abandonBatch(a)
		return
	}
	sv.count(a.step, workqueue.Released, now, now.Sub(a.started))
	sv.r.held.remove(workqueue.ItemRef{ItemID: a.run.ID, Fence: a.run.Fence})
	sv.recordSettled(a.step, true)
}

// countRun counts a run, but not its outcome.
func (sv *supervisor) countRun(now time.Time, took time.Duration) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.pace.ended(now, took)
}

func (sv *supervisor) count(st *step, v workqueue.Verdict, now time.Time, took time.Duration) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.pace.ended(now, took)
	sv.ending++
	st.count(v)
}

// recordSettled records that the outcome of an item is written, or with false that it never will be.
func (sv *supervisor) recordSettled(st *step, written bool) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.ending--
	sv.countSettled(st, written)
}

func (sv *supervisor) countSettled(st *step, written bool) {
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
	for _, s := range sv.sessions { // each of them may use the slot
		s.itemEnded(s.o.Wakes)
		left = left || s.left
	}
	if st.items == 0 || left {
		sv.poke()
	}
}

// releaseLate releases items that have waited too long for a slot: another worker may have a
// free one. If slots become free rarely and there is new work, it releases all waiting items,
// because the next slot is for the most urgent item. Slots are kept for a large item.
func (sv *supervisor) releaseLate(now time.Time) {
	patience, news := sv.patience(), sv.woken() && sv.slow(now)
	late := sv.line.removeAll(func(it *claimed) bool {
		return now.Sub(it.since) >= patience || news && it.need.size() == 1 && !sv.slots.room(it.need)
	})
	for _, it := range late {
		if it.need.size() > 1 && !sv.slots.full(it.need) && (sv.reserve == nil || it.need.before(sv.reserve.need)) {
			sv.reserve = &reserve{need: it.need, it: it, checkAt: now.Add(assign.RefillEvery)}
		}
		it.step.session.left = true
		it.step.session.raise()
		sv.release(it)
	}
}

// releaseClosed releases waiting items of steps that start no more items.
func (sv *supervisor) releaseClosed() {
	for _, it := range sv.line.removeAll(func(it *claimed) bool { return !it.step.open() }) {
		sv.release(it)
	}
}

// release releases an item that was claimed and not started. The item keeps the error of an
// earlier failure.
func (sv *supervisor) release(it *claimed) { sv.finishUnstarted(unstarted(it), it.step) }

// unstarted returns the end of a claimed item that was not started.
func unstarted(it *claimed) workqueue.Finish {
	f := workqueue.Finish{ItemID: it.ID, Fence: it.Fence, QueueName: it.QueueName, State: workqueue.Ready, RetryCount: it.RetryCount}
	f.Error, f.ErrorKind = it.LastFailure()
	return f
}

// finishUnstarted passes the outcome of an item that was not started to the completer.
func (sv *supervisor) finishUnstarted(f workqueue.Finish, st *step) {
	if !sv.r.completer.tryAdd(f, func(written bool) { sv.recordReleased(st, written) }) {
		sv.countSettled(st, false)
	}
}

// recordReleased is recordSettled for an item that was not started. The item waits again, and
// earlier passes did not see it.
func (sv *supervisor) recordReleased(st *step, written bool) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if st != nil {
		st.session.dry, st.session.woken = false, true // it may be more urgent than the assigned items
		st.session.raise()
	}
	sv.countSettled(st, written)
	sv.poke()
}

// refuse releases an item that this worker must not run, with the reason. It counts no
// attempt. The item is delayed, because otherwise a pass might assign it to this worker again
// and again.
func (sv *supervisor) refuse(it *claimed, reason error) {
	sv.r.o.Log.Warn().Int64("item_id", it.ID).Str("reason", reason.Error()).Msg("released an item that this worker may not run")
	f := workqueue.Outcome{Verdict: workqueue.Released, Error: reason.Error()}.ToFinish(workqueue.NewRun(&it.Item), 0, 0)
	f.Delay = assign.RefillEvery
	if it.step != nil {
		it.step.result.Released++
	}
	sv.finishUnstarted(f, it.step)
}

// markStuck records that the slots of a run are stuck, or with more = -1 that they are about
// to become free. Items that would have to wait for stuck slots are released.
func (sv *supervisor) markStuck(n need, more int) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.slots.markStuck(n, more)
	for _, it := range sv.line.removeAll(func(it *claimed) bool { return sv.slots.blockedByStuck(it.need) }) {
		sv.refuse(it, sv.slots.blocked(it.need))
	}
	sv.poke()
}

// blocked returns why there is no room for an item until stuck handlers return or the worker gets
// more slots.
func (s *slots) blocked(n need) error {
	if s.stuck == 0 {
		return fmt.Errorf("an item of channel %q needs %d slots, and this worker has %d for it", n.channel, n.size(), s.capacity-s.kept(n.priority))
	}
	if n.channel == "" {
		return errAllStuck
	}
	return fmt.Errorf("an item of channel %q needs %d slots on this worker, and too many are stuck: their handlers ignore their cancellation",
		n.channel, n.size())
}
