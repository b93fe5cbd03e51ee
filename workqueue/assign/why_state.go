package assign

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"botwork/workqueue"
)

// ended explains items that do not wait any more.
func (w *why) ended() (Reason, bool) {
	it := w.item
	switch {
	case it.DeletedAt != nil:
		text := fmt.Sprintf("it was deleted at %s", instantText(*it.DeletedAt))
		if why := orEmpty(it.DeletedReason); why != "" {
			text += ": " + why
		}
		return Reason{Kind: WhyDeleted, Text: text, Since: it.DeletedAt, Error: orEmpty(it.DeletedReason), Change: fmt.Sprintf("make a new item like it: botwork items clone %d", it.ID)}, true
	case it.State == workqueue.Processed:
		return Reason{Kind: WhyCompleted, Text: "it succeeded" + atText(it.FinishedAt), Since: it.FinishedAt, Change: fmt.Sprintf("run it again: botwork items repeat %d", it.ID)}, true
	case it.State == workqueue.Cancelled:
		text := "it was cancelled" + atText(it.FinishedAt)
		if it.ErrorKind != nil {
			text += fmt.Sprintf(" (%s)", *it.ErrorKind)
		}
		if it.Error != nil {
			text += ": " + *it.Error
		}
		return Reason{Kind: WhyCancelled, Text: text, Since: it.FinishedAt, Error: orEmpty(it.Error), Change: fmt.Sprintf("run it again: botwork items repeat %d", it.ID)}, true
	case it.State != workqueue.Ready && it.State != workqueue.Pending && it.State != workqueue.Assigned && it.State != workqueue.Blocked:
		return Reason{Kind: WhyUnknown, Text: fmt.Sprintf("its state is %s, which this version of botwork does not know", it.State)}, true
	}
	return Reason{}, false
}

// running explains claimed items: the lease and the worker's heartbeats show whether they still
// run.
func (w *why) running() Reason {
	it := w.item
	holder := w.worker(it.WorkerID)
	r := Reason{Kind: WhyRunning, Since: it.StartedAt, At: it.LeaseExpiresAt}
	who := "a worker that no longer exists"
	switch {
	case holder != nil:
		r.Worker, who = holder.Name, fmt.Sprintf("worker %q", holder.Name)
	case it.WorkerID == nil && it.Robot != nil:
		r.Worker, who = *it.Robot, fmt.Sprintf("robot %q", *it.Robot)
	}
	since := atTextFrom(", started at ", it.StartedAt)
	switch {
	case it.LeaseExpiresAt == nil || it.LeaseExpiresAt.Before(w.now):
		r.Kind, r.Text = WhyLeaseOver, fmt.Sprintf("it was running on %s%s, but its lease expired%s", who, since, atTextFrom(" at ", it.LeaseExpiresAt))
		r.At = nil
		w.next(&r, "the next pass takes it back")
	case holder != nil && w.dead(holder) != "":
		r.Kind, r.Text = WhySilent, fmt.Sprintf("it is running on %s%s, but that worker %s; its lease expires at %s (%s)",
			who, since, w.dead(holder), instantText(*it.LeaseExpiresAt), w.inText(*it.LeaseExpiresAt))
		r.Change = "the first pass after that takes it back, unless the worker sends a heartbeat before"
	default:
		r.Text = fmt.Sprintf("it is running on %s%s", who, since)
	}
	if w.holder != nil {
		r.Text += "; " + w.lockedText()
		r.Change = w.lockedChange()
	}
	return r
}

// dead describes why a worker's items probably do not run any more; "" if it is alive.
func (w *why) dead(holder *workqueue.Worker) string {
	switch {
	case holder.State == workqueue.WorkerStopped:
		return "has stopped"
	case w.item.StartedAt != nil && holder.StartedAt.After(*w.item.StartedAt):
		return "was restarted at " + instantText(holder.StartedAt)
	case holder.LeaseExpiresAt != nil && holder.LeaseExpiresAt.Before(w.now):
		return "has been considered dead since " + instantText(*holder.LeaseExpiresAt)
	}
	return w.silent(holder)
}

// held explains waiting and assigned items that must not start now.
func (w *why) held() (Reason, bool) {
	it := w.item
	switch {
	case w.queue.Paused:
		return Reason{Kind: WhyPaused, Queue: it.QueueName, Text: fmt.Sprintf("its queue %q is paused", it.QueueName),
			Change: "resume it: botwork queues resume " + it.QueueName}, true
	case w.queue.Consumer == workqueue.ConsumerRobots:
		return Reason{Kind: WhyRobots, Queue: it.QueueName, Text: fmt.Sprintf("the items of its queue %q are for robots, not for workers", it.QueueName),
			Change: "a robot has to check it out; or set consumer: workers for the queue"}, true
	case it.AvailableAt.After(w.now):
		return w.later(), true
	}
	return w.late()
}

// later explains items that are not due yet.
func (w *why) later() Reason {
	it := w.item
	r := Reason{Kind: WhyNotDue, At: &it.AvailableAt, Change: fmt.Sprintf("make it due now: botwork items run %d", it.ID)}
	when := fmt.Sprintf("%s (%s)", instantText(it.AvailableAt), w.inText(it.AvailableAt))
	if w.snooze != nil {
		r.Text = "it was snoozed until " + when
		if reason := orEmpty(w.snooze.Reason); reason != "" {
			r.Text += ": " + reason
		}
		return r
	}
	if it.RetryCount == 0 {
		r.Text = "it is not due until " + when
		return r
	}
	r.Kind, r.Attempt, r.Attempts, r.Error = WhyRetry, it.Attempt(), w.attempts(), orEmpty(it.Error)
	r.Text = fmt.Sprintf("retry %d of %d is due at %s", it.RetryCount, max(r.Attempts-1, it.RetryCount), when)
	if r.Error != "" {
		r.Text += ", after this error: " + r.Error
	}
	return r
}

// lastSnooze returns the last attempt of a waiting item if it ended with a snooze, else nil.
func lastSnooze(ctx context.Context, store WhyStore, it *workqueue.Item) (*workqueue.Attempt, error) {
	if it.State != workqueue.Ready || it.StartedAt == nil {
		return nil, nil
	}
	attempts, err := store.Attempts(ctx, it.ID)
	if err != nil || len(attempts) == 0 {
		return nil, err
	}
	if last := &attempts[len(attempts)-1]; last.Outcome == workqueue.OutcomeSnoozed && last.Fence == it.Fence {
		return last, nil
	}
	return nil, nil
}

// attempts returns the maximum number of attempts.
func (w *why) attempts() int {
	own, _ := workqueue.ParseResilience(w.item.ResilienceConfig) // a run ignores an invalid one, too
	var pipeline workqueue.Resilience
	if w.p.Resilience != nil {
		pipeline = w.p.Resilience(w.item.IntegrationConfig)
	}
	queue, _ := workqueue.ParseResilience(w.queue.Resilience)
	return cmp.Or(own.Limit, pipeline.Limit, queue.Limit, workqueue.DefaultResilience().Limit)
}

// next adds what the next pass does, and when.
func (w *why) next(r *Reason, what string) {
	r.Change = what
	if w.passed && !w.pass.At.IsZero() {
		r.Pipeline, r.At = w.pass.Pipeline, new(w.pass.At)
		r.Change += fmt.Sprintf(": %s at %s (%s)", r.Pipeline, instantText(w.pass.At), w.inText(w.pass.At))
	}
}

func atText(t *time.Time) string { return atTextFrom(" at ", t) }

func atTextFrom(before string, t *time.Time) string {
	if t == nil {
		return ""
	}
	return before + instantText(*t)
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
