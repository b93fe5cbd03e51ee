package runner

import (
	"context"
	"encoding/json"
	"strings"

	"botwork/internal/tracing"
	"botwork/workqueue"
)

// traceItem starts the span of one attempt. It continues the trace of the program that enqueued the
// item, if the item's metadata has its traceparent; all attempts are in that trace then.
func traceItem(ctx context.Context, it *workqueue.Item, worker string) (context.Context, *tracing.Span) {
	ctx, span := tracing.Continue(ctx, "item", func() map[string]string { return traceParent(it.Metadata) })
	if span != nil {
		span.Int("botwork.item.id", it.ID)
		span.Int("botwork.item.attempt", int64(it.Attempt()))
		span.Int("botwork.item.priority", int64(it.Priority))
		span.Text("botwork.queue", it.QueueName)
		span.Text("botwork.worker", worker)
		if !workqueue.InlinePipeline(it.IntegrationConfig) {
			span.Text("botwork.pipeline", it.IntegrationConfig)
		}
	}
	return ctx, span
}

// traceParent returns the fields of an item's metadata that name the span it continues.
func traceParent(metadata workqueue.JSONText) map[string]string {
	if !strings.Contains(string(metadata), tracing.ParentKey) {
		return nil
	}
	var pairs struct {
		Parent string `json:"traceparent"`
		State  string `json:"tracestate"`
	}
	if json.Unmarshal([]byte(metadata), &pairs) != nil { // written by hand
		return nil
	}
	return map[string]string{tracing.ParentKey: pairs.Parent, tracing.StateKey: pairs.State}
}

// verdictNames are the outcomes as traces have them.
var verdictNames = map[workqueue.Verdict]string{
	workqueue.Succeeded: "succeeded", workqueue.Failed: "failed", workqueue.Snoozed: "snoozed",
	workqueue.Released: "released", workqueue.Dropped: "dropped",
}

// endItem ends the span of an attempt with its outcome. The text of its error may have secrets.
func endItem(span *tracing.Span, o *workqueue.Outcome) {
	if span == nil {
		return
	}
	span.Text("botwork.outcome", verdictNames[o.Verdict])
	span.Text("botwork.error.step", o.Step)
	if o.Verdict == workqueue.Failed {
		span.Fail(string(o.Kind))
	}
	span.End()
}
