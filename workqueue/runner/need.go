package runner

import (
	"fmt"
	"slices"
	"strings"

	"botwork/workqueue"
)

// needOf returns the slots that an item needs on this worker. The error is the reason why the
// item may not run here: no pass assigns such an item to the worker, but a user can.
func (r *Runner) needOf(it *workqueue.Item) (need, error) {
	spec := &r.o.Spec
	if len(spec.Queues) > 0 && !slices.ContainsFunc(spec.Queues, func(q string) bool { return sameQueue(q, it.QueueName) }) {
		return need{}, fmt.Errorf("worker %q does not serve the queue %q, only %s", spec.Name, it.QueueName, strings.Join(spec.Queues, ", "))
	}
	n := need{priority: it.Priority, expedited: it.Expedited()}
	if len(spec.Channels) == 0 {
		return n, nil
	}
	channel := r.o.Profiles.For(strings.TrimSpace(it.IntegrationConfig)).Channel
	c, serves := spec.Channels.For(channel)
	if !serves {
		return n, fmt.Errorf("worker %q does not take items of channel %q", spec.Name, channel)
	}
	n.cost, n.channel, n.most = c.Cost, channel, c.Max
	return n, nil
}
