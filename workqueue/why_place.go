package workqueue

import (
	"context"
	"fmt"
	"math"
	"time"

	"botwork/workqueue/assignment"
)

// mostWaitHorizon is so long that every worker has room, when it is asked when an
// item will start.
const mostWaitHorizon = 10 * 365 * 24 * time.Hour

// nextPassSoon is how near a pass is when it is not worth naming its band.
const nextPassSoon = time.Minute

// placed answers for items that some live worker may have: by planning what the
// next pass would do.
func (w *why) placed(ctx context.Context, pl *passPlanner, due *DueItem, eligible assignment.Set) (Reason, error) {
	class, err := pl.classes.of(ctx, due)
	if err != nil {
		return Reason{}, err
	}
	pl.Advance(due.Priority)
	if pl.Exhausted(class.number) {
		return w.full(ctx, pl, due, eligible)
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
	r := Reason{Kind: WhyBehind, Pipeline: w.pass.Pipeline, Change: "raise its priority, or start another worker that may have it"}
	r.Workers = reasonWorkers(pl, places(eligible, len(pl.loads)), due.Priority)
	expected, err := w.expect(ctx, pl, g.first, due, eligible, &r)
	r.Text = fmt.Sprintf("it is behind %s that the workers that may have it are given first%s", counted(r.Ahead, "item"), expected)
	return r, err
}

// given is what a plan makes of an item and of those that go first.
type given struct {
	first    []DueItem // those that go first, and the item, but for what limits keep out
	room     bool      // the item finds a place
	limit    *Reason   // those that go first take up a limit of its queue
	complete bool      // the item is among those that were read
}

// give gives out the items that go first, as a pass does, and then the item. An item
// that is not among as many as a pass reads finds no place.
func (w *why) give(ctx context.Context, pl *passPlanner, due *DueItem) (g given, err error) {
	list, err := w.before(ctx, pl, due)
	if err != nil {
		return g, err
	}
	uses, err := w.view.LimitUses(ctx)
	if err != nil {
		return g, err
	}
	limiter := NewLimiter(uses)
	pl.begin(false)
	items, err := pl.items(ctx, list)
	if err != nil {
		return g, err
	}
	of := make(map[int64]*DueItem, len(list))
	for i := range list {
		of[list[i].ID] = &list[i]
	}
	for i := range items {
		it := of[items[i].ID]
		g.complete = it.ID == due.ID
		if it.Queue != "" && !limiter.Allows(it.Queue, it.LimitKey) {
			if !g.complete {
				continue
			}
			if r, ok := limiter.queues[it.Queue].reason(it.LimitKey); ok {
				r.Text += ", with what the next pass gives out first"
				g.limit = &r
			}
		}
		g.first = append(g.first, *it)
		room := pl.Give(&items[i])
		if room {
			limiter.Take(it.Queue, it.LimitKey)
		}
		if g.complete {
			g.room = room
			break
		}
	}
	return g, nil
}

// before reads the due items of the item's priority and above, up to as many as a
// pass looks at.
func (w *why) before(ctx context.Context, pl *passPlanner, due *DueItem) ([]DueItem, error) {
	band := Band{Min: due.Priority, Max: w.pass.Params.Band.Max}
	for limit := max(4*pl.room, leastWindow); ; limit *= 8 {
		limit = min(limit, mostWindow)
		list, err := w.view.DueItems(ctx, band, Full{}, limit)
		if err != nil || len(list) < limit || limit == mostWindow {
			return list, err
		}
	}
}

// full answers when those who may have the item hold enough already.
func (w *why) full(ctx context.Context, pl *passPlanner, due *DueItem, eligible assignment.Set) (Reason, error) {
	at := places(eligible, len(pl.loads))
	idle := w.pass.Params.Workers == IdleWorkers
	least := due.Priority
	if idle {
		for _, level := range levels(w.pass.Params.Band) {
			if due.Priority >= level {
				least = level
				break
			}
		}
	}
	r := Reason{Kind: WhyFull, Pipeline: w.pass.Pipeline, Worker: pl.loads[at[0]].Name, Workers: reasonWorkers(pl, at, least)}
	var has []string
	for _, i := range at {
		one := reasonWorkers(pl, []int{i}, least)[0]
		r.Ahead += one.Holds
		if one.Slots < 1 {
			has = append(has, fmt.Sprintf("%q has only slots that are stuck", one.Name))
		} else {
			has = append(has, fmt.Sprintf("%q has %s for %s", one.Name, counted(one.Holds, "item"), counted(one.Slots, "slot")))
		}
	}
	told := listed(has)
	if idle {
		r.Text = fmt.Sprintf("no worker that may have it is idle: of priority %d and above, %s", least, told)
		r.Change = "it is assigned when one of them has ended those, or another worker joins; with workers: available the step gives out more"
	} else {
		r.Text = fmt.Sprintf("every worker that may have it has work for the next %s: %s", spanText(w.pass.Params.Horizon), told)
		r.Change = "it is assigned when one of them has ended some, or another worker joins"
	}
	g, err := w.give(ctx, pl, due)
	if err != nil || !g.complete {
		return r, err
	}
	expected, err := w.expect(ctx, pl, g.first, due, eligible, &r)
	r.Text += expected
	return r, err
}

// soon answers when the next pass assigns the item.
func (w *why) soon() Reason {
	at := w.pass.At
	r := Reason{Kind: WhyNextPass, Pipeline: w.pass.Pipeline, At: &at, ExpectedAt: &at}
	when := fmt.Sprintf("at %s (%s)", instantText(at), w.inText(at))
	r.Text = fmt.Sprintf("the next pass assigns it: %s %s", w.pass.Pipeline, when)
	if at.Sub(w.now) > nextPassSoon {
		r.Kind = WhyBand
		r.Text = fmt.Sprintf("its band, %s, is assigned %s, by %s", w.pass.Params.Band, when, w.pass.Pipeline)
		r.Change = fmt.Sprintf("raise its priority, or start the pass: botwork run --once %s", w.pass.Pipeline)
	}
	return r
}

// expect tells when the item starts if all goes as estimated: behind what the
// workers hold and what goes first, on workers that take any amount. It counts what
// goes first to a worker that may have the item.
func (w *why) expect(ctx context.Context, pl *passPlanner, before []DueItem, due *DueItem, eligible assignment.Set, r *Reason) (string, error) {
	long := *pl
	long.p.Workers, long.p.Horizon, long.p.MaxPerWorker = AvailableWorkers, mostWaitHorizon, math.MaxInt32
	long.unbounded = true
	long.begin(false)
	items, err := pl.sorted(ctx, &long, before)
	if err != nil {
		return "", err
	}
	for i := range items {
		long.Give(&items[i])
		if items[i].ID == due.ID {
			break
		}
	}
	may := map[int64]bool{}
	for _, at := range places(eligible, len(pl.loads)) {
		may[pl.loads[at].WorkerID] = true
	}
	placements, _ := long.Plan()
	for i := range placements {
		if placements[i].Item == due.ID {
			at := time.UnixMilli(placements[i].Start).UTC()
			r.ExpectedAt = &at
			return "; it starts in about " + spanText(at.Sub(w.now)) + " by estimates", nil
		}
		if may[placements[i].Worker] {
			r.Ahead++
		}
	}
	return "", nil
}

// sorted are the items in the order in which this plan gives them, for another one.
func (pl *passPlanner) sorted(ctx context.Context, other *passPlanner, due []DueItem) ([]assignment.Item, error) {
	horizon := other.p.Horizon
	other.p.Horizon = pl.p.Horizon
	defer func() { other.p.Horizon = horizon }()
	return other.items(ctx, due)
}

func places(s assignment.Set, n int) []int {
	var list []int
	for i := range n {
		if s.Has(i) {
			list = append(list, i)
		}
	}
	return list
}
