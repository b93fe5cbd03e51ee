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

// setUp is the set-up of a run.
type setUp struct {
	payload      any
	hasPayload   bool
	item         itemKeys
	env, secrets map[string]string
	worker       string
	now          time.Time
	steps        map[string]*stub // stubs by step
	handlers     map[string]*stub // stubs by handler
}

// itemKeys are the keys of the run's item. Keys that are not set are nil.
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

// setUp returns base with the values of a case.
func (r *reader) setUp(raw rawSetUp, base setUp) setUp {
	s := base
	if raw.Payload != nil {
		s.payload, s.hasPayload = overlay(base.payload, raw.Payload.Any()), true
	}
	s.env, s.secrets = merged(base.env, raw.Env), merged(base.secrets, raw.Secrets)
	if raw.Worker != "" {
		s.worker = raw.Worker
	}
	if at := r.instant(raw.Now); at != nil {
		s.now = *at
	}
	if raw.Item.HasValue() {
		r.item(raw.Item, &s.item)
	}
	s.steps, s.handlers = merged(base.steps, nil), merged(base.handlers, nil)
	for _, name := range slices.Sorted(maps.Keys(raw.Stubs)) {
		if path := r.pathOf(raw.Stubs[name], name); path != "" {
			s.steps[path] = r.stub(raw.Stubs[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(raw.Handlers)) {
		if r.checkHandler(raw.Handlers[name], name) {
			s.handlers[name] = r.stub(raw.Handlers[name])
		}
	}
	return s
}

func (r *reader) item(n *strictyaml.Node, into *itemKeys) {
	if r.file.Pipeline.Trigger != nil {
		r.Report(n, pipelines.CodeTriggeredPipeline, "got an item, but a pipeline with a trigger runs without an item", "remove it")
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

// instant decodes a time in RFC 3339. It returns nil if the node has no value.
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

// pathOf returns the path of a step of the pipeline, or of one that it calls: "post / sign". It adds a
// finding if there is none.
func (r *reader) pathOf(n *strictyaml.Node, name string) string {
	if path := r.file.Pipeline.PathOf(name); path != "" {
		return path
	}
	message := fmt.Sprintf("pipeline %q has no step %q", r.file.Pipeline.Name, name)
	r.checkName(n, name, pipelines.CodeUnknownStep, message, func(path string, s *pipelines.Step) string {
		if s.Path != path {
			return path
		}
		return s.Name
	})
	return ""
}

// checkHandler reports whether a step of the pipeline has the handler, and adds a finding
// if not.
func (r *reader) checkHandler(n *strictyaml.Node, name string) bool {
	message := fmt.Sprintf("no step of pipeline %q has the handler %q", r.file.Pipeline.Name, name)
	return r.checkName(n, name, pipelines.CodeUnknownHandler, message, func(_ string, s *pipelines.Step) string { return s.Handler })
}

func (r *reader) checkName(n *strictyaml.Node, name, code, message string, nameOf func(path string, s *pipelines.Step) string) bool {
	var names []string
	for path, s := range r.file.Pipeline.Walk() {
		one := nameOf(path, s)
		if one == name {
			return true
		}
		if one != "" {
			names = append(names, one)
		}
	}
	hint := strictyaml.Suggest(name, names)
	if hint == "" {
		hint = fmt.Sprintf("it has %s", quotedList(names))
	}
	r.Report(n, code, message, hint)
	return false
}

// merged returns the entries of a and b. Those of b have precedence.
func merged[T any](a, b map[string]T) map[string]T {
	out := make(map[string]T, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

// overlay merges two mappings recursively. Values in override have precedence; a value
// that is not a mapping is replaced as a whole.
func overlay(base, override any) any {
	a, baseIsMap := base.(map[string]any)
	b, overrideIsMap := override.(map[string]any)
	if !baseIsMap || !overrideIsMap {
		return override
	}
	out := maps.Clone(a)
	for key, value := range b {
		out[key] = overlay(a[key], value)
	}
	return out
}

// payloadText returns the payload of the run as JSON.
func (s *setUp) payloadText() workqueue.JSONText {
	if !s.hasPayload {
		return ""
	}
	text, _ := json.Marshal(s.payload) // values from YAML can always be written as JSON
	return workqueue.JSONText(text)
}

// run returns the run with its item.
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
