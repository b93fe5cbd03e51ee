package runner

import (
	"context"
	"time"

	"botwork/workqueue"
)

// gained is what a fetch has brought: items, or what is still to be read.
type gained struct {
	items []workqueue.Item
	taken workqueue.Taken
	since time.Time // when the claim began
	sure  time.Time // when it had been made
}

// len is how many items it is.
func (g gained) len() int { return len(g.items) + g.taken.Len() }

// takeUpAtOnce is how many claimed items are taken up before the next fetch is decided.
const takeUpAtOnce = 32

// fetch makes a claim or passes, and puts what they bring in line. From the moment
// when they have claimed, the next fetch may begin: only reading is left then.
func (d *dispatcher) fetch(f *fetch) {
	ctx := d.r.looking
	var got gained
	var err error
	switch {
	case f.release:
		err = d.releaseStray(ctx, f)
	case f.session == nil:
		got, err = d.claim(f)
	default:
		got, err = d.pass(ctx, f)
	}
	if got.sure = time.Now(); got.sure.Sub(got.since) > claimAhead {
		got.sure = got.since // the answer is old
	}
	n := got.len()
	// A few items are in line before anything else is decided: a fetch that did not know
	// of them could be one too many, or one too few. Many take their time, in which the
	// next fetch is on its way.
	later := got.taken.Unread() || n > takeUpAtOnce
	var list []*claimed
	if !later {
		list = d.takeUp(d.read(ctx, got), got)
	}
	d.mu.Lock()
	d.claiming, d.brought = false, n
	if err != nil {
		d.failed(err, time.Now())
	} else {
		d.worked()
	}
	d.poke()
	if later {
		d.reading += n
		d.mu.Unlock()
		list = d.takeUp(d.read(ctx, got), got)
		d.mu.Lock()
		d.reading -= n
	}
	if n == 0 {
		d.tellQuiet()
		d.mu.Unlock()
		return
	}
	d.trip += (time.Since(got.since) - d.trip) / 4
	d.arrive(list)
	begin := d.fill()
	d.tellQuiet()
	d.mu.Unlock()
	if len(begin) > 1 {
		d.recordBegins(d.r.runs, begin...)
	}
	for _, it := range begin {
		d.launch(it)
	}
	d.poke()
}

// claim claims what is assigned to this worker. It is not broken off: what a lost
// answer had claimed would stay blocked until its lease ends.
func (d *dispatcher) claim(f *fetch) (gained, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(d.r.runs), d.r.statementTime())
	defer cancel()
	got := gained{since: time.Now()}
	items, err := d.r.o.Store.Claim(ctx, workqueue.ClaimParams{
		WorkerID: d.r.worker.ID, InstanceID: d.r.worker.InstanceID,
		Band: f.band, Max: f.most, Lease: d.r.o.Spec.Lease,
		Begin: f.begin, Work: claimAhead * time.Duration(d.r.o.Spec.Capacity), Bytes: claimBytes, FullChannels: f.full,
	})
	if err != nil {
		return gained{}, err
	}
	if len(items) < max(f.begin, 1) {
		d.mu.Lock()
		d.nothingFrom(f.band.Min, f)
		d.mu.Unlock()
	}
	got.items = items
	return got, nil
}

// read reads what a pass has left to be read. What cannot be read is claimed until its
// lease ends; the claim that follows shows whether that is more than a moment's trouble.
func (d *dispatcher) read(ctx context.Context, got gained) []workqueue.Item {
	if got.taken.Len() == 0 {
		return got.items
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.r.statementTime())
	defer cancel()
	items, err := got.taken.Items(bounded)
	if err != nil {
		d.r.o.Log.Warn().Err(err).Int("items", got.taken.Len()).Msg("could not read claimed items; they are released when their leases expire")
	}
	return items
}

// takeUp takes over what was claimed: its leases are renewed from now on.
func (d *dispatcher) takeUp(items []workqueue.Item, got gained) []*claimed {
	list := make([]*claimed, len(items))
	for i := range items {
		ctx, cancel := d.r.held.add(d.r.runs, &items[i], got.since.Add(d.r.o.Spec.Lease))
		list[i] = &claimed{Item: items[i], ctx: ctx, cancel: cancel, since: got.since, sure: got.sure, held: got.sure}
	}
	return list
}

// arrive puts claimed items in line. What no step runs any longer, and what this
// worker must not run, goes back.
func (d *dispatcher) arrive(list []*claimed) {
	var wait []*claimed
	bytes := 0
	for _, it := range list {
		bytes += len(it.Payload) + len(it.IntegrationConfig)
		it.step = d.stepFor(it.Priority)
		d.items++
		if it.step != nil {
			it.step.items++
			it.step.session.moved++
		}
		var refused error
		it.need, refused = d.r.needOf(&it.Item)
		if refused == nil && d.slots.hopeless(it.need) {
			refused = tooStuck(it.need)
		}
		switch {
		case it.step == nil || d.r.drains():
			d.giveBack(it)
		case refused != nil:
			d.refuse(it, refused)
		default:
			if r := d.reserve; r != nil && !r.before(it.need) && it.need.size() >= r.size() {
				d.reserve = nil // the item itself, or one that waits in its place
			}
			wait = append(wait, it)
		}
	}
	if d.slots.free == d.r.o.Spec.Capacity {
		d.pace.resumed(time.Now())
	}
	d.line.add(wait...)
	if len(list) > 0 {
		d.bytes = max(bytes/len(list), (d.bytes+bytes/len(list))/2)
	}
}
