package runner

import (
	"testing"
	"time"
)

func TestThroughput(t *testing.T) {
	var p throughput
	now := time.Unix(0, 0)
	if got := p.expectedEnds(time.Second, now); got != 0 {
		t.Errorf("within a second: %d, want 0 before an item has ended", got)
	}
	for range 500 {
		now = now.Add(time.Millisecond)
		p.ended(now, time.Millisecond)
	}
	if got := p.expectedEnds(250*time.Millisecond, now); got < 240 || got > 250 {
		t.Errorf("within 250ms: %d, want about 250 of a millisecond each", got)
	}
	// The items have become slow: none has ended for a second.
	if got := p.expectedEnds(250*time.Millisecond, now.Add(time.Second)); got != 0 {
		t.Errorf("within 250ms: %d, want 0 if none has ended for a second", got)
	}
}

// Items of a second are not short, even if two of them end together.
func TestThroughputOfItemsThatEndTogether(t *testing.T) {
	var p throughput
	now := time.Unix(0, 0)
	for range 50 {
		p.ended(now, time.Second)
		p.ended(now, time.Second)
		if got := p.expectedEnds(250*time.Millisecond, now); got > 2 {
			t.Fatalf("within 250ms: %d of a second each, in two slots", got)
		}
		now = now.Add(time.Second)
	}
}

// After a time without items, new items do not count as slow: short items are detected at once.
func TestThroughputAfterIdleTime(t *testing.T) {
	var p throughput
	now := time.Unix(0, 0)
	for range 20 {
		for range 4 {
			now = now.Add(time.Millisecond)
			p.ended(now, time.Millisecond)
		}
		if got := p.expectedEnds(250*time.Millisecond, now); got < 15 {
			t.Fatalf("within 250ms: %d of a millisecond each", got)
		}
		now = now.Add(time.Minute)
		p.resumed(now)
	}
}
