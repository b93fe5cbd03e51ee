package process

import (
	"testing"
	"time"
)

// The second time that waking a pipeline has had no effect, it is woken for a pass: what is assigned to the
// worker may wait for a slot, and hide more urgent items that need another one.
func TestWorthwhile(t *testing.T) {
	k := &waking{name: "x"}
	now := time.Now()
	for _, c := range []struct {
		after        time.Duration
		moved        int
		worth, again bool
	}{
		{0, 0, true, false},
		{pollEvery/2 - 1, 0, false, false},
		{1, 0, true, true},
		{pollEvery - 1, 0, false, false},
		{1, 0, true, true},
		{1, 3, true, false}, // items have moved meanwhile
		{1, 3, false, false},
	} {
		now, k.moved = now.Add(c.after), c.moved
		if worth, again := k.worthwhile(now); worth != c.worth || again != c.again {
			t.Errorf("after %v, with %d items moved: %t, %t; want %t, %t", c.after, c.moved, worth, again, c.worth, c.again)
		}
	}
}
