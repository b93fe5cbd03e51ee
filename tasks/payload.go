package tasks

import (
	"encoding/json"
	"time"

	"botwork/workqueue"
)

// itemInfo is the value of PayloadKey in the payload of a task's item.
type itemInfo struct {
	Name  string `json:"name"`
	Scope string `json:"scope,omitempty"`

	// PlannedAt is when the window opened, DeadlineAt when it closes; null for an item that was
	// created on request, or has no deadline.
	PlannedAt  *time.Time `json:"plannedAt"`
	DeadlineAt *time.Time `json:"deadlineAt"`
}

// failureInfo is the value of FailureKey in the payload of a notification.
type failureInfo struct {
	Task      string              `json:"task"`
	Scope     string              `json:"scope,omitempty"`
	ItemID    int64               `json:"itemId"`
	Pipeline  string              `json:"pipeline"`
	Error     string              `json:"error"`
	ErrorKind workqueue.ErrorKind `json:"errorKind"`
	Attempts  int                 `json:"attempts"` // that failed
	PlannedAt *time.Time          `json:"plannedAt"`
	FailedAt  *time.Time          `json:"failedAt"`
}

// withKey adds a key to a JSON object.
func withKey(object workqueue.JSONText, key string, value any) (workqueue.JSONText, error) {
	keys := map[string]json.RawMessage{}
	if object != "" {
		if err := json.Unmarshal([]byte(object), &keys); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	keys[key] = text
	whole, err := json.Marshal(keys)
	return workqueue.JSONText(whole), err
}

// instant returns nil for the zero time.
func instant(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}

// item returns the item of a scope value; at and deadline are zero if there is no window, or
// no deadline.
func (t *Task) item(scope string, at, deadline time.Time) (workqueue.ScopedItem, error) {
	payload, err := withKey(t.Payload, PayloadKey, itemInfo{t.Name, scope, instant(at), instant(deadline)})
	return workqueue.ScopedItem{Scope: scope, Item: workqueue.NewItem{
		QueueName: t.Queue, IntegrationConfig: t.Pipeline, Payload: payload, ResilienceConfig: t.Resilience,
		Estimate: time.Duration(t.EstimatedDuration), Deadline: deadline, TaskName: t.Name,
	}}, err
}

// notice creates the item that reports a failure. It belongs to no task, so that its own failure
// is not reported.
func (t *Task) notice(f workqueue.TaskFailure) (workqueue.NewItem, error) {
	payload, err := withKey(t.Notify.Payload, FailureKey, failureInfo{
		Task: f.Task, Scope: f.Scope, ItemID: f.ID, Pipeline: short(f.Pipeline), Error: f.Error, ErrorKind: f.ErrorKind,
		Attempts: f.Attempts, PlannedAt: instant(f.PlannedAt), FailedAt: instant(f.FinishedAt),
	})
	return workqueue.NewItem{
		State: workqueue.Ready, Priority: workqueue.RequestPriority, IntegrationConfig: t.Notify.Pipeline, Payload: payload,
		CreatedBy: "task " + t.Name,
	}, err
}

// short returns a pipeline's name, or a word for an inline pipeline.
func short(pipeline string) string {
	if len(pipeline) > 200 {
		return "(inline)"
	}
	return pipeline
}
