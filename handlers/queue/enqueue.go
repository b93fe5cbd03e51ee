package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
)

func enqueueKind(s Services) handlers.Kind {
	return handlers.Kind{
		Name: "Enqueue", Summary: "Put one or many items into the work queue",
		Doc: `Inserts work items, all or none. Without items it inserts one, with the payload of the step. With items it inserts one for each
element of the list, whose payload is the element. An item made here waits as Ready (state 0) when the run belongs to a schedule,
as Pending (state 4) when it belongs to an item.

The pipeline must be known and without a trigger; an unknown pipeline or queue fails for good. It is not safe to run twice: a
retry after a lost answer of the database inserts the items again, so let the item's pipeline bear a repetition.`,
		Output: "{ids, count, existing}: the items' ids, and how many of them are new and how many were there already.",
		Example: `- handler: Enqueue
  with:
    pipeline: invoice
    priority: 1200
    items: '${{ payload.files }}'
`,
		New: func() handlers.Handler {
			return &enqueueStep{services: s, Priority: workqueue.RequestPriority, Queue: workqueue.DefaultQueue}
		},
	}
}

type enqueueStep struct {
	services Services

	Pipeline          string            `json:"pipeline" required:"true" doc:"the pipeline that the items run: a name, or a whole pipeline as YAML or JSON"`
	Payload           any               `json:"payload" doc:"the payload of a single item"`
	Items             *[]any            `json:"items" nonNull:"true" doc:"the payloads of many items, one for each element; in place of payload"`
	Priority          int               `json:"priority" doc:"larger runs first: above 1000 is high, 500 to 1000 medium, below 500 low"`
	Queue             string            `json:"queue" doc:"the queue's name"`
	EstimatedDuration handlers.Duration `json:"estimatedDuration" doc:"how long one item is expected to take; 0s: not known"`
	In                handlers.Duration `json:"in" doc:"how long the items wait before they are due"`
	At                string            `json:"at" doc:"when the items become due, as 2026-01-31T13:45:00Z (RFC 3339); in place of in"`
}

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
	if e.EstimatedDuration < 0 {
		wrong("estimatedDuration", "want 0s or more")
	}
	if e.At != "" && e.In != 0 {
		wrong("at", "want at or in, not both")
	}
	if _, err := e.at(); err != nil {
		wrong("at", err.Error())
	}
	if !workqueue.ItemPriorityRange(e.Priority) {
		wrong("priority", fmt.Sprintf("got %d, want a number of 32 bits", e.Priority))
	}
	return errors.Join(errs...)
}

func (e *enqueueStep) at() (time.Time, error) {
	if e.At == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, e.At)
	if err != nil {
		return at, fmt.Errorf("got %q, want a time such as 2026-01-31T13:45:00Z", e.At)
	}
	return at, nil
}

// Handle implements handlers.Handler.
func (e *enqueueStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	if e.services.Store == nil {
		return nil, handlers.Permanent(errors.New("nothing can be enqueued here"))
	}
	if check := e.services.CheckPipeline; check != nil {
		if err := check(e.Pipeline); err != nil {
			return nil, handlers.Permanent(err)
		}
	}
	payloads := []any{e.Payload}
	if e.Items != nil {
		payloads = *e.Items
	}
	items := make([]workqueue.NewItem, len(payloads))
	for i, payload := range payloads {
		item, err := e.item(call, payload)
		if err != nil {
			return nil, handlers.Permanent(fmt.Errorf("item %d: %w", i+1, err))
		}
		items[i] = item
	}
	enqueued, err := e.services.Store().Enqueue(ctx, items)
	if err != nil {
		return nil, refusedForGood(err)
	}
	list, existing := make([]any, len(enqueued)), 0
	for i, made := range enqueued {
		list[i] = int(made.ID)
		if made.Existing {
			existing++
		}
	}
	call.Log.Info().Int("items", len(enqueued)-existing).Int("existing", existing).Str("item_pipeline", e.Pipeline).Msg("enqueued")
	return map[string]any{"ids": list, "count": len(enqueued) - existing, "existing": existing}, nil
}

// refusedForGood marks what no later attempt mends: a queue that does not
// exist, an item that its queue refuses.
func refusedForGood(err error) error {
	_, unknown := errors.AsType[*workqueue.UnknownQueueError](err)
	_, bad := errors.AsType[*workqueue.BadItemError](err)
	if unknown || bad {
		return handlers.Permanent(err)
	}
	return err
}

func (e *enqueueStep) item(call *handlers.Call, payload any) (workqueue.NewItem, error) {
	at, err := e.at()
	if err != nil {
		return workqueue.NewItem{}, err
	}
	item := workqueue.NewItem{
		QueueName: e.Queue, State: workqueue.Ready, Priority: e.Priority, IntegrationConfig: e.Pipeline,
		Estimate: time.Duration(e.EstimatedDuration), In: time.Duration(e.In), At: at, CreatedBy: "pipeline " + call.Pipeline,
	}
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
