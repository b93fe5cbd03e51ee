package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/workqueue/plan"
)

// TestFreeSlots checks that items are assigned only to free slots with FreeSlots, and the
// rest waits.
func TestFreeSlots(t *testing.T) {
	running := func(worker int64, priority, count int) plan.Held {
		return plan.Held{Worker: worker, Priority: priority, Running: true, Count: count, Estimate: int64(count) * minute}
	}
	for _, c := range []struct {
		name    string
		workers []plan.Worker
		held    []plan.Held
		items   int
		want    []int64
	}{
		{"as many as slots", workers(2, 1), nil, 5, []int64{1, 1, 2, 0, 0}},
		{"a running item uses a slot, regardless of its priority", workers(1, 2), []plan.Held{running(1, -5, 1)}, 3, []int64{2, 2, 0}},
		{"a less urgent assigned item does not", workers(1), []plan.Held{{Worker: 1, Priority: -5, Count: 1, Estimate: minute}}, 2, []int64{1, 0}},
		{"no free slot", workers(1), []plan.Held{running(1, 0, 1)}, 2, []int64{0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := roomy()
			o.FreeSlots = true
			p := plan.New(c.workers, c.held, nil, o)
			class := p.Class(plan.Class{})
			if diff := cmp.Diff(c.want, give(t, p, some(c.items, class, 1))); diff != "" {
				t.Errorf("who got the items (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFreeSlotsAreNotOverfilled checks for any number of waiting and held items that no
// worker gets more items than it has free slots, and that no item waits while a slot is
// free.
func TestFreeSlotsAreNotOverfilled(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		slots := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 6).Draw(t, "slots")
		list := workers(slots...)
		var held []plan.Held
		free, all := make([]int, len(slots)), 0
		for i, n := range slots {
			busy := rapid.IntRange(0, n).Draw(t, "busy")
			if free[i] = n - busy; busy > 0 {
				held = append(held, plan.Held{
					Worker: int64(i + 1), Priority: rapid.IntRange(-10, 10).Draw(t, "priority"), Running: true, Count: busy, Estimate: minute,
				})
			}
			all += free[i]
		}
		o := roomy()
		o.FreeSlots = true
		p := plan.New(list, held, nil, o)
		class := p.Class(plan.Class{})
		n := rapid.IntRange(0, 30).Draw(t, "items")
		if room := p.Room(minute); room != all {
			t.Errorf("room for %d items, want %d", room, all)
		}
		for i := range n {
			p.Assign(&plan.Item{ID: int64(i + 1), Class: class, Estimate: rapid.Int64Range(1, 10*minute).Draw(t, "estimate")})
		}
		placements, _ := p.Plan()
		given := make([]int, len(slots))
		for _, pl := range placements {
			given[pl.Worker-1]++
		}
		for i := range given {
			if given[i] > free[i] {
				t.Errorf("worker %d was given %d items, want %d at most", i+1, given[i], free[i])
			}
		}
		if len(placements) != min(n, all) {
			t.Errorf("%d items were assigned, want %d", len(placements), min(n, all))
		}
	})
}

// TestWaitingItemMovesToFreeSlot checks that an item that has to wait at its worker moves
// to a worker that can start it now, and otherwise stays.
func TestWaitingItemMovesToFreeSlot(t *testing.T) {
	o := roomy()
	o.FreeSlots, o.Margin = true, 2000
	held := []plan.Held{{Worker: 1, Running: true, Count: 1, Estimate: 500}}
	movable := []plan.Held{{Worker: 1, Count: 1, Estimate: 10}}
	for slots, want := range map[int]int64{0: 0, 1: 2} { // 0: it stays
		p := plan.New(workers(1, slots), held, movable, o)
		items := some(1, p.Class(plan.Class{}), 10)
		items[0].Holder = 1
		if got := give(t, p, items); got[0] != want {
			t.Errorf("with %d free slots it is assigned to worker %d, want %d", slots, got[0], want)
		}
	}
}

// TestFreeSlotsAreKeptForALargeItem checks an item for which no worker has enough free
// slots: less urgent items may not use the free slots of the worker that will first have
// enough, but those of all other workers.
func TestFreeSlotsAreKeptForALargeItem(t *testing.T) {
	phones := func(id int64, slots, most int) plan.Worker {
		return plan.Worker{ID: id, Slots: slots, Channels: map[string]plan.Channel{"voice": {Cost: 2, Max: most}, "chat": {Cost: 1}}}
	}
	runs := func(worker int64, channel string, minutes int64) plan.Held {
		return plan.Held{Worker: worker, Channel: channel, Running: true, Count: 1, Estimate: minutes * minute}
	}
	for _, c := range []struct {
		name    string
		workers []plan.Worker
		held    []plan.Held
		voices  int
		want    []int64 // the workers of the voice items, then of three chats
	}{
		{"enough slots", []plan.Worker{phones(1, 3, 0)}, []plan.Held{runs(1, "chat", 1)}, 1, []int64{1, 0, 0, 0}},
		{"not enough slots", []plan.Worker{phones(1, 2, 0)}, []plan.Held{runs(1, "chat", 1)}, 1, []int64{0, 0, 0, 0}},
		{"the other worker has room later", []plan.Worker{phones(1, 2, 0), phones(2, 2, 0)},
			[]plan.Held{runs(1, "chat", 5), runs(2, "chat", 9)}, 1, []int64{0, 2, 0, 0}},
		{"each keeps its own", []plan.Worker{phones(1, 2, 0), phones(2, 2, 0)},
			[]plan.Held{runs(1, "chat", 5), runs(2, "chat", 5)}, 2, []int64{0, 0, 0, 0, 0}},
		{"it waits for its channel", []plan.Worker{phones(1, 5, 1)}, []plan.Held{runs(1, "voice", 5)}, 1, []int64{0, 1, 1, 1}},
		{"it uses one slot on a worker where one is free sooner", []plan.Worker{phones(1, 2, 0), {ID: 2, Slots: 1}},
			[]plan.Held{runs(1, "chat", 5), runs(2, "chat", 1)}, 1, []int64{0, 1, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := roomy()
			o.FreeSlots = true
			p := plan.New(c.workers, c.held, nil, o)
			items := some(c.voices+3, p.Class(plan.Class{Channel: "voice"}), minute)
			chat := p.Class(plan.Class{Channel: "chat"})
			for i := range items[c.voices:] {
				items[c.voices+i].Class, items[c.voices+i].Priority = chat, -1
			}
			if diff := cmp.Diff(c.want, give(t, p, items)); diff != "" {
				t.Errorf("who got the items (-want +got):\n%s", diff)
			}
		})
	}
}
