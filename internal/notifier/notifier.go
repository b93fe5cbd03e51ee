package notifier

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
	"botwork/workqueue/notify"
)

// Store is the database as a notifier uses it.
type Store interface {
	notify.Store

	RefreshQueues(ctx context.Context, defs []workqueue.Queue, by string) (changed, overridden []string, err error)
	Checkout(ctx context.Context, p workqueue.CheckoutParams) (workqueue.Checkout, error)
	FinishCheckout(ctx context.Context, h workqueue.Hold, end workqueue.RobotEnd) (workqueue.RobotEnded, error)
	PostponeCheckout(ctx context.Context, h workqueue.Hold, p workqueue.Postponement) (workqueue.RobotEnded, error)
	Items(ctx context.Context, f workqueue.ItemFilter) ([]workqueue.Item, error)
}

// Plan has the notification settings and the senders of the messages.
type Plan struct {
	notify.Plan
	Sender *Sender
}

// Options configure a Notifier.
type Options struct {
	Plan
	Store Store
	By    string // the worker or the machine
	Log   zerolog.Logger

	// FreeSpace returns a line for each disk of this machine whose free space is below a percentage;
	// nil if the rules do not ask.
	FreeSpace func(percent float64) []string

	// Every is the time between two evaluations in the cluster, and Look how often this process looks
	// whether one is due, and for messages. 0 means a minute and 5 s.
	Every, Look time.Duration
}

// The defaults of Options.
const (
	defaultEvery = time.Minute
	defaultLook  = 5 * time.Second
)

// Notifier evaluates notifications and delivers messages until it is stopped.
type Notifier struct {
	o       Options
	targets map[string]notify.Target
	wake    chan struct{} // there may be messages
	stop    context.CancelFunc
	loops   sync.WaitGroup

	defined bool      // of the evaluating loop: the queue is known to exist
	spaceAt time.Time // likewise: when the disks were last looked at
	unread  bool      // likewise: its last evaluation left something unread
}

// Start starts a notifier. Stop stops it.
func Start(ctx context.Context, o Options) *Notifier {
	if o.Every == 0 {
		o.Every = defaultEvery
	}
	if o.Look == 0 {
		o.Look = defaultLook
	}
	o.Sender.Log = o.Log
	n := &Notifier{o: o, targets: map[string]notify.Target{}, wake: make(chan struct{}, 1)}
	for _, t := range o.Targets {
		n.targets[t.Name] = t
	}
	ctx, n.stop = context.WithCancel(context.WithoutCancel(ctx))
	n.loops.Go(func() { n.evaluateLoop(ctx) })
	n.loops.Go(func() { n.deliverLoop(ctx) })
	return n
}

// Stop stops the notifier. Messages that are being sent may end, each within the timeout of its target.
func (n *Notifier) Stop() {
	n.stop()
	n.loops.Wait()
}

// evaluateLoop evaluates the rules when it is time, and logs an error that differs from the last one.
func (n *Notifier) evaluateLoop(ctx context.Context) {
	last := ""
	for ctx.Err() == nil {
		more, err := n.evaluateOnce(ctx)
		switch {
		case err == nil:
			last = ""
		case ctx.Err() == nil && err.Error() != last:
			last = err.Error()
			n.o.Log.Error().Err(err).Msg("could not evaluate the notifications; trying again")
		}
		if more {
			continue
		}
		sleep(ctx, n.o.Look, nil)
	}
}

// sleep waits for a time, for the end of ctx, or for wake.
func sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-wake:
	}
}

// evaluateOnce evaluates the rules if the last evaluation was long enough ago. more is set if there is
// more to read at once.
func (n *Notifier) evaluateOnce(ctx context.Context) (more bool, err error) {
	if !n.defined {
		if _, _, err := n.o.Store.RefreshQueues(ctx, []workqueue.Queue{workqueue.NotificationDefinition()}, n.o.By); err != nil {
			return false, err
		}
		n.defined = true
	}
	if len(n.o.Rules) == 0 {
		return false, nil
	}
	if err := n.reportSpace(ctx); err != nil {
		return false, err
	}
	evaluator := notify.Evaluator{Store: n.o.Store, Rules: n.o.Rules, By: n.o.By}
	every := n.o.Every
	if n.unread {
		every = 0
	}
	result, due, err := evaluator.EvaluateIfDue(ctx, every)
	n.unread = err == nil && result.More
	switch {
	case errors.Is(err, workqueue.ErrEvaluated):
		return false, nil
	case err != nil || !due:
		return false, err
	}
	if result.Messages > 0 {
		n.o.Log.Info().Int("messages", result.Messages).Msg("notifications: messages are on their way")
		select {
		case n.wake <- struct{}{}:
		default:
		}
	}
	return result.More, nil
}

// reportSpace raises an event for each disk that is nearly full, once in the time of an evaluation.
func (n *Notifier) reportSpace(ctx context.Context) error {
	i := slices.IndexFunc(n.o.Rules, func(r notify.Rule) bool { return r.Event == notify.DiskLow })
	if i < 0 || n.o.FreeSpace == nil || time.Since(n.spaceAt) < n.o.Every {
		return nil
	}
	percent := 0.0
	for _, r := range n.o.Rules {
		if r.Event == notify.DiskLow {
			percent = max(percent, r.Bounds.Percent)
		}
	}
	var events []workqueue.Event
	for _, line := range n.o.FreeSpace(percent) {
		events = append(events, workqueue.Event{Kind: string(notify.DiskLow), Worker: n.o.By, Detail: line})
	}
	if len(events) > 0 {
		if err := n.o.Store.RaiseEvents(ctx, events); err != nil {
			return err
		}
	}
	n.spaceAt = time.Now()
	return nil
}
