package assign_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/workqueue"
	"botwork/workqueue/assign"
)

var simulated = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// history records a history in words.
type history struct {
	s      *assign.Situation
	events []string
	starts map[int64]time.Duration
	ends   map[int64]time.Duration
}

func (h *history) add(format string, args ...any) bool {
	h.events = append(h.events, fmt.Sprintf(format, args...))
	return true
}

func (h *history) Due(item int, at time.Duration) bool {
	return h.add("%s: %d is due", at, h.s.Items[item].ID)
}

func (h *history) Started(item, worker int, at time.Duration) bool {
	id := h.s.Items[h.s.Origin(item)].ID
	h.starts[id] = at
	return h.add("%s: %d starts on %s", at, id, h.s.Workers[worker].Name)
}

func (h *history) Ended(item, worker int, at time.Duration, final bool) bool {
	id := h.s.Items[h.s.Origin(item)].ID
	h.ends[id] = at
	return h.add("%s: %d ends (%t)", at, id, final)
}

func (h *history) Expired(item int, at time.Duration) bool {
	return h.add("%s: %d expires", at, h.s.Items[h.s.Origin(item)].ID)
}

func (h *history) Escalated(item, to int, at time.Duration) bool {
	if to < 0 {
		return h.add("%s: %d is cancelled", at, h.s.Items[item].ID)
	}
	return h.add("%s: %d has priority %d in %s", at, h.s.Items[h.s.Origin(item)].ID, h.s.Items[to].Priority, h.s.Items[to].QueueName)
}

// sort sorts the events of each moment.
func (h *history) sort() {
	slices.SortStableFunc(h.events, func(a, b string) int {
		at := func(event string) time.Duration {
			text, _, _ := strings.Cut(event, ":")
			d, _ := time.ParseDuration(text)
			return d
		}
		return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a, b))
	})
}

// simulate runs one history of a situation.
func simulate(t testing.TB, s *assign.Situation, draws assign.Draws, change func(*assign.Simulation)) *history {
	t.Helper()
	if s.Items != nil && len(s.Pipelines) == 0 {
		t.Fatal("no pipeline")
	}
	m := s.NewSimulation()
	if change != nil {
		change(m)
	}
	h := &history{s: s, starts: map[int64]time.Duration{}, ends: map[int64]time.Duration{}}
	if err := m.Run(context.Background(), draws, h); err != nil {
		t.Fatal(err)
	}
	return h
}

// waking is a pipeline that assigns and runs all items as soon as a slot is free.
func waking(band workqueue.Band) assign.SystemPipeline {
	return assign.SystemPipeline{
		Name: "Wakes", Wake: true, Bands: []workqueue.Band{band}, Passes: []assign.AssignParams{{Band: band, FreeSlots: true}},
		Next: func(after time.Time) time.Time { return after.Truncate(time.Minute).Add(time.Minute) },
	}
}

func simWorker(id int64, capacity int) assign.SimWorker {
	return assign.SimWorker{WorkerLoad: workqueue.WorkerLoad{WorkerID: id, Name: fmt.Sprintf("w%d", id), Capacity: capacity, AvailableSince: simulated}}
}

func simItem(id int64, priority int, takes time.Duration) assign.SimItem {
	return assign.SimItem{HeldItem: workqueue.HeldItem{DueItem: workqueue.DueItem{
		ID: id, Priority: priority, Due: simulated.Add(-time.Minute), Estimate: takes, QueueName: "default", Pipeline: "p",
	}}}
}

// Three workers with one slot, ten items. Computed by hand: the longest item of a priority first,
// each to the first worker that is free.
//
//	w1: 1 (0-50), 6 (50-70), 9 (70-80)
//	w2: 2 (0-40), 4 (40-70), 8 (70-90)
//	w3: 3 (0-30), 5 (30-60), 7 (60-80), 10 (80-90)
func TestSimulationByHand(t *testing.T) {
	const s = time.Second
	situation := &assign.Situation{
		At: simulated, Pipelines: []assign.SystemPipeline{waking(workqueue.EveryPriority)}, DefaultEstimate: 10 * s,
		Workers: []assign.SimWorker{simWorker(1, 1), simWorker(2, 1), simWorker(3, 1)},
	}
	for id, takes := range []time.Duration{50, 40, 30, 30, 30, 20, 20, 20, 10, 10} {
		priority := 500
		if id < 3 {
			priority = 1200
		}
		situation.Items = append(situation.Items, simItem(int64(id+1), priority, takes*s))
	}
	if err := situation.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[int64][2]time.Duration{
		1: {0, 50}, 2: {0, 40}, 3: {0, 30}, 4: {30, 60}, 5: {40, 70}, 6: {50, 70}, 7: {60, 80}, 8: {70, 90}, 9: {70, 80}, 10: {80, 90},
	}
	for _, byPasses := range []bool{false, true} {
		h := simulate(t, situation, nil, func(m *assign.Simulation) { m.ByPasses = byPasses })
		for id, at := range want {
			if h.starts[id] != at[0]*s || h.ends[id] != at[1]*s {
				t.Errorf("by passes %t: item %d runs from %s to %s, want from %s to %s", byPasses, id, h.starts[id], h.ends[id], at[0]*s, at[1]*s)
			}
		}
	}
}

// drawn are draws that depend only on the item and its attempt.
type drawn struct {
	seed  uint64
	fails int // of 100 attempts
}

func (d drawn) of(item, failures, what int) *rand.Rand {
	return rand.New(rand.NewPCG(d.seed, uint64(item)*64+uint64(failures)*4+uint64(what)))
}

func (d drawn) Run(item, failures int) (time.Duration, bool) {
	r := d.of(item, failures, 0)
	return time.Duration(1+r.IntN(60)) * time.Second, r.IntN(100) < d.fails
}

func (d drawn) Rest(item int, _ time.Duration) (time.Duration, bool) { return d.Run(item, 0) }

func (d drawn) Retry(item, failures int) (time.Duration, bool) {
	return time.Duration(d.of(item, failures, 1).IntN(90)) * time.Second, failures < 3
}

func (d drawn) Due(item int) (time.Duration, bool) {
	r := d.of(item, 0, 2)
	return time.Duration(r.IntN(600)) * time.Second, r.IntN(4) > 0
}

// drawSituation draws a situation in which passes fill free slots.
func drawSituation(t *rapid.T) *assign.Situation {
	s := &assign.Situation{At: simulated, DefaultEstimate: 10 * time.Second}
	low := waking(workqueue.Band{Min: workqueue.EveryPriority.Min, Max: 499})
	low.Name, low.Wake = "Low", rapid.Bool().Draw(t, "low wakes")
	low.Next = func(after time.Time) time.Time { return after.Truncate(10 * time.Minute).Add(10 * time.Minute) }
	s.Pipelines = []assign.SystemPipeline{waking(workqueue.Band{Min: 500, Max: workqueue.EveryPriority.Max}), low}
	for id := range rapid.IntRange(1, 4).Draw(t, "workers") {
		w := simWorker(int64(id+1), rapid.IntRange(1, 3).Draw(t, "slots"))
		w.Reserved = rapid.IntRange(0, 1).Draw(t, "reserved")
		if rapid.Bool().Draw(t, "labelled") {
			w.Labels = `{"gpu": true}`
		}
		if rapid.IntRange(0, 3).Draw(t, "serves") == 0 {
			w.Queues = `["default"]`
		}
		s.Workers = append(s.Workers, w)
	}
	for id := range rapid.IntRange(1, 40).Draw(t, "items") {
		takes := rapid.IntRange(0, 60).Draw(t, "takes")
		it := simItem(int64(id+1), rapid.SampledFrom([]int{100, 400, 500, 700, 1000, 1200}).Draw(t, "priority"), time.Duration(takes)*time.Second)
		it.Due = simulated.Add(time.Duration(rapid.IntRange(-900, 300).Draw(t, "due")) * time.Second)
		it.Drawn = rapid.IntRange(0, 5).Draw(t, "drawn") == 0
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			it.Selectors = `[{"key": "gpu", "operator": "exists"}]`
		case 1:
			it.QueueName = "other"
		case 2:
			it.Deadline = simulated.Add(time.Duration(rapid.IntRange(0, 400).Draw(t, "deadline")) * time.Second)
		}
		s.Items = append(s.Items, it)
	}
	return s
}

// The rule of free slots gives what the code of AssignPass gives, event by event.
func TestSimulationRuleIsThePass(t *testing.T) {
	testgroup.Check(t, 25, func(rt *rapid.T) {
		s := drawSituation(rt)
		if err := s.Prepare(context.Background()); err != nil {
			rt.Fatal(err)
		}
		draws := drawn{rapid.Uint64().Draw(rt, "seed"), rapid.SampledFrom([]int{0, 20}).Draw(rt, "fails")}
		rule := simulate(t, s, draws, nil)
		passes := simulate(t, s, draws, func(m *assign.Simulation) { m.ByPasses = true })
		// What happens at the same moment happens in another order.
		rule.sort()
		passes.sort()
		if !slices.Equal(rule.events, passes.events) {
			for i := range min(len(rule.events), len(passes.events)) {
				if rule.events[i] != passes.events[i] {
					rt.Fatalf("event %d: %s\npasses: %s\nbefore: %v\nthen by the rule: %q\nby passes: %q", i, rule.events[i], passes.events[i], rule.events[:i],
						rule.events[i:min(i+8, len(rule.events))], passes.events[i:min(i+8, len(passes.events))])
				}
			}
			rt.Fatalf("%d events, by passes %d", len(rule.events), len(passes.events))
		}
	})
}
