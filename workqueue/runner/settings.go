package runner

import (
	"time"

	"botwork/workqueue"
)

// reportedSettings returns the settings of the process.
func (r *Runner) reportedSettings() (workqueue.WorkerSettings, error) {
	spec := &r.o.Spec
	s := workqueue.WorkerSettings{Capacity: spec.Capacity, ReservedSlots: spec.ReservedSlots}
	var err error
	if s.Channels, err = spec.Channels.Text(); err != nil {
		return s, err
	}
	s.Queues, err = workqueue.ServedText(spec.Queues)
	return s, err
}

// applyOverrides applies what a person set for this worker: at its start, and when a heartbeat
// returns something new. It reports whether something has changed. Running items continue in any
// case. A setting that cannot be read leaves all as they are.
func (r *Runner) applyOverrides(overrides workqueue.JSONText) bool {
	d := r.dispatch
	d.mu.Lock()
	same := d.overrides == overrides
	d.overrides = overrides
	d.mu.Unlock()
	if same {
		return false
	}
	s, err := r.reportedSettings()
	if err == nil {
		s, err = s.With(overrides)
	}
	var channels workqueue.Channels
	var queues []string
	if err == nil {
		channels, err = workqueue.ParseChannels(s.Channels)
	}
	if err == nil {
		queues, err = workqueue.ParseServed(s.Queues)
	}
	if err != nil {
		r.o.Log.Warn().Err(err).Msg("cannot read the settings that were set for this worker by a command; nothing changes")
		return false
	}
	check := workqueue.WorkerSpec{Capacity: s.Capacity, ReservedSlots: s.ReservedSlots, Channels: channels}
	if err := check.CheckSlots(); err != nil {
		r.o.Log.Warn().Err(err).Msg("the settings of this worker and those that were set by a command do not fit together; items that do not fit are not taken")
	}
	d.runs.reconfigure(s.Capacity, s.ReservedSlots, channels, queues)
	log := r.o.Log.Info().Int("capacity", s.Capacity).Int("reserved_slots", s.ReservedSlots).Str("channels", string(s.Channels)).Str("queues", string(s.Queues))
	if overrides == "" {
		log.Msg("the settings that were set for this worker by a command were removed; using those of its process")
	} else {
		log.Msg("using settings that were set for this worker by a command")
	}
	return true
}

// reconfigure changes the slots, channels and queues. Waiting items that no longer fit are
// released.
func (sv *supervisor) reconfigure(capacity, reserved int, channels workqueue.Channels, queues []string) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.channels, sv.queues = channels, queues
	sv.slots.resize(capacity, reserved, channels)
	sv.expectCost()
	sv.reserve = nil
	refused := map[*claimed]error{}
	for _, it := range sv.line.removeAll(func(it *claimed) bool {
		var reason error
		if it.need, reason = sv.needOf(&it.Item); reason == nil && sv.slots.blockedByStuck(it.need) {
			reason = sv.slots.blocked(it.need)
		}
		if reason != nil {
			refused[it] = reason
		}
		return reason != nil
	}) {
		sv.refuse(it, refused[it])
	}
	for _, s := range sv.sessions {
		s.sweep(time.Now())
	}
	sv.reconfigured = true
	sv.mayClaim()
	sv.poke()
}
