package enqueue

import "testing"

func TestSameUnknown(t *testing.T) {
	const away = `unknown: no worker is alive; the last one, "bot-1" (stopped), was seen `
	for _, c := range []struct {
		first, last string
		want        bool
	}{
		{away + "59s ago", away + "1m ago", true},
		{away + "59s ago", "unknown: the queue is paused", false},
		{"in about 2m", "in about 3m20s", false},
		{away + "1s ago", "", false},
	} {
		if got := sameUnknown(c.first, c.last); got != c.want {
			t.Errorf("%q and %q: got %t, want %t", c.first, c.last, got, c.want)
		}
	}
}
