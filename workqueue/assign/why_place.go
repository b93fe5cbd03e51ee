package assign

import (
	"context"
	"fmt"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/plan"
)

// nextPassSoon is how near a pass is whose band is not worth naming.
const nextPassSoon = time.Minute

// placed explains items that some live worker may run, by planning what the next pass would do.
func (w *why) placed(ctx context.Context, pl *passPlanner, due *workqueue.DueItem, eligible plan.Set) (Reason, error) {
	if !w.pass.Wake && w.pass.At.Sub(w.now) > nextPassSoon {
		return w.soon(), nil // what workers hold now does not matter then
	}
	class, err := pl.classes.of(ctx, due)
	if err != nil {
		return Reason{}, err
	}
	pl.Advance(due.Priority)
	if pl.Exhausted(class.number) {
		return w.full(pl, due, eligible), nil
	}
	g, err := w.give(ctx, pl, due)
	switch {
	case err != nil:
		return Reason{}, err
	case g.limit != nil:
		return *g.limit, nil
	case g.room:
		return w.soon(), nil
	}
	at := places(eligible, len(pl.Loads))
	return Reason{
		Kind: WhyBehind, Pipeline: w.pass.Pipeline, Workers: reasonWorkers(pl, at, due.Priority), mayRun: workerIDs(pl, at),
		Text:   "other items go first on the workers that may run it" + pl.shares.explain(due.QueueName), // expect counts them
		Change: "raise its priority, or start another worker that may run it",
	}, nil
}

// given is what a plan does with an item after those that go first.
type given struct {
	room  bool    // the item gets a slot
	limit *Reason // the items that go first use up a limit of its queue
}

// give assigns the items that go first, as a pass does, and then the item. An item beyond those
// that a pass reads gets no slot.
func (w *why) give(ctx context.Context, pl *passPlanner, due *workqueue.DueItem) (g given, err error) {
	list, err := w.before(ctx, pl, due)
	if err != nil {
		return g, err
	}
	uses, err := w.view.LimitUses(ctx)
	if err != nil {
		return g, err
	}
	limiter := workqueue.NewLimiter(uses)
	pl.begin(false)
	beyond, err := pl.beyond(ctx, w.view, workqueue.Full{}, list)
	if err != nil {
		return g, err
	}
	further := make(map[int64]bool, len(beyond))
	for i := range beyond {
		further[beyond[i].ID] = true
	}
	list = append(list, beyond...)
	items, err := pl.items(ctx, list)
	if err != nil {
		return g, err
	}
	of := make(map[int64]*workqueue.DueItem, len(list))
	for i := range list {
		of[list[i].ID] = &list[i]
	}
	known := false
	pl.assignIf(items, further, func(one *plan.Item) bool {
		it := of[one.ID]
		if known || it.Queue == "" || limiter.Allows(it.Queue, it.LimitKey) {
			return !known
		}
		if r, ok := limitReason(limiter.Use(it.Queue), it.LimitKey); ok && it.ID == due.ID {
			r.Text += ", counting what the next pass assigns before it"
			g.limit = &r
		}
		return it.ID == due.ID
	}, func(one *plan.Item, room bool) {
		it := of[one.ID]
		if room {
			limiter.Take(it.Queue, it.LimitKey)
		}
		if it.ID == due.ID {
			g.room, known = room, true
		}
	})
	return g, nil
}

// before reads the due items of the item's priority and above, up to as many as are read.
func (w *why) before(ctx context.Context, pl *passPlanner, due *workqueue.DueItem) ([]workqueue.DueItem, error) {
	band := workqueue.Band{Min: due.Priority, Max: w.pass.Params.Band.Max}
	for limit := max(4*pl.room, leastWindow); ; limit *= 8 {
		limit = min(limit, w.p.mostDue())
		list, err := w.view.DueItems(ctx, band, workqueue.Full{}, limit)
		if err != nil || len(list) < limit || limit == w.p.mostDue() {
			return list, err
		}
	}
}

// full explains items whose possible workers have no room.
func (w *why) full(pl *passPlanner, due *workqueue.DueItem, eligible plan.Set) Reason {
	at := places(eligible, len(pl.Loads))
	idle, least := w.pass.Params.Workers == IdleWorkers, due.Priority
	if idle {
		least = workqueue.EveryPriority.Min
	}
	r := Reason{Kind: WhyFull, Pipeline: w.pass.Pipeline, Worker: pl.Loads[at[0]].Name, Workers: reasonWorkers(pl, at, least), mayRun: workerIDs(pl, at)}
	var has []string
	for _, i := range at {
		one := reasonWorkers(pl, []int{i}, least)[0]
		r.Ahead += one.Holds
		if one.Slots < 1 {
			has = append(has, fmt.Sprintf("all slots of %q are stuck", one.Name))
		} else {
			has = append(has, fmt.Sprintf("%q holds %s and has %s", one.Name, counted(one.Holds, "item"), counted(one.Slots, "slot")))
		}
	}
	switch {
	case idle:
		r.Text = "no worker that may run it is idle: " + listed(has)
		r.Change = "it is assigned when one of them has finished these items, or when another worker joins; with workers: available a worker needs only a free slot"
	case w.pass.Params.FreeSlots:
		r.Text = "no worker that may run it has a free slot: " + listed(has)
		r.Change = "it is assigned when one of them has finished an item, or when another worker joins"
	default:
		r.Text = fmt.Sprintf("every worker that may run it already holds as much work as a pass gives out in advance (%s for each slot): %s",
			spanText(w.pass.Params.Horizon), listed(has))
		r.Change = "it is assigned when one of them has finished some of it, or when another worker joins"
	}
	return r
}

// soon explains items that the next pass assigns.
func (w *why) soon() Reason {
	at := w.pass.At
	r := Reason{Kind: WhyNextPass, Pipeline: w.pass.Pipeline, At: &at}
	if w.pass.Wake {
		r.Text = fmt.Sprintf("pipeline %s is about to assign it", w.pass.Pipeline)
		return r
	}
	when := fmt.Sprintf("at %s (%s)", instantText(at), w.inText(at))
	r.Text = fmt.Sprintf("the next run of %s assigns it, %s", w.pass.Pipeline, when)
	if at.Sub(w.now) > nextPassSoon {
		r.Kind = WhyBand
		r.Text = fmt.Sprintf("items of %s are assigned by the next run of %s, %s", w.pass.Params.Band, w.pass.Pipeline, when)
		r.Change = fmt.Sprintf("raise its priority, or start the pipeline now: botwork run --once %s", w.pass.Pipeline)
	}
	return r
}

func places(s plan.Set, n int) []int {
	var list []int
	for i := range n {
		if s.Has(i) {
			list = append(list, i)
		}
	}
	return list
}

func workerIDs(pl *passPlanner, at []int) []int64 {
	ids := make([]int64, len(at))
	for n, i := range at {
		ids[n] = pl.Loads[i].WorkerID
	}
	return ids
}
