package notify

import (
	"testing"
	"time"

	"botwork/workqueue"
)

// Each kind of event has titles that say what happened, for one and for several, and that it is over.
func TestTitles(t *testing.T) {
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	item := func(id int64, queue, text string, kind workqueue.ErrorKind) workqueue.Happening {
		return workqueue.Happening{Source: workqueue.FromItems, At: now, ItemID: id, Queue: queue, Text: text, Kind: string(kind)}
	}
	raised := func(kind Event, id int64, text string) workqueue.Happening {
		return workqueue.Happening{Source: workqueue.FromEvents, At: now, ItemID: id, Queue: "letters", Worker: "w2", Text: text, Kind: string(kind)}
	}
	run := func(source workqueue.HappeningSource, text string) workqueue.Happening {
		return workqueue.Happening{Source: source, ID: 3, At: now, PlannedAt: now.Add(-10 * time.Minute), Pipeline: "Nightly", Text: text}
	}
	lost := func(name string) workqueue.Worker {
		return workqueue.Worker{Name: name, Host: "h", State: workqueue.WorkerActive, LastSeenAt: now.Add(-time.Hour), LeaseExpiresAt: new(now.Add(-50 * time.Minute))}
	}
	stuck := func(name string) workqueue.Worker {
		return workqueue.Worker{Name: name, State: workqueue.WorkerActive, LastSeenAt: now, LeaseExpiresAt: new(now.Add(time.Hour)), StuckSlots: 1, Capacity: 4}
	}
	failed := workqueue.KindError
	events := func(list ...workqueue.Happening) func(*Rule, observations) {
		return func(r *Rule, o observations) { r.observeEvents(o, list, nil) }
	}
	workers := func(list ...workqueue.Worker) func(*Rule, observations) {
		return func(r *Rule, o observations) { r.observeWorkers(o, list, now, time.Time{}) }
	}
	near := func(list ...workqueue.Happening) func(*Rule, observations) {
		return func(r *Rule, o observations) { r.observeRisk(o, list, now) }
	}
	gauges := func(backlog float64, oldest time.Duration) func(*Rule, observations) {
		return func(r *Rule, o observations) {
			r.observeGauges(o, &workqueue.SeriesPoint{Group: "letters", Gauges: &workqueue.SeriesGauges{Samples: 1, Backlog: backlog, OldestWaiting: workqueue.Duration(oldest)}})
		}
	}
	for _, c := range []struct {
		event       Event
		observe     func(*Rule, observations)
		title, over string
	}{
		{ItemCancelled, events(item(7, "letters", "out of paper", failed)), "Item 7 of letters failed: out of paper", "No item of letters has failed for 15m"},
		{ItemCancelled, events(item(7, "letters", "out of paper", failed), item(8, "letters", "out of paper", failed)), "2 items of letters failed: out of paper", "No item of letters has failed for 15m"},
		{ItemCancelled, events(item(7, "letters", "out of paper", failed), item(8, "mails", "no host", failed)), "2 items of letters and mails failed", "No item of letters and mails has failed for 15m"},
		{ItemCancelled, events(item(7, "letters", "", workqueue.KindExpired)), "Item 7 of letters expired", "No item of letters has failed for 15m"},
		{ItemCancelled, events(item(1, "a", "", failed), item(2, "b", "", failed), item(3, "c", "", failed), item(4, "d", "", failed)), "4 items failed", "No item has failed for 15m"},
		{PoisonItem, events(item(7, "letters", "", workqueue.KindPoison)), "Item 7 of letters was cancelled as poison", "No item of letters was cancelled as poison for 15m"},
		{PoisonItem, events(item(7, "letters", "", workqueue.KindPoison), item(8, "letters", "", workqueue.KindPoison)), "2 items of letters were cancelled as poison", "No item of letters was cancelled as poison for 15m"},
		{RunFailed, events(run(workqueue.FromRuns, "no such file")), "A run of Nightly failed: no such file", "Runs of Nightly succeed again"},
		{RunFailed, events(run(workqueue.FromRuns, "a"), run(workqueue.FromRuns, "b")), "2 runs of Nightly failed", "Runs of Nightly succeed again"},
		{RunMissed, events(run(workqueue.FromLateRuns, "")), "A run of Nightly was missed or late: started 10m late", "No run of Nightly was missed or late for 15m"},
		{RunMissed, events(run(workqueue.FromMissed, "a"), run(workqueue.FromMissed, "b")), "2 runs of Nightly were missed or late", "No run of Nightly was missed or late for 15m"},
		{Backlog, gauges(1500, 0), "1500 due items of letters wait", "No more than 1000 due items of letters wait"},
		{Oldest, gauges(0, 2*time.Hour), "The oldest due item of letters has waited for 2h", "No due item of letters has waited for more than 1h"},
		{FailureRate, func(r *Rule, o observations) {
			r.observeRate(o, &workqueue.SeriesPoint{Group: "letters", Failed: 8, Succeeded: 12})
		}, "40 % of the attempts of letters failed in 15m", "No more than 20 % of the attempts of letters fail"},
		{WorkerLost, workers(lost("w2")), "Worker w2 is lost", "Worker w2 is back"},
		{WorkerLost, workers(lost("w2"), lost("w1")), "Workers w1 and w2 are lost", "Workers w1 and w2 are back"},
		{WorkerLost, workers(lost("w1"), lost("w2"), lost("w3"), lost("w4")), "4 workers are lost", "4 workers are back"},
		{WorkerStuck, workers(stuck("w2")), "Worker w2 is stuck: a handler does not stop", "Worker w2 is no longer stuck"},
		{WorkerStuck, workers(stuck("w2"), stuck("w1")), "Workers w1 and w2 are stuck: a handler does not stop", "Workers w1 and w2 are no longer stuck"},
		{NoWorker, workers(), "No worker is alive", "A worker is alive again"},
		{DeadlineAtRisk, near(item(7, "letters", "", "")), "Item 7 of letters may miss its deadline", "No item of letters is about to miss its deadline"},
		{DeadlineAtRisk, near(item(7, "letters", "", ""), item(8, "letters", "", "")), "2 items of letters may miss their deadlines", "No item of letters is about to miss its deadline"},
		{DiskLow, events(raised(DiskLow, 0, "/data has 3 % left")), "Little free space on worker w2: /data has 3 % left", "No lack of free space on worker w2 for 15m"},
		{Escalation, events(raised(Escalation, 7, "too old")), "Item 7 of letters was escalated: too old", "No item of letters was escalated for 15m"},
		{Escalation, events(raised(Escalation, 7, "too old"), raised(Escalation, 8, "too old")), "2 items of letters were escalated: too old", "No item of letters was escalated for 15m"},
	} {
		r := Rule{Name: "rule", Event: c.event}.Complete()
		if c.event.OneLabel() {
			r.GroupBy = []string{LabelQueue}
		} else {
			r.GroupBy = nil
		}
		found := observations{}
		c.observe(&r, found)
		if len(found) != 1 {
			t.Fatalf("%s: %d observations, want 1", c.event, len(found))
		}
		for _, o := range found {
			a := &tracked{Alert: workqueue.Alert{Rule: r.Name, Phase: workqueue.AlertOK}}
			a.observe(&r, o, now)
			a.Phase = workqueue.AlertFiring
			if got := a.shown(&r).Title; got != c.title {
				t.Errorf("%s: title %q, want %q", c.event, got, c.title)
			}
			a.sent(now)
			a.end(now)
			a.Back = true
			if got := a.shown(&r).Title; got != c.over {
				t.Errorf("%s: title of the end %q, want %q", c.event, got, c.over)
			}
			a.Back = false
			if got := a.shown(&r).Title; c.event == WorkerLost && len(a.About) == 1 && got != "Worker w2 is no longer expected" {
				t.Errorf("title of the end of a worker that did not come back: %q", got)
			}
		}
	}
	queues := Rule{Name: "rule", Event: NoWorker, Filter: Filter{Queues: []string{"letters", "mails"}}}.Complete()
	found := observations{}
	queues.observeWorkers(found, nil, now, time.Time{})
	if got, want := found[""].title, "No worker is alive that serves queues letters and mails"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
}
