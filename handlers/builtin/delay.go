package builtin

import (
	"context"
	"time"

	"botwork/handlers"
)

func delayKind() handlers.Kind {
	return handlers.Kind{
		Name: "Delay", Summary: "Wait a while",
		Doc: `Waits, for example between two requests. The item keeps its slot while it waits; for more than a few minutes use Snooze,
which gives the slot to others.

It is safe to run twice: it waits again, from the start. It fails only when the run is cancelled.`,
		Output:      "its input.",
		OutputShape: handlers.Always(handlers.InputShape),
		Example: `- handler: Delay
  with: {for: 30s}
`,
		New: func() handlers.Handler { return &delayStep{} },
	}
}

type delayStep struct {
	For handlers.Duration `json:"for" required:"true" doc:"how long to wait"`
}

func (s *delayStep) Validate() error {
	if s.For < 0 {
		return handlers.WrongParam("for", "want 0s or more")
	}
	return nil
}

func (s *delayStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	timer := time.NewTimer(time.Duration(s.For))
	defer timer.Stop()
	select {
	case <-timer.C:
		return call.Input, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
