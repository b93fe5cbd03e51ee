package simulation

import (
	"botwork/workqueue"
)

// drawSlots draws the slots of the workers in half of the worlds. It has its own dice, so
// that the other half does not change.
func (r *rules) drawSlots(d dice) {
	if r.Capacity > 1 && d.chance(40) {
		r.Reserved = 1
	}
	if d.chance(50) {
		r.Channels = workqueue.Channels{"Voice": {Cost: r.Capacity - r.Reserved}, "Chat": {Cost: 1, Max: 1}}
	}
}

// pipelineNames are the pipelines of items; the last two have the names of their channels.
var pipelineNames = []string{"Work", "Work", "Voice", "Chat"}

func profile(pipeline string) workqueue.Profile {
	if pipeline == "Work" {
		return workqueue.Profile{}
	}
	return workqueue.Profile{Channel: pipeline}
}

// occupy records that a run uses its slots until the returned function is
// called. A process must never use more slots than it has.
func (p *process) occupy(run *workqueue.Run) (leave func()) {
	channel := profile(run.IntegrationConfig).Channel
	takes, ok := p.w.rules.Channels.For(channel)
	if !ok {
		p.w.judge.violation("%s runs item %d, whose channel %s it does not accept", p.instance, run.ID, channel)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slots += takes.Cost
	p.running[channel]++
	if p.slots > p.w.rules.Capacity || takes.Max > 0 && p.running[channel] > takes.Max {
		p.w.judge.violation("%s runs item %d in %d slots and %d of its channel %q: it has %d slots, and may run %d of this channel",
			p.instance, run.ID, p.slots, p.running[channel], channel, p.w.rules.Capacity, takes.Max)
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.slots -= takes.Cost
		p.running[channel]--
	}
}
