package storetest

import (
	"time"

	"botwork/workqueue"
)

// The queue and the robot of the tests about robots.
const (
	forms = "forms"
	ann   = "ann"
)

// robots makes the queue forms, a queue for robots; change may be nil.
func (x *fixture) robots(change func(q *workqueue.Queue)) {
	x.Helper()
	q := workqueue.Queue{Name: forms, Consumer: workqueue.ConsumerRobots}
	if change != nil {
		change(&q)
	}
	if _, err := x.Store.DefineQueues(x.ctx, []workqueue.Queue{q}, "storetest"); err != nil {
		x.Fatal(err)
	}
}

// workersItem makes an item of the queue forms that a worker holds or held, as if the
// queue had been for workers before.
func (x *fixture) workersItem(o ItemOpts) workqueue.Item {
	x.Helper()
	o.Queue = forms
	x.exec(1, `UPDATE "BotQueues" SET "Consumer" = 'workers' WHERE "Name" = '%s'`, forms)
	it := x.Item(o)
	x.exec(1, `UPDATE "BotQueues" SET "Consumer" = 'robots' WHERE "Name" = '%s'`, forms)
	return it
}

// private makes the queue forms private, with these rights of robots.
func (x *fixture) private(robots ...workqueue.QueueRobot) {
	x.Helper()
	x.robots(func(q *workqueue.Queue) { q.Private, q.Robots = true, robots })
}

// form returns an item of the queue forms.
func form(priority int) workqueue.NewItem {
	return workqueue.NewItem{QueueName: forms, State: workqueue.Pending, Priority: priority, Payload: `{"form":1}`, CreatedBy: "storetest"}
}

// enqueueForms makes items and returns their ids.
func (x *fixture) enqueueForms(items ...workqueue.NewItem) []int64 {
	x.Helper()
	made, err := x.Store.Enqueue(x.ctx, items)
	if err != nil {
		x.Fatal(err)
	}
	return workqueue.IDs(made)
}

// take checks out up to n items of the queue forms for ann.
func (x *fixture) take(n int) workqueue.Checkout {
	x.Helper()
	return x.takeAs(workqueue.CheckoutParams{Robot: ann, Queue: forms, Max: n, Lease: leaseTime})
}

func (x *fixture) takeAs(p workqueue.CheckoutParams) workqueue.Checkout {
	x.Helper()
	c, err := x.Store.Checkout(x.ctx, p)
	if err != nil {
		x.Fatal(err)
	}
	return c
}

// takeOne makes an item that ann takes, and returns it with her hold.
func (x *fixture) takeOne() (workqueue.Item, workqueue.Hold) {
	x.Helper()
	return x.takeNew(form(500))
}

func (x *fixture) takeNew(it workqueue.NewItem) (workqueue.Item, workqueue.Hold) {
	x.Helper()
	id := x.enqueueForms(it)[0]
	return x.takeID(id)
}

// takeID lets ann take a waiting item.
func (x *fixture) takeID(id int64) (workqueue.Item, workqueue.Hold) {
	x.Helper()
	c := x.takeAs(workqueue.CheckoutParams{Robot: ann, Queue: forms, Lease: leaseTime, Filter: workqueue.CheckoutFilter{IDs: []int64{id}}})
	if len(c.Items) != 1 || c.Items[0].ID != id {
		x.Fatalf("took %s, want item %d", asJSON(c.Items), id)
	}
	return c.Items[0], holdOf(ann, c, c.Items[0])
}

func holdOf(robot string, c workqueue.Checkout, it workqueue.Item) workqueue.Hold {
	return workqueue.Hold{Robot: robot, ItemID: it.ID, Fence: it.Fence, LockKey: c.LockKey}
}

// endLease expires the lease of a running item by hand.
func (x *fixture) endLease(id int64) {
	x.Helper()
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s WHERE "Id" = %d`, longAgo, id)
}

// dueNow makes an item due that waits for its retry.
func (x *fixture) dueNow(id int64) {
	x.Helper()
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, longAgo, id)
}

// robotCall is a call of a robot for an item that it has taken.
type robotCall struct {
	name  string
	right workqueue.Right
	do    func(h workqueue.Hold) error
}

// robotCalls returns all calls that need a lock key; the calls that end the hold are last.
func (x *fixture) robotCalls() []robotCall {
	half := 50
	return []robotCall{
		{"extend", workqueue.RightRead, func(h workqueue.Hold) error {
			_, err := x.Store.ExtendCheckout(x.ctx, h, time.Minute)
			return err
		}},
		{"progress", workqueue.RightRead, func(h workqueue.Hold) error {
			return x.Store.RobotProgress(x.ctx, h, workqueue.RobotNote{Text: "half", Percent: &half})
		}},
		{"finish", workqueue.RightRead, func(h workqueue.Hold) error {
			_, err := x.Store.FinishCheckout(x.ctx, h, workqueue.RobotEnd{Output: `{"done":true}`})
			return err
		}},
		{"fail", workqueue.RightRead, func(h workqueue.Hold) error {
			_, err := x.Store.FinishCheckout(x.ctx, h, workqueue.RobotEnd{Kind: workqueue.KindError, Error: "broken"})
			return err
		}},
		{"release", workqueue.RightRead, func(h workqueue.Hold) error { return x.Store.ReleaseCheckout(x.ctx, h, "no time") }},
		{"postpone", workqueue.RightRead, func(h workqueue.Hold) error {
			_, err := x.Store.PostponeCheckout(x.ctx, h, workqueue.Postponement{In: time.Hour})
			return err
		}},
		{"delete", workqueue.RightWrite, func(h workqueue.Hold) error { return x.Store.DeleteCheckout(x.ctx, h, "not needed") }},
	}
}

// wantRobotAttempt checks the last attempt of an item, which was a robot's.
func (x *fixture) wantRobotAttempt(id int64, n int, outcome, text string) {
	x.Helper()
	attempts := x.attempts(id)
	if len(attempts) != n {
		x.Fatalf("item %d has attempts %s, want %d", id, asJSON(attempts), n)
	}
	at := attempts[n-1]
	if at.Outcome != outcome || at.WorkerID != nil || deref(at.WorkerName) != ann || deref(at.Host) != "" || at.StartedAt == nil ||
		text != "" && deref(at.Error) != text {
		x.Errorf("attempt %s, want %s by %s without a host, with the text %q", asJSON(at), outcome, ann, text)
	}
}
