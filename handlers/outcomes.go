package handlers

import (
	"context"
	"errors"
	"time"
)

func breakKind() Kind {
	return Kind{
		Name: "Break", Summary: "End the pipeline here, successfully",
		Doc: `Ends the pipeline without failing it: the steps that follow do not run and the item is done. Give the step an if.

It is safe to run twice: it changes nothing.`,
		Output: "nothing; no step follows.",
		Example: `- handler: Break
  if: len(payload.orders) == 0
  with: {reason: there are no orders}
`,
		New: func() Handler { return &breakStep{} },
	}
}

type breakStep struct {
	Reason string `json:"reason" required:"true" doc:"why there is nothing more to do, for the log"`
}

func (s *breakStep) Handle(context.Context, *Call) (any, error) { return nil, Break(s.Reason) }

func failKind() Kind {
	return Kind{
		Name: "Fail", Summary: "Fail the step",
		Doc: `Fails the step with a message, for example after a check with if. kind says what happens to the item: error is retried
while the resilience limit allows; business says that the data is wrong, and is retried only where the resilience policy
says so; permanent is never retried.

It is safe to run twice: it changes nothing.`,
		Output: "nothing; it always fails.",
		Example: `- handler: Fail
  if: payload.amount < 0
  with:
    message: "the amount is ${{ payload.amount }}, want 0 or more"
    kind: business
`,
		New: func() Handler { return &failStep{Kind: "error"} },
	}
}

type failStep struct {
	Message string `json:"message" required:"true" doc:"what is wrong"`
	Kind    string `json:"kind" enum:"error,business,permanent" doc:"sort of failure"`
}

func (s *failStep) Handle(context.Context, *Call) (any, error) {
	err := errors.New(s.Message)
	switch s.Kind {
	case "business":
		return nil, Business(err)
	case "permanent":
		return nil, Permanent(err)
	default:
		return nil, err
	}
}

func snoozeKind() Kind {
	return Kind{
		Name: "Snooze", Summary: "Run the item again later",
		Doc: `Gives the item back to be run again from its first step after a while. It counts no attempt and the slot is free
meanwhile. Give the step an if that becomes false in the end, or the item comes back for ever; and mind that the steps before
it run again.

It is safe to run twice: it changes nothing.`,
		Output: "nothing; no step follows.",
		Example: `- handler: Snooze
  if: not payload.ready
  with: {for: 15m, reason: the file is not there yet}
`,
		New: func() Handler { return &snoozeStep{} },
	}
}

type snoozeStep struct {
	For    Duration `json:"for" required:"true" doc:"how long to wait before the item is due again"`
	Reason string   `json:"reason" doc:"what the item waits for, for the log"`
}

func (s *snoozeStep) Validate() error {
	if s.For < 0 {
		return WrongParam("for", "want 0s or more")
	}
	return nil
}

func (s *snoozeStep) Handle(context.Context, *Call) (any, error) {
	return nil, Snooze(time.Duration(s.For), s.Reason)
}
