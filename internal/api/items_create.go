package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"botwork/internal/api/auth"
	"botwork/internal/author/strictyaml"
	"botwork/internal/newitems"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func (a *API) registerItemCreation() {
	register(a, operation{
		id: "items-create", method: http.MethodPost, path: "/items", summary: "Enqueue an item", needs: access.Operator, bound: true, status: http.StatusCreated, also: http.StatusOK,
		once: true, refuses: []int{http.StatusConflict},
		doc: "The keys are those of a line of `botwork enqueue -`. If an item with the same unique key exists, nothing is created and the answer names it, with the status 200; " +
			"with conflict: fail, that is the problem duplicate-key. An item that has a whole pipeline in place of a name needs the setting `http.inline` and an editor who is not bound to queues.",
	}, a.createItem)
}

// NewItemBody is an item to be enqueued. Its JSON is read by package newitems; the types are for the
// document.
type NewItemBody struct {
	Pipeline          json.RawMessage   `json:"pipeline,omitempty" doc:"the pipeline's name, or a whole pipeline as a text or an object; an item of a queue for robots needs none"`
	Payload           json.RawMessage   `json:"payload,omitempty" doc:"any JSON value; it is stored as it is"`
	Priority          *int              `json:"priority,omitempty" doc:"larger runs first; the default is 1000"`
	Queue             *string           `json:"queue,omitempty" doc:"the default is the queue default, or the only queue that the caller is bound to"`
	EstimatedDuration *string           `json:"estimatedDuration,omitempty" doc:"how long a run is expected to take, such as 90s"`
	At                *string           `json:"at,omitempty" doc:"not before this time"`
	In                *string           `json:"in,omitempty" doc:"not before this duration has passed"`
	Deadline          *string           `json:"deadline,omitempty" doc:"cancel the item if it has not started by this time"`
	DeadlineIn        *string           `json:"deadlineIn,omitempty" doc:"the same, after this duration"`
	FinishBy          *string           `json:"finishBy,omitempty" doc:"end the item at this time"`
	FinishIn          *string           `json:"finishIn,omitempty" doc:"the same, after this duration"`
	Attempts          *int              `json:"attempts,omitempty" doc:"at most this many attempts; 1: no retry"`
	Timeout           *string           `json:"timeout,omitempty" doc:"the longest time of one run"`
	Backoff           *string           `json:"backoff,omitempty" doc:"the wait before the second attempt"`
	Resilience        json.RawMessage   `json:"resilience,omitempty" doc:"the whole policy, instead of attempts, timeout and backoff"`
	Key               *string           `json:"key,omitempty" doc:"the natural key: the item's identifier in its source system"`
	Unique            json.RawMessage   `json:"unique,omitempty" doc:"true or \"done\": only if no item with the same queue, pipeline and payload waits or runs; a duration: none was created within it"`
	Conflict          *string           `json:"conflict,omitempty" doc:"fail: it is a problem if an item with the key exists"`
	Tags              []string          `json:"tags,omitempty"`
	Metadata          map[string]string `json:"metadata,omitempty"`
	Labels            json.RawMessage   `json:"labels,omitempty" doc:"an object"`
	Selectors         json.RawMessage   `json:"selectors,omitempty" doc:"a list of conditions such as ram >= 32"`
	LimitKey          *string           `json:"limitKey,omitempty" doc:"the key for the queue's limits per key"`
	Retain            *string           `json:"retain,omitempty" doc:"how long to keep the item after it has succeeded; 0s deletes it at once"`

	text []byte
}

// UnmarshalJSON implements json.Unmarshaler: it keeps the text.
func (b *NewItemBody) UnmarshalJSON(text []byte) error {
	b.text = bytes.Clone(text)
	return nil
}

// NewItemRequest is a request to enqueue an item.
type NewItemRequest struct {
	NoCheck bool `query:"noCheck" doc:"do not compare the item with the pipelines of the project"`
	Body    NewItemBody
}

type createdItem struct {
	Status   int
	Location string `header:"Location"`
	Body     struct {
		ID       int64 `json:"id"`
		Existing bool  `json:"existing" doc:"true if the item existed before: it has the same unique key, and nothing was created"`
	}
}

// itemReader reads and checks the new items of a request.
type itemReader struct {
	defaults  workqueue.NewItem
	mayInline func(ctx context.Context, integrationConfig string) *Problem
	pipelines *newitems.Checker
	queues    *newitems.QueueChecker
}

func (a *API) newItemReader(ctx context.Context, noCheck bool) (*itemReader, error) {
	p := auth.From(ctx)
	r := &itemReader{mayInline: a.mayInline, defaults: workqueue.NewItem{State: workqueue.Pending, Priority: workqueue.RequestPriority, CreatedBy: p.Name}}
	if len(p.Queues) == 1 {
		r.defaults.QueueName = p.Queues[0]
	}
	var err error
	if r.pipelines, err = a.itemChecker(noCheck); err != nil {
		return nil, err
	}
	r.queues, err = newitems.NewQueueChecker(ctx, queuesOf{a.store, p})
	return r, err
}

// queuesOf lists only the queues that a caller may use, so that hints name no others.
type queuesOf struct {
	Store
	caller *access.Principal
}

func (q queuesOf) Queues(ctx context.Context) ([]workqueue.Queue, error) {
	all, err := q.Store.Queues(ctx)
	var some []workqueue.Queue
	for _, queue := range all {
		if q.caller.MayQueue(queue.Name) {
			some = append(some, queue)
		}
	}
	return some, err
}

// read returns an item, or the problem why it cannot be enqueued. prefix begins the locations of
// faults: "body." or "line 3, ".
func (r *itemReader) read(ctx context.Context, text []byte, prefix string) (workqueue.NewItem, *Problem) {
	at := newitems.Place{File: strings.TrimRight(prefix, "., "), Line: 1, Flags: map[string]string{}}
	for _, key := range newitems.Keys() {
		at.Flags[key] = prefix + key
	}
	it, findings := newitems.ParseLine(text, r.defaults, time.UTC, &at)
	if len(findings) > 0 {
		return it, refusedItem(findings)
	}
	if refused := mayReach(ctx, &it, prefix+"queue"); refused != nil {
		if it.QueueName == "" {
			p := auth.From(ctx)
			refused = problem(http.StatusUnprocessableEntity, "queue-needed", "the caller is bound to %d queues, so the item must name one", len(p.Queues))
			refused.Errors = []Fault{{Location: prefix + "queue", Message: fmt.Sprintf("got none, want one of %v", p.Queues)}}
		}
		return it, refused
	}
	if refused := r.mayInline(ctx, it.IntegrationConfig); refused != nil {
		refused.Errors = []Fault{{Location: prefix + "pipeline", Message: "want the name of a pipeline"}}
		return it, refused
	}
	if findings = r.pipelines.Check(&it, at); len(findings) > 0 {
		return it, refusedItem(findings)
	}
	if findings = r.queues.Check(it, at); len(findings) > 0 {
		return it, refusedItem(findings)
	}
	return it, nil
}

// refusedItem returns the problem of an item that cannot be enqueued.
func refusedItem(findings strictyaml.Findings) *Problem {
	p := problem(http.StatusUnprocessableEntity, "invalid-item", "the item cannot be enqueued")
	for _, f := range findings {
		p.Errors = append(p.Errors, Fault{Location: f.File, Message: f.Message, Code: f.Code, Hint: f.Hint})
	}
	return p
}

func (a *API) createItem(ctx context.Context, in *NewItemRequest) (*createdItem, error) {
	reader, err := a.newItemReader(ctx, in.NoCheck)
	if err != nil {
		return nil, err
	}
	it, refused := reader.read(ctx, in.Body.text, "body.")
	if refused != nil {
		return nil, refused
	}
	made, err := a.enqueue(ctx, workqueue.BatchPart{Key: batchKeyOf(ctx), Part: 1}, []workqueue.NewItem{it})
	if err != nil {
		return nil, err
	}
	out := &createdItem{Status: http.StatusCreated, Location: fmt.Sprintf("%s/items/%d", Prefix, made[0].ID)}
	if out.Body.ID, out.Body.Existing = made[0].ID, made[0].Existing; made[0].Existing {
		out.Status = http.StatusOK
	}
	return out, nil
}

func (a *API) enqueue(ctx context.Context, part workqueue.BatchPart, items []workqueue.NewItem) (made []workqueue.Enqueued, err error) {
	err = runPart(ctx, func(ctx context.Context) error {
		made, err = a.store.EnqueueBatch(ctx, part, items)
		return err
	})
	return made, err
}

// The bounds of the repetition of a part of a batch whose answer was lost.
const (
	partTimeout = 15 * time.Second
	partPause   = 200 * time.Millisecond
)

// runPart runs a part of a batch, and repeats it for a bounded time while its outcome is unknown. A
// repeated part has no further effect.
func runPart(ctx context.Context, do func(context.Context) error) error {
	err := do(ctx)
	lost, unknown := errors.AsType[*workqueue.UnansweredError](err)
	if !unknown {
		return err
	}
	over := time.NewTimer(partTimeout)
	defer over.Stop()
	for {
		select {
		case <-ctx.Done():
			return lost
		case <-over.C:
			return lost
		case <-time.After(partPause):
		}
		again, cancel := context.WithTimeout(ctx, partTimeout)
		err = do(again)
		cancel()
		if err == nil {
			return nil
		}
	}
}
