package workqueue

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"botwork/workqueue/assignment"
)

// assigned answers for items that a worker has been given: whether it lives, and
// what it does first.
func (w *why) assigned(ctx context.Context) (Reason, error) {
	if r, ok := w.held(); ok {
		return r, nil
	}
	it, holder := w.item, w.worker(w.item.WorkerID)
	if gone := w.gone(holder); gone != "" {
		r := Reason{Kind: WhyStranded, Text: "it is assigned to " + gone}
		if holder != nil {
			r.Worker = holder.Name
		}
		w.next(&r, "the next pass gives it to another worker")
		return r, nil
	}
	if silent := w.silent(holder); silent != "" {
		return Reason{Kind: WhySilent, Worker: holder.Name, At: holder.LeaseExpiresAt,
			Text: fmt.Sprintf("it is assigned to worker %q, which %s; the worker's lease ends at %s (%s)",
				holder.Name, silent, instantText(*holder.LeaseExpiresAt), w.inText(*holder.LeaseExpiresAt)),
			Change: "the first pass after that gives it to another worker, unless this one beats again"}, nil
	}
	r := Reason{Kind: WhyAssigned, Worker: holder.Name, Since: it.AssignedAt, Change: "raise its priority; a pass moves it when it would start much sooner elsewhere"}
	running, err := w.store.Items(ctx, ItemFilter{States: []State{Blocked}, Worker: holder.Name, Limit: mostShown})
	if err != nil {
		return r, err
	}
	r.Text = fmt.Sprintf("it is assigned to worker %q", holder.Name)
	known, less, err := w.queued(ctx, holder, &r)
	if err != nil {
		return r, err
	}
	if len(running) > 0 {
		urgent := slices.MaxFunc(running, func(a, b Item) int { return a.Priority - b.Priority })
		r.Text += fmt.Sprintf(", which is busy with %s on %s, the most urgent of which is item %d of priority %d",
			counted(len(running), "item"), counted(holder.Capacity, "slot"), urgent.ID, urgent.Priority)
	}
	switch {
	case r.Ahead > 0:
		r.Text += fmt.Sprintf(", and comes behind %s that it holds", counted(r.Ahead, "item"))
		if less > 0 {
			r.Text += fmt.Sprintf(", %d of lower priority that an expedite selector puts first", less)
		}
	case known && len(running) < holder.Capacity-holder.StuckSlots:
		r.Text += ", and is the next that it starts"
		r.Change = "the worker starts it when a step ExecuteWorkItems that covers its priority runs there"
	}
	if r.ExpectedAt != nil && r.ExpectedAt.After(w.now) {
		r.Text += "; it starts in about " + spanText(r.ExpectedAt.Sub(w.now)) + " by estimates"
	}
	return r, nil
}

// mostShown bounds how many running items are looked at for the most urgent.
const mostShown = 1000

// late answers for items that are not started any longer.
func (w *why) late() (Reason, bool) {
	until, why := w.item.DeadlineAt, "deadline"
	if expires := w.item.ExpiresAt; until == nil || expires != nil && expires.Before(*until) {
		until, why = expires, "queue's time to live"
	}
	if until == nil || !until.Before(w.now) {
		return Reason{}, false
	}
	r := Reason{Kind: WhyExpired, Since: until, Text: fmt.Sprintf("it was not started before the end of its %s, %s", why, instantText(*until))}
	w.next(&r, "the next pass cancels it")
	return r, true
}

// gone tells why a pass takes the item back from its worker, "" when it does not.
func (w *why) gone(holder *Worker) string {
	assigned := w.item.AssignedAt
	switch {
	case holder == nil:
		return "a worker that is not known any longer"
	case holder.State != WorkerActive:
		return fmt.Sprintf("worker %q, which is %s", holder.Name, holder.State)
	case holder.LeaseExpiresAt != nil && holder.LeaseExpiresAt.Before(w.now):
		return fmt.Sprintf("worker %q, which counts as dead since %s", holder.Name, instantText(*holder.LeaseExpiresAt))
	case assigned == nil || assigned.Before(w.now.Add(-w.pass.Params.AssignedFor)):
		return fmt.Sprintf("worker %q%s, which is longer than a pass leaves it there", holder.Name, atTextFrom(" since ", assigned))
	}
	return ""
}

// silent tells that a worker has missed more than half of its lease, and so at
// least one beat; "" when it has not.
func (w *why) silent(holder *Worker) string {
	if holder.LeaseExpiresAt == nil || w.now.Sub(holder.LastSeenAt) <= holder.LeaseExpiresAt.Sub(holder.LastSeenAt)/2 {
		return ""
	}
	return "has not been heard of for " + spanText(w.now.Sub(holder.LastSeenAt))
}

// queued counts what the worker starts before the item, and how much of that is of lower
// priority and expedited. It estimates when the item starts. It is not known when the item has been started or taken
// back meanwhile, or so many are assigned that it is not among those that are read.
func (w *why) queued(ctx context.Context, holder *Worker, r *Reason) (known bool, less int, err error) {
	p := w.pass.Params
	loads, err := w.view.WorkerLoads(ctx, p.SeenWithin, EveryPriority, p.DefaultEstimate)
	if err != nil {
		return false, 0, err
	}
	given, err := w.view.AssignedItems(ctx, EveryPriority, takeBackMost)
	if err != nil {
		return false, 0, err
	}
	given = slices.DeleteFunc(given, func(d DueItem) bool { return d.Holder != holder.ID })
	at := slices.IndexFunc(given, func(d DueItem) bool { return d.ID == w.item.ID })
	load := slices.IndexFunc(loads, func(l WorkerLoad) bool { return l.WorkerID == holder.ID })
	if at < 0 || load < 0 {
		return false, 0, nil
	}
	r.Ahead = at
	for i := range given[:at] {
		if given[i].Priority < w.item.Priority {
			less++
		}
	}
	channels, err := ParseChannels(loads[load].Channels)
	if err != nil {
		return true, less, nil //nolint:nilerr // without them nobody can tell when; the pass tells of the mistake
	}
	one := assignment.Worker{ID: holder.ID, Slots: loads[load].Capacity, Reserved: loads[load].Reserved}
	for name, c := range channels {
		if one.Channels == nil {
			one.Channels = map[string]assignment.Channel{}
		}
		one.Channels[name] = assignment.Channel(c)
	}
	pl := &passPlanner{p: p, loads: loads[load : load+1]}
	running := pl.work(func(h *HeldWork) bool { return h.Running })
	plan := assignment.New([]assignment.Worker{one}, running, nil, assignment.Options{
		Now: w.now.UnixMilli(), Horizon: mostWaitHorizon.Milliseconds(), MaxPerWorker: math.MaxInt32, High: HighPriority,
	})
	classes := map[string]int{}
	for i := range given[:at+1] {
		channel := p.Profiles.Of(given[i].Pipeline).Channel
		class, known := classes[channel]
		if !known {
			class = plan.Class(assignment.Class{Channel: channel})
			classes[channel] = class
		}
		estimate, _ := p.estimate(&given[i])
		// Expedited ones stay in the order in which they are given, as the worker has it.
		plan.Give(&assignment.Item{ID: given[i].ID, Priority: given[i].Priority, Estimate: max(estimate.Milliseconds(), 1), Class: class, Expedite: true})
	}
	placements, _ := plan.Plan()
	if n := len(placements); n > 0 && placements[n-1].Item == w.item.ID {
		start := time.UnixMilli(placements[n-1].Start).UTC()
		r.ExpectedAt = &start
	}
	return true, less, nil
}
