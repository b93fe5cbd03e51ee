package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"botwork/workqueue/plan"
)

// TestWrongEstimateStarvesNoItem checks that an item with a wrong estimate is assigned
// although items keep arriving, most of them longer than this one: it must be assigned as
// soon as all items that became due in its span of time or earlier are.
func TestWrongEstimateStarvesNoItem(t *testing.T) {
	for name, estimate := range map[string]int64{"far too short": 1, "far too long": 10 * 365 * 24 * 60 * minute} {
		t.Run(name, func(t *testing.T) {
			const span = 5 * minute
			draw := rand.New(rand.NewPCG(7, 8)) //nolint:gosec // no secret
			o := plan.Options{Now: 1000 * span, Horizon: span, MaxPerWorker: 1000}
			odd := plan.Item{ID: 1, Estimate: estimate, Due: o.Now}
			waiting := []plan.Item{odd}
			id := int64(1)
			for pass := range 100 {
				// Ten minutes of work arrive each minute, for workers that can do two of
				// them.
				for range 10 {
					id++
					waiting = append(waiting, plan.Item{ID: id, Estimate: 30_000 + draw.Int64N(60_000), Due: o.Now})
				}
				p := plan.New(workers(1, 1), nil, nil, plan.Options{Now: o.Now, Horizon: minute, MaxPerWorker: 1000})
				class := p.Class(plan.Class{})
				for i := range waiting {
					waiting[i].Class = class
				}
				p.Sort(waiting, span)
				left := waiting[:0:0]
				for i := range waiting {
					if !p.Assign(&waiting[i]) {
						left = append(left, waiting[i])
					}
				}
				waiting = left
				if !slices.ContainsFunc(waiting, func(it plan.Item) bool { return it.ID == odd.ID }) {
					if pass > 40 { // five minutes of arrivals are fifty minutes of work for two workers
						t.Errorf("assigned in pass %d, want no later than the other items of its span of time", pass)
					}
					return
				}
				o.Now += minute
			}
			t.Error("it was never assigned")
		})
	}
}
