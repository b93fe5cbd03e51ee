package assign

import (
	"fmt"

	"botwork/workqueue"
	"botwork/workqueue/plan"
)

// gated explains items while the machine of every live worker is short of a resource.
func (w *why) gated() (Reason, bool) {
	list := w.gatedWorkers(func(*workqueue.Worker) bool { return true })
	if len(list) == 0 {
		return Reason{}, false
	}
	return Reason{
		Kind: WhyGated, Worker: list[0].Name, Workers: gatedReasons(list),
		Text:   "the machine of every live worker is short of a resource, so they take no new items: " + gatedText(list),
		Change: "they take items again by themselves; free the resource, change worker.gate, or start a worker on another machine",
	}, true
}

// withGated adds the gated workers that serve the item's queue to a reason why no other worker runs
// the item: one of them may be what it waits for.
func (w *why) withGated(r Reason) Reason {
	switch r.Kind {
	case WhyQueue, WhyChannel, WhySelectors, WhyFull, WhyBehind, WhyBroken:
	default:
		return r
	}
	list := w.gatedWorkers(func(one *workqueue.Worker) bool {
		queues, err := workqueue.ParseServed(one.Queues)
		load := plan.Worker{Queues: queues}
		return err == nil && load.Serves(w.item.QueueName)
	})
	if len(list) > 0 {
		r.Text += "; not counting workers that take no new items, because their machine is short of a resource: " + gatedText(list)
	}
	return r
}

// gatedWorkers returns the live workers that are gated and that want accepts.
func (w *why) gatedWorkers(want func(*workqueue.Worker) bool) (list []*workqueue.Worker) {
	for i := range w.workers {
		if one := &w.workers[i]; one.Gated(w.now) != "" && want(one) {
			list = append(list, one)
		}
	}
	return list
}

func gatedText(list []*workqueue.Worker) string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = fmt.Sprintf("worker %q (%s)", one.Name, *one.Gate)
	}
	return listed(texts)
}

func gatedReasons(list []*workqueue.Worker) []ReasonWorker {
	reasons := make([]ReasonWorker, 0, len(list))
	for _, one := range list[:min(len(list), mostReasonWorkers)] {
		reasons = append(reasons, ReasonWorker{Name: one.Name, Slots: one.Capacity, Lacks: *one.Gate})
	}
	return reasons
}
