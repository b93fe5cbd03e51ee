package runner

import (
	"testing"
	"time"
)

func TestThroughput(t *testing.T) {
	var p throughput
	now := time.Unix(0, 0)
	if got := p.within(time.Second, now); got != 0 {
		t.Errorf("within a second: %d, want 0 before any has ended", got)
	}
	for range 500 {
		now = now.Add(time.Millisecond)
		p.ended(now, time.Millisecond)
	}
	if got := p.within(250*time.Millisecond, now); got < 240 || got > 250 {
		t.Errorf("within 250ms: %d, want about 250 of a millisecond each", got)
	}
	// The items have turned slow: none has ended for a second.
	if got := p.within(250*time.Millisecond, now.Add(time.Second)); got != 0 {
		t.Errorf("within 250ms: %d, want 0 where none has ended for a second", got)
	}
}

// Items of a second that end two by two are not short.
func TestThroughputOfItemsThatEndTogether(t *testing.T) {
	var p throughput
	now := time.Unix(0, 0)
	for range 50 {
		p.ended(now, time.Second)
		p.ended(now, time.Second)
		if got := p.within(250*time.Millisecond, now); got > 2 {
			t.Fatalf("within 250ms: %d of a second each, in two slots", got)
		}
		now = now.Add(time.Second)
	}
}

// A time in which nothing ran, for want of items, does not make them slow; short ones show
// from the beginning.
func TestThroughputOfAWorkerThatRunsDry(t *testing.T) {
	var p throughput
	now := time.Unix(0, 0)
	for range 20 {
		for range 4 {
			now = now.Add(time.Millisecond)
			p.ended(now, time.Millisecond)
		}
		if got := p.within(250*time.Millisecond, now); got < 15 {
			t.Fatalf("within 250ms: %d of a millisecond each", got)
		}
		now = now.Add(time.Minute)
		p.resumed(now)
	}
}
