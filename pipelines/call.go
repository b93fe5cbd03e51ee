package pipelines

import (
	"fmt"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/rs/zerolog"
)

// call builds what the handler of a step receives.
func (r *run) call(s *Step) *handlers.Call {
	c := &handlers.Call{
		Pipeline: r.p.Name, Step: s.Name, Attempt: 1, Payload: r.payload, Input: r.message, Log: r.log(s),
	}
	if it := r.in.Run; it != nil {
		if r.listeners == nil {
			r.listeners = &listeners{
				progress: func(text string) { it.ReportProgress(r.engine.redactor.Redact(text)) },
				percent:  it.ReportPercent, output: r.recorder(it.Show), analytics: r.recorder(it.Analyse),
			}
		}
		c.OnProgress, c.OnPercent, c.OnOutput, c.OnAnalytics = r.listeners.progress, r.listeners.percent, r.listeners.output, r.listeners.analytics
		c.ItemID, c.Queue, c.Attempt, c.Fence = r.lead.ID, r.lead.QueueName, r.lead.Attempt(), r.lead.Fence
		c.IdempotencyKey = r.lead.IdempotencyKey
		r.callBatch(c)
	} else {
		c.OnCount = r.count
	}
	return c
}

// count adds to the counts of the run.
func (r *run) count(name string, n int) {
	r.counted = true
	r.result.Counts.Add(name, n)
}

// listeners receive what the steps of an item's run report. All steps share them.
type listeners struct {
	progress          func(string)
	percent           func(int)
	output, analytics func(any) error
}

// recorder returns a function that records a value reported by a running step: as JSON,
// without secrets.
func (r *run) recorder(record func(workqueue.JSONText)) func(value any) error {
	return func(value any) error {
		text, err := jsonText(r.engine.redactor.Value(value))
		if err != nil {
			return fmt.Errorf("cannot be encoded as JSON: %w", err)
		}
		record(workqueue.JSONText(text))
		return nil
	}
}

// log returns the logger of a step. It builds all fields at once: a logger derived from one
// of the run would take 500 bytes twice.
func (r *run) log(s *Step) zerolog.Logger {
	log := r.engine.log
	if r.in.Run != nil && r.engine.logTo != nil {
		log = log.Output(&r.tee)
	}
	bound := log.With().Str("pipeline", r.p.Name)
	if r.in.Run != nil {
		bound = bound.Int64("item_id", r.in.Run.ID)
	}
	if r.traceID != "" {
		bound = bound.Str("trace_id", r.traceID)
	}
	return bound.Str("step", s.Name).Logger()
}
