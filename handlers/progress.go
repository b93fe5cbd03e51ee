package handlers

import (
	"context"
	"errors"
)

func progressKind() Kind {
	return Kind{
		Name: "Progress", Summary: "Tell how far the item has come",
		Doc: `Tells people how far the work has come, in words, as a percentage, or both; the latest word counts. output is what the run
has to show already, such as the number of an order that it has made: whoever looks after a failure finds it; the pipeline's own
output replaces it when the item succeeds. All of it is recorded with the item every two seconds while the run goes on, and with
the run's end, so that of several within two seconds the last is seen. analytics are figures for the statistics of the queue's
owner; they are kept when the run ends, and have to fit the queue's schema. The text is cut to 1,000 signs. ` + "`botwork items show`" + `
shows it, and it stays when the item has succeeded. What it tells can be read by whoever reads items: name no secrets.

It is safe to run twice: it tells the same again.`,
		Output: "its input, so that it can stand anywhere.",
		Gives:  Always(InputShape),
		Example: `- handler: Progress
  with: {text: "half of ${{ payload.n }}", percent: 50}
`,
		New: func() Handler { return &progressStep{} },
	}
}

type progressStep struct {
	Text    string `json:"text" doc:"how far it has come, in words"`
	Percent *int   `json:"percent" doc:"how far it has come, 0 to 100"`
	Output  any    `json:"output" doc:"what it has to show already"`

	Analytics any `json:"analytics" doc:"figures for the statistics of the queue's owner"`
}

func (s *progressStep) Validate() error {
	if s.Text == "" && s.Percent == nil && s.Output == nil && s.Analytics == nil {
		return errors.New("want at least one of text, percent, output and analytics")
	}
	if s.Percent != nil && (*s.Percent < 0 || *s.Percent > 100) {
		return WrongParam("percent", "want 0 to 100")
	}
	return nil
}

func (s *progressStep) Handle(_ context.Context, call *Call) (any, error) {
	if s.Text != "" {
		call.Progress(s.Text)
	}
	if s.Percent != nil {
		call.Percent(*s.Percent)
	}
	if s.Output != nil {
		if err := call.Show(s.Output); err != nil {
			return nil, Permanent(err)
		}
	}
	if s.Analytics != nil {
		if err := call.Analyse(s.Analytics); err != nil {
			return nil, Permanent(err)
		}
	}
	return call.Input, nil
}
