package remote

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"botwork/internal/author/queuedefs"
	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// setTries limits how often a change is repeated because another caller changed the queue meanwhile.
const setTries = 10

// queueBody is the body of a request that creates or changes a queue.
type queueBody struct {
	Name     string                     `json:"name,omitempty"`
	Settings map[string]json.RawMessage `json:"settings"`
	Confirm  bool                       `json:"confirm,omitempty"`
	Reason   string                     `json:"reason,omitempty"`
}

// NewQueue creates a queue with settings as queuedefs.Change takes them. The error is
// workqueue.ErrQueueExists, or a *queuedefs.SettingsError.
func (s *Server) NewQueue(ctx context.Context, name string, settings []string) error {
	merged, err := queuedefs.Merge(workqueue.Queue{Name: name}, settings)
	if err != nil {
		return err
	}
	return s.failed(s.api.Post(ctx, "/queues", queueBody{name, merged, false, reason(ctx, "")}, nil))
}

// SetQueue changes settings of a queue. The error is workqueue.ErrNotFound, a
// *queuedefs.SettingsError, or has the code not-confirmed.
func (s *Server) SetQueue(ctx context.Context, name string, settings []string, confirmed bool) (changed bool, err error) {
	for range setTries {
		before, err := s.Queue(ctx, name)
		if err != nil {
			return false, err
		}
		merged, err := queuedefs.Merge(before, settings)
		if err != nil {
			return false, err
		}
		var after workqueue.Queue
		etag := strconv.Quote(strconv.FormatInt(before.Revision, 10))
		err = s.failed(s.api.PatchIf(ctx, escaped([]string{"queues", name}), etag, queueBody{"", merged, confirmed, reason(ctx, "")}, &after))
		if !errors.Is(err, workqueue.ErrQueueChanged) {
			return after.Revision != before.Revision, err
		}
	}
	return false, workqueue.ErrQueueChanged
}

// DeleteQueue deletes a queue without items.
func (s *Server) DeleteQueue(ctx context.Context, name string) error {
	return s.failed(s.api.Delete(ctx, escaped([]string{"queues", name}), because(ctx), nil))
}

// PlanEscalations returns what rules of queues would do now, in their order. The figures may be thirty
// seconds old. A rule that another process has just changed has none.
func (s *Server) PlanEscalations(ctx context.Context, rules []workqueue.Escalation) ([]assign.EscalationPlan, error) {
	body, err := get[struct {
		Rules []struct {
			assign.EscalationPlan

			Scope workqueue.EscalationScope `json:"scope"`
			Owner string                    `json:"owner"`
			Name  string                    `json:"name"`
		} `json:"rules"`
	}](ctx, s, nil, "escalations")
	plans := make([]assign.EscalationPlan, len(rules))
	for i := range rules {
		for _, read := range body.Rules {
			if read.Scope == rules[i].Scope && read.Owner == rules[i].Owner && read.Name == rules[i].Rule.Name {
				plans[i] = read.EscalationPlan
			}
		}
		plans[i].Escalation = rules[i]
	}
	return plans, err
}

// PurgeQueue removes items of a queue, as many as the server removes in a request.
func (s *Server) PurgeQueue(ctx context.Context, p workqueue.PurgeParams) (r workqueue.PurgeResult, err error) {
	body := struct {
		Confirm    bool                  `json:"confirm"`
		Lifecycles []workqueue.Lifecycle `json:"lifecycles,omitempty"`
		Before     int64                 `json:"before,omitempty"`
		Reason     string                `json:"reason,omitempty"`
	}{true, p.Lifecycles, p.BeforeID, reason(ctx, "")}
	var answer struct {
		Removed int    `json:"removed"`
		Next    *int64 `json:"next"`
	}
	path := escaped([]string{"queues", p.Queue, "purge"})
	if err := s.api.PostOnce(ctx, path, keyOf(p.Batch, p.Batch.Part), body, &answer); err != nil {
		return r, s.unanswered(p.Batch, err)
	}
	r.Removed = answer.Removed
	if answer.Next != nil {
		r.Next = *answer.Next
	}
	return r, nil
}
