package tasks

import (
	"encoding/json"
	"regexp"

	"botwork/workqueue"
)

// Task is a parsed row of BotTasks.
type Task struct {
	Name        string     `json:"name"`
	Topic       string     `json:"topic,omitempty"`
	Description string     `json:"description,omitempty"`
	Active      bool       `json:"active"`
	Queue       string     `json:"queue"`
	Pipeline    string     `json:"pipeline"`
	Importance  Importance `json:"importance"`

	// Schedule is nil if the task runs only on request.
	Schedule *Schedule `json:"schedule,omitempty"`

	// Scope has the values over which the task fans out: every window has one item for each value.
	// Without values it has one item.
	Scope []string `json:"scope,omitempty"`

	// Payload is a JSON object; "" is an empty one. Each item has it with the
	// key PayloadKey added.
	Payload workqueue.JSONText `json:"payload,omitempty"`

	// Resilience is the policy of its items, as workqueue.ParseResilience reads it.
	Resilience workqueue.JSONText `json:"resilience,omitempty"`

	// EstimatedDuration is 0 if it is unknown.
	EstimatedDuration workqueue.Duration `json:"estimatedDuration,omitzero"`

	// Notify is nil if final failures are not reported.
	Notify *Notify `json:"notify,omitempty"`

	plan *Plan
}

// Notify names the pipeline that reports an item of the task that failed finally.
type Notify struct {
	Pipeline string `json:"pipeline"`

	// Payload is a JSON object; the item has it with the key FailureKey added.
	Payload workqueue.JSONText `json:"payload,omitempty"`
}

// UnmarshalJSON keeps the payload as it is written.
func (n *Notify) UnmarshalJSON(data []byte) error {
	var raw struct {
		Pipeline string          `json:"pipeline"`
		Payload  json.RawMessage `json:"payload"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*n = Notify{Pipeline: raw.Pipeline, Payload: workqueue.JSONText(raw.Payload)}
	return nil
}

// The keys that the program adds to payloads.
const (
	PayloadKey = "task"    // of a task's item
	FailureKey = "failure" // of a notification's item
)

// Limits of the settings.
const (
	maxName   = 150 // characters; the record of a window has 200 with its prefix
	maxScope  = 200 // characters of a value: a column of that record
	maxScopes = 10_000
)

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// Plan returns when the task's windows open and close; nil for a task that runs only on request.
func (t *Task) Plan() *Plan { return t.plan }

// Scopes returns the scope values of the items of a window: one "" without a scope.
func (t *Task) Scopes() []string {
	if len(t.Scope) == 0 {
		return []string{""}
	}
	return t.Scope
}
