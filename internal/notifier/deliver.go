package notifier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
	"botwork/workqueue/notify"
)

const (
	// senders is how many messages a process sends at the same time, so that one target that does not
	// answer does not hold up the others.
	senders = 4

	// margin is how much longer than the timeout of its target a message is held.
	margin = time.Minute

	// longestPostpone bounds the wait that a target may ask for.
	longestPostpone = time.Hour
)

// deliverLoop sends messages until ctx ends, and then waits for those that are being sent.
func (n *Notifier) deliverLoop(ctx context.Context) {
	var busy sync.WaitGroup
	defer busy.Wait()
	free := make(chan struct{}, senders)
	for range senders {
		free <- struct{}{}
	}
	last := ""
	for ctx.Err() == nil {
		<-free
		sent, err := n.takeOne(ctx, func(send func()) {
			busy.Go(func() {
				defer func() { free <- struct{}{} }()
				send()
			})
		})
		switch {
		case err == nil:
			last = ""
		case ctx.Err() == nil && err.Error() != last:
			last = err.Error()
			n.o.Log.Error().Err(err).Msg("could not take messages of notifications; trying again")
		}
		if !sent {
			free <- struct{}{}
			sleep(ctx, n.o.Look, n.wake)
		}
	}
}

// takeOne takes one message that this process can send, and sends it by run.
func (n *Notifier) takeOne(ctx context.Context, run func(send func())) (taken bool, err error) {
	if len(n.targets) == 0 {
		return false, nil
	}
	var tags []string
	lease := time.Duration(0)
	for _, name := range slices.Sorted(maps.Keys(n.targets)) {
		tags = append(tags, notify.TargetTag(name))
		lease = max(lease, n.targets[name].Timeout, DefaultTimeout)
	}
	checkout, err := n.o.Store.Checkout(ctx, workqueue.CheckoutParams{
		Robot: workqueue.NotificationRobot, Queue: workqueue.NotificationQueue, Filter: workqueue.CheckoutFilter{TagsAny: tags}, Lease: lease + margin,
	})
	if unknown := (*workqueue.UnknownQueueError)(nil); errors.As(err, &unknown) {
		return false, nil // it is created by the first evaluation
	}
	if err != nil || len(checkout.Items) == 0 {
		return false, err
	}
	it := checkout.Items[0]
	hold := workqueue.Hold{Robot: workqueue.NotificationRobot, ItemID: it.ID, Fence: it.Fence, LockKey: checkout.LockKey}
	run(func() {
		// The message may end although the process is stopping, so that it is not sent twice.
		if err := n.deliver(context.WithoutCancel(ctx), &it, hold); err != nil {
			n.o.Log.Error().Err(err).Int64("item_id", it.ID).Msg("could not record what became of a message; it will be sent again")
		}
	})
	return true, nil
}

// deliver sends a message in its turn and records what became of it.
func (n *Notifier) deliver(ctx context.Context, it *workqueue.Item, hold workqueue.Hold) error {
	ctx, cancel := context.WithTimeout(ctx, n.longest()+margin)
	defer cancel()
	log := n.o.Log.With().Int64("item_id", it.ID).Int("attempt", it.Attempt()).Logger()
	m, err := read(it)
	if err == nil {
		turn, err := n.turnOf(ctx, it, &m)
		switch {
		case err != nil:
			return errors.Join(err, n.postpone(ctx, hold, n.o.Look, "could not read which messages of the group are being sent"))
		case turn == waits:
			return n.postpone(ctx, hold, n.o.Look, "an earlier message of the group is being sent")
		case turn == outdated:
			log.Info().Msg("notification dropped: there is a later one of its group")
			return n.finish(ctx, hold, "dropped", "there is a later message of the group")
		}
	}
	answer := ""
	if err == nil {
		answer, err = n.send(ctx, m)
	}
	if err == nil {
		log.Info().Str("answer", answer).Msg("notification sent")
		return n.finish(ctx, hold, "answer", answer)
	}
	log.Warn().Err(err).Msg("notification not sent; it is tried again")
	if later := (*handlers.RetryAfterError)(nil); errors.As(err, &later) && later.After > 0 {
		return n.postpone(ctx, hold, min(later.After, longestPostpone), err.Error())
	}
	// A permanent refusal is retried, too: somebody may correct the address or the password meanwhile.
	_, err = n.o.Store.FinishCheckout(ctx, hold, workqueue.RobotEnd{Kind: workqueue.KindError, Error: err.Error()})
	return err
}

// finish ends a message, with a line of its output.
func (n *Notifier) finish(ctx context.Context, hold workqueue.Hold, key, text string) error {
	output, err := json.Marshal(map[string]string{key: text})
	if err != nil {
		return err
	}
	_, err = n.o.Store.FinishCheckout(ctx, hold, workqueue.RobotEnd{Output: workqueue.JSONText(output)})
	return err
}

func (n *Notifier) postpone(ctx context.Context, hold workqueue.Hold, in time.Duration, reason string) error {
	_, err := n.o.Store.PostponeCheckout(ctx, hold, workqueue.Postponement{In: in, Reason: reason})
	return err
}

func (n *Notifier) longest() time.Duration {
	longest := DefaultTimeout
	for _, t := range n.targets {
		longest = max(longest, t.Timeout)
	}
	return longest
}

// read returns the message of an item.
func read(it *workqueue.Item) (m notify.Message, err error) {
	if err := json.Unmarshal([]byte(it.Payload), &m); err != nil {
		return m, fmt.Errorf("read the message: %w", err)
	}
	return m, nil
}

// send sends a message to its target.
func (n *Notifier) send(ctx context.Context, m notify.Message) (string, error) {
	t, ok := n.targets[m.Target]
	if !ok {
		return "", fmt.Errorf("the settings of this process have no target %q", m.Target)
	}
	return n.o.Sender.Send(ctx, t, m)
}
