package handlers

import "context"

func progressKind() Kind {
	return Kind{
		Name: "Progress", Summary: "Tell how far the item has come",
		Doc: `Tells people how far the work has come; the latest word counts. It is recorded with the item every two seconds while
the run goes on, and with the run's end, so that of several within two seconds the last is seen. It is cut to 1,000 signs.
` + "`botwork items show`" + ` shows it, and it stays when the item has succeeded. What it tells can be read by whoever
reads items: name no secrets.

It is safe to run twice: it tells the same again. It never fails.`,
		Output: "its input, so that it can stand anywhere.",
		Example: `- handler: Progress
  with: {text: "half of ${{ payload.n }}"}
`,
		New: func() Handler { return &progressStep{} },
	}
}

type progressStep struct {
	Text string `json:"text" required:"true" doc:"how far it has come, in words"`
}

func (s *progressStep) Handle(_ context.Context, call *Call) (any, error) {
	call.Progress(s.Text)
	return call.Input, nil
}
