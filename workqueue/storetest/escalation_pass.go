package storetest

import (
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// escalationPass applies all rules, and returns the names of those that did something.
func (x *fixture) escalationPass(pipelines ...workqueue.Escalation) (acted []string, err error) {
	x.Helper()
	err = assign.Escalate(x.ctx, x.Store, pipelines, func(e assign.Escalated) { acted = append(acted, e.Rule.Name) })
	return acted, err
}

func escalatePass(y *fixture) {
	x := newTimed(y)
	x.defineThese(
		workqueue.Queue{Name: "a", Escalation: `[{"name":"late","after":"10m","raise":{"by":100}},{"name":"full","when":"length > 2","notify":true},{"name":"idle","when":"length == 0","notify":true}]`},
		workqueue.Queue{Name: "b", Escalation: `[{"name":"away","after":"10m","moveTo":"missing"},{"name":"old","after":"1h","cancel":true}]`},
		workqueue.Queue{Name: "c", Consumer: workqueue.ConsumerRobots, Escalation: `[{"name":"robots","after":"10m","raise":{"to":2000}}]`})
	a, b, c := x.Items(3, ItemOpts{Queue: "a", Priority: 500}), x.Items(1, ItemOpts{Queue: "b"}), x.Items(1, ItemOpts{Queue: "c"})
	pipeline := x.escalationRule(workqueue.EscalatePipeline, Pipeline, `{"name":"all","after":"10m","raise":{"by":1}}`)
	x.now = x.now.Add(time.Hour)
	acted, err := x.escalationPass(pipeline)
	if want := []string{"late", "full", "old", "robots", "all"}; !slices.Equal(acted, want) {
		x.Errorf("the rules %q acted, want %q", acted, want)
	}
	if err == nil || !strings.Contains(err.Error(), `rule "away" of the queue "b"`) || !strings.Contains(err.Error(), "missing") {
		x.Errorf("the error is %v, want one about the queue that does not exist", err)
	}
	x.wantPriorities(a, 601, 601, 601)
	x.wantState(workqueue.Cancelled, b...)
	x.wantPriorities(c, 2001)
	if acted, _ := x.escalationPass(pipeline); len(acted) > 0 {
		x.Errorf("the rules %q acted again in the same period", acted)
	}
	// Rules that a person has written and that cannot be read keep no others from acting.
	x.exec(1, `UPDATE "BotQueues" SET "Escalation" = '[{"name":"late"}]' WHERE "Name" = 'a'`)
	more := x.Items(1, ItemOpts{Queue: "c"})
	x.now = x.now.Add(time.Hour)
	if acted, err := x.escalationPass(); err == nil || !strings.Contains(err.Error(), `escalation of the queue "a": [0]: got no trigger`) || !slices.Equal(acted, []string{"robots"}) {
		x.Errorf("the rules %q acted, error %v", acted, err)
	}
	x.wantPriorities(more, 2000)
}

func escalateWhy(x *fixture) {
	x.defineThese(workqueue.Queue{Name: "erp", Escalation: `[{"name":"late","after":"10m","raise":{"by":100,"to":1500,"every":"5m"}},{"name":"old","after":"1h","cancel":true},
		{"name":"full","when":"length > 5","moveTo":"other","keep":5},{"name":"busy","when":"running > 3","after":"20m","raise":{"to":1400}},{"name":"watch","when":"length > 0","notify":true}]`})
	id := x.Item(ItemOpts{Queue: "erp", Priority: 900}).ID
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, sqlAgo(11*time.Minute), id)
	texts := func() (list []string) {
		for _, e := range x.why(id).Escalations {
			list = append(list, e.Text)
		}
		return list
	}
	want := []string{
		"within a minute the priority becomes 1000 by the rule late of the queue erp",
		"it is cancelled by the rule old of the queue erp",
		"if length > 5, it moves to the queue other, unless it is among the first 5 of the queue, by the rule full of the queue erp",
		"if running > 3, the priority becomes 1400 by the rule busy of the queue erp",
	}
	got := texts()
	if len(got) != len(want) {
		x.Fatalf("escalations: %q", got)
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			x.Errorf("escalation %d is %q, want %q", i, got[i], want[i])
		}
	}
	if r := x.why(id).Escalations[0]; r.Priority != 1000 || r.At == nil || r.Action != "raise" || r.Owner != "erp" || r.Scope != workqueue.EscalateQueue {
		x.Errorf("the first one is %s", asJSON(r))
	}
	if _, err := x.escalationPass(); err != nil {
		x.Fatal(err)
	}
	if got := texts(); !strings.HasPrefix(got[0], "in 3m5") && !strings.HasPrefix(got[0], "in 4m") || !strings.Contains(got[0], "becomes 1100 by the rule late") {
		x.Errorf("after the first step: %q", got)
	}
	w := x.Worker(WorkerOpts{})
	x.Assign(w, id)
	if got := texts(); len(got) != 2 { // an assigned item is only raised
		x.Errorf("assigned: %q", got)
	}
	x.claim(w, 1)
	if got := texts(); len(got) != 0 {
		x.Errorf("running: %q", got)
	}
}
