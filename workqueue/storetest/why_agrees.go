package storetest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"botwork/internal/testgroup"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/matching"
)

// whyAgrees draws queues with items, and workers, and calls Why for each waiting item. The
// next pass must assign exactly the items for which Why reports that the next pass
// assigns them.
func whyAgrees(x *fixture) {
	x.makeQueue("erp", `"ConcurrencyLimit"`, "3")
	x.makeQueue("mail", `"KeyRateLimit", "KeyRatePeriodMs"`, "2, 3600000")
	kinds := map[assign.ReasonKind]int{}
	for round := range testgroup.Cases(6, 12) {
		draw := rand.New(rand.NewPCG(7, uint64(round)))
		p := drawWorld(x, draw, round)
		reasons := map[int64]assign.Reason{}
		for _, it := range x.waitingItems() {
			r, err := assign.Why(x.ctx, x.Store, it.ID, assign.WhyParams{
				Profiles: whyProfile, Pipelines: []assign.SystemPipeline{{
					Name: "Soon", Passes: []assign.AssignParams{p}, Next: func(time.Time) time.Time { return time.Now().Add(time.Second) },
				}},
			})
			if err != nil {
				x.Fatal(err)
			}
			reasons[it.ID] = r
			kinds[r.Kind]++
		}
		p.Profiles = whyProfile
		if _, err := assign.AssignPass(x.ctx, x.Store, p); err != nil {
			x.Fatal(err)
		}
		for id, r := range reasons {
			it := x.show(id)
			switch {
			case r.Kind == assign.WhyNextPass && it.State != workqueue.Assigned:
				x.Errorf("round %d, item %d of priority %d and queue %s: %s, but it was not assigned", round, id, it.Priority, it.QueueName, r.Text)
			case r.Kind != assign.WhyNextPass && it.State == workqueue.Assigned:
				x.Errorf("round %d, item %d of priority %d and queue %s was assigned, although %s", round, id, it.Priority, it.QueueName, r.Text)
			}
		}
	}
	for _, kind := range []assign.ReasonKind{
		assign.WhyNextPass, assign.WhyBehind, assign.WhyFull, assign.WhySelectors, assign.WhyLimit, assign.WhyChannel, assign.WhyNoPass,
	} {
		if kinds[kind] == 0 {
			x.Errorf("no drawn item waits because of %s: %v", kind, kinds)
		}
	}
}

// drawWorld adds workers with running items, and waiting items.
func drawWorld(x *fixture, draw *rand.Rand, round int) assign.AssignParams {
	x.Helper()
	for n := range 1 + draw.IntN(2) {
		w := x.whyWorker(fmt.Sprintf("bot-%d-%d", round, n), 1+draw.IntN(3), func(s *workqueue.WorkerSpec) {
			s.Labels = workqueue.JSONText(fmt.Sprintf(`{"ram": %d}`, draw.IntN(4)))
			if draw.IntN(3) == 0 {
				s.Queues = []string{"default", "erp"}
			}
			if draw.IntN(2) == 0 {
				s.Channels = workqueue.Channels{"film": {Cost: 1 + draw.IntN(2), Max: draw.IntN(2)}}
			} else if round < 4 {
				s.Channels = workqueue.Channels{"print": {Cost: 1}}
			}
		})
		if draw.IntN(2) == 0 {
			x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 200 + draw.IntN(1500), Estimate: time.Duration(draw.IntN(400)) * time.Second})
		}
	}
	var batch []workqueue.NewItem
	for range 3 + draw.IntN(12) {
		it := ItemOpts{
			Queue: []string{"default", "default", "erp", "mail"}[draw.IntN(4)], Priority: []int{50, 300, 700, 900, 1200}[draw.IntN(5)],
			Estimate: time.Duration(1+draw.IntN(300)) * time.Second, LimitKey: []string{"", "acme"}[draw.IntN(2)],
			Pipeline: []string{"", "", "Film"}[draw.IntN(3)],
		}.newItem()
		if draw.IntN(3) == 0 {
			it.Selectors = []matching.Selector{{Key: "ram", Operator: matching.GreaterThan, Value: matching.Number(float64(draw.IntN(5)))}}
		}
		batch = append(batch, it)
	}
	if _, err := x.Store.Enqueue(x.ctx, batch); err != nil {
		x.Fatal(err)
	}
	return assign.AssignParams{
		Band: workqueue.Band{Min: 100, Max: workqueue.EveryPriority.Max}, Horizon: time.Duration(1+draw.IntN(5)) * time.Minute,
		Workers: []assign.Availability{assign.IdleWorkers, assign.AvailableWorkers}[draw.IntN(2)],
	}
}

func (x *fixture) waitingItems() []workqueue.Item {
	x.Helper()
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{States: []workqueue.State{workqueue.Ready, workqueue.Pending}, Limit: 1000})
	if err != nil {
		x.Fatal(err)
	}
	return items
}
