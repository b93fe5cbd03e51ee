package runner

import (
	"fmt"
	"slices"
	"testing"

	"botwork/workqueue"
	"botwork/workqueue/plan"
)

// queueUp is a line and its slots, with those who hold some, by name.
type queueUp struct {
	slots
	line
	t     *testing.T
	holds map[string]need
	names map[*claimed]string
}

func newQueue(t *testing.T, capacity, reserved int) *queueUp {
	return &queueUp{slots: newSlots(capacity, reserved), t: t, holds: map[string]need{}, names: map[*claimed]string{}}
}

// ask puts one in line and reports whether it has its slots at once.
func (q *queueUp) ask(name string, n need) bool {
	it := inLine(n)
	q.names[it] = name
	q.add(it)
	return slices.Contains(q.granted(), name)
}

// inLine is an item with a need.
func inLine(n need) *claimed {
	it := &claimed{need: n}
	it.Priority = n.priority
	if n.expedited {
		it.RunOrder = plan.ExpeditedBefore - 1
	}
	return it
}

// done gives back what one holds, and lists those that have theirs now.
func (q *queueUp) done(name string) []string {
	q.t.Helper()
	n, held := q.holds[name]
	if !held {
		q.t.Fatalf("%s holds nothing", name)
	}
	delete(q.holds, name)
	q.release(n)
	return q.granted()
}

// granted lists those whose turn has come, in order.
func (q *queueUp) granted() (names []string) {
	for it := q.next(&q.slots); it != nil; it = q.next(&q.slots) {
		name := q.names[it]
		names = append(names, name)
		q.holds[name] = it.need
	}
	return names
}

// fill asks for so many of a sort and returns how many it got.
func (q *queueUp) fill(n need, times int) (got int) {
	for i := range times {
		if q.ask(fmt.Sprintf("%s %d", n.channel, i+1), n) {
			got++
		}
	}
	return got
}

func TestSlotsGoToTheHighestPriorityThenToTheLongestWaiting(t *testing.T) {
	q := newQueue(t, 1, 0)
	q.ask("first", need{})
	for i, priority := range []int{500, -7, 1001, 500, 1001, 500} {
		if q.ask(fmt.Sprint(i), need{priority: priority}) {
			t.Fatal("a slot too many")
		}
	}
	order := q.done("first")
	for len(order) < 6 {
		order = append(order, q.done(order[len(order)-1])...)
	}
	if want := []string{"2", "4", "0", "3", "5", "1"}; !slices.Equal(order, want) {
		t.Errorf("slots went to %v, want %v", order, want)
	}
	q.done("1")
	if q.free != 1 {
		t.Errorf("%d slots are free, want 1", q.free)
	}
}

// The examples that people know from routers of calls.
func TestSlotsOfChannels(t *testing.T) {
	t.Run("capacity 100, voice 100, chat 20: one voice or five chats, never both", func(t *testing.T) {
		voice, chat := need{cost: 100, channel: "voice"}, need{cost: 20, channel: "chat"}
		q := newQueue(t, 100, 0)
		if got := q.fill(chat, 5); got != 5 {
			t.Fatalf("%d chats fit, want 5", got)
		}
		if q.ask("chat 6", chat) || q.ask("voice 1", voice) {
			t.Error("a sixth chat, or a voice beside five chats, got slots")
		}
		q = newQueue(t, 100, 0)
		if !q.ask("voice 1", voice) || q.ask("chat 1", chat) || q.ask("voice 2", voice) {
			t.Error("want one voice, and nothing beside it")
		}
	})
	t.Run("capacity 100, voice 60, chat and email 10 with at most 2: one, two and two", func(t *testing.T) {
		voice := need{cost: 60, channel: "voice"}
		chat, email := need{cost: 10, channel: "chat", most: 2}, need{cost: 10, channel: "email", most: 2}
		q := newQueue(t, 100, 0)
		if chats, emails := q.fill(chat, 7), q.fill(email, 7); chats != 2 || emails != 2 {
			t.Errorf("%d chats and %d emails, want 2 and 2", chats, emails)
		}
		if q.free != 60 {
			t.Errorf("%d slots are left, want 60", q.free)
		}
		// Five chats and five emails wait for others of their channel: they hold up
		// no voice.
		if !q.ask("voice 1", voice) || q.ask("voice 2", voice) {
			t.Error("want one voice, which always fits")
		}
	})
	t.Run("capacity 2, voice 2, chat 1: one voice or two chats", func(t *testing.T) {
		voice, chat := need{cost: 2, channel: "voice"}, need{cost: 1, channel: "chat"}
		q := newQueue(t, 2, 0)
		if got := q.fill(chat, 3); got != 2 {
			t.Errorf("%d chats, want 2", got)
		}
		q = newQueue(t, 2, 0)
		if !q.ask("voice 1", voice) || q.ask("chat 1", chat) {
			t.Error("want one voice, and no chat beside it")
		}
	})
}

// Small items that come all the time must not keep a large one out for ever.
func TestSlotsGoToALargeOneBeforeThoseBehindIt(t *testing.T) {
	q := newQueue(t, 3, 0)
	small := need{priority: 500}
	if got := q.fill(small, 2); got != 2 {
		t.Fatal(got)
	}
	if q.ask("large", need{priority: 500, cost: 3}) || q.ask("late", small) {
		t.Fatal("a slot is free, but it is kept for the large one: want both to wait")
	}
	if !q.ask("urgent", need{priority: 501}) {
		t.Error("a more urgent one does not pass it")
	}
	for _, name := range []string{" 1", " 2"} {
		if got := q.done(name); len(got) > 0 {
			t.Errorf("%v got slots, want the large one to be next", got)
		}
	}
	if got := q.done("urgent"); !slices.Equal(got, []string{"large"}) {
		t.Errorf("%v got slots, want the large one", got)
	}
	if got := q.done("large"); !slices.Equal(got, []string{"late"}) {
		t.Errorf("%v got slots, want the one behind it", got)
	}
}

func TestSlotsThatAreReserved(t *testing.T) {
	q := newQueue(t, 4, 1)
	medium, high := need{priority: workqueue.HighPriority}, need{priority: workqueue.HighPriority + 1}
	if got := q.fill(medium, 5); got != 3 {
		t.Errorf("%d items up to %d run, want 3 of 4 slots", got, workqueue.HighPriority)
	}
	if !q.ask("high 1", high) {
		t.Error("the reserved slot is not there for a high item")
	}
	if q.ask("high 2", high) {
		t.Error("a fifth item got a slot")
	}
	if got := q.done(" 1"); !slices.Equal(got, []string{"high 2"}) {
		t.Errorf("%v got the slot, want the high item", got)
	}
	if got := q.done("high 1"); len(got) > 0 {
		t.Errorf("%v got the last free slot, want it to be kept", got)
	}
	if got := q.done("high 2"); !slices.Equal(got, []string{" 4"}) {
		t.Errorf("%v got a slot, want the first that waits: two are free", got)
	}
}

func TestSlotsThatWaitForAChannelGoOnWhenItHasRoom(t *testing.T) {
	q := newQueue(t, 10, 0)
	chat := need{priority: 600, cost: 2, channel: "chat", most: 1}
	if got := q.fill(chat, 2); got != 1 {
		t.Fatal(got)
	}
	if !q.ask("mail", need{priority: 1}) {
		t.Error("a chat that waits for the other chat holds up a lesser item")
	}
	if got := q.done("chat 1"); !slices.Equal(got, []string{"chat 2"}) {
		t.Errorf("%v got slots, want the second chat", got)
	}
}

// Expedited items start before all others, the most urgent of them first.
func TestSlotsGoToTheExpeditedFirst(t *testing.T) {
	q := newQueue(t, 1, 0)
	q.ask("runs", need{priority: 500})
	for name, n := range map[string]need{
		"high": {priority: 2000}, "low": {priority: 100}, "expedited low": {priority: -7, expedited: true}, "expedited": {priority: 600, expedited: true},
	} {
		q.ask(name, n)
	}
	order := q.done("runs")
	for len(order) < 4 {
		order = append(order, q.done(order[len(order)-1])...)
	}
	if want := []string{"expedited", "expedited low", "high", "low"}; !slices.Equal(order, want) {
		t.Errorf("slots went to %v, want %v", order, want)
	}
}

// Of one priority those start first that were planned first, also those that are claimed later.
func TestSlotsGoToThePlannedFirst(t *testing.T) {
	q := newQueue(t, 1, 0)
	q.ask("runs", need{priority: 500})
	var names []string
	for i, order := range []int64{7, -9, 7} {
		it := inLine(need{priority: 600})
		it.ID, it.RunOrder = int64(3-i), order
		q.names[it] = fmt.Sprint(it.ID)
		q.add(it)
	}
	for name := "runs"; len(names) < 3; name = names[len(names)-1] {
		names = append(names, q.done(name)...)
	}
	if want := []string{"2", "1", "3"}; !slices.Equal(names, want) {
		t.Errorf("slots went to %v, want %v", names, want)
	}
}

// An expedited item takes no reserved slot, and keeps none from a high item.
func TestSlotsThatAreReservedAreNotForTheExpedited(t *testing.T) {
	q := newQueue(t, 3, 1)
	q.fill(need{priority: 500}, 2)
	for _, name := range []string{"expedited 1", "expedited 2"} {
		if q.ask(name, need{priority: 600, expedited: true}) {
			t.Errorf("%s got the reserved slot", name)
		}
	}
	if q.ask("medium", need{priority: 900}) {
		t.Error("the medium item got the reserved slot")
	}
	if !q.ask("high", need{priority: 1001}) {
		t.Error("the high item waits, and a slot is reserved for it")
	}
	if q.ask("high 2", need{priority: 1001}) {
		t.Error("a fourth item got a slot")
	}
	q.done("high")
	if _, runs := q.holds["high 2"]; !runs {
		t.Error("the second high item waits, and a slot is reserved for it")
	}
	if got := q.done("high 2"); len(got) > 0 {
		t.Errorf("%v got the reserved slot", got)
	}
	if got := q.done(" 1"); !slices.Equal(got, []string{"expedited 1"}) {
		t.Errorf("%v got the slot, want the expedited item", got)
	}
}

// A large expedited item holds up all others until there is room for it, unless a slot is
// reserved for them.
func TestSlotsGoToALargeExpeditedOneBeforeHighOnes(t *testing.T) {
	q := newQueue(t, 3, 0)
	q.fill(need{priority: 500}, 2)
	if q.ask("large", need{priority: 600, cost: 3, expedited: true}) || q.ask("small", need{priority: 500, expedited: true}) || q.ask("high", need{priority: 2000}) {
		t.Fatal("an item passed the large one")
	}
	q.done(" 1")
	if got := q.done(" 2"); !slices.Equal(got, []string{"large"}) {
		t.Fatalf("%v got slots, want the large one", got)
	}
	if got := q.done("large"); !slices.Equal(got, []string{"small", "high"}) {
		t.Errorf("%v got slots, want the two that waited", got)
	}
}

// Nobody knows when a stuck handler returns: what needs its slots is hopeless.
func TestSlotsThatAreStuck(t *testing.T) {
	s := newSlots(10, 1)
	voice, chat := need{priority: 500, cost: 6, channel: "voice"}, need{priority: 500, cost: 1, channel: "chat", most: 1}
	s.occupy(voice)
	s.occupy(chat)
	if s.hopeless(voice) || s.hopeless(chat) {
		t.Error("hopeless before anything is stuck")
	}
	s.stick(voice, 1)
	if !s.hopeless(voice) {
		t.Error("a second voice is not hopeless, and 4 of 10 slots are not stuck")
	}
	s.stick(chat, 1)
	if !s.hopeless(chat) {
		t.Error("a second chat is not hopeless, and the only one is stuck")
	}
	if plain := (need{priority: 500}); s.hopeless(plain) || !s.room(plain) {
		t.Error("a plain item has no slot")
	}
	if !s.hopeless(need{priority: 500, cost: 3, channel: "mail"}) {
		t.Error("an item of 3 slots is not hopeless, and 2 are left for it")
	}
	s.stick(voice, -1)
	s.release(voice)
	if s.hopeless(voice) || !s.room(voice) {
		t.Error("a voice has no room after the stuck one has returned")
	}
}

// A worker whose other slots are stuck runs what comes in the one that is left,
// though it is reserved.
func TestSlotsThatAreStuckButForTheReserved(t *testing.T) {
	q := newQueue(t, 3, 2)
	medium := need{priority: 500}
	if !q.ask("deaf 1", medium) || q.ask("waits", medium) {
		t.Fatal("want one of three slots for lesser items")
	}
	if !q.ask("deaf 2", need{priority: 1001}) {
		t.Fatal("the high item got no slot")
	}
	q.stick(q.holds["deaf 1"], 1)
	if got := q.granted(); len(got) > 0 {
		t.Errorf("%v got the slot that is left, want it to be kept: another one is not stuck", got)
	}
	q.stick(q.holds["deaf 2"], 1)
	if got := q.granted(); !slices.Equal(got, []string{"waits"}) {
		t.Errorf("%v got the slot that is left, want the one that waits", got)
	}
}
