package workqueue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// waitLimit bounds the claimed items that wait for their channel. They hold up no
// others behind them, but whoever waits claimed can go to no other worker.
const waitLimit = 200

// crowded tells that so many items wait claimed that no more shall be.
func (e *execution) crowded() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.waiting >= waitLimit
}

// place starts a claimed item in the slot that was acquired for it, or gives that
// back and lets the item stand in line for what it really needs. Nobody holds some
// slots while waiting for others, so no two can wait for each other.
func (e *execution) place(ctx context.Context, it claimed, slot need) {
	own, refused := e.r.needOf(&it.Item)
	switch {
	case it.ctx.Err() != nil:
		// Its lease ended, or was taken away, while it waited for a slot:
		// somebody else may be running it.
		e.giveBack(it)
	case refused != nil:
		e.refuse(it, refused)
	case own.plain():
		e.start(it, own)
		return
	default:
		e.r.slots.release(slot)
		e.line(ctx, it, own)
		return
	}
	e.r.slots.release(slot)
}

// needOf is what an item takes of this worker's slots. The error says why it may
// not run here: a pass gives a worker nothing of the kind, but a hand can.
func (r *Runner) needOf(it *Item) (need, error) {
	spec := &r.o.Spec
	if len(spec.Queues) > 0 && !slices.ContainsFunc(spec.Queues, func(q string) bool { return sameQueue(q, it.QueueName) }) {
		return need{}, fmt.Errorf("worker %q does not serve the queue %q, only %s", spec.Name, it.QueueName, strings.Join(spec.Queues, ", "))
	}
	n := need{priority: it.Priority}
	if len(spec.Channels) == 0 {
		return n, nil
	}
	channel := r.o.Profiles.Of(strings.TrimSpace(it.IntegrationConfig)).Channel
	c, takes := spec.Channels.Of(channel)
	if !takes {
		return n, fmt.Errorf("worker %q does not take items of channel %q", spec.Name, channel)
	}
	n.cost, n.channel, n.most = c.Cost, channel, c.Max
	return n, nil
}

// line lets an item that needs more than a slot stand in line for it, and starts
// it when its turn comes.
func (e *execution) line(ctx context.Context, it claimed, own need) {
	w, err := e.r.slots.enlist(own)
	switch {
	case err != nil:
		e.refuse(it, tooStuck(own))
		return
	case w == nil:
		e.start(it, own)
		return
	}
	e.wait(1)
	e.beside.Go(func() {
		defer e.wait(-1)
		// Whichever comes first: the execution ends, or the item's lease.
		leased, cancel := context.WithCancel(it.ctx)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		switch err := e.r.slots.await(leased, w); {
		case errors.Is(err, errAllStuck):
			e.refuse(it, tooStuck(own))
		case err != nil:
			e.giveBack(it)
		case leased.Err() != nil:
			e.r.slots.release(own)
			e.giveBack(it)
		default:
			e.start(it, own)
		}
	})
}

func tooStuck(n need) error {
	if n.channel == "" {
		return errAllStuck
	}
	return fmt.Errorf("an item of channel %q takes %d slots here, and too many are stuck: their handlers ignore that they were cancelled",
		n.channel, n.size())
}

// wait counts the items that stand in line.
func (e *execution) wait(more int) {
	e.mu.Lock()
	e.waiting += more
	e.mu.Unlock()
	if more < 0 {
		e.tellLoop()
	}
}

// refuse gives back an item that this worker must not run, and says why. It counts
// no attempt. For a little while nobody gets it, or the two that give and refuse it
// could do nothing else.
func (e *execution) refuse(it claimed, reason error) {
	e.r.o.Log.Warn().Int64("item_id", it.ID).Str("reason", reason.Error()).Msg("gave back an item that this worker must not run")
	f := Outcome{Verdict: Released, Error: reason.Error()}.settle(NewRun(&it.Item), 0, 0)
	f.Delay = refillEvery
	e.mu.Lock()
	e.result.Released++
	e.mu.Unlock()
	e.r.completer.add(f, e.settled)
}
