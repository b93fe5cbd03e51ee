package workqueue

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
)

// line is slots, with those who hold some and those who wait, by name.
type line struct {
	*slots
	t       *testing.T
	holds   map[string]need
	waiters map[string]*waiter
}

func newLine(t *testing.T, capacity, reserved int) *line {
	return &line{slots: newSlots(capacity, reserved), t: t, holds: map[string]need{}, waiters: map[string]*waiter{}}
}

// ask enlists one and tells whether it has its slots at once.
func (l *line) ask(name string, n need) bool {
	l.t.Helper()
	w, err := l.enlist(n)
	switch {
	case err != nil:
		l.t.Fatalf("enlist %s: %v", name, err)
	case w != nil:
		l.waiters[name] = w
		return false
	}
	l.holds[name] = n
	return true
}

// done gives back what one holds, and lists those that have theirs now.
func (l *line) done(name string) []string {
	l.t.Helper()
	n, held := l.holds[name]
	if !held {
		l.t.Fatalf("%s holds nothing", name)
	}
	delete(l.holds, name)
	l.release(n)
	return l.granted()
}

// granted lists those that no longer wait, in no order.
func (l *line) granted() []string {
	var names []string
	for name, w := range l.waiters {
		if w.left && !w.refused {
			names = append(names, name)
			l.holds[name] = w.need
			delete(l.waiters, name)
		}
	}
	return names
}

// fill asks for so many of a sort and returns how many it got.
func (l *line) fill(n need, times int) (got int) {
	l.t.Helper()
	for i := range times {
		if l.ask(fmt.Sprintf("%s %d", n.channel, i+1), n) {
			got++
		}
	}
	return got
}

// The examples that people know from routers of calls.
func TestSlotsOfChannels(t *testing.T) {
	t.Run("capacity 100, voice 100, chat 20: one voice or five chats, never both", func(t *testing.T) {
		voice, chat := need{cost: 100, channel: "voice"}, need{cost: 20, channel: "chat"}
		l := newLine(t, 100, 0)
		if got := l.fill(chat, 5); got != 5 {
			t.Fatalf("%d chats fit, want 5", got)
		}
		if l.ask("chat 6", chat) || l.ask("voice 1", voice) {
			t.Error("a sixth chat, or a voice beside five chats, got slots")
		}
		l = newLine(t, 100, 0)
		if !l.ask("voice 1", voice) || l.ask("chat 1", chat) || l.ask("voice 2", voice) {
			t.Error("want one voice, and nothing beside it")
		}
	})
	t.Run("capacity 100, voice 60, chat and email 10 with at most 2: one, two and two", func(t *testing.T) {
		voice := need{cost: 60, channel: "voice"}
		chat, email := need{cost: 10, channel: "chat", most: 2}, need{cost: 10, channel: "email", most: 2}
		l := newLine(t, 100, 0)
		if chats, emails := l.fill(chat, 7), l.fill(email, 7); chats != 2 || emails != 2 {
			t.Errorf("%d chats and %d emails, want 2 and 2", chats, emails)
		}
		if l.free != 60 {
			t.Errorf("%d slots are left, want 60", l.free)
		}
		// Five chats and five emails wait for others of their channel: they hold up
		// no voice.
		if !l.ask("voice 1", voice) || l.ask("voice 2", voice) {
			t.Error("want one voice, which always fits")
		}
	})
	t.Run("capacity 2, voice 2, chat 1: one voice or two chats", func(t *testing.T) {
		voice, chat := need{cost: 2, channel: "voice"}, need{cost: 1, channel: "chat"}
		l := newLine(t, 2, 0)
		if got := l.fill(chat, 3); got != 2 {
			t.Errorf("%d chats, want 2", got)
		}
		l = newLine(t, 2, 0)
		if !l.ask("voice 1", voice) || l.ask("chat 1", chat) {
			t.Error("want one voice, and no chat beside it")
		}
	})
}

// Small items that come all the time must not keep a big one out for ever.
func TestSlotsGoToABigOneBeforeThoseBehindIt(t *testing.T) {
	l := newLine(t, 3, 0)
	small := need{priority: 500}
	if got := l.fill(small, 2); got != 2 {
		t.Fatal(got)
	}
	if l.ask("big", need{priority: 500, cost: 3}) || l.ask("late", small) {
		t.Fatal("a slot is free, but it is kept for the big one: want both to wait")
	}
	if !l.ask("urgent", need{priority: 501}) {
		t.Error("a more urgent one passes it")
	}
	for _, name := range []string{" 1", " 2"} {
		if got := l.done(name); len(got) > 0 {
			t.Errorf("%v got slots, want the big one to be next", got)
		}
	}
	if got := l.done("urgent"); len(got) != 1 || got[0] != "big" {
		t.Errorf("%v got slots, want the big one", got)
	}
	if got := l.done("big"); len(got) != 1 || got[0] != "late" {
		t.Errorf("%v got slots, want the one behind it", got)
	}
}

func TestSlotsThatAreReserved(t *testing.T) {
	l := newLine(t, 4, 1)
	medium, high := need{priority: HighPriority}, need{priority: HighPriority + 1}
	if got := l.fill(medium, 5); got != 3 {
		t.Errorf("%d items up to %d run, want 3 of 4 slots", got, HighPriority)
	}
	if !l.ask("high 1", high) {
		t.Error("the reserved slot is not there for a high item")
	}
	if l.ask("high 2", high) {
		t.Error("a fifth item got a slot")
	}
	if got := l.done(" 1"); len(got) != 1 || got[0] != "high 2" {
		t.Errorf("%v got the slot, want the high item", got)
	}
	if got := l.done("high 1"); len(got) > 0 {
		t.Errorf("%v got the last free slot, want it to be kept", got)
	}
	if got := l.done("high 2"); len(got) != 1 || got[0] != " 4" {
		t.Errorf("%v got a slot, want the first that waits: two are free", got)
	}
}

func TestSlotsThatWaitForAChannelGoOnWhenItHasRoom(t *testing.T) {
	l := newLine(t, 10, 0)
	chat := need{priority: 600, cost: 2, channel: "chat", most: 1}
	if got := l.fill(chat, 2); got != 1 {
		t.Fatal(got)
	}
	if !l.ask("mail", need{priority: 1}) {
		t.Error("a chat that waits for the other chat holds up a lesser item")
	}
	if got := l.done("chat 1"); len(got) != 1 || got[0] != "chat 2" {
		t.Errorf("%v got slots, want the second chat", got)
	}
}

// Nobody knows when a stuck handler returns: who needs its slots is told.
func TestSlotsThatAreStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(10, 1)
		voice, chat := need{priority: 500, cost: 6, channel: "voice"}, need{priority: 500, cost: 1, channel: "chat", most: 1}
		for _, n := range []need{voice, chat} {
			if err := s.acquire(t.Context(), n); err != nil {
				t.Fatal(err)
			}
		}
		refused := make(chan error, 2)
		go func() { refused <- s.acquire(t.Context(), voice) }()
		go func() { refused <- s.acquire(t.Context(), chat) }()
		synctest.Wait()
		s.stick(voice, 1)
		if err := <-refused; !errors.Is(err, errAllStuck) {
			t.Errorf("acquire: %v, want errAllStuck: 4 of 10 slots are not stuck", err)
		}
		s.stick(chat, 1)
		if err := <-refused; !errors.Is(err, errAllStuck) {
			t.Errorf("acquire: %v, want errAllStuck: the only chat is stuck", err)
		}
		if err := s.acquire(t.Context(), need{priority: 500}); err != nil {
			t.Errorf("a plain item: %v, want a slot", err)
		}
		if err := s.acquire(t.Context(), need{priority: 500, cost: 3, channel: "mail"}); !errors.Is(err, errAllStuck) {
			t.Errorf("3 of the 2 slots that are left for it: %v, want errAllStuck", err)
		}
		s.stick(voice, -1)
		s.release(voice)
		if err := s.acquire(t.Context(), voice); err != nil {
			t.Errorf("after the handler has returned: %v", err)
		}
	})
}

// A worker whose other slots are stuck runs what comes in the one that is left,
// though it is reserved.
func TestSlotsThatAreStuckButForTheReserved(t *testing.T) {
	l := newLine(t, 3, 2)
	medium := need{priority: 500}
	if !l.ask("deaf 1", medium) || l.ask("waits", medium) {
		t.Fatal("want one of three slots for lesser items")
	}
	if !l.ask("deaf 2", need{priority: 1001}) {
		t.Fatal("the high item got no slot")
	}
	l.stick(l.holds["deaf 1"], 1)
	if got := l.granted(); len(got) > 0 {
		t.Errorf("%v got the slot that is left, want it to be kept: another one is not stuck", got)
	}
	l.stick(l.holds["deaf 2"], 1)
	if got := l.granted(); len(got) != 1 || got[0] != "waits" {
		t.Errorf("%v got the slot that is left, want the one that waits", got)
	}
}
