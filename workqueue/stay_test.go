package workqueue

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStay(time.Minute)
		if StayOf(s.With(t.Context())) != s || StayOf(t.Context()) != nil {
			t.Error("a context does not hand over its stay, or hands over one that it has not")
		}
		for range 100 {
			if !s.Wake(false) {
				t.Fatal("Wake = false of one that was not closed")
			}
		}
		if len(s.woken()) != 1 {
			t.Errorf("%d tokens after a hundred wakes, want 1", len(s.woken()))
		}
		if s.close() {
			t.Error("closed although it was woken")
		}
		<-s.woken()
		if s.wanted() {
			t.Error("a pass is wanted, and only a claim was asked for")
		}
		s.Wake(true)
		s.Wake(false) // does not make less of it
		<-s.woken()
		if !s.wanted() || s.wanted() {
			t.Error("want a pass, once")
		}
		if !s.close() || s.Wake(true) || s.End() {
			t.Error("a closed one was woken")
		}
	})
}

func TestStayThatIsToLeave(t *testing.T) {
	s := NewStay(time.Minute)
	s.Leave()
	s.Leave()
	s.Wake(true)
	if !s.close() {
		t.Error("one that is to leave stays for what comes")
	}
	if !s.End() {
		t.Error("End = false although it was woken and has not looked: the work is forgotten")
	}
}

func TestStayAsksOnceForWhatIsLeft(t *testing.T) {
	s := NewStay(0)
	if !s.leftOver() {
		t.Error("without a pass of its own there may be anything")
	}
	s.made(AssignParams{Band: Band{Min: 1, Max: 9}}, AssignResult{Assigned: 3})
	if s.leftOver() {
		t.Error("something is left, and the pass has given out all")
	}
	s.made(AssignParams{Band: Band{Min: 10, Max: 19}}, AssignResult{Left: true})
	s.made(AssignParams{Band: Band{Min: 20, Max: 29}}, AssignResult{})
	if !s.leftOver() {
		t.Error("nothing is left, and one of the passes left something")
	}
	if got := s.repeats(Band{Min: 5, Max: 15}); len(got) != 2 || got[0].Band.Max != 9 || got[1].Band.Max != 19 {
		t.Errorf("passes to repeat: %v, want those of 1 to 9 and 10 to 19", got)
	}
	s.note(true, 0, true)
	if !s.leftOver() {
		t.Error("it does not ask again, and items that were under way have ended since")
	}
	s.note(true, 0, false)
	if s.leftOver() {
		t.Error("it asks again although nothing has changed")
	}
	s.claimed(2)
	if !s.leftOver() || s.Moved() != 5 {
		t.Errorf("leftOver = %t, Moved = %d; want true, 5: the ends of what was claimed make room", s.leftOver(), s.Moved())
	}
}

func TestNilStay(t *testing.T) {
	var s *Stay
	s.Leave()
	s.claimed(1)
	s.made(AssignParams{}, AssignResult{})
	if s.Wake(true) || s.End() || s.Moved() != 0 || s.woken() != nil {
		t.Error("a nil stay does something")
	}
}

func TestJoinBands(t *testing.T) {
	for _, tt := range []struct {
		name        string
		bands, want []Band
	}{
		{"none", nil, nil},
		{"apart", []Band{{5, 9}, {1, 3}}, []Band{{1, 3}, {5, 9}}},
		{"touching", []Band{{5, 9}, {1, 4}}, []Band{{1, 9}}},
		{"one in the other", []Band{{1, 9}, {2, 3}, EveryPriority}, []Band{EveryPriority}},
		{"empty", []Band{{9, 1}}, nil},
	} {
		got := JoinBands(tt.bands)
		if len(got) != len(tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
		}
	}
}
