package builtin

import (
	"context"
	"errors"
	"time"

	"botwork/handlers"
)

func breakKind() handlers.Kind {
	return handlers.Kind{
		Name: "Break", Summary: "End the pipeline here, successfully",
		Doc: `Ends the pipeline without failing it: the steps that follow do not run and the item is done. Give the step an if.

It is safe to run twice: it changes nothing.`,
		Output:      "nothing; no step follows.",
		OutputShape: handlers.Always(handlers.NothingShape),
		Example: `- handler: Break
  if: len(payload.orders) == 0
  with: {reason: there are no orders}
`,
		New: func() handlers.Handler { return &breakStep{} },
	}
}

type breakStep struct {
	Reason string `json:"reason" required:"true" doc:"why there is nothing more to do, for the log"`
}

func (s *breakStep) Handle(context.Context, *handlers.Call) (any, error) {
	return nil, handlers.Break(s.Reason)
}

func failKind() handlers.Kind {
	return handlers.Kind{
		Name: "Fail", Summary: "Fail the step",
		Doc: `Fails the step with a message, for example after a check with if. kind decides what happens to the item: error is retried up to
the resilience limit; business means that the data is wrong, and is retried only if the resilience policy says so; permanent is
never retried. With counted: false a failure of the kind error counts no attempt: the item is retried after its backoff, without
limit, until the policy's within ends, for example while an external system is not reachable.

It is safe to run twice: it changes nothing.`,
		Output:      "nothing; it always fails.",
		OutputShape: handlers.Always(handlers.NothingShape),
		Example: `- handler: Fail
  if: payload.amount < 0
  with:
    message: "the amount is ${{ payload.amount }}, want 0 or more"
    kind: business
`,
		New: func() handlers.Handler { return &failStep{Kind: "error"} },
	}
}

type failStep struct {
	Message string `json:"message" required:"true" doc:"what is wrong"`
	Kind    string `json:"kind" enum:"error,business,permanent" doc:"sort of failure"`
	Counted *bool  `json:"counted" doc:"whether the failure counts as an attempt"`
}

func (s *failStep) Validate() error {
	if s.Counted != nil && !*s.Counted && s.Kind != "error" {
		return handlers.WrongParam("counted", "only a failure of the kind error can go uncounted")
	}
	return nil
}

func (s *failStep) Handle(context.Context, *handlers.Call) (any, error) {
	err := errors.New(s.Message)
	switch s.Kind {
	case "business":
		return nil, handlers.Business(err)
	case "permanent":
		return nil, handlers.Permanent(err)
	}
	if s.Counted != nil && !*s.Counted {
		return nil, handlers.Uncounted(err)
	}
	return nil, err
}

func dropKind() handlers.Kind {
	return handlers.Kind{
		Name: "Drop", Summary: "Delete the item: it is no longer wanted",
		Doc: `Ends the pipeline and deletes the item, as its queue deletes: at once, or hidden with the reason (deletion:
logical). It counts neither as a success nor as a failure. Give the step an if. In a run without an item it ends the
pipeline successfully.

It is safe to run twice: the item is gone after the first time.`,
		Output:      "nothing; no step follows.",
		OutputShape: handlers.Always(handlers.NothingShape),
		Example: `- handler: Drop
  if: payload.withdrawn
  with: {reason: the order was withdrawn}
`,
		New: func() handlers.Handler { return &dropStep{} },
	}
}

type dropStep struct {
	Reason string `json:"reason" required:"true" doc:"why it is no longer wanted, kept with a logically deleted item"`
}

func (s *dropStep) Handle(context.Context, *handlers.Call) (any, error) {
	return nil, handlers.Drop(s.Reason)
}

func snoozeKind() handlers.Kind {
	return handlers.Kind{
		Name: "Snooze", Summary: "Run the item again later",
		Doc: `Runs the item again later, from its first step. It counts no attempt, and the slot is free meanwhile. Give the step an if that
becomes false in the end, or the item snoozes forever. The steps before it run again, but not in a pipeline with resume: true,
which keeps their outputs: there the if must read something else, such as now.

It is safe to run twice: it changes nothing.`,
		Output:      "nothing; no step follows.",
		OutputShape: handlers.Always(handlers.NothingShape),
		Example: `- handler: Snooze
  if: not payload.ready
  with: {for: 15m, reason: the file is not there yet}
`,
		New: func() handlers.Handler { return &snoozeStep{} },
	}
}

type snoozeStep struct {
	For    handlers.Duration `json:"for" required:"true" doc:"how long to wait before the item is due again"`
	Reason string            `json:"reason" doc:"what the item waits for: in the log, and in items show"`
}

func (s *snoozeStep) Validate() error {
	if s.For < 0 {
		return handlers.WrongParam("for", "want 0s or more")
	}
	return nil
}

func (s *snoozeStep) Handle(context.Context, *handlers.Call) (any, error) {
	return nil, handlers.Snooze(time.Duration(s.For), s.Reason)
}
