package events

import (
	"testing"
	"time"

	"botwork/workqueue"
)

// Quiet is only true if the hub would know: while a client follows the topic, since a time at which it had read
// it, and as long as it reads it.
func TestQuiet(t *testing.T) {
	run(t, 10, func(h *Hub, s *store) {
		quiet := func(want bool, since time.Time, what string, changes ...Change) {
			t.Helper()
			if got := h.Quiet(since, changes...); got != want {
				t.Errorf("%s: quiet is %v, want %v", what, got, want)
			}
		}
		opened := time.Now()
		quiet(false, opened, "without clients", Failures)
		c, _, err := h.Subscribe("ann", Filter{Topics: []Topic{Items, Queues}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		go func() { // reads on, so that the client is not sent away
			for range c.Events() {
			}
		}()
		time.Sleep(20 * time.Second)
		quiet(false, opened, "before the first reading", Failures)
		asked := time.Now()
		time.Sleep(20 * time.Second)
		quiet(true, asked, "only items were enqueued", Failures, QueueChanges)
		quiet(false, asked, "a topic that no client follows", RunFailures)
		s.failed.Add(1)
		time.Sleep(10 * time.Second)
		quiet(false, asked, "an item has failed", Failures)
		quiet(true, asked, "an item has failed, but no queue has changed", QueueChanges)
		quiet(true, time.Now(), "asked after the failure", Failures)
		s.marks.Store(&workqueue.Marks{Queues: []workqueue.QueueMark{{Name: "mail", Revision: 2}}})
		time.Sleep(20 * time.Second)
		quiet(false, asked, "a queue was created", QueueChanges)
		asked = time.Now()
		s.broken.Store(true)
		time.Sleep(time.Minute)
		quiet(false, asked, "the database refuses", Failures)
		s.broken.Store(false)
		time.Sleep(20 * time.Second)
		quiet(true, asked, "the database answers again, and its counts are compared with those of before", Failures)
		c.Close()
		time.Sleep(time.Minute)
		quiet(false, asked, "the client has gone", Failures)
	})
}
