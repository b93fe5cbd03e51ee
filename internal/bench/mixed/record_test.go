package mixed

import (
	"testing"
	"time"
)

const ms = time.Millisecond

// life returns an item that was enqueued at a time and has these runs, in milliseconds.
func life(priority int, came time.Duration, runs ...Run) Life {
	return Life{Item: Item{Priority: priority, Kind: Plain}, Called: came, Returned: came, Runs: runs}
}

func (l Life) of(kind Kind, after time.Duration) Life {
	l.Kind, l.After = kind, after
	return l
}

func (l Life) cancelled(called, returned time.Duration) Life {
	l.CancelCalled, l.CancelReturned = called, returned
	return l
}

func run(worker int, began, ended time.Duration) Run {
	return Run{Worker: worker, Began: began, Ended: ended}
}

func (r Run) by(e End) Run {
	r.End = e
	return r
}

func TestViolations(t *testing.T) {
	tests := map[string]struct {
		life Life
		want Violations
	}{
		"plain":                             {life(700, 100*ms, run(0, 101*ms, 110*ms)), Violations{}},
		"before it was enqueued":            {life(700, 100*ms, run(0, 90*ms, 110*ms)), Violations{BeforeDue: Starts{1, 10 * ms}}},
		"scheduled, on time":                {life(700, 100*ms, run(0, 199*ms, 210*ms)).of(Ahead, 100*ms), Violations{}},
		"scheduled, early":                  {life(700, 100*ms, run(0, 190*ms, 210*ms)).of(Ahead, 100*ms), Violations{BeforeDue: Starts{1, 10 * ms}}},
		"failed, after its backoff":         {life(700, 0, run(0, 0, 10*ms).by(Failed), run(1, 510*ms, 520*ms)).of(Fails, 500*ms), Violations{}},
		"failed, at once":                   {life(700, 0, run(0, 0, 10*ms).by(Failed), run(1, 20*ms, 30*ms)).of(Fails, 500*ms), Violations{BeforeDue: Starts{1, 490 * ms}}},
		"snoozed, early":                    {life(700, 0, run(0, 0, 10*ms).by(Snoozed), run(1, 400*ms, 500*ms)).of(Snoozes, 500*ms), Violations{BeforeDue: Starts{1, 110 * ms}}},
		"deadline, in time":                 {life(700, 0, run(0, 499*ms, 900*ms)).of(Expires, 500*ms), Violations{}},
		"deadline, between check and start": {life(700, 0, run(0, 515*ms, 900*ms)).of(Expires, 500*ms), Violations{}},
		"deadline, late":                    {life(700, 0, run(0, 521*ms, 900*ms)).of(Expires, 500*ms), Violations{AfterDeadline: Starts{1, 21 * ms}}},
		"cancelled while it runs":           {life(700, 0, run(0, 10*ms, 60*ms).by(Cut)).cancelled(50*ms, 55*ms), Violations{}},
		"cancelled between check and start": {life(700, 0, run(0, 60*ms, 90*ms)).cancelled(50*ms, 55*ms), Violations{}},
		"cancelled before":                  {life(700, 0, run(0, 76*ms, 90*ms)).cancelled(50*ms, 55*ms), Violations{AfterCancel: Starts{1, 21 * ms}}},
		"cancelled and never started":       {life(700, 0).cancelled(50*ms, 55*ms), Violations{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := Record{Lives: []Life{tt.life}, Workers: 2, Slots: 1, Over: time.Second}
			if got := r.Violations(); got != tt.want {
				t.Errorf("Violations() = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestInversions(t *testing.T) {
	const allowance = 100 * ms
	tests := map[string]struct {
		lives   []Life
		want    int
		longest time.Duration
	}{
		"in order":                         {[]Life{life(1500, 0, run(0, 10*ms, 20*ms)), life(700, 0, run(0, 200*ms, 300*ms))}, 0, 0},
		"overtaken":                        {[]Life{life(1500, 0, run(0, 400*ms, 500*ms)), life(700, 0, run(0, 300*ms, 400*ms))}, 1, 300 * ms},
		"overtaken twice":                  {[]Life{life(1500, 0, run(0, 400*ms, 500*ms)), life(700, 0, run(0, 200*ms, 210*ms)), life(700, 0, run(1, 300*ms, 310*ms))}, 2, 300 * ms},
		"within the allowance":             {[]Life{life(1500, 250*ms, run(0, 400*ms, 500*ms)), life(700, 0, run(0, 300*ms, 400*ms))}, 0, 0},
		"started together":                 {[]Life{life(1500, 0, run(1, 310*ms, 500*ms)), life(700, 0, run(0, 300*ms, 400*ms))}, 0, 0},
		"the same priority":                {[]Life{life(700, 0, run(0, 400*ms, 500*ms)), life(700, 0, run(0, 300*ms, 400*ms))}, 0, 0},
		"one that is cancelled":            {[]Life{life(1500, 0).cancelled(150*ms, 160*ms), life(700, 0, run(0, 300*ms, 400*ms))}, 0, 0},
		"one that is cancelled later":      {[]Life{life(1500, 0).cancelled(450*ms, 460*ms), life(700, 0, run(0, 300*ms, 400*ms))}, 1, 300 * ms},
		"one that expired":                 {[]Life{life(1500, 0).of(Expires, 200*ms), life(700, 0, run(0, 300*ms, 400*ms))}, 0, 0},
		"one in backoff":                   {[]Life{life(1500, 0, run(0, 0, 10*ms).by(Failed), run(0, 600*ms, 610*ms)).of(Fails, 500*ms), life(700, 0, run(0, 300*ms, 400*ms))}, 0, 0},
		"one that is lost":                 {[]Life{life(1500, 0), life(700, 0, run(0, 300*ms, 400*ms))}, 1, 300 * ms},
		"a low one, before its window":     {[]Life{life(400, 0, run(0, 1100*ms, 1200*ms)), life(300, 0, run(0, 1050*ms, 1060*ms))}, 0, 0},
		"a low one, after it":              {[]Life{life(400, 0, run(0, 1300*ms, 1400*ms)), life(300, 0, run(0, 1200*ms, 1260*ms))}, 1, 1200 * ms},
		"the longest wait of the urgent":   {[]Life{life(1500, 0, run(0, 900*ms, 910*ms)), life(1200, 0, run(0, 920*ms, 930*ms)), life(700, 0, run(1, 800*ms, 900*ms))}, 1, 800 * ms},
		"a medium one overtakes no medium": {[]Life{life(600, 0, run(0, 900*ms, 910*ms)), life(700, 0, run(1, 800*ms, 900*ms))}, 0, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := Record{Lives: tt.lives, Workers: 2, Slots: 1, Over: 2 * time.Second}
			if n, longest := r.Inversions(allowance); n != tt.want || longest != tt.longest {
				t.Errorf("Inversions(%s) = %d, %s, want %d, %s", allowance, n, longest, tt.want, tt.longest)
			}
		})
	}
}

func TestUtilisation(t *testing.T) {
	tests := map[string]struct {
		lives     []Life
		allowance time.Duration
		share     float64
		waited    time.Duration
	}{
		"nothing waits": {[]Life{life(700, 0, run(0, 0, 500*ms))}, 0, 1, 0},
		"one waits beside a busy and a free slot": {
			[]Life{life(700, 0, run(0, 0, 500*ms)), life(700, 100*ms, run(1, 300*ms, 400*ms))}, 0, 0.5, 200 * ms,
		},
		"the same with an allowance": {
			[]Life{life(700, 0, run(0, 0, 500*ms)), life(700, 100*ms, run(1, 300*ms, 400*ms))}, 150 * ms, 0.5, 50 * ms,
		},
		"all slots are busy while it waits": {
			[]Life{life(700, 0, run(0, 0, 400*ms)), life(700, 0, run(1, 0, 400*ms)), life(700, 0, run(1, 400*ms, 500*ms))}, 0, 1, 400 * ms,
		},
		"a slot that has just become free, within the allowance": {
			[]Life{life(700, 0, run(0, 0, 400*ms)), life(700, 0, run(1, 0, 300*ms)), life(700, 0, run(1, 400*ms, 500*ms))}, 100 * ms, 1, 300 * ms,
		},
		"no worker starts it": {
			[]Life{life(700, 0)}, 0, 0, time.Second,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := Record{Lives: tt.lives, Workers: 2, Slots: 1, Over: time.Second}
			share, waited, err := r.Utilisation(tt.allowance)
			if err != nil || share != tt.share || waited != tt.waited {
				t.Errorf("Utilisation(%s) = %v, %s, %v, want %v, %s", tt.allowance, share, waited, err, tt.share, tt.waited)
			}
		})
	}
}

// TestUtilisationShowsASlotThatNobodyUses checks that a run uses the slot that became
// free last, so that the other slot is unused for longer than any allowance.
func TestUtilisationShowsASlotThatNobodyUses(t *testing.T) {
	var lives []Life
	for i := range 20 {
		at := time.Duration(i) * 50 * ms
		lives = append(lives, life(700, 0, run(0, at, at+50*ms)))
	}
	r := Record{Lives: lives, Workers: 1, Slots: 2, Over: time.Second}
	share, waited, err := r.Utilisation(100 * ms)
	if err != nil || share != 0.5 || waited != 850*ms {
		t.Errorf("Utilisation = %v, %s, %v, want 0.5, 850ms", share, waited, err)
	}
}

func TestUtilisationRefusesMoreRunsThanSlots(t *testing.T) {
	r := Record{Lives: []Life{life(700, 0, run(0, 0, 400*ms)), life(700, 0, run(0, 300*ms, 500*ms))}, Workers: 1, Slots: 1, Over: time.Second}
	if _, _, err := r.Utilisation(0); err == nil {
		t.Error("two runs in one slot at once: no error")
	}
}

func TestWaits(t *testing.T) {
	r := Record{Up: 50 * ms, Over: time.Second, Lives: []Life{
		life(1001, 0, run(0, 60*ms, 70*ms)),        // before the workers started
		life(1000, 100*ms, run(0, 160*ms, 170*ms)), // not high
		life(1500, 100*ms, run(0, 130*ms, 140*ms).by(Snoozed), run(0, 245*ms, 250*ms)).of(Snoozes, 100*ms),
		life(1500, 100*ms), // never started
	}}
	got := r.Waits(high, 1<<30)
	if len(got) != 3 || got[0] != 10 || got[1] != 30 || got[2] != 5 {
		t.Errorf("Waits = %v, want [10 30 5]", got)
	}
}
