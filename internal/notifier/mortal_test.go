package notifier_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"botwork/internal/notifier"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/sqlstore"
)

// errDead is the error of every call of a process that has died.
var errDead = errors.New("this process is dead")

// mortal is the store of a process that dies: after a number of calls that write, none reaches the
// database any more, and the answer of the last one is lost.
type mortal struct {
	notifier.Store

	mu   sync.Mutex
	left int // calls until it dies
	dead bool
}

func (m *mortal) isDead() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dead
}

// call makes a call, unless the process is dead.
func (m *mortal) call(do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return errDead
	}
	err := do()
	if m.left--; m.left < 0 {
		m.dead = true
		return errDead
	}
	return err
}

func (m *mortal) AlertState(ctx context.Context) (workqueue.AlertState, error) {
	if m.isDead() {
		return workqueue.AlertState{}, errDead
	}
	return m.Store.AlertState(ctx)
}

func (m *mortal) CommitAlerts(ctx context.Context, e workqueue.Evaluation) error {
	return m.call(func() error { return m.Store.CommitAlerts(ctx, e) })
}

func (m *mortal) Checkout(ctx context.Context, p workqueue.CheckoutParams) (c workqueue.Checkout, err error) {
	if m.isDead() {
		return c, errDead
	}
	c, err = m.Store.Checkout(ctx, p)
	if err == nil && len(c.Items) > 0 {
		err = m.call(func() error { return nil })
	}
	return c, err
}

func (m *mortal) FinishCheckout(ctx context.Context, h workqueue.Hold, end workqueue.RobotEnd) (e workqueue.RobotEnded, err error) {
	err = m.call(func() error {
		e, err = m.Store.FinishCheckout(ctx, h, end)
		return err
	})
	return e, err
}

func (m *mortal) PostponeCheckout(ctx context.Context, h workqueue.Hold, p workqueue.Postponement) (e workqueue.RobotEnded, err error) {
	err = m.call(func() error {
		e, err = m.Store.PostponeCheckout(ctx, h, p)
		return err
	})
	return e, err
}

// endLeases ends the leases of messages whose senders may be dead, as an assignment pass does with
// leases that have expired.
func endLeases(t *testing.T, store *sqlstore.Store) {
	t.Helper()
	items, err := store.Items(t.Context(), workqueue.ItemFilter{QueueName: workqueue.NotificationQueue, States: []workqueue.State{workqueue.Blocked}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range items {
		if err := store.ReleaseFromRobot(t.Context(), items[i].ID, "its process has died"); err != nil {
			var wrong *workqueue.TransitionError
			if !errors.As(err, &wrong) && !errors.Is(err, workqueue.ErrNotFound) {
				t.Fatal(err)
			}
		}
	}
	if _, err := assign.AssignPass(t.Context(), store, assign.AssignParams{}); err != nil {
		t.Fatal(err)
	}
}

// ids returns the Message-IDs of the mails, each once.
func (s *smtpServer) ids() map[string]bool {
	ids := map[string]bool{}
	for _, mail := range s.taken() {
		if _, rest, ok := strings.Cut(mail, "Message-ID:"); ok { // a long one is on the next line
			id, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
			ids[id] = true
		}
	}
	return ids
}
