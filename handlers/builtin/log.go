package builtin

import (
	"context"

	"github.com/rs/zerolog"

	"botwork/handlers"
)

func logKind() handlers.Kind {
	return handlers.Kind{
		Name: "Log", Summary: "Write a line to the log",
		Doc: `Writes a line to botwork's log, with the pipeline, the step and the item. Everyone who reads the log can read it: log no
secrets.

It is safe to run twice: the log then has two lines. It never fails.`,
		Output:      "its input, so it can be anywhere in a pipeline.",
		OutputShape: handlers.Always(handlers.InputShape),
		Example: `- handler: Log
  with:
    message: order ${{ payload.id }} arrived
    fields: {customer: "${{ payload.customer }}"}
`,
		New: func() handlers.Handler { return &logStep{Level: "info"} },
	}
}

type logStep struct {
	Message string         `json:"message" required:"true" doc:"the text to log"`
	Level   string         `json:"level" enum:"debug,info,warn,error" doc:"level of the line"`
	Fields  map[string]any `json:"fields" doc:"values to log with the message"`
}

func (s *logStep) Handle(_ context.Context, call *handlers.Call) (any, error) {
	level, err := zerolog.ParseLevel(s.Level)
	if err != nil {
		return nil, handlers.Permanent(err)
	}
	event := call.Log.WithLevel(level)
	if len(s.Fields) > 0 {
		// Below a separate key they cannot be confused with botwork's fields.
		event = event.Interface("fields", s.Fields)
	}
	event.Msg(s.Message)
	return call.Input, nil
}
