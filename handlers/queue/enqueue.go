package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"botwork/handlers"
	"botwork/internal/tracing"
	"botwork/pipelines"
	"botwork/workqueue"
)

func enqueueKind(s Services) handlers.Kind {
	return handlers.Kind{
		Name: "Enqueue", Summary: "Enqueue one or many items",
		Doc: `Enqueues items, all or none. Without items it enqueues one, with the payload of the step. With items it enqueues one for each
element of the list, whose payload is the element. The item has state 0 (Ready) if the run belongs to a schedule, state 4 (Pending)
if it belongs to an item.

The pipeline must be known and without a trigger, and each payload must match its input. An expression may give its name only: a
whole pipeline must be in the file as it is, because it can do whatever the worker can. An unknown pipeline or queue, a payload that
does not match, a deadline that has passed, and an item that its queue refuses, fail for good; no item is enqueued then.
Items of a pipeline whose file has errors are enqueued, with a warning in the log; they wait until the file is fixed. An item that
exists already, by its natural key in a queue with unique keys, or by unique, is not created again; its id is among the ids. With
conflict: fail, the step fails for good instead, and names the existing items.

The step is safe to run twice with such a key, with unique for a time that is longer than the pipeline may take, and with
unique: true while the items have not finished, if conflict is existing. Otherwise a repeated step, even after a lost answer of
the database, enqueues the items again, so make their pipeline safe to repeat.`,
		Output: "{ids, count, existing}: the items' ids, how many of them are new, and how many existed already.",
		OutputShape: handlers.Always(handlers.ObjectShape(map[string]handlers.Shape{
			"ids": handlers.ListShape(handlers.WholeShape), "count": handlers.WholeShape, "existing": handlers.WholeShape,
		})),
		Example: `- handler: Enqueue
  with:
    pipeline: invoice
    priority: 1200
    items: '${{ payload.files }}'
    unique: true
`,
		New: func() handlers.Handler {
			return &enqueueStep{
				services: s, Priority: workqueue.RequestPriority, Queue: workqueue.DefaultQueue, optionParams: optionParams{Conflict: "existing"},
			}
		},
	}
}

type enqueueStep struct {
	services Services

	Pipeline          pipelineText       `json:"pipeline" required:"true" doc:"the pipeline that the items run: a name, or an inline pipeline as YAML or JSON, which no expression may make; an empty text for robots"`
	Payload           any                `json:"payload" doc:"the payload of a single item"`
	Items             *[]any             `json:"items" nonNull:"true" doc:"the payloads of many items, one for each element; instead of payload"`
	Priority          int                `json:"priority" doc:"larger runs first: above 1000 is high, 500 to 1000 medium, below 500 low"`
	Queue             string             `json:"queue" doc:"the queue's name"`
	EstimatedDuration *handlers.Duration `json:"estimatedDuration" doc:"how long one item is expected to take, more than 0s; leave it out if it is not known"`
	In                handlers.Duration  `json:"in" doc:"how long the items wait before they are due"`
	At                time.Time          `json:"at" doc:"when the items become due, as 2026-01-31T13:45:00Z (RFC 3339); instead of in"`

	optionParams
}

// pipelineText is a pipeline's name, or a whole pipeline.
type pipelineText string

// CheckExpression implements handlers.ExpressionChecker: a whole pipeline can do whatever the
// worker can, so it never comes from a payload.
func (pipelineText) CheckExpression(text string) (message, hint string) {
	if !workqueue.InlinePipeline(text) {
		return "", ""
	}
	return "got a whole pipeline made by an expression, want the name of a pipeline",
		"write the whole pipeline in the file, with $${{ for its expressions"
}

var _ handlers.ExpressionChecker = pipelineText("")

// Validate implements handlers.Validator.
func (e *enqueueStep) Validate() error {
	var errs []error
	wrong := func(name, message string) { errs = append(errs, handlers.WrongParam(name, message)) }
	if e.Payload != nil && e.Items != nil {
		wrong("items", "want payload or items, not both")
	}
	if e.In < 0 {
		wrong("in", "want 0s or more")
	}
	if e.EstimatedDuration != nil {
		if err := workqueue.CheckEstimate(time.Duration(*e.EstimatedDuration)); err != nil {
			wrong("estimatedDuration", err.Error())
		}
	}
	if !e.At.IsZero() && e.In != 0 {
		wrong("at", "want at or in, not both")
	}
	if !workqueue.ItemPriorityRange(e.Priority) {
		wrong("priority", fmt.Sprintf("got %d, want a number of 32 bits", e.Priority))
	}
	n := 1
	if e.Items != nil {
		n = len(*e.Items)
	}
	e.check(workqueue.NewItem{At: e.At, In: time.Duration(e.In)}, n, wrong)
	return errors.Join(errs...)
}

// Handle implements handlers.Handler.
func (e *enqueueStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	if e.services.Store == nil {
		return nil, handlers.Permanent(errors.New("nothing can be enqueued here"))
	}
	if check := e.services.CheckPipeline; check != nil && e.Pipeline != "" {
		err := check(string(e.Pipeline))
		if broken, ok := errors.AsType[*pipelines.BrokenPipelineError](err); ok {
			call.Log.Warn().Str("item_pipeline", broken.Name).Stringer("finding", broken.Findings[0]).
				Msg("enqueued items wait: the file of their pipeline has errors")
		} else if err != nil {
			return nil, handlers.Permanent(err)
		}
	}
	payloads := []any{e.Payload}
	if e.Items != nil {
		payloads = *e.Items
	}
	items := make([]workqueue.NewItem, len(payloads))
	for i, payload := range payloads {
		item, err := e.item(call, payload, i)
		item.Metadata = tracing.Carry(ctx, item.Metadata)
		if err != nil {
			return nil, handlers.Permanent(fmt.Errorf("item %d: %w", i+1, err))
		}
		items[i] = item
	}
	if err := e.checkPayloads(items); err != nil {
		return nil, handlers.Permanent(err)
	}
	enqueued, err := e.services.Store().Enqueue(ctx, items)
	if err != nil {
		return nil, markPermanent(err)
	}
	list, existing := make([]any, len(enqueued)), 0
	for i, made := range enqueued {
		list[i] = int(made.ID)
		if made.Existing {
			existing++
		}
	}
	log := call.Log.With().Str("item_pipeline", string(e.Pipeline)).Logger()
	reportCounts(call, log, "enqueued items", counter{"enqueued", len(enqueued) - existing}, counter{"existing", existing})
	return map[string]any{"ids": list, "count": len(enqueued) - existing, "existing": existing}, nil
}

// payloadsShown limits the payloads that an error describes.
const payloadsShown = 20

// checkPayloads returns the payloads that do not match the input of the items' pipeline.
func (e *enqueueStep) checkPayloads(items []workqueue.NewItem) error {
	if e.services.CheckPayload == nil || e.Pipeline == "" {
		return nil
	}
	var wrong []error
	for i := range items {
		err := e.services.CheckPayload(string(e.Pipeline), items[i].Payload)
		if err == nil {
			continue
		}
		if len(wrong) == payloadsShown {
			wrong = append(wrong, errors.New("and more"))
			break
		}
		if len(items) > 1 {
			err = fmt.Errorf("item %d of %d: %w", i+1, len(items), err)
		}
		wrong = append(wrong, err)
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("pipeline %.40q; no item was enqueued: %w", e.Pipeline, errors.Join(wrong...))
}

// markPermanent marks errors that no later attempt can fix: a queue that does not exist, an
// item that its queue rejects, a key that is in use.
func markPermanent(err error) error {
	_, unknown := errors.AsType[*workqueue.UnknownQueueError](err)
	_, bad := errors.AsType[*workqueue.BadItemError](err)
	_, conflict := errors.AsType[*workqueue.ConflictError](err)
	if unknown || bad || conflict {
		return handlers.Permanent(err)
	}
	return err
}

// item returns the item of the payload with the index i.
func (e *enqueueStep) item(call *handlers.Call, payload any, i int) (workqueue.NewItem, error) {
	item := workqueue.NewItem{
		QueueName: e.Queue, State: workqueue.Ready, Priority: e.Priority, IntegrationConfig: string(e.Pipeline),
		In: time.Duration(e.In), At: e.At, CreatedBy: "pipeline " + call.Pipeline,
	}
	if e.EstimatedDuration != nil {
		item.Estimate = time.Duration(*e.EstimatedDuration)
	}
	e.set(&item)
	item.NaturalKey, item.LimitKey = keyOf(e.NaturalKey, i), keyOf(e.LimitKey, i)
	if call.ItemID != 0 {
		item.State = workqueue.Pending
	}
	if payload != nil {
		text, err := json.Marshal(payload)
		if err != nil {
			return item, fmt.Errorf("the payload cannot be written as JSON: %w", err)
		}
		item.Payload = workqueue.JSONText(text)
	}
	return item, nil
}
