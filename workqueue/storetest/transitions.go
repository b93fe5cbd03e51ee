package storetest

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
)

func transitionTests() []test {
	return []test{
		{"every automatic transition in every state", transitionsAll},
	}
}

// move is an operation of passes, workers or robots on an item. The actions of users are
// in [lifeOf].
type move struct {
	name  string
	queue string // of the items; "": the default

	// ready prepares an item for the move, as far as its state allows;
	// nil: no preparation is needed.
	ready func(x *fixture, it workqueue.Item)

	// do reports whether the store returned that it changed the item.
	do func(x *fixture, w workqueue.Worker, it workqueue.Item) bool

	// to has the next state of an item by its state. In a missing state, the move
	// changes nothing.
	to map[workqueue.State]workqueue.State
}

func moves() []move {
	finish := func(f func(it workqueue.Item) workqueue.Finish) func(*fixture, workqueue.Worker, workqueue.Item) bool {
		return func(x *fixture, w workqueue.Worker, it workqueue.Item) bool {
			return len(x.finish(w, f(it))) == 0
		}
	}
	running := func(to workqueue.State) map[workqueue.State]workqueue.State {
		return map[workqueue.State]workqueue.State{workqueue.Blocked: to}
	}
	waiting := func(to workqueue.State) map[workqueue.State]workqueue.State {
		return map[workqueue.State]workqueue.State{workqueue.Ready: to, workqueue.Pending: to}
	}
	return []move{
		{name: "assign", to: waiting(workqueue.Assigned), do: func(x *fixture, w workqueue.Worker, it workqueue.Item) bool {
			n := 0
			x.pass(func(ctx context.Context, tx workqueue.AssignTx) (err error) {
				n, err = tx.Write(ctx, []workqueue.Assignment{{ItemID: it.ID, WorkerID: w.ID}})
				return err
			})
			return n == 1
		}},
		{name: "claim", to: map[workqueue.State]workqueue.State{workqueue.Assigned: workqueue.Blocked},
			do: func(x *fixture, w workqueue.Worker, _ workqueue.Item) bool { return len(x.claim(w, 10)) == 1 }},
		{name: "success", to: running(workqueue.Processed), do: finish(success)},
		{name: "failure with attempts left", to: running(workqueue.Ready),
			do: finish(func(it workqueue.Item) workqueue.Finish { return failure(it, workqueue.Ready) })},
		{name: "last failure", to: running(workqueue.Cancelled),
			do: finish(func(it workqueue.Item) workqueue.Finish { return failure(it, workqueue.Cancelled) })},
		{name: "retry as a copy", to: running(workqueue.Cancelled),
			do: finish(func(it workqueue.Item) workqueue.Finish { return asCopy(it, 1) })},
		{name: "snooze", to: running(workqueue.Ready), do: finish(func(it workqueue.Item) workqueue.Finish {
			return workqueue.Finish{ItemID: it.ID, Fence: it.Fence, State: workqueue.Ready, RetryCount: it.RetryCount, Delay: time.Hour}
		})},
		{name: "progress", to: running(workqueue.Blocked), do: func(x *fixture, w workqueue.Worker, it workqueue.Item) bool {
			return len(x.progress(w, halfway(it))) == 0
		}},
		{name: "rescue", ready: overdue, to: map[workqueue.State]workqueue.State{workqueue.Blocked: workqueue.Ready, workqueue.Assigned: workqueue.Ready},
			do: func(x *fixture, _ workqueue.Worker, _ workqueue.Item) bool {
				return x.rescue() != workqueue.RescueResult{}
			}},
		{name: "release of items that have not started", to: map[workqueue.State]workqueue.State{workqueue.Assigned: workqueue.Ready},
			do: func(x *fixture, w workqueue.Worker, _ workqueue.Item) bool {
				n, err := x.Store.ReleaseAssigned(x.ctx, w.ID, w.InstanceID)
				if err != nil {
					x.Fatal(err)
				}
				return n == 1
			}},
		{name: "expire", ready: pastDeadline, to: map[workqueue.State]workqueue.State{
			workqueue.Ready: workqueue.Cancelled, workqueue.Pending: workqueue.Cancelled, workqueue.Assigned: workqueue.Cancelled,
		}, do: func(x *fixture, _ workqueue.Worker, _ workqueue.Item) bool {
			n := 0
			x.pass(func(ctx context.Context, tx workqueue.AssignTx) (err error) {
				n, err = tx.Expire(ctx)
				return err
			})
			return n == 1
		}},
		{name: "checkout by a robot", queue: forms, to: waiting(workqueue.Blocked), do: func(x *fixture, _ workqueue.Worker, _ workqueue.Item) bool {
			return len(x.take(10).Items) == 1
		}},
		{name: "finish by a robot that has not taken the item", queue: forms, do: func(x *fixture, _ workqueue.Worker, it workqueue.Item) bool {
			h := workqueue.Hold{Robot: ann, ItemID: it.ID, Fence: it.Fence, LockKey: "guessed"}
			_, err := x.Store.FinishCheckout(x.ctx, h, workqueue.RobotEnd{})
			if !errors.Is(err, workqueue.ErrLeaseLost) {
				x.Errorf("FinishCheckout of an item that is %s: %v, want ErrLeaseLost", it.State, err)
			}
			return err == nil
		}},
	}
}

// overdue expires the lease of a running item, and makes an assigned one wait too long.
func overdue(x *fixture, it workqueue.Item) {
	switch it.State {
	case workqueue.Blocked:
		x.expire(it.ID)
	case workqueue.Assigned:
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "AssignedAt" = %s WHERE "Id" = %d`, longAgo, it.ID)
	}
}

func pastDeadline(x *fixture, it workqueue.Item) {
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "Id" = %d`, longAgo, it.ID)
}

// itemOf makes an item of the move's queue.
func (x *fixture) itemOf(m move, o ItemOpts) workqueue.Item {
	x.Helper()
	if m.queue == forms {
		return x.workersItem(o)
	}
	return x.Item(o)
}

// transitionsAll makes every move with an item of every state. A refused move
// changes nothing, and the store reports it.
func transitionsAll(x *fixture) {
	x.robots(nil)
	for _, m := range moves() {
		for _, state := range workqueue.States() {
			w := x.Worker(WorkerOpts{})
			before := x.itemOf(m, ItemOpts{State: state, Worker: w})
			if m.ready != nil {
				m.ready(x, before)
				before = x.show(before.ID)
			}
			done := m.do(x, w, before)
			want, may := m.to[state]
			if done != may {
				x.Errorf("%s of an item that is %s: the store reports %t, want %t", m.name, state, done, may)
			}
			if may {
				x.wantState(want, before.ID)
			} else {
				x.wantSame(before)
			}
			// Delete all items, including copies, before the next move.
			x.exec(int64(len(x.list(workqueue.ItemFilter{}))), `DELETE FROM "BotWorkQueueItems"`)
		}
	}
}
