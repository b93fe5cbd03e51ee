package runner

import (
	"maps"
	"slices"
	"testing"

	"botwork/internal/testgroup"
	"botwork/workqueue"

	"pgregory.net/rapid"
)

// lineModel is a model of a line and its slots, for checks of their invariants.
type lineModel struct {
	s       slots
	l       line
	running []need
	waiting []*claimed // in the order in which they were added
	most    map[string]int
}

func drawNeed(t *rapid.T, m *lineModel) need {
	n := need{priority: rapid.SampledFrom([]int{-3, 0, 499, 500, 1000, 1001, 5000}).Draw(t, "priority")}
	n.expedited = rapid.IntRange(0, 3).Draw(t, "expedited") == 0
	n.channel = rapid.SampledFrom([]string{"", "", "voice", "chat", "mail"}).Draw(t, "channel")
	if n.channel != "" {
		n.cost = rapid.IntRange(1, m.s.capacity-m.s.reserved).Draw(t, "cost")
		n.most = m.most[n.channel]
	}
	return n
}

// settle starts the items that can start, and checks their order.
func (m *lineModel) settle(t *rapid.T) {
	for {
		before := m.s
		before.use = maps.Clone(m.s.use)
		it := m.l.next(&m.s)
		if it == nil {
			break
		}
		for _, w := range m.waiting {
			if w == it {
				break // items that were added later and are as urgent
			}
			if !it.need.before(w.need) && !before.full(w.need) && !m.mayUseReserved(&before, w.need, it.need) {
				t.Fatalf("%+v got slots before %+v", it.need, w.need)
			}
		}
		for _, w := range m.waiting {
			if w.need.before(it.need) && !before.full(w.need) && !m.mayUseReserved(&before, w.need, it.need) {
				t.Fatalf("%+v got slots before %+v", it.need, w.need)
			}
		}
		m.running = append(m.running, it.need)
		if it.need.priority <= workqueue.HighPriority && m.s.free < m.s.reserved {
			t.Fatalf("%+v got slots although only %d are free; %d are reserved", it.need, m.s.free, m.s.reserved)
		}
		m.waiting = slices.DeleteFunc(m.waiting, func(w *claimed) bool { return w == it })
	}
	m.check(t)
}

// mayUseReserved reports whether a high item may use a reserved slot that the items before it
// may not use: an expedited item that waits for room.
func (m *lineModel) mayUseReserved(s *slots, expedited, high need) bool {
	if !expedited.expedited || expedited.priority > workqueue.HighPriority || high.priority <= workqueue.HighPriority || s.reserved == 0 {
		return false
	}
	return slices.ContainsFunc(m.waiting, func(w *claimed) bool {
		return w.need.expedited && !expedited.before(w.need) && !s.full(w.need) && !s.room(w.need)
	})
}

func (m *lineModel) check(t *rapid.T) {
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
	if len(m.l.items) != len(m.waiting) {
		t.Fatalf("%d items are in line, want %d", len(m.l.items), len(m.waiting))
	}
	// Each waiting item has a reason: its channel is full, there is no room for it, or
	// an item before it waits for room.
	byTurn := slices.Clone(m.waiting)
	slices.SortStableFunc(byTurn, func(a, b *claimed) int {
		if a.need.expedited != b.need.expedited {
			return map[bool]int{true: -1, false: 1}[a.need.expedited]
		}
		return b.need.priority - a.need.priority
	})
	for i, w := range byTurn {
		kept := 0
		if w.need.priority <= workqueue.HighPriority {
			kept = m.s.reserved
		}
		switch {
		case w.need.most > 0 && of[w.need.channel] >= w.need.most:
			continue
		case w.need.size() > m.s.free-kept:
			if head := m.l.head(&m.s); head != w {
				t.Fatalf("head is %+v, want %+v, which blocks the others", head, w.need)
			}
			m.checkReserved(t, w.need, byTurn[i+1:])
			return
		}
		t.Fatalf("%+v waits although %d slots are free, %v run, and all items before it wait for their channels", w.need, m.s.free, of)
	}
	if head := m.l.head(&m.s); head != nil {
		t.Fatalf("head is %+v, want none: all waiting items wait for their channels", head.need)
	}
}

// checkReserved checks that no high item waits for a reserved slot behind an expedited item
// that may not use it.
func (m *lineModel) checkReserved(t *rapid.T, head need, behind []*claimed) {
	if !head.expedited || head.priority > workqueue.HighPriority || m.s.reserved == 0 {
		return
	}
	for _, w := range behind {
		if w.need.priority > workqueue.HighPriority && !m.s.full(w.need) {
			if w.need.size() <= m.s.free {
				t.Fatalf("%+v waits although %d slots are free, which %+v may not use", w.need, m.s.free, head)
			}
			return
		}
	}
}

// Items are added, end and are removed in any order. At no time are more slots used than there
// are, or more than a channel may have. The most urgent item starts first, and no item waits
// without a reason.
func TestLineProperties(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 12).Draw(t, "capacity")
		m := &lineModel{s: newSlots(capacity, rapid.IntRange(0, capacity-1).Draw(t, "reserved"))}
		m.most = map[string]int{"voice": 0, "chat": rapid.IntRange(0, 3).Draw(t, "chats"), "mail": rapid.IntRange(0, 3).Draw(t, "mails")}
		t.Repeat(map[string]func(*rapid.T){
			"come": func(t *rapid.T) {
				var list []*claimed
				for range rapid.IntRange(1, 4).Draw(t, "items") {
					list = append(list, itemOf(drawNeed(t, m)))
				}
				m.waiting = append(m.waiting, list...)
				m.l.add(list...)
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
				m.settle(t)
			},
			"remove": func(t *rapid.T) {
				if len(m.waiting) == 0 {
					t.Skip("none waits")
				}
				it := rapid.SampledFrom(m.waiting).Draw(t, "which")
				if out := m.l.removeAll(func(other *claimed) bool { return other == it }); len(out) != 1 || out[0] != it {
					t.Fatalf("removed %v", out)
				}
				m.waiting = slices.DeleteFunc(m.waiting, func(w *claimed) bool { return w == it })
				m.settle(t)
			},
		})
		// When no more items are added, all of them start.
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

// A large item starts as soon as the items that ran before it have ended, no matter how many
// small items are added.
func TestLineDoesNotStarveLargeItem(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		capacity := rapid.IntRange(2, 12).Draw(t, "capacity")
		s, l := newSlots(capacity, 0), line{}
		come := func(cost int) *claimed {
			it := itemOf(need{priority: 500, cost: cost})
			l.add(it)
			return it
		}
		before := capacity + rapid.IntRange(0, 5).Draw(t, "before")
		for range before {
			come(1)
		}
		for range capacity {
			if l.next(&s) == nil {
				t.Fatal("no slot")
			}
		}
		large := come(rapid.IntRange(2, capacity).Draw(t, "cost"))
		for ends := 0; ; ends++ {
			if ends > before {
				t.Fatalf("the large item still waits after %d others have ended", ends)
			}
			later := come(1)
			s.release(need{priority: 500})
			got := l.next(&s)
			if got == large {
				return
			}
			if got == later {
				t.Fatal("an item that was added later got a slot first")
			}
		}
	})
}
