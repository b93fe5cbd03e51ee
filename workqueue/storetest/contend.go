package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
)

func contendTests() []test {
	return []test{
		{"processes that do random things at the same time", contendAnything},
		{"a filter whose items change", contendFilter},
		{"running items that are cancelled", contendCancel},
	}
}

// Several processes, each with its own store, do random things with the same
// items at the same time: they assign, rescue, claim, finish current and past claims,
// send heartbeats and release items, while leases expire. Afterwards the results that
// they received must be consistent with each other and with the rows.
func contendAnything(x *fixture) {
	const processes, steps = 4, 90
	ids := x.Items(40, ItemOpts{})
	x.maxReleases(1000)
	seed := uint64(time.Now().UnixNano())
	x.Logf("seed %d", seed)
	answers := &answers{ended: map[workqueue.ItemRef]int{}}
	var wg sync.WaitGroup
	for n := range processes {
		c := contender{
			fixture: x, store: x.Another(x.T), worker: x.Worker(WorkerOpts{}), answers: answers,
			random: rand.New(rand.NewPCG(seed, uint64(n))),
		}
		wg.Go(func() {
			for range steps {
				if err := c.step(); err != nil {
					x.Errorf("%s: %v", c.worker.Name, err)
					return
				}
			}
		})
	}
	wg.Wait()
	answers.check(x, ids)
}

// answers are the results that the processes received: the fences of their claims, and
// the ends that the store accepted.
type answers struct {
	mu      sync.Mutex
	claims  []workqueue.ItemRef
	ended   map[workqueue.ItemRef]int
	failed  int // accepted ends with an attempt
	rescued int
}

func (a *answers) add(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
}

// contender is one process. It keeps all its claims, so that it also
// finishes claims that it no longer has.
type contender struct {
	*fixture
	store   Store
	worker  workqueue.Worker
	answers *answers
	random  *rand.Rand
	claimed []workqueue.Item
}

func (c *contender) step() error {
	switch c.random.IntN(8) {
	case 0, 1:
		return c.pass()
	case 2, 3:
		return c.claimSome()
	case 4, 5:
		return c.finishSome()
	case 6:
		_, err := c.store.Beat(c.ctx, workqueue.BeatParams{
			WorkerID: c.worker.ID, InstanceID: c.worker.InstanceID, Lease: leaseTime, Held: c.refs(),
		})
		return err
	default:
		_, err := c.store.ReleaseAssigned(c.ctx, c.worker.ID, c.worker.InstanceID)
		return err
	}
}

// pass rescues items, and assigns due items to its worker. Sometimes it first lets
// some leases expire.
func (c *contender) pass() error {
	if c.random.IntN(3) == 0 {
		// One by one: an UPDATE of several rows locks them in any order, and could
		// deadlock with the store, which locks rows by id.
		for _, end := range []string{"MIN", "MAX"} {
			for third := range 3 {
				c.Exec(c.T, fmt.Sprintf(`UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = NULL WHERE "State" = 1 AND "Id" = `+
					`(SELECT %s(i."Id") FROM "BotWorkQueueItems" i WHERE i."State" = 1 AND i."Id" %% 3 = %d)`, end, third))
			}
		}
	}
	var result workqueue.RescueResult
	err := c.store.Assign(c.ctx, func(ctx context.Context, tx workqueue.AssignTx) (err error) {
		if result, err = tx.Rescue(ctx, time.Hour); err != nil {
			return err
		}
		due, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 12)
		if err != nil {
			return err
		}
		var batch []workqueue.Assignment
		for _, d := range due {
			batch = append(batch, workqueue.Assignment{ItemID: d.ID, WorkerID: c.worker.ID})
		}
		_, err = tx.Write(ctx, batch)
		return err
	})
	if err == nil {
		c.answers.add(func() { c.answers.rescued += result.Rescued })
	}
	return err
}

func (c *contender) claimSome() error {
	items, err := c.store.Claim(c.ctx, claimParams(c.worker, 1+c.random.IntN(5)))
	c.claimed = append(c.claimed, items...)
	c.answers.add(func() {
		for _, it := range items {
			c.answers.claims = append(c.answers.claims, ref(it))
		}
	})
	return err
}

// finishSome ends a few claims, current and past, with success or failure.
func (c *contender) finishSome() error {
	var ends []workqueue.Finish
	for _, i := range c.random.Perm(len(c.claimed))[:min(len(c.claimed), 4)] {
		// Recent claims are more likely to be live.
		it := c.claimed[max(i, len(c.claimed)-1-c.random.IntN(6))]
		if slices.ContainsFunc(ends, func(f workqueue.Finish) bool { return f.ItemID == it.ID }) {
			continue // Finish returns item ids, so name each item once
		}
		end := failure(it, workqueue.Ready)
		end.Delay = 0
		if c.random.IntN(4) == 0 {
			end = success(it)
		}
		ends = append(ends, end)
	}
	lost, err := c.store.Finish(c.ctx, c.worker.ID, c.worker.InstanceID, ends)
	if locked, ok := errors.AsType[*workqueue.LockedError](err); ok {
		lost = append(lost, locked.Items...) // another process is rescuing them
	} else if err != nil {
		return err
	}
	c.answers.add(func() {
		for _, f := range ends {
			if !slices.Contains(lost, f.ItemID) {
				c.answers.ended[workqueue.ItemRef{ItemID: f.ItemID, Fence: f.Fence}]++
				if f.Attempt != nil {
					c.answers.failed++
				}
			}
		}
	})
	return nil
}

func (c *contender) refs() []workqueue.ItemRef {
	var refs []workqueue.ItemRef
	for _, it := range c.claimed[max(0, len(c.claimed)-8):] {
		refs = append(refs, ref(it))
	}
	return refs
}

// check checks that no fence was assigned twice, that each fence of an item up to its
// current one was assigned, that no claim ended twice, that each attempt is a reported
// end or rescue, and that no item is lost.
func (a *answers) check(x *fixture, ids []int64) {
	claimed := map[workqueue.ItemRef]bool{}
	count := map[int64]int64{}
	for _, ref := range a.claims {
		if claimed[ref] {
			x.Errorf("claim %+v was returned twice", ref)
		}
		claimed[ref] = true
		count[ref.ItemID]++
	}
	for ref, n := range a.ended {
		if n != 1 || !claimed[ref] {
			x.Errorf("claim %+v (returned: %t) ended %d times", ref, claimed[ref], n)
		}
	}
	attempts := 0
	for _, id := range ids {
		it := x.show(id)
		if it.Fence != count[id] {
			x.Errorf("item %d has fence %d after %d claims", id, it.Fence, count[id])
		}
		fences := map[int64]bool{}
		failed, rescued := 0, 0
		for _, at := range x.attempts(id) {
			attempts++
			accepted := a.ended[workqueue.ItemRef{ItemID: id, Fence: at.Fence}] == 1
			if fences[at.Fence] || accepted != (at.Outcome == "failed") {
				x.Errorf("item %d: attempt %s, but the end of its claim was accepted: %t", id, asJSON(at), accepted)
			}
			fences[at.Fence] = true
			if failed++; at.Outcome == "rescued" {
				failed, rescued = failed-1, rescued+1
			}
		}
		if it.RetryCount > failed || it.ReleaseCount != rescued {
			x.Errorf("item %d has %d failures and %d releases, but %d and %d by its attempts", id, it.RetryCount, it.ReleaseCount, failed, rescued)
		}
		if accepted := a.ended[ref(it)] == 1; it.State == workqueue.Processed && !accepted || it.State == workqueue.Blocked && accepted {
			x.Errorf("item %d is %s, but the end of its last claim was accepted: %t", id, it.State, accepted)
		}
	}
	if attempts != a.failed+a.rescued {
		x.Errorf("%d attempts are recorded, want %d failures and %d rescues", attempts, a.failed, a.rescued)
	}
	if len(a.claims) == 0 || a.failed == 0 || a.rescued == 0 {
		x.Errorf("%d claims, %d failures, %d rescues: want some of each", len(a.claims), a.failed, a.rescued)
	}
}
