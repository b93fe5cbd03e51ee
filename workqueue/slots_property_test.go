package workqueue

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// slotsModel holds what slots must always keep to whatever comes and goes.
type slotsModel struct {
	s       *slots
	running []need
	waiting []*waiter // in the order in which they came
	most    map[string]int
}

func drawNeed(t *rapid.T, m *slotsModel) need {
	n := need{priority: rapid.SampledFrom([]int{-3, 0, 499, 500, 1000, 1001, 5000}).Draw(t, "priority")}
	n.channel = rapid.SampledFrom([]string{"", "", "voice", "chat", "mail"}).Draw(t, "channel")
	if n.channel != "" {
		n.cost = rapid.IntRange(1, m.s.capacity-m.s.reserved).Draw(t, "cost")
		n.most = m.most[n.channel]
	}
	return n
}

// settle takes over who has got slots, and checks that each was next.
func (m *slotsModel) settle(t *rapid.T) {
	left := m.waiting[:0:0]
	for _, w := range m.waiting {
		if !w.left {
			left = append(left, w)
			continue
		}
		m.got(t, w.need)
	}
	m.waiting = left
	m.check(t)
}

// got counts one that has got slots just now. The more urgent get theirs first,
// so behind one that is not high the reserved slots must be free still.
func (m *slotsModel) got(t *rapid.T, n need) {
	m.running = append(m.running, n)
	if n.priority <= HighPriority && m.s.free < m.s.reserved {
		t.Fatalf("%+v got slots, and %d are free; %d are reserved", n, m.s.free, m.s.reserved)
	}
}

func (m *slotsModel) check(t *rapid.T) {
	used, of := 0, map[string]int{}
	for _, n := range m.running {
		used += n.size()
		of[n.channel]++
	}
	if used > m.s.capacity || m.s.free != m.s.capacity-used {
		t.Fatalf("%d of %d slots are in use and %d free", used, m.s.capacity, m.s.free)
	}
	for channel, most := range m.most {
		if most > 0 && of[channel] > most {
			t.Fatalf("%d items of %s run, want at most %d", of[channel], channel, most)
		}
	}
	// Whoever waits has a reason: its channel is full, there is no room for it, or
	// one before it waits for room.
	byTurn := slices.Clone(m.waiting)
	slices.SortStableFunc(byTurn, func(a, b *waiter) int { return b.priority - a.priority })
	for _, w := range byTurn {
		kept := 0
		if w.priority <= HighPriority {
			kept = m.s.reserved
		}
		switch {
		case w.most > 0 && of[w.channel] >= w.most:
			continue
		case w.size() > m.s.free-kept:
			return
		}
		t.Fatalf("%+v waits although %d slots are free, %v run and all before it wait for their channels", w.need, m.s.free, of)
	}
}

// passed tells whether one who waits, and could have had slots in the place of
// another, should have had them first.
func (m *slotsModel) passed(by need, arrived uint64) *waiter {
	of := map[string]int{}
	for _, n := range m.running {
		of[n.channel]++
	}
	for _, w := range m.waiting {
		first := w.priority > by.priority || w.priority == by.priority && w.arrived < arrived
		if !w.left && first && (w.most == 0 || of[w.channel] < w.most) {
			return w
		}
	}
	return nil
}

// Whatever is asked for, given back and given up: never more than there is, never
// more of a channel than it may have, the most urgent first, nobody for nothing.
func TestSlotsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 12).Draw(t, "capacity")
		m := &slotsModel{s: newSlots(capacity, rapid.IntRange(0, capacity-1).Draw(t, "reserved"))}
		m.most = map[string]int{"voice": 0, "chat": rapid.IntRange(0, 3).Draw(t, "chats"), "mail": rapid.IntRange(0, 3).Draw(t, "mails")}
		t.Repeat(map[string]func(*rapid.T){
			"ask": func(t *rapid.T) {
				n := drawNeed(t, m)
				w, err := m.s.enlist(n)
				if err != nil {
					t.Fatalf("enlist %+v: %v", n, err)
				}
				if w != nil {
					m.waiting = append(m.waiting, w)
				} else if first := m.passed(n, m.s.arrived+1); first != nil {
					t.Fatalf("%+v got slots before %+v", n, first.need)
				} else {
					m.got(t, n)
				}
				m.settle(t)
			},
			"end": func(t *rapid.T) {
				if len(m.running) == 0 {
					t.Skip("nothing runs")
				}
				i := rapid.IntRange(0, len(m.running)-1).Draw(t, "which")
				n := m.running[i]
				m.running = slices.Delete(m.running, i, i+1)
				m.s.release(n)
				for _, w := range m.waiting {
					if first := m.passed(w.need, w.arrived); w.left && first != nil && !m.s.fullLocked(first.need) {
						t.Fatalf("%+v got slots before %+v", w.need, first.need)
					}
				}
				m.settle(t)
			},
			"give up": func(t *rapid.T) {
				if len(m.waiting) == 0 {
					t.Skip("nobody waits")
				}
				i := rapid.IntRange(0, len(m.waiting)-1).Draw(t, "who")
				w := m.waiting[i]
				m.waiting = slices.Delete(m.waiting, i, i+1)
				ended, cancel := context.WithCancel(context.Background())
				cancel()
				if err := m.s.await(ended, w); err == nil {
					t.Fatal("who gave up got slots")
				}
				m.settle(t)
			},
		})
		// When nothing comes any more, everybody has a turn.
		for len(m.running) > 0 {
			n := m.running[0]
			m.running = m.running[1:]
			m.s.release(n)
			m.settle(t)
		}
		if len(m.waiting) > 0 || m.s.free != capacity {
			t.Fatalf("%d still wait, %d of %d slots are free", len(m.waiting), m.s.free, capacity)
		}
	})
}

// However many small items come: a big one starts when what ran before it has
// ended, and not later.
func TestSlotsStarveNobody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(2, 12).Draw(t, "capacity")
		s := newSlots(capacity, 0)
		small, big := need{priority: 500}, need{priority: 500, cost: rapid.IntRange(2, capacity).Draw(t, "cost")}
		for range capacity {
			if w, err := s.enlist(small); w != nil || err != nil {
				t.Fatal("no slot", err)
			}
		}
		for range rapid.IntRange(0, 5).Draw(t, "before") {
			if w, _ := s.enlist(small); w == nil {
				t.Fatal("a slot too many")
			}
		}
		before := len(s.waiting)
		w, err := s.enlist(big)
		if err != nil || w == nil {
			t.Fatal("the big one got slots that are not there", err)
		}
		for ends := 0; !w.left; ends++ {
			if ends > capacity+before {
				t.Fatalf("the big one still waits after %d others have ended", ends)
			}
			if later, _ := s.enlist(small); later == nil {
				t.Fatal("one that came later got a slot first")
			}
			s.release(small)
		}
	})
}
