package builtin

import (
	"context"
	"errors"

	"botwork/handlers"
)

func progressKind() handlers.Kind {
	return handlers.Kind{
		Name: "Progress", Summary: "Report the progress of the item",
		Doc: `Reports the progress of the item, in words, as a percentage, or both; the latest report counts. output is a result so far, such
as the number of an order that the run has created: it is shown after a failure; the pipeline's own output replaces it when the item
succeeds. All of it is recorded with the item every two seconds while the run is active, and with the run's end, so that of several
within two seconds the last is recorded. analytics are figures for statistics of the queue's owner; they are kept when the run ends,
and have to fit the queue's schema. The text is cut to 1,000 characters. ` + "`botwork items show`" + ` shows it, also after the item has
succeeded. Everyone who reads items can read it: report no secrets.

It is safe to run twice: it reports the same again.`,
		Output:      "its input, so it can be anywhere in a pipeline.",
		OutputShape: handlers.Always(handlers.InputShape),
		Example: `- handler: Progress
  with: {text: "half of ${{ payload.n }}", percent: 50}
`,
		New: func() handlers.Handler { return &progressStep{} },
	}
}

type progressStep struct {
	Text    string `json:"text" doc:"the progress in words"`
	Percent *int   `json:"percent" doc:"the progress as a percentage, 0 to 100"`
	Output  any    `json:"output" doc:"a result so far"`

	Analytics any `json:"analytics" doc:"figures for statistics of the queue's owner"`
}

func (s *progressStep) Validate() error {
	if s.Text == "" && s.Percent == nil && s.Output == nil && s.Analytics == nil {
		return errors.New("want at least one of text, percent, output and analytics")
	}
	if s.Percent != nil && (*s.Percent < 0 || *s.Percent > 100) {
		return handlers.WrongParam("percent", "want 0 to 100")
	}
	return nil
}

func (s *progressStep) Handle(_ context.Context, call *handlers.Call) (any, error) {
	if s.Text != "" {
		call.Progress(s.Text)
	}
	if s.Percent != nil {
		call.Percent(*s.Percent)
	}
	if s.Output != nil {
		if err := call.Show(s.Output); err != nil {
			return nil, handlers.Permanent(err)
		}
	}
	if s.Analytics != nil {
		if err := call.Analyse(s.Analytics); err != nil {
			return nil, handlers.Permanent(err)
		}
	}
	return call.Input, nil
}
