package runner

import (
	"math"
	"slices"
	"time"

	"botwork/workqueue/assign"
)

const (
	// leastGate and mostGate bound the pause between two passes that found no worker
	// with room: whoever enqueues hundreds of items while all are busy must not have a
	// pass for each. wokenGate is the longest pause for work that was just announced.
	leastGate, wokenGate, mostGate = 10 * time.Millisecond, 100 * time.Millisecond, time.Second
)

// passState is what a session knows of the work that waits, and when it passState again.
type passState struct {
	passes []assign.AssignParams // that its steps have made, by band, to repeat
	moved  int                   // items that its passes assigned, and that it claimed

	// below is the priority below which a pass may find something; at and above it
	// the passes have found all there was. EveryPriority.Min: nothing is to be found.
	below int
	news  int // counts how often it was raised: a pass that began before says nothing of what came since

	woken  bool // work was announced since the latest pass began: it goes before claims
	unseen bool // likewise, or since the latest claim
	swept  bool // since the latest tick a pass has looked for what is to be freed
	left   bool // the latest pass left items: the end of others may make room

	// dry reports that no pass is to be made when the last item has ended.
	dry bool

	gate   time.Time // no pass before for priorities from gateTo up
	gateTo int
	gates  int       // fruitless passes in a row
	poll   time.Time // when a busy session passState again

	selfAssigned    *assign.SelfAssign // what passes for this worker alone count on; nil: they cannot be
	selfAssignFrom  time.Time          // until then none is made, since one was not done
	selfAssignNews  int                // what news was when the latest of them found nothing from selfAssignLeast up; -1: none has
	selfAssignLeast int
	fullPass        time.Time // when a pass that claims ahead last looked for what is to be freed
}

// anything is above all priorities: something may be found anywhere.
const anything = math.MaxInt

func newPassState() passState { return passState{below: math.MinInt, swept: true, selfAssignNews: -1} }

// wake notes that there is new work: for a pass, or only for a claim.
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

// sweep has the next pass look for what is to be freed as well, even if no slot is
// free.
func (l *passState) sweep(now time.Time) {
	l.wake(true, now)
	l.swept, l.poll = false, now.Add(assign.RefillEvery)
}

// made keeps a pass that a step of the run has made, to repeat it.
func (l *passState) made(p assign.AssignParams, result assign.AssignResult) {
	first := len(l.passes) == 0
	l.passes = slices.DeleteFunc(l.passes, func(old assign.AssignParams) bool { return old.Band == p.Band })
	l.passes = append(l.passes, p)
	l.left = result.Left || l.left && !first
	l.dry = !l.left
	l.moved += result.Assigned
}

// raise notes that a pass may find something, at any priority.
func (l *passState) raise() {
	l.below = anything
	l.news++
}

// passed notes what came of repeating the passes for the priorities from least up, for all
// of them or with others below, to fill a free slot or for other workers; news is what it
// was when they began.
func (l *passState) passed(least, news, assigned int, left, all, free bool, now time.Time) {
	l.moved += assigned
	l.left = left || l.left && !all
	if assigned > 0 && left {
		return // there may be more to give at once
	}
	// Without a free slot a pass says nothing of what waits for one. And it knows of none
	// whose item's end is not written yet: this worker itself does.
	if news == l.news && (free || !left) && !l.maySelfAssign(least, now) {
		l.below = min(l.below, least)
	}
	if assigned > 0 || !left {
		l.gate, l.gates = time.Time{}, 0
		return
	}
	if free { // else it says nothing of the next one that has a slot to fill
		l.gate, l.gateTo = now.Add(min(leastGate<<min(l.gates, 10), mostGate)), least
		l.gates++
	}
}

// gated reports whether it is too soon for a pass that knows all workers, for priorities
// from least up.
func (l *passState) gated(least int, now time.Time) bool {
	return now.Before(l.gate) && least >= l.gateTo
}

// maySelfAssign reports whether a pass for this worker alone may find something from a priority
// up: it need not wait until one that knows all workers may be made again.
func (l *passState) maySelfAssign(least int, now time.Time) bool {
	return l.left && l.selfAssigned != nil && l.selfAssigned.MayAssign(false, least, now) && (l.selfAssignNews != l.news || least < l.selfAssignLeast)
}

// itemEnded notes that the end of an item is written, which may have made room. A
// session that is not told of new work passState for it when the last item has ended.
func (l *passState) itemEnded(told bool) {
	l.dry = l.dry && told
	if l.left {
		l.raise()
	}
}

// wants reports whether a pass may find something at or above a priority.
func (l *passState) wants(least int) bool { return l.below > least }
