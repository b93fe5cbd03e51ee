package sqlstore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// Calls of robots that share a transaction have the effect that each has by itself. What one of them would be
// refused changes nothing, and does not hold up the others.
func TestRobotsTogether(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		store := e.Open(t, e.DSN(t))
		const retry = `{"limit":3,"delay":"1h","jitter":0,"retryOn":["error"]}`
		none := workqueue.Duration(0)
		if _, err := store.DefineQueues(t.Context(), []workqueue.Queue{
			{Name: "forms", Consumer: workqueue.ConsumerRobots, Resilience: retry, QueueSchemas: workqueue.QueueSchemas{OutputSchema: `{"type":"object"}`}},
			{Name: "copies", Consumer: workqueue.ConsumerRobots, Resilience: retry, RetryAs: workqueue.RetryCopy},
			{Name: "gone", Consumer: workqueue.ConsumerRobots, QueueLife: workqueue.QueueLife{Retain: &none}},
			{Name: "private", Consumer: workqueue.ConsumerRobots, QueueAccess: workqueue.QueueAccess{Private: true, Robots: []workqueue.QueueRobot{{Robot: "ann", Read: true}}}},
		}, "test"); err != nil {
			t.Fatal(err)
		}
		take := func(robot, queue string) workqueue.Hold {
			t.Helper()
			if _, err := store.Enqueue(t.Context(), []workqueue.NewItem{{QueueName: queue, State: workqueue.Pending, Payload: `{}`}}); err != nil {
				t.Fatal(err)
			}
			taken, err := store.Checkout(t.Context(), workqueue.CheckoutParams{Robot: robot, Queue: queue, Max: 1, Lease: time.Minute})
			if err != nil || len(taken.Items) != 1 {
				t.Fatalf("took %d items, %v", len(taken.Items), err)
			}
			return workqueue.Hold{Robot: robot, ItemID: taken.Items[0].ID, Fence: taken.Items[0].Fence, LockKey: taken.LockKey}
		}
		type end struct {
			name, robot, queue string
			end                workqueue.RobotEnd
			spoil              func(h *workqueue.Hold)
		}
		fail := workqueue.RobotEnd{Kind: workqueue.KindError, Error: "no stamp"}
		var holdsOf []func() workqueue.Hold
		ends := []end{
			{"a success", "ann", "forms", workqueue.RobotEnd{Output: `{"pages":3}`, Analytics: `{"clicks":9}`}, nil},
			{"a success of another robot", "bob", "forms", workqueue.RobotEnd{Output: `{"pages":4}`}, nil},
			{"a failure", "bob", "forms", fail, nil},
			{"wrong data", "ann", "forms", workqueue.RobotEnd{Kind: workqueue.KindBusiness, Error: "no name"}, nil},
			{"a retry as a copy", "ann", "copies", fail, nil},
			{"an item that is not kept", "ann", "gone", workqueue.RobotEnd{}, nil},
			{"a private queue", "ann", "private", workqueue.RobotEnd{}, nil},
			{"an output that does not match the schema", "ann", "forms", workqueue.RobotEnd{Output: `[]`}, nil},
			{"another lock key", "ann", "forms", workqueue.RobotEnd{}, func(h *workqueue.Hold) { h.LockKey = workqueue.NewLockKey() }},
			{"no lock key", "ann", "forms", workqueue.RobotEnd{}, func(h *workqueue.Hold) { h.LockKey = "" }},
			{"another fence", "ann", "forms", workqueue.RobotEnd{}, func(h *workqueue.Hold) { h.Fence++ }},
			{"another robot", "ann", "forms", workqueue.RobotEnd{}, func(h *workqueue.Hold) { h.Robot = "bob" }},
			{"no such item", "ann", "forms", workqueue.RobotEnd{}, func(h *workqueue.Hold) { h.ItemID += 1_000_000 }},
		}
		for _, c := range ends {
			holdsOf = append(holdsOf, func() workqueue.Hold {
				h := take(c.robot, c.queue)
				if c.spoil != nil {
					c.spoil(&h)
				}
				return h
			})
		}
		row := func(id int64) workqueue.Item {
			t.Helper()
			it, err := store.Item(t.Context(), id)
			if err != nil && !errors.Is(err, workqueue.ErrNotFound) {
				t.Fatal(err)
			}
			it.ID, it.IdempotencyKey, it.CreatedAt, it.AvailableAt, it.StartedAt, it.FirstStartedAt = 0, "", time.Time{}, time.Time{}, nil, nil
			for _, at := range []**time.Time{&it.LeaseExpiresAt, &it.FinishedAt} {
				if *at != nil {
					*at = &time.Time{} // whether it is set is compared
				}
			}
			return it
		}

		var holds []workqueue.Hold
		var results []workqueue.RobotEnd
		var leases []time.Duration
		for i, h := range holdsOf {
			holds, results, leases = append(holds, h()), append(results, ends[i].end), append(leases, time.Duration(i%3)*time.Hour)
		}
		first := holds[0]
		holds, results, leases = append(holds, first), append(results, fail), append(leases, time.Minute) // the same item again
		before := time.Now()
		for i, until := range store.ExtendTogether(t.Context(), holds, leases) {
			if i == len(ends) {
				if until != nil {
					t.Error("the second call for an item is settled")
				}
				continue
			}
			_, err := store.ExtendCheckout(t.Context(), holds[i], leases[i])
			if (err == nil) != (until != nil) {
				t.Errorf("%s: lease until %v, but by itself %v", ends[i].name, until, err)
			}
			if want := before.Add(leases[i]); until != nil && leases[i] > 0 && (until.Before(want.Add(-time.Minute)) || until.After(want.Add(time.Minute))) {
				t.Errorf("%s: lease until %v, want %v", ends[i].name, until, want)
			}
		}
		for i, got := range store.FinishTogether(t.Context(), holds, results) {
			if i == len(ends) {
				if got != nil {
					t.Error("the second end of an item is settled")
				}
				continue
			}
			c := ends[i]
			h := holdsOf[i]()
			want, err := store.FinishCheckout(t.Context(), h, c.end)
			if (err == nil) != (got != nil) || got != nil && *got != want {
				t.Errorf("%s: %+v, by itself %+v, %v", c.name, got, want, err)
			}
			if diff := cmp.Diff(row(h.ItemID), row(holds[i].ItemID)); diff != "" {
				t.Errorf("%s: the row differs from that of a call by itself (+together):\n%s", c.name, diff)
			}
			if got == nil {
				continue
			}
			if again, err := store.FinishCheckout(t.Context(), holds[i], c.end); err != nil && !errors.Is(err, workqueue.ErrEndUnknown) || err == nil && again != want {
				t.Errorf("%s: repeated: %+v, %v, want %+v", c.name, again, err, want)
			}
		}
	})
}
