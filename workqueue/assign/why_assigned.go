package assign

import (
	"context"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// assigned explains assigned items: whether their worker is alive, and which items it runs first.
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
		w.next(&r, "the next pass assigns it to another worker")
		return r, nil
	}
	if silent := w.silent(holder); silent != "" {
		return Reason{Kind: WhySilent, Worker: holder.Name, At: holder.LeaseExpiresAt,
			Text: fmt.Sprintf("it is assigned to worker %q, which %s; the worker's lease expires at %s (%s)",
				holder.Name, silent, instantText(*holder.LeaseExpiresAt), w.inText(*holder.LeaseExpiresAt)),
			Change: "the first pass after that assigns it to another worker, unless this one sends a heartbeat before"}, nil
	}
	r := Reason{
		Kind: WhyAssigned, Worker: holder.Name, Since: it.AssignedAt, Text: fmt.Sprintf("it is assigned to worker %q", holder.Name),
		Change: "raise its priority; a pass moves it when it would start much sooner on another worker",
	}
	held, err := w.view.HeldItems(ctx, mostHeld)
	if err != nil {
		return r, err
	}
	running := slices.DeleteFunc(slices.Clone(held), func(h workqueue.HeldItem) bool { return !h.Running || h.Holder != holder.ID })
	given := slices.DeleteFunc(held, func(h workqueue.HeldItem) bool { return h.Running || h.Holder != holder.ID })
	slices.SortStableFunc(given, func(a, b workqueue.HeldItem) int { return workqueue.CompareStarts(a.StartItem(), b.StartItem()) })
	at := slices.IndexFunc(given, func(h workqueue.HeldItem) bool { return h.ID == it.ID })
	r.Ahead = max(at, 0)
	less := 0 // of them of lower priority
	for i := range given[:r.Ahead] {
		if given[i].Priority < it.Priority {
			less++
		}
	}
	if len(running) > 0 {
		urgent := slices.MaxFunc(running, func(a, b workqueue.HeldItem) int { return a.Priority - b.Priority })
		r.Text += fmt.Sprintf(", which is running %s and has %s; the most urgent of them is item %d of priority %d",
			counted(len(running), "item"), counted(holder.Capacity, "slot"), urgent.ID, urgent.Priority)
	}
	switch {
	case r.Ahead > 0:
		r.Text += fmt.Sprintf("; on this worker %s", goFirst(r.Ahead))
		if less > 0 {
			r.Text += fmt.Sprintf(", %d of lower priority by an expedite selector", less)
		}
	case at == 0 && len(running) < holder.Capacity-holder.StuckSlots:
		r.Text += ", and is the next one to start there"
		r.Change = "the worker starts it in the next run of a pipeline with an ExecuteWorkItems step for its priority"
	}
	return r, nil
}

// late explains items whose time to start has passed.
func (w *why) late() (Reason, bool) {
	until, what := w.item.DeadlineAt, "deadline"
	if expires := w.item.ExpiresAt; until == nil || expires != nil && expires.Before(*until) {
		until, what = expires, "queue's time to live"
	}
	if until == nil || !until.Before(w.now) {
		return Reason{}, false
	}
	text := fmt.Sprintf("it was not started in time: its %s ended at %s", what, instantText(*until))
	if finish := w.item.FinishBy; finish != nil && finish.Before(w.now) {
		until, text = finish, "it did not finish by the time that it had: "+instantText(*finish)
	}
	r := Reason{Kind: WhyExpired, Since: until, Text: text}
	end := "cancels"
	if w.queue.OnExpiry == workqueue.ExpiryRemove {
		end = "removes"
	}
	w.next(&r, "the next pass "+end+" it")
	return r, true
}

// gone returns why a pass takes the item back from its worker, or "".
func (w *why) gone(holder *workqueue.Worker) string {
	assigned := w.item.AssignedAt
	switch {
	case holder == nil:
		return "a worker that no longer exists"
	case holder.State != workqueue.WorkerActive:
		return fmt.Sprintf("worker %q, which is %s", holder.Name, holder.State)
	case holder.Gated(w.now) != "":
		return fmt.Sprintf("worker %q, which takes no new items: %s", holder.Name, *holder.Gate)
	case holder.LeaseExpiresAt != nil && holder.LeaseExpiresAt.Before(w.now):
		return fmt.Sprintf("worker %q, whose lease expired at %s", holder.Name, instantText(*holder.LeaseExpiresAt))
	case assigned == nil || assigned.Before(w.now.Add(-w.pass.Params.AssignedFor)):
		return fmt.Sprintf("worker %q%s, and a pass takes back what has not started after %s", holder.Name, atTextFrom(" since ", assigned), spanText(w.pass.Params.AssignedFor))
	}
	return ""
}

// silent describes a worker that has not been seen for more than half of its lease, and so has
// missed at least one heartbeat; "" for others.
func (w *why) silent(holder *workqueue.Worker) string {
	if holder.LeaseExpiresAt == nil || w.now.Sub(holder.LastSeenAt) <= holder.LeaseExpiresAt.Sub(holder.LastSeenAt)/2 {
		return ""
	}
	return "has not sent a heartbeat for " + spanText(w.now.Sub(holder.LastSeenAt))
}
