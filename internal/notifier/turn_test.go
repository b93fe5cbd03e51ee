package notifier_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"botwork/internal/notifier"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/notify"
)

// watched is a store that commits messages when it may, and reports which items are postponed.
type watched struct {
	notifier.Store
	commit    chan struct{}
	postponed chan int64
}

func (w watched) CommitAlerts(ctx context.Context, e workqueue.Evaluation) error {
	if len(e.Items) > 0 {
		select {
		case <-w.commit:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return w.Store.CommitAlerts(ctx, e)
}

func (w watched) PostponeCheckout(ctx context.Context, h workqueue.Hold, p workqueue.Postponement) (workqueue.RobotEnded, error) {
	select {
	case w.postponed <- h.ItemID:
	default:
	}
	return w.Store.PostponeCheckout(ctx, h, p)
}

// A message about a group waits while an earlier one is being sent. The earlier one is refused, and
// then dropped, because it is outdated.
func TestMessagesOfAGroupAreInOrder(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		requests, answers := make(chan notify.Message, 100), make(chan int, 100)
		hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var m notify.Message
			if text, err := io.ReadAll(r.Body); err != nil || json.Unmarshal(text, &m) != nil {
				t.Error("cannot read a request")
			}
			requests <- m
			if status, ok := <-answers; ok {
				w.WriteHeader(status)
			}
		}))
		t.Cleanup(hook.Close)
		c := newCluster(t, e, notify.Target{Name: "hook", Kind: notify.Webhook, URL: hook.URL})
		c.plan.Rules[0].RecoverAfter = time.Millisecond
		store := watched{Store: c.store, commit: make(chan struct{}, 2), postponed: make(chan int64, 1)}
		t.Cleanup(c.start(store).Stop)
		t.Cleanup(func() { close(answers) }) // before the others wait for what is being answered
		request := func(want notify.Status) {
			t.Helper()
			select {
			case m := <-requests:
				if m.Status != want {
					t.Fatalf("the target got %q, want %q", m.Status, want)
				}
			case <-time.After(testdb.Slow(30 * time.Second)):
				t.Fatalf("the target got nothing, want %q", want)
			}
		}

		c.raise("orders")
		store.commit <- struct{}{}
		request(notify.StatusFiring)
		store.commit <- struct{}{}
		select {
		case <-store.postponed:
		case m := <-requests:
			t.Fatalf("the target got %q while it got the message before", m.Status)
		case <-time.After(testdb.Slow(30 * time.Second)):
			t.Fatal("the second message was not taken")
		}
		answers <- http.StatusServiceUnavailable
		request(notify.StatusResolved)
		answers <- http.StatusOK

		items := func(states ...workqueue.State) []workqueue.Item {
			t.Helper()
			list, err := c.store.Items(t.Context(), workqueue.ItemFilter{QueueName: workqueue.NotificationQueue, States: states})
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		c.await("the first message to end, whose wait after the refusal is over", func() bool {
			waiting := workqueue.ItemFilter{QueueName: workqueue.NotificationQueue, States: []workqueue.State{workqueue.Ready}}
			if _, err := c.store.ChangeItems(t.Context(), waiting, workqueue.Change{Action: workqueue.RunNow}); err != nil {
				t.Fatal(err)
			}
			return len(items(workqueue.Processed)) == 2
		})
		if first := items(workqueue.Processed)[1]; !strings.Contains(string(first.Output), "dropped") {
			t.Errorf("the first message ended with %s", first.Output)
		}
		if len(requests) > 0 {
			t.Errorf("the target got another message: %+v", <-requests)
		}
	})
}
