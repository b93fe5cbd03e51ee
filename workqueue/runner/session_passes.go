package runner

import (
	"math"
	"slices"
	"time"

	"botwork/workqueue/assign"
)

const (
	// leastGate and mostGate bound the pause between two passes that found no worker with
	// room: hundreds of items enqueued while all workers are busy must not cause a pass each.
	// wokenGate is the longest pause for work that was just announced.
	leastGate, wokenGate, mostGate = 10 * time.Millisecond, 100 * time.Millisecond, time.Second
)

// passState is what a session knows about waiting work, and when it looks again.
type passState struct {
	passes []assign.AssignParams // that its steps have made and that it repeats, one per band
	moved  int                   // items that its passes assigned, and that it claimed

	// below is the priority below which a pass may find something; at and above it, passes
	// have found everything. EveryPriority.Min: there is nothing to find.
	below int
	news  int // how often below was raised: an earlier pass says nothing about what came since

	woken  bool // work was announced since the latest pass began: a pass comes before claims
	unseen bool // the same, or since the latest claim
	swept  bool // a pass has looked for abandoned and expired items since the latest scheduled run
	left   bool // the latest pass left items: when others end, there may be room

	// dry is true if no pass is needed when the last item has ended.
	dry bool

	gate   time.Time // no earlier pass for priorities from gateTo up
	gateTo int
	gates  int       // fruitless passes in a row
	poll   time.Time // when a busy session looks again

	selfAssigned    *assign.SelfAssign // what passes for this worker alone reuse; nil: they are not possible
	selfAssignFrom  time.Time          // none is made before: the latest could not decide
	selfAssignNews  int                // news when the latest of them found nothing from selfAssignLeast up; -1: none has
	selfAssignLeast int
	fullPass        time.Time // when a pass that claims ahead last looked for abandoned items
}

// anything is above all priorities: there may be work of any priority.
const anything = math.MaxInt

func newPassState() passState { return passState{below: math.MinInt, swept: true, selfAssignNews: -1} }

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

// made keeps a pass that a step of the run has made, so that it can be repeated.
func (l *passState) made(p assign.AssignParams, result assign.AssignResult) {
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
	l.news++
}

// passed records the result of repeated passes for the priorities from least up. all means that
// no open priorities are below; free, that they were made to fill a free slot and not for other
// workers; news is its value when they began.
func (l *passState) passed(least, news, assigned int, left, all, free bool, now time.Time) {
	l.moved += assigned
	l.left = left || l.left && !all
	if assigned > 0 && left {
		return // there may be more to give at once
	}
	// Without a free slot a pass says nothing about items that wait for one. And it does not
	// know of slots whose item's result is not written yet; this worker does.
	if news == l.news && (free || !left) && !l.maySelfAssign(least, now) {
		l.below = min(l.below, least)
	}
	if assigned > 0 || !left {
		l.gate, l.gates = time.Time{}, 0
		return
	}
	if free { // else it says nothing about the next pass that has a slot to fill
		l.gate, l.gateTo = now.Add(min(leastGate<<min(l.gates, 10), mostGate)), least
		l.gates++
	}
}

// gated reports whether it is too soon for a pass over all workers, for priorities from least
// up.
func (l *passState) gated(least int, now time.Time) bool {
	return now.Before(l.gate) && least >= l.gateTo
}

// maySelfAssign reports whether a pass for this worker alone may find something from a priority
// up. It need not wait for the next pass over all workers.
func (l *passState) maySelfAssign(least int, now time.Time) bool {
	return l.left && l.selfAssigned != nil && l.selfAssigned.MayAssign(false, least, now) && (l.selfAssignNews != l.news || least < l.selfAssignLeast)
}

// itemEnded records that the result of an item is written, which may have made room. A session
// that is not woken for new work looks for it when its last item has ended.
func (l *passState) itemEnded(wakes bool) {
	l.dry = l.dry && wakes
	if l.left {
		l.raise()
	}
}

// wants reports whether a pass may find something at or above a priority.
func (l *passState) wants(least int) bool { return l.below > least }
