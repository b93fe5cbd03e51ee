package runner

import (
	"fmt"
	"slices"
	"strings"

	"botwork/workqueue"
)

// needOf returns the slots that an item needs on this worker. The error is the reason why the
// item may not run here: no pass assigns such an item to the worker, but a user can.
func (b *board) needOf(it *workqueue.Item) (need, error) {
	worker := b.r.o.Spec.Name
	if len(b.queues) > 0 && !slices.ContainsFunc(b.queues, func(q string) bool { return sameQueue(q, it.QueueName) }) {
		return need{}, fmt.Errorf("worker %q does not serve the queue %q, only %s", worker, it.QueueName, strings.Join(b.queues, ", "))
	}
	n := need{priority: it.Priority, expedited: it.Expedited()}
	if len(b.channels) == 0 {
		return n, nil
	}
	channel := b.r.o.Profiles.For(strings.TrimSpace(it.IntegrationConfig)).Channel
	c, serves := b.channels.For(channel)
	if !serves {
		return n, fmt.Errorf("worker %q does not take items of channel %q", worker, channel)
	}
	n.cost, n.channel, n.most = c.Cost, channel, c.Max
	return n, nil
}

// boundsChannels reports whether some channel has a maximum: a claim of several items might
// exceed it.
func (b *board) boundsChannels() bool {
	for _, c := range b.channels {
		if c.Max > 0 {
			return true
		}
	}
	return false
}

// expectCost sets the expected slots of an item before items show it.
func (b *board) expectCost() {
	b.cost = 1
	for _, c := range b.channels {
		b.cost = max(b.cost, float64(c.Cost))
	}
}
