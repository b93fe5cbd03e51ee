package assign_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/escalation"
)

// rulesOf returns the rules of the queue default.
func rulesOf(t *testing.T, text string) (rules []assign.SimRule) {
	t.Helper()
	list, err := escalation.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range workqueue.EscalationsOf(workqueue.EscalateQueue, "default", list) {
		rules = append(rules, assign.SimRule{Escalation: e, Holds: true})
	}
	return rules
}

// One worker with one slot, items of 10 minutes that became due a minute ago. Rules act 30 seconds after
// their time, since they are applied once a minute.
func TestSimulatedEscalation(t *testing.T) {
	const minute = time.Minute
	for name, c := range map[string]struct {
		rules string
		items func(*assign.Situation)
		want  []string // what happens to item 3
	}{
		"without rules": {"", nil, []string{"20m0s: 3 starts on w1", "30m0s: 3 ends (true)"}},
		"a raise lets it go first": {
			`[{"name":"late","after":"5m","raise":{"by":200}}]`, func(s *assign.Situation) { s.Items[1].QueueName = "other" },
			[]string{"4m30s: 3 has priority 700 in default", "10m0s: 3 starts on w1", "20m0s: 3 ends (true)"},
		},
		"steps end at the cap": {
			`[{"name":"late","after":"2m","raise":{"by":100,"to":650,"every":"3m"}}]`, nil,
			[]string{"1m30s: 3 has priority 600 in default", "4m30s: 3 has priority 650 in default", "10m0s: 3 starts on w1", "20m0s: 3 ends (true)"},
		},
		"what was due before has been done": {
			`[{"name":"late","after":"2m","raise":{"by":100,"to":800,"every":"3m"}}]`,
			func(s *assign.Situation) { s.Items[2].Due = simulated.Add(-6 * minute) },
			[]string{"2m30s: 3 has priority 600 in default", "5m30s: 3 has priority 700 in default", "8m30s: 3 has priority 800 in default", "10m0s: 3 starts on w1", "20m0s: 3 ends (true)"},
		},
		"a move leads out of the reach of the queue's rules": {
			`[{"name":"away","after":"3m","moveTo":"overflow"},{"name":"late","after":"5m","raise":{"by":200}}]`, nil,
			[]string{"2m30s: 3 has priority 500 in overflow", "20m0s: 3 starts on w1", "30m0s: 3 ends (true)"},
		},
		"a cancelled item never starts": {
			`[{"name":"gone","after":"12m","cancel":true}]`, nil, []string{"11m30s: 3 is cancelled"},
		},
		"relaxed selectors let another worker run it": {
			`[{"name":"any","after":"5m","relax":["gpu"]}]`,
			func(s *assign.Situation) {
				s.Items[2].Selectors = `[{"key": "gpu", "operator": "exists"}]`
			},
			[]string{"4m30s: 3 has priority 500 in default", "20m0s: 3 starts on w1", "30m0s: 3 ends (true)"},
		},
		"an expiring item expires all the same": {
			`[{"name":"late","after":"5m","raise":{"by":200}}]`,
			func(s *assign.Situation) { s.Items[2].Deadline = simulated.Add(8 * minute) },
			[]string{"4m30s: 3 has priority 700 in default", "8m0.000000001s: 3 expires"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &assign.Situation{
				At: simulated, Pipelines: []assign.SystemPipeline{waking(workqueue.EveryPriority)}, DefaultEstimate: minute, Workers: []assign.SimWorker{simWorker(1, 1)},
				Items: []assign.SimItem{simItem(1, 900, 10*minute), simItem(2, 500, 10*minute), simItem(3, 500, 10*minute)}, Rules: rulesOf(t, c.rules),
			}
			for i := range 2 { // only the third item is one of the queue default
				s.Items[i].QueueName = "plain"
			}
			if c.items != nil {
				c.items(s)
			}
			// The same draws make the same history, and a clone is a situation without the items of the first one.
			for _, s := range []*assign.Situation{s.Clone(), s} {
				if err := s.Prepare(t.Context()); err != nil {
					t.Fatal(err)
				}
				m := s.NewSimulation()
				for range 2 {
					h := &history{s: s, starts: map[int64]time.Duration{}, ends: map[int64]time.Duration{}}
					if err := m.Run(t.Context(), nil, h); err != nil {
						t.Fatal(err)
					}
					var got []string
					for _, event := range h.events {
						var at, rest string
						var id int64
						if _, err := fmt.Sscanf(event, "%s %d %s", &at, &id, &rest); err == nil && id == 3 {
							got = append(got, event)
						}
					}
					if !slices.Equal(got, c.want) {
						t.Errorf("item 3: %q, want %q", got, c.want)
					}
				}
			}
		})
	}
}

// A run is ended when the item has to finish, and an attempt that could only begin later is not made.
func TestSimulatedFinishBy(t *testing.T) {
	s := &assign.Situation{
		At: simulated, Pipelines: []assign.SystemPipeline{waking(workqueue.EveryPriority)}, DefaultEstimate: time.Minute, Workers: []assign.SimWorker{simWorker(1, 3)},
		Items: []assign.SimItem{simItem(1, 500, 10*time.Minute), simItem(2, 500, 10*time.Minute), simItem(3, 500, 10*time.Minute)},
	}
	s.Items[0].FinishBy = simulated.Add(4 * time.Minute)
	s.Items[1].FinishBy = simulated.Add(11 * time.Minute)
	s.Items[2].FinishBy = simulated.Add(13 * time.Minute)
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := simulate(t, s, failing{}, nil)
	h.sort()
	want := []string{
		"0s: 1 starts on w1", "0s: 2 starts on w1", "0s: 3 starts on w1",
		"4m0s: 1 expires",
		"10m0s: 2 expires", "10m0s: 3 ends (false)", "12m0s: 3 starts on w1", "13m0s: 3 expires",
	}
	if !slices.Equal(h.events, want) {
		t.Errorf("events %q, want %q", h.events, want)
	}
}

// failing draws attempts of 10 minutes that fail, and are tried again after 2 minutes.
type failing struct{}

func (failing) Run(int, int) (time.Duration, bool)            { return 10 * time.Minute, true }
func (failing) Rest(int, time.Duration) (time.Duration, bool) { return 10 * time.Minute, true }
func (failing) Retry(int, int) (time.Duration, bool)          { return 2 * time.Minute, true }
func (failing) Due(int) (time.Duration, bool)                 { return 0, true }
