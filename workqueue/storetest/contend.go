package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
)

func contendTests() []test {
	return []test{{"processes that do anything at any time", contendAnything}}
}

// Several processes, each with a store of its own, do random things with the
// same items at once: they assign, rescue, claim, finish what they have and what
// they had, beat, and give back; leases end under them. Afterwards the answers
// that they got must fit together, and the rows must fit the answers.
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
	answers.judge(x, ids)
}

// answers are the store's answers to the processes: the fences that it gave, and the
// ends that it accepted.
type answers struct {
	mu      sync.Mutex
	claims  []workqueue.ItemRef
	ended   map[workqueue.ItemRef]int
	noted   int // ends that leave an attempt
	rescued int
}

func (a *answers) add(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
}

// contender is one process. It remembers its claims for ever, so that it also
// writes ends that come too late.
type contender struct {
	*fixture
	store   Store
	worker  workqueue.Worker
	answers *answers
	random  *rand.Rand
	had     []workqueue.Item
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

// pass rescues, and assigns to itself what is due; now and then the leases of
// some items end first.
func (c *contender) pass() error {
	if c.random.IntN(3) == 0 {
		// One by one: a statement by hand takes its rows in any order, and could
		// meet the store's, which take theirs by id, in a deadlock.
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
	c.had = append(c.had, items...)
	c.answers.add(func() {
		for _, it := range items {
			c.answers.claims = append(c.answers.claims, ref(it))
		}
	})
	return err
}

// finishSome ends a few claims, present and past, well or badly.
func (c *contender) finishSome() error {
	var ends []workqueue.Finish
	for _, i := range c.random.Perm(len(c.had))[:min(len(c.had), 4)] {
		// The last ones are more likely to be live.
		it := c.had[max(i, len(c.had)-1-c.random.IntN(6))]
		if slices.ContainsFunc(ends, func(f workqueue.Finish) bool { return f.ItemID == it.ID }) {
			continue // one claim of an item is enough to find out which one was lost
		}
		end := failure(it, workqueue.Ready)
		end.Delay = 0
		if c.random.IntN(4) == 0 {
			end = success(it)
		}
		ends = append(ends, end)
	}
	lost, err := c.store.Finish(c.ctx, c.worker.ID, c.worker.InstanceID, ends)
	if err != nil {
		return err
	}
	c.answers.add(func() {
		for _, f := range ends {
			if !slices.Contains(lost, f.ItemID) {
				c.answers.ended[workqueue.ItemRef{ItemID: f.ItemID, Fence: f.Fence}]++
				if f.Attempt != nil {
					c.answers.noted++
				}
			}
		}
	})
	return nil
}

func (c *contender) refs() []workqueue.ItemRef {
	var refs []workqueue.ItemRef
	for _, it := range c.had[max(0, len(c.had)-8):] {
		refs = append(refs, ref(it))
	}
	return refs
}

// judge checks that no fence was given twice, that each of an item's fences up to its
// last was given, that no claim ended twice, that each attempt is a reported end or
// rescue, and that no item is lost.
func (a *answers) judge(x *fixture, ids []int64) {
	given := map[workqueue.ItemRef]bool{}
	count := map[int64]int64{}
	for _, ref := range a.claims {
		if given[ref] {
			x.Errorf("claim %+v was given twice", ref)
		}
		given[ref] = true
		count[ref.ItemID]++
	}
	for ref, n := range a.ended {
		if n != 1 || !given[ref] {
			x.Errorf("claim %+v (given: %t) ended %d times", ref, given[ref], n)
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
			told := a.ended[workqueue.ItemRef{ItemID: id, Fence: at.Fence}] == 1
			if fences[at.Fence] || told != (at.Outcome == "failed") {
				x.Errorf("item %d: attempt %s, but its claim's end was taken: %t", id, asJSON(at), told)
			}
			fences[at.Fence] = true
			if failed++; at.Outcome == "rescued" {
				failed, rescued = failed-1, rescued+1
			}
		}
		if it.RetryCount > failed || it.ReleaseCount != rescued {
			x.Errorf("item %d counts %d failures and %d releases, its attempts say %d and %d", id, it.RetryCount, it.ReleaseCount, failed, rescued)
		}
		if told := a.ended[ref(it)] == 1; it.State == workqueue.Processed && !told || it.State == workqueue.Blocked && told {
			x.Errorf("item %d is %s, but the end of its last claim was taken: %t", id, it.State, told)
		}
	}
	if attempts != a.noted+a.rescued {
		x.Errorf("%d attempts are noted, want %d failures and %d rescues", attempts, a.noted, a.rescued)
	}
	if len(a.claims) == 0 || a.noted == 0 || a.rescued == 0 {
		x.Errorf("%d claims, %d failures, %d rescues: nothing was tried", len(a.claims), a.noted, a.rescued)
	}
}
