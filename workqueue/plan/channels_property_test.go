package plan_test

import (
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/workqueue/plan"
)

// high is the priority above which the items of a scene may use reserved slots.
const high = 2

// scene is the input of a plan with channels, reserved slots and items that use
// several slots.
type scene struct {
	options  plan.Options
	workers  []plan.Worker
	held     []plan.Held
	classes  []plan.Class // without Eligible
	eligible []map[int64]bool
	scores   []map[int64]float64
	items    []plan.Item
}

var sceneChannels = []string{"", "sap", "web"}

func drawScene(t *rapid.T) scene {
	s := scene{options: plan.Options{
		Now: 1_000_000, Horizon: rapid.Int64Range(1, 100).Draw(t, "horizon"), High: high,
		FreeSlots: rapid.Bool().Draw(t, "freeSlots"), MaxPerWorker: rapid.IntRange(1, 20).Draw(t, "most"), Last: map[string]int64{"": 2},
	}}
	for i := range rapid.IntRange(1, 5).Draw(t, "workers") {
		w := plan.Worker{ID: int64(i + 1), Slots: rapid.IntRange(1, 5).Draw(t, "slots"), Reserved: rapid.IntRange(0, 2).Draw(t, "reserved")}
		if rapid.IntRange(0, 3).Draw(t, "channels") > 0 {
			w.Channels = map[string]plan.Channel{}
			for _, name := range sceneChannels[1:] {
				if rapid.IntRange(0, 3).Draw(t, "serves") > 0 {
					w.Channels[name] = plan.Channel{Cost: rapid.IntRange(1, 3).Draw(t, "cost"), Max: rapid.IntRange(0, 2).Draw(t, "max")}
				}
			}
		}
		s.workers = append(s.workers, w)
		for range rapid.IntRange(0, 2).Draw(t, "held") {
			s.held = append(s.held, plan.Held{
				Worker: w.ID, Priority: rapid.IntRange(0, 4).Draw(t, "priority"), Channel: rapid.SampledFrom(sceneChannels).Draw(t, "channel"),
				Running: true, Count: 1, Estimate: rapid.Int64Range(1, 50).Draw(t, "estimate"),
			})
		}
	}
	for range rapid.IntRange(1, 4).Draw(t, "classes") {
		s.classes = append(s.classes, plan.Class{Mode: rapid.SampledFrom(modes).Draw(t, "mode"), Channel: rapid.SampledFrom(sceneChannels).Draw(t, "channel")})
		eligible, scores := map[int64]bool{}, map[int64]float64{}
		for _, w := range s.workers {
			eligible[w.ID] = rapid.IntRange(0, 3).Draw(t, "eligible") > 0
			scores[w.ID] = float64(rapid.IntRange(0, 2).Draw(t, "score"))
		}
		s.eligible, s.scores = append(s.eligible, eligible), append(s.scores, scores)
	}
	for i := range rapid.IntRange(0, 30).Draw(t, "items") {
		it := plan.Item{
			ID: int64(i + 1), Priority: rapid.IntRange(0, 4).Draw(t, "priority"), Estimate: rapid.Int64Range(1, 60).Draw(t, "estimate"),
			Due: rapid.Int64Range(0, 30).Draw(t, "due"), Class: rapid.IntRange(0, len(s.classes)-1).Draw(t, "class"),
		}
		if rapid.IntRange(0, 4).Draw(t, "hasDeadline") == 0 {
			it.Deadline = s.options.Now + rapid.Int64Range(1, 100).Draw(t, "deadline")
		}
		s.items = append(s.items, it)
	}
	return s
}

// plan gives the items and calls after for each one in order.
func (s scene) plan(after func(it plan.Item, given bool)) []plan.Placement {
	p := plan.New(s.workers, s.held, nil, s.options)
	for i, c := range s.classes {
		c.Eligible = plan.NewSet(len(s.workers))
		for at, w := range p.Workers() {
			c.Scores = append(c.Scores, s.scores[i][w.ID])
			if s.eligible[i][w.ID] {
				c.Eligible.Add(at)
			}
		}
		p.Class(c)
	}
	items := slices.Clone(s.items)
	p.Sort(items, 10)
	for i := range items {
		after(items[i], p.Assign(&items[i]))
	}
	placements, _ := p.Plan()
	return placements
}

// slotsInUse are the slots and channels that the running items of a worker use.
type slotsInUse struct {
	slots    int
	channels map[string]int
}

// fits reports whether an item may start now in addition to the running items.
func (u slotsInUse) fits(w plan.Worker, channel string, priority int) bool {
	cost, most := cost(w, channel)
	kept := 0
	if priority <= high {
		kept = max(min(w.Reserved, w.Slots-1), 0)
	}
	return cost > 0 && u.slots+cost <= w.Slots-kept && (most == 0 || u.channels[channel] < most)
}

// cost returns how many slots an item of a channel uses and how many of them run at a
// time; 0 slots: the worker does not run the channel.
func cost(w plan.Worker, channel string) (slots, most int) {
	if channel == "" || w.Channels == nil {
		return 1, 0
	}
	c := w.Channels[channel]
	return c.Cost, c.Max
}

func (u *slotsInUse) start(w plan.Worker, channel string) {
	slots, _ := cost(w, channel)
	u.slots += max(slots, 1) // an item of a channel that the worker no longer has uses one slot
	if u.channels == nil {
		u.channels = map[string]int{}
	}
	u.channels[channel]++
}

// TestPlanForFreeSlotsFitsChannelsAndReservedSlots checks that a plan for free slots
// gives each worker only items that can start there now, in order, and rejects an item
// only if it cannot start on any worker. It may reserve more slots than that for an item
// that needs several.
func TestPlanForFreeSlotsFitsChannelsAndReservedSlots(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		s := drawScene(t)
		s.options.FreeSlots, s.options.Horizon, s.options.MaxPerWorker = true, 1000, 1000
		inUse := make([]slotsInUse, len(s.workers))
		for _, h := range s.held {
			inUse[h.Worker-1].start(s.workers[h.Worker-1], h.Channel)
		}
		var order []plan.Item
		given := map[int64]bool{}
		placements := s.plan(func(it plan.Item, ok bool) {
			order = append(order, it)
			given[it.ID] = ok
		})
		worker := map[int64]int64{}
		for _, pl := range placements {
			if _, twice := worker[pl.Item]; twice || !given[pl.Item] {
				t.Fatalf("item %d was given: %v, and is twice in the plan: %v", pl.Item, given[pl.Item], twice)
			}
			worker[pl.Item] = pl.Worker
			if pl.Start != s.options.Now {
				t.Fatalf("item %d starts %d ms from now at a free slot", pl.Item, pl.Start-s.options.Now)
			}
		}
		kept := false // slots may be reserved from now on
		for _, it := range order {
			channel := s.classes[it.Class].Channel
			id, ok := worker[it.ID]
			if ok != given[it.ID] {
				t.Fatalf("item %d was given: %v, but is in the plan: %v", it.ID, given[it.ID], ok)
			}
			if ok {
				w := s.workers[id-1]
				if !s.eligible[it.Class][id] || !inUse[id-1].fits(w, channel, it.Priority) {
					t.Fatalf("item %d of channel %q and priority %d went to worker %+v that runs %+v", it.ID, channel, it.Priority, w, inUse[id-1])
				}
				inUse[id-1].start(w, channel)
				continue
			}
			for i, w := range s.workers {
				if slots, _ := cost(w, channel); s.eligible[it.Class][w.ID] && slots > 1 {
					kept = true
				}
				if !kept && s.eligible[it.Class][w.ID] && inUse[i].fits(w, channel, it.Priority) {
					t.Fatalf("item %d of channel %q and priority %d was refused, but worker %+v runs only %+v", it.ID, channel, it.Priority, w, inUse[i])
				}
			}
		}
	})
}

// TestPlanDoesNotDependOnInputOrder checks that the same workers and items give the same
// plan in any input order.
func TestPlanDoesNotDependOnInputOrder(t *testing.T) {
	testgroup.Check(t, 25, func(t *rapid.T) {
		s := drawScene(t)
		ignore := func(plan.Item, bool) {}
		want := s.plan(ignore)
		shuffled := s
		shuffled.workers, shuffled.items = slices.Clone(s.workers), slices.Clone(s.items)
		random := rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed")))
		random.Shuffle(len(s.workers), reflect.Swapper(shuffled.workers))
		random.Shuffle(len(s.items), reflect.Swapper(shuffled.items))
		for range 3 {
			if got := shuffled.plan(ignore); !slices.Equal(got, want) {
				t.Fatalf("plan of the shuffled input:\n%+v\nwant:\n%+v", got, want)
			}
		}
	})
}
