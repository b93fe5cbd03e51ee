package runner

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// escalateEvery is how often each worker tries to apply the rules of escalation, and escalateFor how
// long that takes at most: what it leaves, the next one does.
const escalateEvery, escalateFor = time.Minute, 50 * time.Second

// escalate applies the rules of escalation until ctx ends or the worker drains. The database lets one
// worker of the cluster apply each rule in each minute. It runs in its own goroutine, so that no
// assignment or claim waits for it.
func (r *Runner) escalate(ctx context.Context) {
	ctx = workqueue.WithActor(ctx, workqueue.Actor{Name: r.o.Spec.Name, Via: workqueue.ViaWorker, Host: r.o.Spec.Host})
	wait := time.Duration(random() * float64(escalateEvery))
	for r.pause(ctx, wait) {
		var pipelines []workqueue.Escalation
		if r.o.Escalations != nil {
			pipelines = r.o.Escalations()
		}
		bounded, cancel := context.WithTimeout(ctx, escalateFor)
		if err := assign.Escalate(bounded, r.o.Store, pipelines, r.reportEscalated); err != nil && ctx.Err() == nil {
			r.o.Log.Warn().Err(err).Msg("could not apply rules of escalation; retrying in 1 minute")
		}
		cancel()
		wait = escalateEvery
	}
}

func (r *Runner) reportEscalated(e assign.Escalated) {
	for _, refused := range e.Refused {
		r.o.Log.Warn().Err(refused).Int64("item_id", refused.ItemID).Str("rule", e.Rule.Name).Str(string(e.Scope), e.Owner).
			Msg("could not escalate the item")
	}
	if !e.Announced && e.Changed == 0 {
		return
	}
	level, message := zerolog.InfoLevel, "escalated items"
	if e.Rule.Notify {
		level, message = zerolog.WarnLevel, "items wait too long"
		if e.Announced {
			message = "the condition of a rule is true"
		}
	}
	r.o.Log.WithLevel(level).Str("rule", e.Rule.Name).Str(string(e.Scope), e.Owner).Str("trigger", e.Rule.Trigger()).Str("action", e.Rule.Does()).
		Int("items", e.Changed).Msg(message)
}
