package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
)

// fakeWorker records its calls.
type fakeWorker struct {
	assigned []assign.AssignParams
	executed []runner.ExecuteParams
	err      error
}

func (w *fakeWorker) Assign(_ context.Context, p assign.AssignParams) (assign.AssignResult, error) {
	w.assigned = append(w.assigned, p)
	return assign.AssignResult{RescueResult: workqueue.RescueResult{Rescued: 1}, Workers: 2, Assigned: 3}, w.err
}

func (w *fakeWorker) Execute(_ context.Context, p runner.ExecuteParams) (runner.ExecuteResult, error) {
	w.executed = append(w.executed, p)
	return runner.ExecuteResult{Succeeded: 4, Failed: 1}, w.err
}

// fakeItems records enqueued items.
type fakeItems struct {
	workqueue.ItemStore
	items []workqueue.NewItem
	err   error
}

func (s *fakeItems) Enqueue(_ context.Context, items []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	s.items = append(s.items, items...)
	made := make([]workqueue.Enqueued, len(items))
	for i := range made {
		made[i].ID = int64(10 + i)
	}
	return made, s.err
}

func registry(s queue.Services) *handlers.Registry {
	r := handlers.NewRegistry()
	r.MustRegister(queue.Kinds(s)...)
	return r
}

// run builds and runs a step.
func run(t *testing.T, s queue.Services, kind string, with map[string]any, call handlers.Call) (any, error) {
	t.Helper()
	k, ok := registry(s).Lookup(kind)
	if !ok {
		t.Fatalf("no kind %q", kind)
	}
	h, err := k.Build(with)
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.Handle(t.Context(), &call)
	if wrong := k.Shape(with).Check(out); err == nil && wrong != nil {
		t.Errorf("the output of %s does not match its shape: %v", kind, wrong)
	}
	return out, err
}

// Every kind declares its output; run checks it.
func TestEveryKindHasAShape(t *testing.T) {
	for _, kind := range queue.Kinds(queue.Services{}) {
		if kind.OutputShape == nil {
			t.Errorf("%s does not declare its output", kind.Name)
		}
	}
}

func TestAssignTasksToWorker(t *testing.T) {
	w := &fakeWorker{}
	s := queue.Services{Worker: func() queue.Worker { return w }}
	out, err := run(t, s, "AssignTasksToWorker", map[string]any{"minPriority": 500, "workerSeenWithin": "10m"}, handlers.Call{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"rescued": 1, "released": 0, "poisoned": 0, "expired": 0, "moved": 0, "workers": 2, "assigned": 3}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
	p := w.assigned[0]
	if p.Band.Min != 500 || p.Band.Max != workqueue.EveryPriority.Max || p.SeenWithin != 10*time.Minute ||
		p.Workers != assign.AvailableWorkers {
		t.Errorf("asked for %+v", p)
	}
}

func TestExecuteWorkItemsBands(t *testing.T) {
	for _, c := range []struct {
		with       map[string]any
		in, out    []int
		wantRefill bool
	}{
		{map[string]any{"abovePriority": 1000}, []int{1001, 5000}, []int{1000, 500}, true},
		{map[string]any{"minPriority": 500}, []int{500, 1000, 1001}, []int{499, 0}, true},
		{map[string]any{"belowPriority": 500, "refill": false}, []int{499, -7}, []int{500}, false},
		{nil, []int{0, 499, 500, 1000, 1001}, nil, true},
	} {
		w := &fakeWorker{}
		s := queue.Services{Worker: func() queue.Worker { return w }}
		if _, err := run(t, s, "ExecuteWorkItems", c.with, handlers.Call{}); err != nil {
			t.Fatal(err)
		}
		p := w.executed[0]
		for _, n := range c.in {
			if !p.Band.Contains(n) {
				t.Errorf("%v leaves out priority %d", c.with, n)
			}
		}
		for _, n := range c.out {
			if p.Band.Contains(n) {
				t.Errorf("%v includes priority %d", c.with, n)
			}
		}
		if p.Refill != c.wantRefill {
			t.Errorf("%v: refill = %t, want %t", c.with, p.Refill, c.wantRefill)
		}
	}
}

func TestWrongParameters(t *testing.T) {
	for _, c := range []struct {
		kind string
		with map[string]any
		want string
	}{
		{"AssignTasksToWorker", map[string]any{"minPriority": 1, "abovePriority": 2}, "one of the two"},
		{"AssignTasksToWorker", map[string]any{"minPriority": 600, "belowPriority": 500}, "no priority"},
		{"AssignTasksToWorker", map[string]any{"workers": "busy"}, "workers"},
		{"AssignTasksToWorker", map[string]any{"horizont": "5m"}, "horizon"},
		{"ExecuteWorkItems", map[string]any{"belowPriority": 3_000_000_000}, "3000000000"},
		{"Enqueue", map[string]any{}, "pipeline"},
		{"Enqueue", map[string]any{"pipeline": "x", "payload": 1, "items": []any{1}}, "not both"},
		{"Enqueue", map[string]any{"pipeline": "x", "items": nil}, "items: got nothing, want a list"},
		{"Enqueue", map[string]any{"pipeline": "x", "in": "-5s"}, "0s or more"},
		{"Enqueue", map[string]any{"pipeline": "x", "at": "tomorrow"}, "2026-01-31T13:45:00Z"},
	} {
		k, _ := registry(queue.Services{}).Lookup(c.kind)
		if _, err := k.Build(c.with); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %v: err = %v, want it to name %q", c.kind, c.with, err, c.want)
		}
	}
}

func TestWithoutAWorker(t *testing.T) {
	for _, kind := range []string{"AssignTasksToWorker", "ExecuteWorkItems"} {
		_, err := run(t, queue.Services{}, kind, nil, handlers.Call{})
		if permanent := (*handlers.PermanentError)(nil); !errors.As(err, &permanent) || !strings.Contains(err.Error(), "botwork run") {
			t.Errorf("%s: err = %v, want a permanent one that names botwork run", kind, err)
		}
	}
}

func TestEnqueueOne(t *testing.T) {
	items := &fakeItems{}
	s := queue.Services{Store: func() queue.Enqueuer { return items }}
	out, err := run(t, s, "Enqueue", map[string]any{
		"pipeline": "invoice", "payload": map[string]any{"n": 1}, "priority": 1200, "in": "1m", "estimatedDuration": "2s",
	}, handlers.Call{Pipeline: "scan"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"ids": []any{10}, "count": 1, "existing": 0}, out); diff != "" {
		t.Error(diff)
	}
	want := []workqueue.NewItem{{
		QueueName: "default", State: workqueue.Ready, Priority: 1200, IntegrationConfig: "invoice", Payload: `{"n":1}`,
		Estimate: 2 * time.Second, In: time.Minute, CreatedBy: "pipeline scan",
	}}
	if diff := cmp.Diff(want, items.items); diff != "" {
		t.Error(diff)
	}
}

func TestEnqueueManyFromAnItem(t *testing.T) {
	items := &fakeItems{}
	s := queue.Services{Store: func() queue.Enqueuer { return items }}
	if _, err := run(t, s, "Enqueue", map[string]any{"pipeline": "p", "items": []any{"a", 2}}, handlers.Call{ItemID: 7}); err != nil {
		t.Fatal(err)
	}
	if len(items.items) != 2 || items.items[0].Payload != `"a"` || items.items[1].Payload != "2" {
		t.Errorf("enqueued %+v", items.items)
	}
	if it := items.items[0]; it.State != workqueue.Pending || it.Priority != workqueue.RequestPriority {
		t.Errorf("made on request: state %v, priority %d; want Pending, 1000", it.State, it.Priority)
	}
	items.items = nil
	out, err := run(t, s, "Enqueue", map[string]any{"pipeline": "p", "items": []any{}}, handlers.Call{})
	if err != nil || len(items.items) != 0 {
		t.Errorf("an empty list enqueued %v, %v", items.items, err)
	}
	if diff := cmp.Diff(map[string]any{"ids": []any{}, "count": 0, "existing": 0}, out); diff != "" {
		t.Error(diff)
	}
}

func TestEnqueueRefused(t *testing.T) {
	items := &fakeItems{err: &workqueue.UnknownQueueError{Queue: "x", Known: []string{"default"}}}
	s := queue.Services{Store: func() queue.Enqueuer { return items }}
	permanent := (*handlers.PermanentError)(nil)
	if _, err := run(t, s, "Enqueue", map[string]any{"pipeline": "p", "queue": "x"}, handlers.Call{}); !errors.As(err, &permanent) {
		t.Errorf("unknown queue: err = %v, want a permanent one", err)
	}
	items.err = errors.New("connection lost")
	if _, err := run(t, s, "Enqueue", map[string]any{"pipeline": "p"}, handlers.Call{}); err == nil || errors.As(err, &permanent) {
		t.Errorf("database down: err = %v, want one that is retried", err)
	}
	items.items = nil
	s.CheckPipeline = func(string) error { return errors.New("there is no pipeline") }
	if _, err := run(t, s, "Enqueue", map[string]any{"pipeline": "p"}, handlers.Call{}); !errors.As(err, &permanent) || len(items.items) != 0 {
		t.Errorf("unknown pipeline: err = %v, items %v", err, items.items)
	}
	items.err = nil
	s.CheckPipeline = func(name string) error {
		return &pipelines.BrokenPipelineError{Name: name, Findings: strictyaml.Findings{{File: "p.yaml", Message: "no steps"}}}
	}
	if _, err := run(t, s, "Enqueue", map[string]any{"pipeline": "p"}, handlers.Call{}); err != nil || len(items.items) != 1 {
		t.Errorf("broken pipeline: err = %v, items %v; want one that waits", err, items.items)
	}
}

// A whole pipeline that a payload brings would run with the rights of the worker.
func TestEnqueueRefusesAPipelineFromAPayload(t *testing.T) {
	const whole = `{"steps": [{"handler": "Exec", "with": {"program": "x"}}]}`
	for _, c := range []struct{ name, pipeline, payload, want string }{
		{"a name", "${{ payload.p }}", "invoice", "invoice"},
		{"part of a name", "invoice-${{ payload.p }}", "de", "invoice-de"},
		{"in the file", `{steps: [{handler: Log, with: {message: $${{ payload.p }}}}]}`, "x", `{steps: [{handler: Log, with: {message: ${{ payload.p }}}}]}`},
		{"whole", "${{ payload.p }}", whole, ""},
		{"whole, on a second line", "${{ payload.p }}", "x\nsteps: []", ""},
		{"whole, after a space", " ${{ payload.p }}", whole, ""},
		{"its beginning", "${{ payload.p }}: []}", "{steps", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			items := &fakeItems{}
			compiler := pipelines.NewCompiler(registry(queue.Services{Store: func() queue.Enqueuer { return items }}), pipelines.Options{})
			text, err := json.Marshal(map[string]any{"steps": []any{map[string]any{"handler": "Enqueue", "with": map[string]any{"pipeline": c.pipeline}}}})
			if err != nil {
				t.Fatal(err)
			}
			p, findings := compiler.Parse("p.yaml", text)
			if len(findings) > 0 {
				t.Fatal(findings)
			}
			payload, err := json.Marshal(map[string]string{"p": c.payload})
			if err != nil {
				t.Fatal(err)
			}
			r := pipelines.NewEngine(pipelines.EngineOptions{}).Run(t.Context(), p, pipelines.RunInput{Payload: workqueue.JSONText(payload)})
			const refused = "with: pipeline: got a whole pipeline made by an expression, want the name of a pipeline; " +
				"write the whole pipeline in the file, with $${{ for its expressions"
			switch {
			case c.want == "":
				if len(items.items) > 0 || r.Kind != workqueue.KindPermanent || !strings.Contains(r.Error, refused) {
					t.Errorf("enqueued %v, %s error %q; want a permanent one: %s", items.items, r.Kind, r.Error, refused)
				}
			case len(items.items) != 1 || items.items[0].IntegrationConfig != c.want:
				t.Errorf("enqueued %v, %q; want one of %s", items.items, r.Error, c.want)
			}
		})
	}
}

func TestDocumentation(t *testing.T) {
	for _, k := range registry(queue.Services{}).Kinds() {
		if k.Summary == "" || k.Doc == "" || k.Output == "" || k.Example == "" {
			t.Errorf("%s lacks documentation", k.Name)
		}
		for _, f := range k.Fields() {
			if f.Doc == "" {
				t.Errorf("%s.%s has no doc", k.Name, f.Name)
			}
		}
	}
}
