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
	before, complete, err := w.before(ctx, pl, due)
	if err != nil {
		return Reason{}, err
	}
	pl.begin(false)
	items, err := pl.items(ctx, before)
	if err != nil {
		return Reason{}, err
	}
	room := !complete // then others go first, and more than can be read
	for i := range items {
		if items[i].ID == due.ID {
			room = pl.Give(&items[i])
			break
		}
		pl.Give(&items[i])
	}
	if room && complete {
		return w.soon(), nil
	}
	r := Reason{Kind: WhyBehind, Pipeline: w.pass.Pipeline, Change: "raise its priority, or start another worker that may have it"}
	r.Workers = reasonWorkers(pl, places(eligible, len(pl.loads)), due.Priority)
	expected, err := w.expect(ctx, pl, before, due, eligible, &r)
	r.Text = fmt.Sprintf("it is behind %s that the workers that may have it are given first%s", counted(r.Ahead, "item"), expected)
	return r, err
}

// before reads the due items until the one in question is among them; complete is
// false when it is not among as many as a pass looks at. Items that the limits of
// their queues keep out are left out.
func (w *why) before(ctx context.Context, pl *passPlanner, due *DueItem) (list []DueItem, complete bool, err error) {
	band := Band{Min: due.Priority, Max: w.pass.Params.Band.Max}
	for limit := max(4*pl.room, leastWindow); ; limit *= 8 {
		limit = min(limit, mostWindow)
		if list, err = w.view.DueItems(ctx, band, Full{}, limit); err != nil {
			return nil, false, err
		}
		for i := range list {
			complete = complete || list[i].ID == due.ID
		}
		if complete && len(list) < limit || limit == mostWindow {
			break
		}
	}
	list, err = w.allowed(ctx, list, due.ID)
	return list, complete, err
}

// allowed leaves out what the limits of queues keep out, but for the item itself.
func (w *why) allowed(ctx context.Context, list []DueItem, id int64) ([]DueItem, error) {
	var limiter *Limiter
	kept := list[:0]
	for i := range list {
		it := &list[i]
		if it.Queue != "" && it.ID != id {
			if limiter == nil {
				uses, err := w.view.LimitUses(ctx)
				if err != nil {
					return nil, err
				}
				limiter = NewLimiter(uses)
			}
			if !limiter.Allows(it.Queue, it.LimitKey) {
				continue
			}
			limiter.Take(it.Queue, it.LimitKey)
		}
		kept = append(kept, *it)
	}
	return kept, nil
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
	before, complete, err := w.before(ctx, pl, due)
	if err != nil {
		return r, err
	}
	if complete {
		var expected string
		expected, err = w.expect(ctx, pl, before, due, eligible, &r)
		r.Text += expected
	}
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
