package plan

import (
	"testing"

	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/workqueue/matching"
)

// TestRankingEqualsScan checks that a ranking finds the same worker as a scan of all
// workers, for any classes that share it and any changes since its last use.
func TestRankingEqualsScan(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		small := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(t, name) }
		workers := make([]Worker, small("workers", 1, 200))
		for i := range workers {
			workers[i] = Worker{ID: int64(i + 1), Slots: small("slots", 1, 4), Reserved: small("reserved", 0, 2), AvailableSince: int64(small("since", 0, 3))}
			if small("channels", 0, 3) == 0 {
				workers[i].Channels = map[string]Channel{"call": {Cost: small("cost", 1, 3), Max: small("max", 0, 2)}}
			}
		}
		var held []Held
		for range small("held", 0, 20) {
			held = append(held, Held{
				Worker: int64(small("worker", 1, len(workers))), Priority: small("priority", 0, 3), Running: rapid.Bool().Draw(t, "running"),
				Count: small("count", 1, 3), Estimate: int64(small("estimate", 1, 30)),
			})
		}
		o := Options{Horizon: int64(small("horizon", 1, 40)), MaxPerWorker: small("most", 1, 10), High: 2}
		o.Idle = rapid.Bool().Draw(t, "idle")
		p := New(workers, held, nil, o)
		var classes []int
		for range small("classes", 1, 6) {
			c := Class{Mode: rapid.SampledFrom([]matching.Mode{matching.LeastLoaded, matching.LongestIdle}).Draw(t, "mode")}
			c.Channel = rapid.SampledFrom([]string{"", "call"}).Draw(t, "channel")
			if every := small("every", 1, 5); every > 1 {
				c.Eligible = NewSet(len(workers))
				for i := 0; i < len(workers); i += every {
					c.Eligible.Add(i)
				}
			}
			classes = append(classes, p.Class(c))
		}
		priority := 3
		for id := range small("items", 1, 60) {
			priority = max(priority-small("lower", 0, 8)/8, 0)
			it := Item{ID: int64(id + 1), Priority: priority, Estimate: int64(small("estimate", 1, 30)), Class: rapid.SampledFrom(classes).Draw(t, "class")}
			p.Advance(priority)
			for _, number := range classes {
				c := p.classes[number]
				if got, want := c.ranking.first(p, c.eligible), c.scan(p); want == nil && got != -1 || want != nil && got != want.index {
					t.Fatalf("item %d: the ranking finds the worker at %d, a scan finds %v", it.ID, got, want)
				}
			}
			p.Assign(&it)
		}
	})
}
