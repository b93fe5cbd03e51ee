package pipelines

import (
	"fmt"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/rs/zerolog"
)

// call makes what the handler of a step learns.
func (r *run) call(s *Step) *handlers.Call {
	c := &handlers.Call{
		Pipeline: r.p.Name, Step: s.Name, Attempt: 1, Payload: r.payload, Input: r.message, Log: r.log(s),
	}
	if it := r.in.Run; it != nil {
		if r.told == nil {
			r.told = &listeners{
				progress: func(text string) { it.Tell(r.engine.redactor.Redact(text)) },
				percent:  it.TellPercent, output: r.show(it.Show), analytics: r.show(it.Analyse),
			}
		}
		c.OnProgress, c.OnPercent, c.OnOutput, c.OnAnalytics = r.told.progress, r.told.percent, r.told.output, r.told.analytics
		c.ItemID, c.Queue, c.Attempt, c.Fence = it.ID, it.QueueName, it.Attempt(), it.Fence
		c.IdempotencyKey = it.IdempotencyKey
	}
	return c
}

// listeners take what the steps of an item's run tell, the same for all of them.
type listeners struct {
	progress          func(string)
	percent           func(int)
	output, analytics func(any) error
}

// show makes what takes a value that a step tells while the run goes on: it is
// recorded as JSON, without secrets.
func (r *run) show(record func(workqueue.JSONText)) func(value any) error {
	return func(value any) error {
		text, err := jsonText(r.engine.redactor.value(value))
		if err != nil {
			return fmt.Errorf("it cannot be written as JSON: %w", err)
		}
		record(workqueue.JSONText(text))
		return nil
	}
}

// log is the logger of a step. It is made whole for each: its fields take 500 bytes,
// for those of the run and once more for those of the step.
func (r *run) log(s *Step) zerolog.Logger {
	log := r.engine.log
	if r.in.Run != nil && r.engine.logTo != nil {
		log = log.Output(&r.tee)
	}
	bound := log.With().Str("pipeline", r.p.Name)
	if r.in.Run != nil {
		bound = bound.Int64("item_id", r.in.Run.ID)
	}
	return bound.Str("step", s.Name).Logger()
}
