package pipelines

import (
	"fmt"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/rs/zerolog"
)

// call builds what the handler of a step receives.
func (f *frame) call(s *Step) *handlers.Call {
	place := f.place(s)
	c := &handlers.Call{
		Pipeline: f.run.p.Name, Step: place, Attempt: 1, Payload: f.payload, Input: f.message, Log: f.logOf(place),
	}
	if it := f.in.Run; it != nil {
		to := f.listen()
		c.OnProgress, c.OnPercent, c.OnOutput, c.OnAnalytics, c.OnPrint = to.progress, to.percent, to.output, to.analytics, to.print
		c.ItemID, c.Queue, c.Attempt, c.Fence = f.lead.ID, f.lead.QueueName, f.lead.Attempt(), f.lead.Fence
		c.IdempotencyKey = f.lead.IdempotencyKey
		f.callBatch(c)
	} else {
		c.OnCount = f.count
	}
	return c
}

// listen returns what receives the reports of the steps.
func (f *frame) listen() *listeners {
	r := f.run
	if f.branch {
		r.mu.Lock()
		defer r.mu.Unlock()
	}
	if r.listeners.progress == nil {
		it := r.in.Run
		r.listeners = listeners{
			progress: func(text string) { it.ReportProgress(r.engine.redactor.Redact(text)) },
			print: func(text func() string) func() {
				return it.Print(func() string { return r.engine.redactor.Redact(text()) })
			},
			percent: it.ReportPercent, output: r.recorder(it.Show), analytics: r.recorder(it.Analyse),
		}
	}
	return &r.listeners
}

// count adds to the counts of the run.
func (f *frame) count(name string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counted = true
	f.result.Counts.Add(name, n)
}

// listeners receive what the steps of an item's run report. All steps share them.
type listeners struct {
	progress          func(string)
	percent           func(int)
	output, analytics func(any) error
	print             func(func() string) func()
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
func (f *frame) log(s *Step) zerolog.Logger { return f.logOf(f.place(s)) }

// logOf is log for a place that is known.
func (r *run) logOf(place string) zerolog.Logger {
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
	return bound.Str("step", place).Logger()
}
