package pipelinetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/workqueue"
)

// setUp is what a case gives to a run.
type setUp struct {
	payload      any
	hasPayload   bool
	item         itemKeys
	env, secrets map[string]string
	worker       string
	now          time.Time
	steps        map[string]*stub // by step
	handlers     map[string]*stub // by handler
}

// itemKeys are what a case says of the run's item. Pointers tell what is not said.
type itemKeys struct {
	ID             *int             `yaml:"id"`
	Queue          *string          `yaml:"queue"`
	Priority       *int             `yaml:"priority"`
	Attempt        *int             `yaml:"attempt"`
	Fence          *int             `yaml:"fence"`
	IdempotencyKey *string          `yaml:"idempotencyKey"`
	CreatedAt      *strictyaml.Node `yaml:"createdAt"`
	AvailableAt    *strictyaml.Node `yaml:"availableAt"`
	DeadlineAt     *strictyaml.Node `yaml:"deadlineAt"`
	CreatedBy      *string          `yaml:"createdBy"`
	NaturalKey     *string          `yaml:"naturalKey"`
	TaskName       *string          `yaml:"taskName"`

	createdAt, availableAt, deadlineAt *time.Time
}

// setUp lays what a case says over base.
func (r *reader) setUp(raw rawGiven, base setUp) setUp {
	s := base
	if raw.Payload != nil {
		s.payload, s.hasPayload = overlay(base.payload, raw.Payload.Any()), true
	}
	s.env, s.secrets = over(base.env, raw.Env), over(base.secrets, raw.Secrets)
	if raw.Worker != "" {
		s.worker = raw.Worker
	}
	if at := r.instant(raw.Now); at != nil {
		s.now = *at
	}
	if raw.Item.HasValue() {
		r.item(raw.Item, &s.item)
	}
	s.steps, s.handlers = over(base.steps, nil), over(base.handlers, nil)
	for _, name := range slices.Sorted(maps.Keys(raw.Stubs)) {
		if r.knowsStep(raw.Stubs[name], name) {
			s.steps[name] = r.stub(raw.Stubs[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(raw.Handlers)) {
		if r.knowsHandler(raw.Handlers[name], name) {
			s.handlers[name] = r.stub(raw.Handlers[name])
		}
	}
	return s
}

func (r *reader) item(n *strictyaml.Node, into *itemKeys) {
	if r.file.Pipeline.Trigger != nil {
		r.Report(n, pipelines.CodeTriggeredPipeline, "got an item, and no item runs a pipeline with a trigger", "leave it away")
		return
	}
	if !r.decode(n, into) {
		return
	}
	for _, one := range []struct {
		from *strictyaml.Node
		to   **time.Time
	}{{into.CreatedAt, &into.createdAt}, {into.AvailableAt, &into.availableAt}, {into.DeadlineAt, &into.deadlineAt}} {
		if at := r.instant(one.from); at != nil {
			*one.to = at
		}
	}
	if into.Attempt != nil && *into.Attempt < 1 {
		r.Report(n.Get("attempt"), pipelines.CodeInvalidValue, fmt.Sprintf("got %d, want 1 or more", *into.Attempt), "")
	}
}

// instant reads a time in RFC 3339, nil for none.
func (r *reader) instant(n *strictyaml.Node) *time.Time {
	if !n.HasValue() {
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, n.Text)
	if err != nil {
		r.Report(n, pipelines.CodeInvalidValue, fmt.Sprintf("got %q, want a time such as 2026-01-31T12:00:00Z", n.Text), "")
		return nil
	}
	return new(at.UTC())
}

func (r *reader) knowsStep(n *strictyaml.Node, name string) bool {
	var names []string
	for _, s := range r.file.Pipeline.Steps {
		if s.Name == name {
			return true
		}
		names = append(names, s.Name)
	}
	r.unknown(n, pipelines.CodeUnknownStep, fmt.Sprintf("pipeline %q has no step %q", r.file.Pipeline.Name, name), name, names)
	return false
}

func (r *reader) knowsHandler(n *strictyaml.Node, name string) bool {
	var names []string
	for _, s := range r.file.Pipeline.Steps {
		if s.Handler == name {
			return true
		}
		names = append(names, s.Handler)
	}
	r.unknown(n, pipelines.CodeUnknownHandler, fmt.Sprintf("no step of pipeline %q has the handler %q", r.file.Pipeline.Name, name), name, names)
	return false
}

func (r *reader) unknown(n *strictyaml.Node, code, message, name string, known []string) {
	hint := strictyaml.Suggest(name, known)
	if hint == "" {
		hint = fmt.Sprintf("it has %s", quotedList(known))
	}
	r.Report(n, code, message, hint)
}

// over returns a with the entries of b laid over it.
func over[T any](a, b map[string]T) map[string]T {
	out := make(map[string]T, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

// overlay lays one value over another: mappings key by key, all else as a whole.
func overlay(below, above any) any {
	a, ok := below.(map[string]any)
	b, also := above.(map[string]any)
	if !ok || !also {
		return above
	}
	out := maps.Clone(a)
	for key, value := range b {
		out[key] = overlay(a[key], value)
	}
	return out
}

// payloadText is the payload as the run gets it.
func (s *setUp) payloadText() workqueue.JSONText {
	if !s.hasPayload {
		return ""
	}
	text, _ := json.Marshal(s.payload) // what YAML gives can be written as JSON
	return workqueue.JSONText(text)
}

// run is the item that the run belongs to.
func (s *setUp) run() *workqueue.Run {
	k := s.item
	item := &workqueue.Item{
		ID: int64(or(k.ID, 1)), QueueName: or(k.Queue, workqueue.DefaultQueue), State: workqueue.Blocked,
		Priority: or(k.Priority, workqueue.RequestPriority), RetryCount: or(k.Attempt, 1) - 1, Fence: int64(or(k.Fence, 1)),
		IdempotencyKey: or(k.IdempotencyKey, strconv.Itoa(or(k.ID, 1))),
		CreatedAt:      or(k.createdAt, s.now), AvailableAt: or(k.availableAt, s.now), DeadlineAt: k.deadlineAt,
		CreatedBy: k.CreatedBy, NaturalKey: k.NaturalKey, TaskName: k.TaskName, Payload: s.payloadText(),
	}
	return workqueue.NewRun(item)
}

func or[T any](p *T, other T) T {
	if p == nil {
		return other
	}
	return *p
}
