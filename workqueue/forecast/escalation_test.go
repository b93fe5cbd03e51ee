package forecast

import (
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/escalation"
)

func (r *Present) rules(t *testing.T, text string) {
	t.Helper()
	list, err := escalation.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range workqueue.EscalationsOf(workqueue.EscalateQueue, "default", list) {
		r.situation.Rules = append(r.situation.Rules, assign.SimRule{Escalation: e, Holds: true})
	}
}

// Twenty items of 100 s in another queue go first, unless a rule raises the one of the queue default after
// 9 minutes of waiting, at 510 s. The next slot is free at 600 s.
func TestForecastKnowsEscalations(t *testing.T) {
	for text, want := range map[string]float64{"": 2000, `[{"name":"late","after":"9m","raise":{"by":600}}]`: 600} {
		r := emptyPresent(1)
		r.queues["other"] = &workqueue.Queue{Name: "other"}
		r.constant("p", 100*time.Second)
		for id := range int64(20) {
			r.add(id+1, 600, "p", func(it *assign.SimItem) { it.QueueName = "other" })
		}
		r.add(21, 500, "p", nil)
		r.rules(t, text)
		f := r.mustMake(t, Params{Histories: 20})
		it, ok := f.Item(21)
		if !ok || !near(it.Start.P50, want) || !near(it.End.P95, want+100) || it.Priority != 500 {
			t.Errorf("rules %q: item 21: %+v, want it to start after %v s", text, it, want)
		}
		if f.All.Items != 21 || f.All.Due != 21 || !near(f.All.Empty.P50, 2100) || f.NeverStart != 0 {
			t.Errorf("rules %q: the whole: %+v, never start %d", text, f.All, f.NeverStart)
		}
		if len(f.Bands) != 1 || f.Bands[0].Items != 21 || len(f.Arrivals) != 0 {
			t.Errorf("rules %q: bands %+v, arrivals %+v, want those of now", text, f.Bands, f.Arrivals)
		}
	}
}

// A queue is empty when its items have moved away, and so is the whole when a rule has cancelled them.
func TestForecastOfItemsThatLeave(t *testing.T) {
	for text, empty := range map[string]struct{ queue, whole float64 }{
		`[{"name":"away","after":"11m","moveTo":"other"}]`: {630, 1100}, // a minute has passed already, and a rule acts half a minute later
		`[{"name":"gone","after":"11m","cancel":true}]`:    {630, 1000},
	} {
		r := emptyPresent(1)
		r.queues["other"] = &workqueue.Queue{Name: "other"}
		r.constant("p", 1000*time.Second)
		r.constant("q", 100*time.Second)
		r.add(1, 600, "p", func(it *assign.SimItem) { it.QueueName = "other" })
		r.add(2, 500, "q", nil)
		r.rules(t, text)
		f := r.mustMake(t, Params{Histories: 20})
		if len(f.Queues) != 2 || f.Queues[0].Name != "default" || !near(f.Queues[0].Empty.P50, empty.queue) || !near(f.All.Empty.P50, empty.whole) {
			t.Errorf("rules %s: queues %+v, whole %+v, want the queue default empty after %v s, and the whole after %v s", text, f.Queues, f.All, empty.queue, empty.whole)
		}
		it, _ := f.Item(2)
		if gone := empty.whole == 1000; gone != (it.Unfinished > 0.99) || it.Missed != 0 {
			t.Errorf("rules %s: %+v", text, it)
		}
	}
}

// One slot, two items of 100 s. The second cannot finish within 150 s, nor can a running one that has 20 s left.
func TestForecastOfFinishBy(t *testing.T) {
	r := emptyPresent(1, 1)
	r.constant("p", 100*time.Second)
	r.add(1, 600, "p", nil)
	r.add(2, 500, "p", func(it *assign.SimItem) {
		it.FinishBy = noon.Add(150 * time.Second)
		it.Deadline = it.FinishBy
	})
	r.add(3, 900, "p", func(it *assign.SimItem) {
		it.Holder, it.Running, it.Since, it.FinishBy = 2, true, noon.Add(-10*time.Second), noon.Add(120*time.Second)
	})
	r.add(4, 900, "p", func(it *assign.SimItem) {
		it.Holder, it.Running, it.Since, it.FinishBy = 1, true, noon.Add(-10*time.Second), noon.Add(20*time.Second)
	})
	f := r.mustMake(t, Params{Histories: 20})
	for id, want := range map[int64]float64{1: 0, 2: 1, 3: 0, 4: 1} {
		it, ok := f.Item(id)
		if !ok || it.Missed != want || (it.FinishBy == nil) != (id == 1) {
			t.Errorf("item %d: %+v, want it to miss its time in %v of the histories", id, it, want)
		}
	}
	if f.MayBeLate != 2 || len(f.Late) != 2 {
		t.Errorf("%d may be late: %+v, want the items 2 and 4", f.MayBeLate, f.Late)
	}
	enough, err := r.Enough(t.Context(), Params{})
	if err != nil {
		t.Fatal(err)
	}
	// Another slot helps item 2, and nothing helps item 4.
	if enough.Deadlines != 3 || enough.Missed != 2 || enough.Impossible != 1 || enough.Workers == nil || *enough.Workers != 1 {
		t.Errorf("enough: %+v", enough)
	}
}
