package tasks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"botwork/workqueue"
)

// Task is a row of BotTasks that has been understood.
type Task struct {
	Name        string     `json:"name"`
	Topic       string     `json:"topic,omitempty"`
	Description string     `json:"description,omitempty"`
	Active      bool       `json:"active"`
	Queue       string     `json:"queue"`
	Pipeline    string     `json:"pipeline"`
	Importance  Importance `json:"importance"`

	// Schedule nil: the task runs on request only.
	Schedule *Schedule `json:"schedule,omitempty"`

	// Scope are the values over which the task fans out: one item for each in
	// every window. Without any it is one item.
	Scope []string `json:"scope,omitempty"`

	// Payload is a JSON object; "" is an empty one. Each item has it with the
	// key PayloadKey added.
	Payload workqueue.JSONText `json:"payload,omitempty"`

	// Resilience is the policy of its items, as workqueue.ParseResilience reads it.
	Resilience workqueue.JSONText `json:"resilience,omitempty"`

	// EstimatedDuration 0: not known.
	EstimatedDuration workqueue.Duration `json:"estimatedDuration,omitzero"`

	// Notify nil: nobody is told of an item that failed for good.
	Notify *Notify `json:"notify,omitempty"`

	plan *Plan
}

// Notify says which pipeline tells of an item of the task that failed for good.
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

// Limits of what is written.
const (
	maxName   = 150 // signs; the record of a window has 200 with its prefix
	maxScope  = 200 // signs of a value: a column of that record
	maxScopes = 10_000
)

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// Plan is when the task's windows open and close; nil for a task that runs on
// request only.
func (t *Task) Plan() *Plan { return t.plan }

// Scopes are the values of the items of a window: one "" without a scope.
func (t *Task) Scopes() []string {
	if len(t.Scope) == 0 {
		return []string{""}
	}
	return t.Scope
}

// check finds what is wrong and makes the plan. The error is a Problems.
func (t *Task) check() error {
	var ps Problems
	if !namePattern.MatchString(t.Name) || len(t.Name) > maxName {
		ps.add("name", "", "got %.60q, want up to %d Latin letters, digits, _, - and ., with a letter or digit in front", t.Name, maxName)
	}
	if t.Pipeline == "" {
		ps.add("pipeline", "", "want the name of a pipeline, or a whole pipeline as YAML or JSON")
	}
	if !t.Importance.known() {
		ps.add("importance", "", "got %d, want 0 (low), 1 (normal) or 2 (high)", int(t.Importance))
	}
	if t.EstimatedDuration < 0 {
		ps.add("estimatedDuration", "", "got %s, want 0s or more", time.Duration(t.EstimatedDuration))
	}
	t.checkScope(&ps)
	checkObject(&ps, "payload", t.Payload, PayloadKey)
	if _, err := workqueue.ParseResilience(t.Resilience); err != nil {
		ps.add("resilience", "", "%s", strings.TrimPrefix(err.Error(), "resilience "))
	}
	if t.Notify != nil {
		if t.Notify.Pipeline == "" {
			ps.add("notify.pipeline", "", "want the name of the pipeline that tells of a failure")
		}
		checkObject(&ps, "notify.payload", t.Notify.Payload, FailureKey)
	}
	if t.Schedule != nil {
		plan, err := t.Schedule.Compile()
		if wrong, ok := err.(Problems); ok { //nolint:errorlint // Compile returns it bare
			for _, p := range wrong {
				p.Field = strings.TrimSuffix("schedule."+p.Field, ".")
				ps = append(ps, p)
			}
		} else if t.Schedule.Active == nil || *t.Schedule.Active {
			t.plan = plan
		}
	}
	return ps.err()
}

func (t *Task) checkScope(ps *Problems) {
	if len(t.Scope) > maxScopes {
		ps.add("scope", "", "got %d values, want at most %d", len(t.Scope), maxScopes)
	}
	seen := map[string]bool{}
	for _, value := range t.Scope {
		// Case and spaces at the end do not count in every engine's unique keys.
		folded := strings.ToLower(value)
		switch {
		case value == "" || strings.TrimSpace(value) != value || utf8.RuneCountInString(value) > maxScope:
			ps.add("scope", "", "got the value %.60q, want 1 to %d signs and no spaces around them", value, maxScope)
		case seen[folded]:
			ps.add("scope", "", "the value %q stands here twice; upper and lower case count as the same", value)
		}
		seen[folded] = true
	}
}

// checkObject wants a JSON object without the key that the program adds.
func checkObject(ps *Problems, field string, text workqueue.JSONText, reserved string) {
	if text == "" {
		return
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
		ps.add(field, "", "want a JSON object: the program adds the key %q to it", reserved)
		return
	}
	if _, taken := object[reserved]; taken {
		ps.add(field, "give it another name", "the key %q is the program's", reserved)
	}
}

// Read understands a row. The error is a Problems; the task is then filled as
// far as it could be read.
func Read(row workqueue.TaskRow) (Task, error) {
	t := Task{
		Name: row.Name, Topic: row.Topic, Description: row.Description, Active: row.Active, Queue: row.QueueName,
		Pipeline: row.Pipeline, Importance: Importance(row.Importance), Payload: row.Payload,
		Resilience: row.ResilienceConfig, EstimatedDuration: workqueue.Duration(row.Estimate),
	}
	if t.Queue == "" {
		t.Queue = workqueue.DefaultQueue
	}
	var ps Problems
	decode := func(field string, text workqueue.JSONText, into any) {
		if text == "" {
			return
		}
		if err := json.Unmarshal([]byte(text), into); err != nil {
			ps.add(field, "", "it cannot be read as JSON: %v", err)
		}
	}
	decode("schedule", row.ScheduleConfig, &t.Schedule)
	decode("scope", row.Scope, &t.Scope)
	decode("notify", row.NotificationConfig, &t.Notify)
	if err := t.check(); err != nil {
		ps = append(ps, err.(Problems)...) //nolint:errorlint,forcetypeassert // check returns it bare
	}
	return t, ps.err()
}

// Row is the task as it is stored.
func (t *Task) Row() (workqueue.TaskRow, error) {
	row := workqueue.TaskRow{
		Name: t.Name, Topic: t.Topic, Description: t.Description, Active: t.Active, QueueName: t.Queue,
		Pipeline: t.Pipeline, Importance: int(t.Importance), Payload: t.Payload, ResilienceConfig: t.Resilience,
		Estimate: time.Duration(t.EstimatedDuration),
	}
	for _, part := range []struct {
		there bool
		value any
		into  *workqueue.JSONText
	}{
		{t.Schedule != nil, t.Schedule, &row.ScheduleConfig},
		{len(t.Scope) > 0, t.Scope, &row.Scope},
		{t.Notify != nil, t.Notify, &row.NotificationConfig},
	} {
		if !part.there {
			continue
		}
		text, err := json.Marshal(part.value)
		if err != nil {
			return row, err
		}
		*part.into = workqueue.JSONText(text)
	}
	whole, err := json.Marshal(t)
	if err != nil {
		return row, err
	}
	sum := sha256.Sum256(whole)
	row.Definition = hex.EncodeToString(sum[:])
	return row, nil
}

// Rows are tasks as they are stored, in the order of their names.
func Rows(list []Task) ([]workqueue.TaskRow, error) {
	rows := make([]workqueue.TaskRow, len(list))
	for i := range list {
		row, err := list[i].Row()
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	slices.SortFunc(rows, func(a, b workqueue.TaskRow) int { return strings.Compare(a.Name, b.Name) })
	return rows, nil
}
