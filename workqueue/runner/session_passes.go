package runner

import (
	"math"
	"slices"
	"time"

	"botwork/workqueue/assign"
)

const (
	// leastGate and mostGate bound the pause between two passes that found no worker with
	// room: if hundreds of items are enqueued while all workers are busy, not each of them
	// may cause a pass.
	// wokenGate is the longest pause for work that was just announced.
	leastGate, wokenGate, mostGate = 10 * time.Millisecond, 100 * time.Millisecond, time.Second
)

// passState is what a session knows about waiting work, and when it makes the next pass.
type passState struct {
	passes []assign.AssignParams // the passes of its steps, which it repeats; one per band
	moved  int                   // items that its passes assigned, and that it claimed

	// below is the priority below which a pass may find items; at and above it, passes have
	// found everything. EveryPriority.Min: there is nothing to find.
	below   int
	passGen int // how often below was raised; the result of an earlier pass does not cover later work

	woken  bool // work was announced since the latest pass began: make a pass before a claim
	unseen bool // work was announced since the latest pass and claim began
	swept  bool // a pass has looked for abandoned and expired items since the latest scheduled run
	left   bool // the latest pass left items: when running items end, there may be room for them

	// dry is true if no pass is needed when the last item has ended.
	dry bool

	gate   time.Time // no pass before this time for priorities from gateTo up
	gateTo int
	gates  int       // passes in a row that found no worker with room
	early  int       // passGen of the first such pass while results of ended items were not written; -1: none in a row
	poll   time.Time // when a busy session looks for work again

	selfAssigned    *assign.SelfAssign // what passes for this worker alone reuse; nil: they are not possible
	selfAssignFrom  time.Time          // no such pass before this time: the latest one needed a pass over all workers
	selfAssignGen   int                // passGen when the latest such pass found nothing from selfAssignLeast up; -1: none has
	selfAssignLeast int
	fullPass        time.Time // when a pass that claims ahead last looked for abandoned items
}

// anything is a value of below above all priorities: there may be work of any priority.
const anything = math.MaxInt

func newPassState() passState {
	return passState{below: math.MinInt, swept: true, early: -1, selfAssignGen: -1}
}

// wake records that there is new work: for a pass, or only for a claim.
func (l *passState) wake(pass bool, now time.Time) {
	l.unseen = true
	if !pass {
		return
	}
	l.raise()
	l.woken = true
	if soon := now.Add(wokenGate); l.gate.After(soon) {
		l.gate = soon
	}
}

// sweep makes the next pass also look for abandoned and expired items, even if no slot is
// free.
func (l *passState) sweep(now time.Time) {
	l.wake(true, now)
	l.swept, l.poll = false, now.Add(assign.RefillEvery)
}

// addPass stores a pass that a step of the run has made, so that it can be repeated.
func (l *passState) addPass(p assign.AssignParams, result assign.AssignResult) {
	first := len(l.passes) == 0
	l.passes = slices.DeleteFunc(l.passes, func(old assign.AssignParams) bool { return old.Band == p.Band })
	l.passes = append(l.passes, p)
	l.left = result.Left || l.left && !first
	l.dry = !l.left
	l.moved += result.Assigned
}

// raise records that a pass may find work of any priority.
func (l *passState) raise() {
	l.below = anything
	l.passGen++
}

// passResult is the result of repeated passes.
type passResult struct {
	least    int // the lowest of their priorities
	passGen  int // its value when they began
	assigned int // items
	left     bool
	all      bool // no lower priorities are open
	free     bool // they were made to fill a free slot, not for other workers
	early    bool // results of ended items were not written when they began
}

// recordPasses records the result of repeated passes.
func (l *passState) recordPasses(r passResult, now time.Time) {
	l.moved += r.assigned
	l.left = r.left || l.left && !r.all
	if r.assigned > 0 || !r.left {
		l.gate, l.gates, l.early = time.Time{}, 0, -1
	}
	if r.assigned > 0 && r.left {
		return // there may be more items to assign at once
	}
	// A pass without a free slot does not cover items that wait for one. Nor does it see the
	// free slots of items whose results are not written yet; this worker does.
	if r.passGen == l.passGen && (r.free || !r.left) && !l.maySelfAssign(r.least, now) {
		l.below = min(l.below, r.least)
	}
	if r.assigned > 0 || !r.left {
		return
	}
	if r.early && (l.early < 0 || l.early == r.passGen) {
		l.early = r.passGen
		return // when the first of the results is written, a pass may see a free slot
	}
	if r.free { // otherwise the next pass may still find an item for a free slot
		l.gate, l.gateTo = now.Add(min(leastGate<<min(l.gates, 10), mostGate)), r.least
		l.gates++
	}
}

// gated reports whether it is too soon for a pass over all workers for priorities from least
// up.
func (l *passState) gated(least int, now time.Time) bool {
	return now.Before(l.gate) && least >= l.gateTo
}

// maySelfAssign reports whether a pass for this worker alone may find items from a priority
// up. Such a pass does not wait for the next pass over all workers.
func (l *passState) maySelfAssign(least int, now time.Time) bool {
	return l.left && l.selfAssigned != nil && l.selfAssigned.MayAssign(false, least, now) && (l.selfAssignGen != l.passGen || least < l.selfAssignLeast)
}

// itemEnded records that the result of an item is written, so that there may be room for
// others. A session that is not woken for new work looks for it when its last item has ended.
func (l *passState) itemEnded(wakes bool) {
	l.dry = l.dry && wakes
	if l.left {
		l.raise()
	}
}

// mayFind reports whether a pass may find items at or above a priority.
func (l *passState) mayFind(least int) bool { return l.below > least }
