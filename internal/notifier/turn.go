package notifier

import (
	"context"

	"botwork/workqueue"
	"botwork/workqueue/notify"
)

// turn is what is due for a message that this process has taken.
type turn int

const (
	sends    turn = iota
	waits         // an earlier message about an alert is being sent
	outdated      // there are later messages about all of its alerts
)

// turnOf compares a message with the others for its target, so that those of one group arrive in
// order. It removes the outdated part of a summary.
//
// The message is taken when the alerts are read. So whoever takes a later message, which is decided
// after that, finds this one among those that are being sent.
func (n *Notifier) turnOf(ctx context.Context, it *workqueue.Item, m *notify.Message) (turn, error) {
	state, err := n.o.Store.AlertState(ctx)
	if err != nil {
		return sends, err
	}
	if !m.DropOutdated(&state) {
		return outdated, nil
	}
	earlier, err := n.o.Store.Items(ctx, workqueue.ItemFilter{
		QueueName: workqueue.NotificationQueue, States: []workqueue.State{workqueue.Blocked}, TagsAny: []string{notify.TargetTag(m.Target)}, BeforeID: it.ID, Limit: maxSending,
	})
	if err != nil {
		return sends, err
	}
	for i := range earlier {
		if end := earlier[i].LeaseExpiresAt; end != nil && end.Before(state.Now) {
			continue // its sender has died
		}
		if other, err := read(&earlier[i]); err == nil && other.SharesAlert(m) {
			return waits, nil
		}
	}
	return sends, nil
}

// maxSending bounds the messages that are being sent to one target: each process sends a few.
const maxSending = 1000
