package assign

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"botwork/workqueue"
)

// limited explains items whose queue or key has reached a limit.
func (w *why) limited(ctx context.Context) (Reason, bool, error) {
	if w.queue.QueueLimits == (workqueue.QueueLimits{}) {
		return Reason{}, false, nil
	}
	uses, err := w.view.LimitUses(ctx)
	if err != nil {
		return Reason{}, false, err
	}
	for i := range uses {
		if uses[i].Queue == w.item.QueueName {
			r, ok := limitReason(&uses[i], orEmpty(w.item.LimitKey))
			return r, ok, nil
		}
	}
	return Reason{}, false, nil
}

// limitReason returns the limit that stops an item with this key; false if none does.
func limitReason(u *workqueue.LimitUse, key string) (Reason, bool) {
	limit, until := reachedLimit(u, key)
	if limit == nil {
		return Reason{}, false
	}
	r := Reason{Kind: WhyLimit, Queue: u.Queue, Limit: limit, Change: until + ", or raise the limit"}
	r.Text = fmt.Sprintf("its queue %q has reached its %s of %s", u.Queue, limit.Name, limit.Value)
	if limit.Key != "" {
		r.Text += fmt.Sprintf(" for the key %q", limit.Key)
	}
	r.Text += fmt.Sprintf(": %d in use", limit.Used)
	return r, true
}

// reachedLimit returns the limit that stops one more item, and when that ends; nil if there is
// room.
func reachedLimit(u *workqueue.LimitUse, key string) (limit *ReasonLimit, until string) {
	const held = "it can start when one of those items ends"
	l, ofKey := u.Limits, workqueue.Use{}
	if key != "" {
		ofKey = u.Keys[key]
	} else {
		l.KeyConcurrency, l.KeyRate = 0, workqueue.Rate{}
	}
	switch {
	case u.Use.LimitReached(l.Concurrency, 0):
		return &ReasonLimit{Name: "concurrencyLimit", Value: strconv.Itoa(l.Concurrency), Used: u.Use.Held}, held
	case ofKey.LimitReached(l.KeyConcurrency, 0):
		return &ReasonLimit{Name: "keyConcurrencyLimit", Key: key, Value: strconv.Itoa(l.KeyConcurrency), Used: ofKey.Held}, held
	case u.Use.LimitReached(0, l.Rate.Limit):
		return &ReasonLimit{Name: "rateLimit", Value: l.Rate.String(), Used: u.Use.Started}, freedWithin(l.Rate)
	case ofKey.LimitReached(0, l.KeyRate.Limit):
		return &ReasonLimit{Name: "keyRateLimit", Key: key, Value: l.KeyRate.String(), Used: ofKey.Started}, freedWithin(l.KeyRate)
	}
	return nil, ""
}

func freedWithin(r workqueue.Rate) string {
	return "a start counts for " + spanText(time.Duration(r.Per)) + ", and it can start when one no longer counts"
}
