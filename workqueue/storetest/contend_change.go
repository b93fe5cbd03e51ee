package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"botwork/workqueue"
)

// A person cancels the items with a tag, page by page, while a robot adds and removes the tag.
// Nothing changes the tags of a cancelled item, so each has the tag by which it was selected.
func contendFilter(x *fixture) {
	x.robots(nil)
	form := form(1)
	form.Tags = []string{"wanted"}
	ids := x.enqueueForms(slices.Repeat([]workqueue.NewItem{form}, 24)...)
	ctx, stop := context.WithCancel(x.ctx)
	var robot sync.WaitGroup
	changed := make(chan struct{}, 1)
	robot.Go(func() {
		defer close(changed)
		store := x.Another(x.T)
		for left := slices.Clone(ids); ctx.Err() == nil && len(left) > 0; {
			tags := []string{"unwanted", "wanted"}[rand.IntN(2):][:1]
			n := rand.IntN(len(left))
			err := store.RobotChange(x.ctx, ann, left[n], workqueue.RobotChange{Tags: &tags})
			if _, cancelled := errors.AsType[*workqueue.TransitionError](err); cancelled {
				left = slices.Delete(left, n, n+1)
			} else if err != nil {
				x.Errorf("RobotChange: %v", err)
				return
			}
			select { // A robot that changes items without pause would keep SQLite's others waiting.
			case changed <- struct{}{}:
			case <-ctx.Done():
			}
		}
	})
	filter := workqueue.ItemFilter{QueueName: forms, TagsAny: []string{"unwanted"}}
	for cancelled := 0; cancelled < len(ids) && !x.Failed(); {
		<-changed
		result, err := x.Store.ChangeItems(x.ctx, filter, workqueue.Change{Action: workqueue.Cancel})
		if err != nil {
			x.Errorf("ChangeItems: %v", err)
			break
		}
		cancelled += result.Changed
	}
	stop()
	robot.Wait()
	for _, id := range ids {
		if it := x.show(id); it.State != workqueue.Cancelled || it.Tags != `["unwanted"]` {
			x.Errorf("item %d is %s with the tags %s, want it cancelled with the tag by which it was selected", id, it.State, it.Tags)
		}
	}
}

// Several processes claim, finish, lose and rescue items, and cancel running ones. Each
// cancelled item was running: its last claim has ended by that alone, and left one attempt that
// says so.
func contendCancel(x *fixture) {
	const processes, steps, most = 4, 90, 25
	ids := x.Items(40, ItemOpts{})
	x.maxReleases(1000)
	answers := &answers{ended: map[workqueue.ItemRef]int{}}
	seed := uint64(time.Now().UnixNano())
	x.Logf("seed %d", seed)
	running := workqueue.ItemFilter{States: []workqueue.State{workqueue.Blocked}, Limit: 1}
	var cancelled atomic.Int64
	var wg sync.WaitGroup
	for n := range processes {
		c := contender{
			fixture: x, store: x.Another(x.T), worker: x.Worker(WorkerOpts{}), answers: answers,
			random: rand.New(rand.NewPCG(seed, uint64(n))),
		}
		step := func() error {
			if cancelled.Load() >= most || c.random.IntN(4) > 0 {
				return c.step()
			}
			result, err := c.store.ChangeItems(x.ctx, running, workqueue.Change{Action: workqueue.Cancel, Reason: "enough"})
			cancelled.Add(int64(result.Changed))
			return err
		}
		wg.Go(func() {
			for range steps {
				if err := step(); err != nil {
					x.Errorf("%s: %v", c.worker.Name, err)
					return
				}
			}
		})
	}
	wg.Wait()
	found := 0
	for _, id := range ids {
		it := x.show(id)
		var fences []int64
		for _, a := range x.attempts(id) {
			if deref(a.ErrorKind) == string(workqueue.KindCancelled) {
				fences = append(fences, a.Fence)
			}
		}
		var want []int64
		if it.State == workqueue.Cancelled {
			found++
			want = []int64{it.Fence}
			if answers.ended[ref(it)] != 0 {
				x.Errorf("item %d is cancelled, but the end of its last claim was accepted", id)
			}
		}
		x.wantIDs(fmt.Sprintf("fences of the cancelled attempts of item %d, which is %s,", id, it.State), fences, want)
	}
	if n := int(cancelled.Load()); found != n || n == 0 {
		x.Errorf("%d items are cancelled, want the %d that were reported, and some", found, n)
	}
}
