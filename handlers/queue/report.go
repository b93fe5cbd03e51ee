package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"botwork/handlers"
	"botwork/internal/moments"
	"botwork/workqueue"
	"botwork/workqueue/report"
)

// errNoReport reports that the step ran outside of `botwork run`.
var errNoReport = handlers.Permanent(errors.New("there is no database here to report on; hint: botwork run, or botwork run --once PIPELINE"))

func reportKind(s Services) handlers.Kind {
	return handlers.Kind{
		Name: "Report", Summary: "Report what failed in a stretch of time",
		Doc: `Reports what botwork report reports: failures grouped by pipeline, step, kind and message, compared with the same stretch of the
day before; runs of system pipelines that failed, were late or did not take place; workers that died; queues at their limits.

text is plain text of at most 78 columns, fit for a mail, and headline its first line, fit for a subject. quiet is true if there is
nothing to report: a later step can have if: "!steps.report.output.quiet".

since and until are times such as 18:00 (the latest one before now), "yesterday 22:00", 2026-01-31 or 12h (twelve hours ago), in the
zone of timezone. The step only reads, and reads at most 50,000 failures of each sort: it is safe to run twice. complete is false if
there were more.`,
		Output: "{text, headline, quiet, complete, items, givenUp, attempts, groups, runs, workers, queues, since, until}: the report; whether there is nothing " +
			"to report, and whether nothing was left out; how many items failed and ended without success, failed attempts, groups of failures, runs with " +
			"problems, workers that died, queues at their limits; the stretch.",
		OutputShape: handlers.Always(handlers.ObjectShape(map[string]handlers.Shape{
			"text": handlers.TextShape, "headline": handlers.TextShape, "quiet": handlers.BoolShape, "complete": handlers.BoolShape,
			"items": handlers.WholeShape, "givenUp": handlers.WholeShape, "attempts": handlers.WholeShape, "groups": handlers.WholeShape,
			"runs": handlers.WholeShape, "workers": handlers.WholeShape, "queues": handlers.WholeShape, "since": handlers.TimeShape, "until": handlers.TimeShape,
		})),
		Example: `- name: report
  handler: Report
  with: {since: "18:00", timezone: Europe/Lisbon}
`,
		New: func() handlers.Handler { return &reportStep{services: s, Since: "18:00"} },
	}
}

type reportStep struct {
	services Services

	Since    string `json:"since" doc:"start of the stretch"`
	Until    string `json:"until" doc:"end of the stretch; default now"`
	Queue    string `json:"queue" doc:"only failures of the items of this queue, and its limits"`
	Pipeline string `json:"pipeline" doc:"only failures of the items of this pipeline, or its runs"`
	Timezone string `json:"timezone" doc:"time zone, such as Europe/Lisbon; default that of the machine"`
}

// Validate implements handlers.Validator.
func (r *reportStep) Validate() error {
	zone, err := r.zone()
	if err != nil {
		return handlers.WrongParam("timezone", fmt.Sprintf("got %q, want a time zone such as Europe/Lisbon or UTC", r.Timezone))
	}
	var errs []error
	for name, text := range map[string]string{"since": r.Since, "until": r.Until} {
		if _, err := moments.Parse(text, time.Now(), zone); err != nil && (name == "since" || text != "") {
			errs = append(errs, handlers.WrongParam(name, err.Error()))
		}
	}
	return errors.Join(errs...)
}

func (r *reportStep) zone() (*time.Location, error) {
	if r.Timezone == "" {
		return time.Local, nil
	}
	return time.LoadLocation(r.Timezone)
}

// Handle implements handlers.Handler.
func (r *reportStep) Handle(ctx context.Context, _ *handlers.Call) (any, error) {
	if r.services.Report == nil {
		return nil, errNoReport
	}
	store := r.services.Report()
	if store == nil {
		return nil, errNoReport
	}
	p, err := r.params(ctx, store)
	if err != nil {
		return nil, err
	}
	made, err := report.Make(ctx, store, p)
	if errors.Is(err, workqueue.ErrNotFound) {
		return nil, handlers.Permanent(err)
	}
	if err != nil {
		return nil, err
	}
	runs := 0
	for i := range made.Runs {
		runs += made.Runs[i].Count
	}
	return map[string]any{
		"text": made.Text(), "headline": made.Headline(), "quiet": made.Quiet(), "complete": len(made.Bounds) == 0,
		"items": made.Failed.Items, "givenUp": made.Failed.GivenUp, "attempts": made.Failed.Attempts, "groups": len(made.Failures),
		"runs": runs, "workers": len(made.Workers), "queues": len(made.Queues),
		"since": made.Since, "until": made.Until,
	}, nil
}

// params reads the times relative to the database's clock.
func (r *reportStep) params(ctx context.Context, store report.Store) (p report.Params, err error) {
	p = report.Params{Queue: r.Queue, Pipeline: r.Pipeline}
	if p.Zone, err = r.zone(); err != nil {
		return p, handlers.Permanent(err)
	}
	now, err := store.Now(ctx)
	if err != nil {
		return p, err
	}
	p.Until = now
	if r.Until != "" {
		if p.Until, err = moments.Parse(r.Until, now, p.Zone); err != nil {
			return p, handlers.Permanent(err)
		}
	}
	if p.Since, err = moments.Parse(r.Since, now, p.Zone); err != nil {
		return p, handlers.Permanent(err)
	}
	if !p.Since.Before(p.Until) {
		return p, handlers.Permanent(fmt.Errorf("got since %s and until %s, want an earlier since", p.Since.Format(time.RFC3339), p.Until.Format(time.RFC3339)))
	}
	return p, nil
}
