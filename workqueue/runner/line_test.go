package runner

import (
	"fmt"
	"slices"
	"testing"

	"botwork/workqueue"
	"botwork/workqueue/plan"
)

// namedLine is a line and its slots, with the running items by name.
type namedLine struct {
	slots
	line
	t       *testing.T
	running map[string]need
	names   map[*claimed]string
}

func newNamedLine(t *testing.T, capacity, reserved int) *namedLine {
	return &namedLine{slots: newSlots(capacity, reserved), t: t, running: map[string]need{}, names: map[*claimed]string{}}
}

// enter puts an item in line and reports whether it starts at once.
func (q *namedLine) enter(name string, n need) bool {
	it := itemOf(n)
	q.names[it] = name
	q.add(it)
	return slices.Contains(q.startAll(), name)
}

// itemOf returns an item with a need.
func itemOf(n need) *claimed {
	it := &claimed{need: n}
	it.Priority = n.priority
	if n.expedited {
		it.RunOrder = plan.ExpeditedBefore - 1
	}
	return it
}

// leave ends a running item, and returns the items that start in its slots.
func (q *namedLine) leave(name string) []string {
	q.t.Helper()
	n, held := q.running[name]
	if !held {
		q.t.Fatalf("%s does not run", name)
	}
	delete(q.running, name)
	q.release(n)
	return q.startAll()
}

// startAll starts the items that can start, and returns them in order.
func (q *namedLine) startAll() (names []string) {
	for it := q.next(&q.slots); it != nil; it = q.next(&q.slots) {
		name := q.names[it]
		names = append(names, name)
		q.running[name] = it.need
	}
	return names
}

// fill puts a number of items in line and returns how many of them start.
func (q *namedLine) fill(n need, times int) (started int) {
	for i := range times {
		if q.enter(fmt.Sprintf("%s %d", n.channel, i+1), n) {
			started++
		}
	}
	return started
}

func TestSlotsByPriorityThenAge(t *testing.T) {
	q := newNamedLine(t, 1, 0)
	q.enter("first", need{})
	for i, priority := range []int{500, -7, 1001, 500, 1001, 500} {
		if q.enter(fmt.Sprint(i), need{priority: priority}) {
			t.Fatal("a slot too many")
		}
	}
	order := q.leave("first")
	for len(order) < 6 {
		order = append(order, q.leave(order[len(order)-1])...)
	}
	if want := []string{"2", "4", "0", "3", "5", "1"}; !slices.Equal(order, want) {
		t.Errorf("slots went to %v, want %v", order, want)
	}
	q.leave("1")
	if q.free != 1 {
		t.Errorf("%d slots are free, want 1", q.free)
	}
}

// Examples as they are known from call routing.
func TestSlotsOfChannels(t *testing.T) {
	t.Run("capacity 100, voice 100, chat 20: one voice or five chats, never both", func(t *testing.T) {
		voice, chat := need{cost: 100, channel: "voice"}, need{cost: 20, channel: "chat"}
		q := newNamedLine(t, 100, 0)
		if got := q.fill(chat, 5); got != 5 {
			t.Fatalf("%d chats fit, want 5", got)
		}
		if q.enter("chat 6", chat) || q.enter("voice 1", voice) {
			t.Error("a sixth chat, or a voice beside five chats, got slots")
		}
		q = newNamedLine(t, 100, 0)
		if !q.enter("voice 1", voice) || q.enter("chat 1", chat) || q.enter("voice 2", voice) {
			t.Error("want one voice, and nothing beside it")
		}
	})
	t.Run("capacity 100, voice 60, chat and email 10 with at most 2: one, two and two", func(t *testing.T) {
		voice := need{cost: 60, channel: "voice"}
		chat, email := need{cost: 10, channel: "chat", most: 2}, need{cost: 10, channel: "email", most: 2}
		q := newNamedLine(t, 100, 0)
		if chats, emails := q.fill(chat, 7), q.fill(email, 7); chats != 2 || emails != 2 {
			t.Errorf("%d chats and %d emails, want 2 and 2", chats, emails)
		}
		if q.free != 60 {
			t.Errorf("%d slots are left, want 60", q.free)
		}
		// Five chats and five emails wait for their channels: they do not block a voice
		// item.
		if !q.enter("voice 1", voice) || q.enter("voice 2", voice) {
			t.Error("want one voice, which always fits")
		}
	})
	t.Run("capacity 2, voice 2, chat 1: one voice or two chats", func(t *testing.T) {
		voice, chat := need{cost: 2, channel: "voice"}, need{cost: 1, channel: "chat"}
		q := newNamedLine(t, 2, 0)
		if got := q.fill(chat, 3); got != 2 {
			t.Errorf("%d chats, want 2", got)
		}
		q = newNamedLine(t, 2, 0)
		if !q.enter("voice 1", voice) || q.enter("chat 1", chat) {
			t.Error("want one voice, and no chat beside it")
		}
	})
}

// Small items that keep arriving must not block a large one forever.
func TestSlotsForLargeItemBeforeItemsBehindIt(t *testing.T) {
	q := newNamedLine(t, 3, 0)
	small := need{priority: 500}
	if got := q.fill(small, 2); got != 2 {
		t.Fatal(got)
	}
	if q.enter("large", need{priority: 500, cost: 3}) || q.enter("late", small) {
		t.Fatal("an item started in the slot that is kept for the large one, want both to wait")
	}
	if !q.enter("urgent", need{priority: 501}) {
		t.Error("a more urgent item did not overtake the large one")
	}
	for _, name := range []string{" 1", " 2"} {
		if got := q.leave(name); len(got) > 0 {
			t.Errorf("%v got slots, want the large one to be next", got)
		}
	}
	if got := q.leave("urgent"); !slices.Equal(got, []string{"large"}) {
		t.Errorf("%v got slots, want the large one", got)
	}
	if got := q.leave("large"); !slices.Equal(got, []string{"late"}) {
		t.Errorf("%v got slots, want the item behind it", got)
	}
}

func TestReservedSlots(t *testing.T) {
	q := newNamedLine(t, 4, 1)
	medium, high := need{priority: workqueue.HighPriority}, need{priority: workqueue.HighPriority + 1}
	if got := q.fill(medium, 5); got != 3 {
		t.Errorf("%d items up to %d run, want 3 of 4 slots", got, workqueue.HighPriority)
	}
	if !q.enter("high 1", high) {
		t.Error("the high item did not get the reserved slot")
	}
	if q.enter("high 2", high) {
		t.Error("a fifth item got a slot")
	}
	if got := q.leave(" 1"); !slices.Equal(got, []string{"high 2"}) {
		t.Errorf("%v got the slot, want the high item", got)
	}
	if got := q.leave("high 1"); len(got) > 0 {
		t.Errorf("%v got the last free slot, want it to be kept", got)
	}
	if got := q.leave("high 2"); !slices.Equal(got, []string{" 4"}) {
		t.Errorf("%v got a slot, want the first waiting item: two slots are free", got)
	}
}

func TestItemStartsWhenItsChannelHasRoom(t *testing.T) {
	q := newNamedLine(t, 10, 0)
	chat := need{priority: 600, cost: 2, channel: "chat", most: 1}
	if got := q.fill(chat, 2); got != 1 {
		t.Fatal(got)
	}
	if !q.enter("mail", need{priority: 1}) {
		t.Error("a chat that waits for another chat blocks a less urgent item")
	}
	if got := q.leave("chat 1"); !slices.Equal(got, []string{"chat 2"}) {
		t.Errorf("%v got slots, want the second chat", got)
	}
}

// Expedited items start before all others, the most urgent of them first.
func TestExpeditedItemsStartFirst(t *testing.T) {
	q := newNamedLine(t, 1, 0)
	q.enter("runs", need{priority: 500})
	for name, n := range map[string]need{
		"high": {priority: 2000}, "low": {priority: 100}, "expedited low": {priority: -7, expedited: true}, "expedited": {priority: 600, expedited: true},
	} {
		q.enter(name, n)
	}
	order := q.leave("runs")
	for len(order) < 4 {
		order = append(order, q.leave(order[len(order)-1])...)
	}
	if want := []string{"expedited", "expedited low", "high", "low"}; !slices.Equal(order, want) {
		t.Errorf("slots went to %v, want %v", order, want)
	}
}

// Items of one priority start in the order in which they were planned, even if they were claimed
// in another order.
func TestItemsStartInPlannedOrder(t *testing.T) {
	q := newNamedLine(t, 1, 0)
	q.enter("runs", need{priority: 500})
	var names []string
	for i, order := range []int64{7, -9, 7} {
		it := itemOf(need{priority: 600})
		it.ID, it.RunOrder = int64(3-i), order
		q.names[it] = fmt.Sprint(it.ID)
		q.add(it)
	}
	for name := "runs"; len(names) < 3; name = names[len(names)-1] {
		names = append(names, q.leave(name)...)
	}
	if want := []string{"2", "1", "3"}; !slices.Equal(names, want) {
		t.Errorf("slots went to %v, want %v", names, want)
	}
}

// An expedited item does not use a reserved slot, and does not block it for a high item.
func TestExpeditedItemUsesNoReservedSlot(t *testing.T) {
	q := newNamedLine(t, 3, 1)
	q.fill(need{priority: 500}, 2)
	for _, name := range []string{"expedited 1", "expedited 2"} {
		if q.enter(name, need{priority: 600, expedited: true}) {
			t.Errorf("%s got the reserved slot", name)
		}
	}
	if q.enter("medium", need{priority: 900}) {
		t.Error("the medium item got the reserved slot")
	}
	if !q.enter("high", need{priority: 1001}) {
		t.Error("the high item waits although a slot is reserved for it")
	}
	if q.enter("high 2", need{priority: 1001}) {
		t.Error("a fourth item got a slot")
	}
	q.leave("high")
	if _, runs := q.running["high 2"]; !runs {
		t.Error("the second high item waits although a slot is reserved for it")
	}
	if got := q.leave("high 2"); len(got) > 0 {
		t.Errorf("%v got the reserved slot", got)
	}
	if got := q.leave(" 1"); !slices.Equal(got, []string{"expedited 1"}) {
		t.Errorf("%v got the slot, want the expedited item", got)
	}
}

// A large expedited item blocks all others until there is room for it, unless a slot is reserved
// for them.
func TestLargeExpeditedItemStartsBeforeHighItems(t *testing.T) {
	q := newNamedLine(t, 3, 0)
	q.fill(need{priority: 500}, 2)
	if q.enter("large", need{priority: 600, cost: 3, expedited: true}) || q.enter("small", need{priority: 500, expedited: true}) || q.enter("high", need{priority: 2000}) {
		t.Fatal("an item overtook the large one")
	}
	q.leave(" 1")
	if got := q.leave(" 2"); !slices.Equal(got, []string{"large"}) {
		t.Fatalf("%v got slots, want the large one", got)
	}
	if got := q.leave("large"); !slices.Equal(got, []string{"small", "high"}) {
		t.Errorf("%v got slots, want the two that waited", got)
	}
}

// It is unknown when a stuck handler returns, so an item that needs its slots counts as blocked.
func TestStuckSlots(t *testing.T) {
	s := newSlots(10, 1)
	voice, chat := need{priority: 500, cost: 6, channel: "voice"}, need{priority: 500, cost: 1, channel: "chat", most: 1}
	s.occupy(voice)
	s.occupy(chat)
	if s.blockedByStuck(voice) || s.blockedByStuck(chat) {
		t.Error("blocked before any slot is stuck")
	}
	s.markStuck(voice, 1)
	if !s.blockedByStuck(voice) {
		t.Error("a second voice is not blocked although only 4 of 10 slots are not stuck")
	}
	s.markStuck(chat, 1)
	if !s.blockedByStuck(chat) {
		t.Error("a second chat is not blocked although the only running one is stuck")
	}
	if plain := (need{priority: 500}); s.blockedByStuck(plain) || !s.room(plain) {
		t.Error("a one-slot item counts as blocked")
	}
	if !s.blockedByStuck(need{priority: 500, cost: 3, channel: "mail"}) {
		t.Error("an item of 3 slots is not blocked although only 2 are left for it")
	}
	s.markStuck(voice, -1)
	s.release(voice)
	if s.blockedByStuck(voice) || !s.room(voice) {
		t.Error("a voice has no room after the stuck one has returned")
	}
}

// If all slots but the reserved one are stuck, the worker uses that one for all items.
func TestStuckSlotsWithReservedSlot(t *testing.T) {
	q := newNamedLine(t, 3, 2)
	medium := need{priority: 500}
	if !q.enter("deaf 1", medium) || q.enter("waits", medium) {
		t.Fatal("want one of three slots for less urgent items")
	}
	if !q.enter("deaf 2", need{priority: 1001}) {
		t.Fatal("the high item got no slot")
	}
	q.markStuck(q.running["deaf 1"], 1)
	if got := q.startAll(); len(got) > 0 {
		t.Errorf("%v got the last slot, want it to stay reserved: another slot is not stuck", got)
	}
	q.markStuck(q.running["deaf 2"], 1)
	if got := q.startAll(); !slices.Equal(got, []string{"waits"}) {
		t.Errorf("%v got the last slot, want the waiting item", got)
	}
}
