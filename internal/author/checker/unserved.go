package checker

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/tasks"
	"botwork/workqueue"
)

// unserved warns about queues, tasks, webhooks and steps that give items a priority in the gap,
// which no pipeline runs: such items wait forever.
func (a *crossCheck) unserved(gap band) {
	check := func(at *strictyaml.Node, queue, what string, priority int) {
		offset, known := a.offset(queue)
		priority += offset
		if at == nil || !known || priority < gap.low || priority > gap.high {
			return
		}
		a.add(at, strictyaml.Warning, "unserved-priorities",
			fmt.Sprintf("%s get the priority %d, and no pipeline runs items of %s", what, priority, gap),
			"raise the priority, or add a step ExecuteWorkItems for it to a pipeline with a trigger")
	}
	if a.settings.Queues != nil {
		for _, e := range a.settings.Queues.Entries {
			check(e.Value.Get("priorityOffset"), e.Key, "new items of the queue", workqueue.RequestPriority)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.settings.HTTP.Hooks)) {
		if h := a.settings.HTTP.Hooks[name]; h.Priority != nil {
			check(a.settings.HookNode(name).Get("priority"), h.Queue, "items of the webhook", *h.Priority)
		}
	}
	list, _ := tasks.Decode(a.settings.Tasks, a.settings.Pipelines.Timezone)
	for _, t := range list {
		at := a.settings.Tasks.Get(t.Name)
		if n := at.Get("importance"); n != nil {
			at = n
		}
		check(at, t.Queue, fmt.Sprintf("new items of %s importance", t.Importance), tasks.Priority(t.Importance, time.Time{}, time.Time{}, time.Time{}))
	}
	for _, p := range a.catalogue.All() {
		nodes := sync.OnceValue(p.Nodes)
		for s := range p.Each() {
			if s.Handler != "Enqueue" {
				continue
			}
			with := nodes()[s].Get("with")
			priority, literal := s.With["priority"].(int)
			if queue := with.Get("queue"); literal && (queue == nil || isLiteral(queue)) {
				name, _ := s.With["queue"].(string)
				check(with.Get("priority"), name, "the items", priority)
			}
		}
	}
}

// offset returns what a queue adds to the priorities of its items, and whether workers run
// them and the settings define the queue; "" is the default queue, which needs no definition.
func (a *crossCheck) offset(name string) (offset int, known bool) {
	queue := a.settings.Queues.Get(name)
	if queue == nil {
		return 0, name == "" || name == workqueue.DefaultQueue
	}
	if consumer := queue.Get("consumer"); consumer != nil && consumer.Text == string(workqueue.ConsumerRobots) {
		return 0, false
	}
	if n := queue.Get("priorityOffset"); n != nil {
		offset, _ = n.Value.(int)
	}
	return offset, true
}
