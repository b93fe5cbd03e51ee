package runner

import (
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

func TestLooksForWhatPassesLeave(t *testing.T) {
	now := time.Unix(0, 0)
	l := newPassState()
	if l.wants(0) {
		t.Error("a session that was not woken wants a pass")
	}
	l.made(assign.AssignParams{Band: workqueue.Band{Min: 1, Max: 9}}, assign.AssignResult{Assigned: 3})
	if l.left || !l.dry || l.moved != 3 {
		t.Errorf("left %t, dry %t, moved %d; want false, true, 3: the pass has given out all", l.left, l.dry, l.moved)
	}
	l.made(assign.AssignParams{Band: workqueue.Band{Min: 10, Max: 19}}, assign.AssignResult{Left: true})
	l.made(assign.AssignParams{Band: workqueue.Band{Min: 20, Max: 29}}, assign.AssignResult{})
	if !l.left || l.dry {
		t.Error("nothing is left, and one of the passes left something")
	}
	l.itemEnded(true)
	if !l.wants(0) {
		t.Error("want a pass: the end of an item makes room for what is left")
	}
	// What is above a priority has been looked through, and not what is below.
	l.passed(500, l.news, 0, true, true, true, now)
	if l.wants(500) || !l.wants(499) {
		t.Error("want a pass below 500 only")
	}
	l.passed(0, l.news, 2, true, true, true, now)
	if l.wants(500) || l.wants(0) && l.below != 500 {
		t.Errorf("below = %d, want it unchanged by a pass that found something", l.below)
	}
	l.wake(true, now)
	if !l.woken || !l.unseen || !l.wants(5000) {
		t.Error("want a pass for whatever was announced")
	}
	l.passed(0, l.news, 2, false, true, true, now)
	if l.wants(0) || l.left {
		t.Error("want no pass: nothing is left")
	}
	l.itemEnded(true)
	if l.wants(0) {
		t.Error("want no pass after an end when nothing is left")
	}
}

// A session that is told of new work makes no pass when its last item has ended.
func TestLooksOfASessionThatIsTold(t *testing.T) {
	for told, dry := range map[bool]bool{true: true, false: false} {
		l := newPassState()
		l.made(assign.AssignParams{}, assign.AssignResult{Assigned: 1})
		l.itemEnded(told)
		if l.dry != dry {
			t.Errorf("told of new work: %t; dry = %t, want %t", told, l.dry, dry)
		}
	}
}

// Passes that find no room are made at longer and longer intervals, and work that is
// announced waits for a tenth of a second at most.
func TestLooksPauseWhenThereIsNoRoom(t *testing.T) {
	now := time.Unix(0, 0)
	l := newPassState()
	last := time.Duration(0)
	for range 20 {
		l.passed(0, l.news, 0, true, true, true, now)
		if pause := l.gate.Sub(now); pause < last {
			t.Fatalf("a pause of %s after one of %s", pause, last)
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
	l.passed(0, l.news, 1, true, true, true, now)
	if !l.gate.IsZero() && l.gate.After(now.Add(wokenGate)) {
		t.Error("a pass that found something leaves a pause")
	}
}

// What is announced while a pass goes on is for the next one.
func TestLooksForWhatComesDuringAPass(t *testing.T) {
	now := time.Unix(0, 0)
	l := newPassState()
	l.wake(true, now)
	began := l.news
	l.wake(true, now)
	l.passed(0, began, 0, false, true, true, now)
	if !l.wants(0) {
		t.Error("what was announced during the pass is forgotten")
	}
	l.passed(0, l.news, 0, false, true, true, now)
	if l.wants(0) {
		t.Error("want no pass: the last one has found nothing")
	}
}
