package plan_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"botwork/workqueue/matching"
	"botwork/workqueue/plan"
)

// load is a set of items of one priority, and the slots of the workers.
type load struct {
	name  string
	slots []int
	took  []int64 // the actual durations of the items in milliseconds, in order of arrival
}

// loads are used to measure the quality of the balance. They are the same in each run.
func loads() []load {
	draw := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // no secret
	times := func(n int, one func(i int) float64) []int64 {
		list := make([]int64, n)
		for i := range list {
			list[i] = int64(max(one(i), 1))
		}
		return list
	}
	equal := slices.Repeat([]int{4}, 10)
	mixed := []int{1, 1, 2, 2, 4, 4, 8, 8, 16, 32}
	uniform := func(int) float64 { return 1000 + 59_000*draw.Float64() }
	pareto := func(int) float64 { return min(1000/math.Pow(1-draw.Float64(), 1/1.1), 3.6e6) } // tail index 1.1, at most an hour
	return []load{
		{"random", equal, times(2000, uniform)},
		{"random, few items", equal, times(60, uniform)},
		{"heavy tail", equal, times(2000, pareto)},
		{"heavy tail, few items", equal, times(200, pareto)},
		{"heavy tail, one slot each", slices.Repeat([]int{1}, 40), times(2000, pareto)},
		{"short ones first, the longest last", equal, times(2001, func(i int) float64 {
			if i == 2000 {
				return 1_000_000
			}
			return 20_000
		})},
		// The worst known case of longest-first on m machines (Graham): two of each from
		// 2m-1 down to m+1, three of m.
		{"adversarial to the longest first", slices.Repeat([]int{1}, 10), append(times(18, func(i int) float64 { return float64(19-i/2) * 1000 }), 10_000, 10_000, 10_000)},
		{"adversarial to turns: every tenth is long", slices.Repeat([]int{1}, 10), times(1000, func(i int) float64 {
			if i%10 == 0 {
				return 60_000
			}
			return 1000
		})},
		{"workers of 1 to 32 slots", mixed, times(2000, uniform)},
		{"workers of 1 to 32 slots, heavy tail", mixed, times(2000, pareto)},
	}
}

// bound returns a lower bound for any assignment: max(sum/slots, longest).
func (l load) bound() float64 {
	var sum, longest, slots int64
	for _, ms := range l.took {
		sum += ms
		longest = max(longest, ms)
	}
	for _, n := range l.slots {
		slots += int64(n)
	}
	return max(float64(sum)/float64(slots), float64(longest))
}

// makespan assigns all items in one pass by their estimates. Each worker then runs its
// items in the order of the pass on any free slot. The result is the time when the last
// one has finished, divided by the bound.
func (l load) makespan(mode matching.Mode, estimate func(i int) int64) float64 {
	o := roomy()
	o.Unbounded = true // all in one pass
	p := plan.New(workers(l.slots...), nil, nil, o)
	class := p.Class(plan.Class{Mode: mode})
	items := make([]plan.Item, len(l.took))
	for i := range items {
		items[i] = plan.Item{ID: int64(i + 1), Estimate: estimate(i), Class: class}
	}
	p.Sort(items, minute)
	for i := range items {
		p.Assign(&items[i])
	}
	placements, _ := p.Plan()
	slices.SortFunc(placements, func(a, b plan.Placement) int {
		return cmp.Or(cmp.Compare(a.RunOrder, b.RunOrder), cmp.Compare(a.Item, b.Item))
	})
	free := make([][]int64, len(l.slots))
	for i, n := range l.slots {
		free[i] = make([]int64, n)
	}
	var done int64
	for _, pl := range placements {
		own := free[pl.Worker-1]
		at := 0
		for i := range own {
			if own[i] < own[at] {
				at = i
			}
		}
		own[at] += l.took[pl.Item-1]
		done = max(done, own[at])
	}
	return float64(done) / l.bound()
}

func (l load) honest(i int) int64 { return l.took[i] }

// TestBalance checks that least-loaded stays within 4/3 of the bound for correct
// estimates and equal priorities. If a few long items have most of the work, it must
// finish in less than three quarters of the time of round-robin.
func TestBalance(t *testing.T) {
	for _, l := range loads() {
		t.Run(l.name, func(t *testing.T) {
			least := l.makespan(matching.LeastLoaded, l.honest)
			if least > 4.0/3 || least < 1 {
				t.Errorf("makespan %.3f of the bound, want 1 to 4/3", least)
			}
			if turns := l.makespan(matching.RoundRobin, l.honest); l.name == "heavy tail, one slot each" && least > 0.75*turns {
				t.Errorf("makespan %.3f, in turns %.3f, want at most 0.75 of that", least, turns)
			}
		})
	}
}

// TestBalanceOfRandomLoads checks random loads of equal priorities on equal slots: the
// result must be within 4/3 - 1/(3m) of the optimum, which is at least the bound, and
// within that of the bound itself if the items are short.
func TestBalanceOfRandomLoads(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // no secret
	for range 300 {
		l := load{slots: slices.Repeat([]int{1 + draw.IntN(4)}, 1+draw.IntN(8)), took: make([]int64, 40+draw.IntN(200))}
		tail := 0.8 + 2*draw.Float64()
		for i := range l.took {
			l.took[i] = int64(100 / math.Pow(1-draw.Float64(), 1/tail))
		}
		if least := l.makespan(matching.LeastLoaded, l.honest); least > 4.0/3 {
			t.Errorf("%d workers of %d slots, %d items: makespan %.3f of the bound, want at most 4/3", len(l.slots), l.slots[0], len(l.took), least)
		}
	}
}

// BenchmarkBalance reports makespans divided by the lower bound; the run time of the
// benchmark does not matter.
func BenchmarkBalance(b *testing.B) {
	for _, l := range loads() {
		for _, c := range []struct {
			name  string
			mode  matching.Mode
			wrong bool
		}{
			{"least-loaded", matching.LeastLoaded, false}, {"least-loaded, estimates wrong by 1/4 to 4", matching.LeastLoaded, true},
			{"round-robin", matching.RoundRobin, false}, {"longest-idle", matching.LongestIdle, false},
		} {
			b.Run(fmt.Sprintf("%s/%s", l.name, c.name), func(b *testing.B) {
				draw := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // no secret
				estimates := slices.Clone(l.took)
				for i := range estimates {
					if c.wrong {
						estimates[i] = max(int64(float64(estimates[i])*math.Pow(4, 2*draw.Float64()-1)), 1)
					}
				}
				var ratio float64
				for b.Loop() {
					ratio = l.makespan(c.mode, func(i int) int64 { return estimates[i] })
				}
				b.ReportMetric(ratio, "makespan/bound")
			})
		}
	}
}
