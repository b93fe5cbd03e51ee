package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"botwork/client"
	"botwork/workqueue"
)

// LineFault is an item that the server refuses. Index is its place among the items, from 0 on.
type LineFault struct {
	Index   int
	Problem *client.Problem
}

// RefusedError is returned when the server has refused some items of a part. The others are in the
// queue.
type RefusedError struct {
	Faults []LineFault
	Of     int
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the server has refused %d of %d items, and enqueued the others: %v", len(e.Faults), e.Of, &Error{e.Faults[0].Problem})
}

// NoCheck makes EnqueueBatch and CheckItems leave out the comparison with the pipelines of the
// server's project.
func (s *Server) NoCheck() { s.noCheck = true }

// EnqueueBatch enqueues a part of a batch.
func (s *Server) EnqueueBatch(ctx context.Context, part workqueue.BatchPart, items []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	if slices.ContainsFunc(items, func(it workqueue.NewItem) bool { return it.Conflict == workqueue.ConflictFail }) {
		return s.enqueueOne(ctx, part, items)
	}
	results, err := s.enqueue(ctx, items, client.EnqueueOptions{Key: part.Key, Part: part.Part, NoCheck: s.noCheck})
	if err != nil {
		return nil, s.unanswered(part, err)
	}
	if faults := faultsOf(results); len(faults) > 0 {
		return nil, &RefusedError{Faults: faults, Of: len(items)}
	}
	made := make([]workqueue.Enqueued, len(results))
	for i, r := range results {
		made[i] = workqueue.Enqueued{ID: r.ID, Existing: r.Existing}
	}
	return made, nil
}

// enqueueOne enqueues an item whose key must not be in use.
func (s *Server) enqueueOne(ctx context.Context, part workqueue.BatchPart, items []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	if len(items) > 1 {
		return nil, errors.New("several items with conflict: fail are enqueued all or none, which needs the database; hint: enqueue them one by one, or leave --server out")
	}
	made, err := s.api.EnqueueItem(ctx, newItem(&items[0]), client.EnqueueOptions{Key: keyOf(part, part.Part), NoCheck: s.noCheck})
	if err != nil {
		return nil, s.unanswered(part, err)
	}
	return []workqueue.Enqueued{{ID: made.ID, Existing: made.Existing}}, nil
}

// CheckItems returns the items that the server would refuse. It enqueues nothing.
func (s *Server) CheckItems(ctx context.Context, items []workqueue.NewItem) ([]LineFault, error) {
	results, err := s.enqueue(ctx, items, client.EnqueueOptions{DryRun: true, NoCheck: s.noCheck})
	return faultsOf(results), s.failed(err)
}

func (s *Server) enqueue(ctx context.Context, items []workqueue.NewItem, o client.EnqueueOptions) ([]client.LineResult, error) {
	lines := make([]client.NewWorkItem, len(items))
	for i := range items {
		lines[i] = newItem(&items[i])
	}
	return s.api.EnqueueItems(ctx, lines, o)
}

func faultsOf(results []client.LineResult) (faults []LineFault) {
	for i, r := range results {
		if r.Problem != nil {
			faults = append(faults, LineFault{i, r.Problem})
		}
	}
	return faults
}

// newItem writes a new item for the API.
func newItem(it *workqueue.NewItem) client.NewWorkItem {
	w := client.NewWorkItem{
		Queue: it.QueueName, EstimatedDuration: client.Span(it.Estimate), Attempts: it.Attempts, Timeout: client.Span(it.Timeout), Backoff: client.Span(it.Backoff),
		Resilience: json.RawMessage(it.ResilienceConfig), Conflict: string(it.Conflict), Retain: (*client.Span)(it.Retain),
		NewItem: client.NewItem{
			Key: it.NaturalKey, Pipeline: it.IntegrationConfig, Priority: &it.Priority, Tags: it.Tags, Metadata: it.Metadata, LimitKey: it.LimitKey,
			At: orNil(it.At), Deadline: orNil(it.Deadline), FinishBy: orNil(it.FinishBy),
			In: client.Span(it.In), DeadlineIn: client.Span(it.DeadlineIn), FinishIn: client.Span(it.FinishIn),
		},
	}
	if it.Payload != "" {
		w.Payload = json.RawMessage(it.Payload)
	}
	switch {
	case it.UniqueFor == workqueue.UniqueWhileUnfinished:
		w.Unique = "done"
	case it.UniqueFor != 0:
		w.Unique = it.UniqueFor.String()
	}
	if len(it.Labels) > 0 {
		w.Labels, _ = json.Marshal(it.Labels) // they are texts, numbers and booleans
	}
	if len(it.Selectors) > 0 {
		w.Selectors, _ = json.Marshal(it.Selectors) // likewise
	}
	return w
}

func orNil(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}
