package runner

import (
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

func TestPassStateAfterPasses(t *testing.T) {
	now := time.Unix(0, 0)
	l := newPassState()
	if l.mayFind(0) {
		t.Error("mayFind = true for a session that was not woken")
	}
	l.addPass(assign.AssignParams{Band: workqueue.Band{Min: 1, Max: 9}}, assign.AssignResult{Assigned: 3})
	if l.left || !l.dry || l.moved != 3 {
		t.Errorf("left %t, dry %t, moved %d; want false, true, 3: the pass has assigned all items", l.left, l.dry, l.moved)
	}
	l.addPass(assign.AssignParams{Band: workqueue.Band{Min: 10, Max: 19}}, assign.AssignResult{Left: true})
	l.addPass(assign.AssignParams{Band: workqueue.Band{Min: 20, Max: 29}}, assign.AssignResult{})
	if !l.left || l.dry {
		t.Error("left = false although one of the passes left items")
	}
	l.itemEnded(true)
	if !l.mayFind(0) {
		t.Error("want a pass: the end of an item makes room for the items that are left")
	}
	// The pass covered the items at and above a priority, and not those below.
	l.recordPasses(passResult{least: 500, passGen: l.passGen, left: true, all: true, free: true}, now)
	if l.mayFind(500) || !l.mayFind(499) {
		t.Error("want a pass below 500 only")
	}
	l.recordPasses(passResult{passGen: l.passGen, assigned: 2, left: true, all: true, free: true}, now)
	if l.mayFind(500) || l.mayFind(0) && l.below != 500 {
		t.Errorf("below = %d, want it unchanged by a pass that found items", l.below)
	}
	l.wake(true, now)
	if !l.woken || !l.unseen || !l.mayFind(5000) {
		t.Error("want a pass for the announced work")
	}
	l.recordPasses(passResult{passGen: l.passGen, assigned: 2, all: true, free: true}, now)
	if l.mayFind(0) || l.left {
		t.Error("want no pass: nothing is left")
	}
	l.itemEnded(true)
	if l.mayFind(0) {
		t.Error("want no pass after an end when nothing is left")
	}
}

// A session that is woken for new work makes no pass when its last item has ended.
func TestPassStateOfWokenSession(t *testing.T) {
	for wakes, dry := range map[bool]bool{true: true, false: false} {
		l := newPassState()
		l.addPass(assign.AssignParams{}, assign.AssignResult{Assigned: 1})
		l.itemEnded(wakes)
		if l.dry != dry {
			t.Errorf("wakes = %t: dry = %t, want %t", wakes, l.dry, dry)
		}
	}
}

// The intervals between passes that find no room grow. Announced work waits for at most a tenth
// of a second.
func TestPassStatePausesWithoutRoom(t *testing.T) {
	now := time.Unix(0, 0)
	l := newPassState()
	last := time.Duration(0)
	for range 20 {
		l.recordPasses(passResult{passGen: l.passGen, left: true, all: true, free: true}, now)
		if pause := l.gate.Sub(now); pause < last {
			t.Fatalf("a pause of %s after a pause of %s", pause, last)
		} else {
			last = pause
		}
	}
	if last != mostGate {
		t.Errorf("the pauses grow to %s, want %s", last, mostGate)
	}
	l.wake(true, now)
	if pause := l.gate.Sub(now); pause != wokenGate {
		t.Errorf("a pause of %s for announced work, want %s", pause, wokenGate)
	}
	l.recordPasses(passResult{passGen: l.passGen, assigned: 1, left: true, all: true, free: true}, now)
	if !l.gate.IsZero() {
		t.Error("a pass that found items causes a pause")
	}
}

// Passes that could not see a free slot yet cause no pause until the result of the item that ran in it is written. If
// the next pass finds no room either, there is a pause, although other results are not written.
func TestPassStateOfSlotThatBecomesFree(t *testing.T) {
	now := time.Unix(0, 0)
	l := newPassState()
	l.left = true
	pass := func(assigned int, early bool) {
		l.recordPasses(passResult{passGen: l.passGen, assigned: assigned, left: true, all: true, free: true, early: early}, now)
	}
	for range 2 {
		for i, settled := range []bool{true, false, true, true} {
			if settled {
				l.itemEnded(true)
			}
			pass(0, true)
			if want := i >= 2; l.gated(0, now) != want {
				t.Errorf("pass %d: gated = %t, want %t", i+1, !want, want)
			}
		}
		pass(1, true)
		pass(0, false)
		if !l.gated(0, now) {
			t.Error("no pause after a pass that saw all free slots and found no room")
		}
		pass(1, true)
	}
}

// Work that is announced during a pass is for the next pass.
func TestPassStateOfWorkAnnouncedDuringPass(t *testing.T) {
	now := time.Unix(0, 0)
	l := newPassState()
	l.wake(true, now)
	began := l.passGen
	l.wake(true, now)
	l.recordPasses(passResult{passGen: began, all: true, free: true}, now)
	if !l.mayFind(0) {
		t.Error("the work that was announced during the pass is forgotten")
	}
	l.recordPasses(passResult{passGen: l.passGen, all: true, free: true}, now)
	if l.mayFind(0) {
		t.Error("want no pass: the last one has found nothing")
	}
}
