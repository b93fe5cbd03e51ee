package botwork

import (
	"context"
	"encoding/json"
	"fmt"

	"botwork/handlers"
)

// function runs an item; its payload and its result are decoded JSON.
type function func(ctx context.Context, job *Job) (any, error)

// Handle makes items of the pipeline name call do, in all queues that the worker serves. The
// item's payload is decoded into In, as package json does; a payload that does not fit is a
// permanent failure. The result becomes the item's output.
//
// do may be called from several goroutines at once, and twice for one item if the worker dies
// before the result is recorded: use Job.IdempotencyKey where that matters. It must return when
// ctx ends. An error is a failed attempt, and the item is tried again as its queue's policy says;
// Permanent, Business, Snooze and RetryAfter make others. A panic is a failed attempt, too.
//
// Call Handle before Run. It panics if the worker has a function of this name.
func Handle[In, Out any](w *Worker, name string, do func(ctx context.Context, job *Job, in In) (Out, error)) {
	if _, taken := w.functions[name]; taken {
		panic(fmt.Sprintf("botwork.Handle: the worker has a function %q already", name))
	}
	w.functions[name] = func(ctx context.Context, job *Job) (any, error) {
		var in In
		if err := convert(job.Payload, &in); err != nil {
			return nil, Permanent(fmt.Errorf("payload: %w", err))
		}
		out, err := do(ctx, job, in)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(out)
		if err != nil {
			return nil, Permanent(fmt.Errorf("output: %w", err))
		}
		return handlers.DecodeJSON(text)
	}
}

// convert writes a decoded JSON value into a typed one.
func convert(value, into any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// functionKind is the handler that calls functions.
const functionKind = "Function"

// pipelineOf returns the pipeline of a function. JSON texts are YAML, too.
func pipelineOf(name string) []byte {
	text, err := json.Marshal(map[string]any{
		"name":  name,
		"steps": []any{map[string]any{"name": "run", "handler": functionKind, "with": map[string]any{"name": name}}},
	})
	if err != nil {
		panic(fmt.Sprintf("encode the pipeline %q: %v", name, err)) // texts can be encoded
	}
	return text
}

// kind returns the handler that calls the worker's functions.
func (w *Worker) kind() handlers.Kind {
	return handlers.Kind{
		Name: functionKind, Summary: "Call a function of the program",
		New: func() handlers.Handler { return &call{functions: w.functions} },
	}
}

// call has the parameters of the step.
type call struct {
	Name string `json:"name" required:"true" doc:"the name of the function"`

	functions map[string]function
}

func (c *call) Handle(ctx context.Context, job *handlers.Call) (any, error) {
	return c.functions[c.Name](ctx, (*Job)(job))
}
