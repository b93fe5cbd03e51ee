package plan_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/workqueue/matching"
	"botwork/workqueue/plan"
)

var modes = []matching.Mode{matching.LeastLoaded, matching.RoundRobin, matching.LongestIdle, matching.BestWorker}

// plainWorker is a worker of the simple planner below with all its items.
type plainWorker struct {
	plan.Worker
	free  []int64 // when each slot is free
	sum   int64
	used  int
	share int64
	held  int
	since int64
	given int
}

// tier is the first criterion in modes that fill slots: workers without items, then
// workers without items from this plan, then the others.
func (w *plainWorker) tier() int {
	switch {
	case w.given > 0:
		return 2
	case w.used > 0:
		return 1
	}
	return 0
}

func (w *plainWorker) run(estimate int64) {
	at := 0
	for i := range w.free {
		if w.free[i] < w.free[at] {
			at = i
		}
	}
	w.free[at] += estimate
	w.sum += estimate
	w.used++
}

// better reports whether worker a gets the next item before worker b, by the documented
// rules of the modes.
func better(mode matching.Mode, scores []float64, last int64, a, b *plainWorker) bool {
	if (mode == matching.RoundRobin || mode == matching.BestWorker) && a.tier() != b.tier() {
		return a.tier() < b.tier()
	}
	var first int
	switch mode {
	case matching.LeastLoaded:
		first = cmp.Or(cmp.Compare(slices.Min(a.free), slices.Min(b.free)), cmp.Compare(a.sum/int64(a.Slots), b.sum/int64(b.Slots)))
	case matching.LongestIdle:
		first = cmp.Or(cmp.Compare(float64(a.used)/float64(a.Slots), float64(b.used)/float64(b.Slots)), cmp.Compare(a.since, b.since))
	case matching.BestWorker:
		first = cmp.Or(cmp.Compare(scores[b.ID-1], scores[a.ID-1]), cmp.Compare(a.since, b.since))
	case matching.RoundRobin:
		turns := func(w *plainWorker) int64 { // distance in ids from the last worker
			if w.ID > last {
				return w.ID - last
			}
			return w.ID + math.MaxInt32
		}
		first = cmp.Compare(turns(a), turns(b))
	}
	return cmp.Or(first, cmp.Compare(a.ID, b.ID)) < 0
}

// TestPlannerEqualsSimplePlanner compares the planner, which uses heaps, lists and bits,
// with a simple planner that checks all workers for each item.
func TestPlannerEqualsSimplePlanner(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		o := plan.Options{
			Now: 1_000_000, Horizon: rapid.Int64Range(1, 100).Draw(t, "horizon"), MaxPerWorker: rapid.IntRange(1, 20).Draw(t, "most"), Last: map[string]int64{"": 2},
		}
		n := rapid.IntRange(1, 6).Draw(t, "workers")
		var list []plan.Worker
		var plain []*plainWorker
		for i := range n {
			w := plan.Worker{ID: int64(i + 1), Slots: rapid.IntRange(1, 3).Draw(t, "slots"), AvailableSince: rapid.Int64Range(1, 3).Draw(t, "since")}
			list = append(list, w)
			plain = append(plain, &plainWorker{Worker: w, free: make([]int64, w.Slots), since: w.AvailableSince})
		}
		var held []plan.Held
		for range rapid.IntRange(0, 8).Draw(t, "held") {
			held = append(held, plan.Held{
				Worker: rapid.Int64Range(1, int64(n)+1).Draw(t, "worker"), Priority: rapid.IntRange(0, 3).Draw(t, "priority"),
				Running: rapid.Bool().Draw(t, "running"), Count: 1, Estimate: rapid.Int64Range(1, 50).Draw(t, "estimate"),
			})
		}
		p := plan.New(list, held, nil, o)
		type class struct {
			mode     matching.Mode
			eligible map[int64]bool
			scores   []float64
		}
		var classes []class
		for range rapid.IntRange(1, 4).Draw(t, "classes") {
			c := class{mode: rapid.SampledFrom(modes).Draw(t, "mode"), eligible: map[int64]bool{}}
			set := plan.NewSet(n)
			for i := range n {
				c.scores = append(c.scores, float64(rapid.IntRange(0, 2).Draw(t, "score")))
				if rapid.IntRange(0, 3).Draw(t, "eligible") > 0 {
					c.eligible[int64(i+1)] = true
					set.Add(i)
				}
			}
			classes = append(classes, c)
			p.Class(plan.Class{Mode: c.mode, Eligible: set, Scores: c.scores})
		}
		items := make([]plan.Item, rapid.IntRange(0, 40).Draw(t, "items"))
		for i := range items {
			items[i] = plan.Item{
				ID: int64(i + 1), Priority: rapid.IntRange(0, 3).Draw(t, "priority"), Estimate: rapid.Int64Range(1, 60).Draw(t, "estimate"),
				Due: rapid.Int64Range(0, 30).Draw(t, "due"), Class: rapid.IntRange(0, len(classes)-1).Draw(t, "class"),
			}
		}
		p.Sort(items, 10)

		for _, h := range held {
			if h.Running && h.Worker <= int64(n) {
				plain[h.Worker-1].run(h.Estimate)
			}
		}
		want := map[int64]int64{}
		counted := make([]bool, len(held))
		last, given := int64(2), int64(0)
		for i := range items {
			it := &items[i]
			if i > 0 && it.Priority > items[i-1].Priority {
				t.Fatalf("items are not in the order of priority")
			}
			// In order of priority, because at a worker the items of a priority wait
			// behind all more urgent ones.
			for _, h := range slices.SortedStableFunc(slices.Values(held), func(a, b plan.Held) int { return cmp.Compare(b.Priority, a.Priority) }) {
				at := slices.Index(held, h)
				for at >= 0 && counted[at] {
					next := slices.Index(held[at+1:], h)
					if next < 0 {
						at = -1
						break
					}
					at += 1 + next
				}
				if at < 0 || h.Priority < it.Priority || h.Worker > int64(n) {
					continue
				}
				counted[at] = true
				w := plain[h.Worker-1]
				if !h.Running {
					w.run(h.Estimate)
				}
				w.share += min(h.Estimate, o.Horizon)
				w.held++
			}
			c := classes[it.Class]
			var best *plainWorker
			for _, w := range plain {
				if c.eligible[w.ID] && w.held < o.MaxPerWorker && w.share < o.Horizon*int64(w.Slots) &&
					(c.mode == matching.LeastLoaded || w.used < w.Slots) && (best == nil || better(c.mode, c.scores, last, w, best)) {
					best = w
				}
			}
			if best != nil {
				best.run(it.Estimate)
				best.share += min(it.Estimate, o.Horizon)
				best.held++
				best.given++
				given++
				best.since = max(best.since, o.Now+given)
				if c.mode == matching.RoundRobin {
					last = best.ID
				}
				want[it.ID] = best.ID
			}
			if got := p.Assign(it); got != (best != nil) {
				t.Fatalf("item %d: given %v, want %v", it.ID, got, best != nil)
			}
		}
		placements, _ := p.Plan()
		got := map[int64]int64{}
		for _, pl := range placements {
			got[pl.Item] = pl.Worker
		}
		for id, worker := range want {
			if got[id] != worker {
				t.Fatalf("item %d went to worker %d, want %d (all: %v, want %v)", id, got[id], worker, got, want)
			}
		}
	})
}

// TestRunOrderKeepsTheWork checks that the reordering on a slot changes neither the items
// of the slot nor the time when it is finished.
func TestRunOrderKeepsTheWork(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		o := plan.Options{Now: 1000, Horizon: math.MaxInt32, MaxPerWorker: 1000}
		p := plan.New([]plan.Worker{{ID: 1, Slots: rapid.IntRange(1, 3).Draw(t, "slots")}, {ID: 2, Slots: 2}}, nil, nil, o)
		c := p.Class(plan.Class{})
		estimates := rapid.SliceOfN(rapid.Int64Range(1, 9), 0, 30).Draw(t, "estimates")
		items := make([]plan.Item, len(estimates))
		for i, e := range estimates {
			items[i] = plan.Item{ID: int64(i + 1), Estimate: e, Class: c}
		}
		p.Sort(items, minute)
		for i := range items {
			p.Assign(&items[i])
		}
		placements, _ := p.Plan()
		// If each worker runs its items by RunOrder on any free slot, it is finished when
		// the plan says.
		for worker, slots := range map[int64]int{1: p.Workers()[0].Slots, 2: 2} {
			var planned int64
			free := make([]int64, slots)
			own := slices.DeleteFunc(slices.Clone(placements), func(pl plan.Placement) bool { return pl.Worker != worker })
			slices.SortFunc(own, func(a, b plan.Placement) int {
				return cmp.Or(cmp.Compare(a.RunOrder, b.RunOrder), cmp.Compare(a.Item, b.Item))
			})
			for _, pl := range own {
				planned = max(planned, pl.Start-o.Now+pl.Estimate)
				slices.Sort(free)
				free[0] += pl.Estimate
			}
			if done := slices.Max(free); done != planned {
				t.Fatalf("worker %d is finished at %d, planned %d: %v", worker, done, planned, own)
			}
		}
	})
}
