package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
)

// errNoCleanUp reports that the step ran outside of `botwork run`.
var errNoCleanUp = handlers.Permanent(errors.New("there is no database here that could be cleaned up; hint: botwork run, or botwork run --once PIPELINE"))

func cleanUpKind(s Services) handlers.Kind {
	const day = 24 * time.Hour
	return handlers.Kind{
		Name: "CleanUp", Summary: "Remove old items and records from the database",
		Doc: `Removes permanently, in small batches: completed items whose retention is over; archived items beyond an age and a number; items
that were deleted logically; old records of schedules and runs; the rows of workers that are gone; learned durations of pipelines
that no longer run; texts of pipelines that no worker uses; old recorded forecasts; old entries of the audit log. It also frees unique keys whose time is over, sums up the
statistics of the past, and removes sessions, sign-in links and API tokens that have ended.

The settings of an item or its queue (retain, archive) take precedence over these parameters. never keeps everything of that sort;
completed: 0s keeps nothing. Attempts are removed with their item. The latest record of each schedule, and the latest run of each
pipeline and worker, always stay: the next one is counted from them. Items keep the number of a removed worker, attempts also its
name.

A batch waits for no lock and delays no claim. Between two batches the step rests for three times as long as one took, and it ends
after for, complete or not. It is safe to run twice, at the same time, and to stop: the next run continues.`,
		Output: "{completed, archived, deleted, firings, runs, workers, durations, texts, forecasts, audit, keys, figures, complete}: what was removed of each sort, keys freed, " +
			"rows of statistics summed up, and whether it is complete.",
		OutputShape: handlers.Always(handlers.ObjectShape(map[string]handlers.Shape{
			"completed": handlers.WholeShape, "archived": handlers.WholeShape, "deleted": handlers.WholeShape, "firings": handlers.WholeShape,
			"runs": handlers.WholeShape, "workers": handlers.WholeShape, "durations": handlers.WholeShape, "texts": handlers.WholeShape, "forecasts": handlers.WholeShape, "audit": handlers.WholeShape, "keys": handlers.WholeShape,
			"figures": handlers.WholeShape, "complete": handlers.BoolShape,
		})),
		Example: `- handler: CleanUp
  with: {completed: 7d, archived: never, archivedItems: 50000}
`,
		New: func() handlers.Handler {
			return &cleanUpStep{
				services: s, Completed: after(30 * day), Archived: after(90 * day), ArchivedItems: atMost(10_000), Deleted: after(30 * day),
				Firings: after(90 * day), Runs: after(30 * day), Workers: after(30 * day), Durations: after(90 * day), Texts: after(365 * day), Forecasts: after(30 * day), Audit: after(90 * day),
				Batch: workqueue.MaxCleanBatch, For: handlers.Duration(10 * time.Minute),
			}
		},
	}
}

type cleanUpStep struct {
	services Services

	Completed     age               `json:"completed" doc:"completed items are removed this long after they finished, if their queue does not set it; or never"`
	Archived      age               `json:"archived" doc:"archived items are removed this long after they finished, if their queue does not set it; or never"`
	ArchivedItems number            `json:"archivedItems" doc:"how many archived items each queue keeps, the newest, if it does not set it; or never, for no bound"`
	Deleted       age               `json:"deleted" doc:"logically deleted items are removed this long after their deletion; or never"`
	Firings       age               `json:"firings" doc:"records of schedules are removed after this, at least 24h, except for the latest of each; or never"`
	Runs          age               `json:"runs" doc:"runs of system pipelines are removed this long after they ended, except for the latest of each; or never"`
	Workers       age               `json:"workers" doc:"workers are removed that were not seen for this long, at least 24h, and hold nothing; or never"`
	Durations     age               `json:"durations" doc:"learned durations are removed of pipelines, tasks and keys that did not run for this long; or never"`
	Texts         age               `json:"texts" doc:"texts of pipelines are removed that no worker has used for this long, at least 24h; or never"`
	Forecasts     age               `json:"forecasts" doc:"recorded forecasts are removed after this; or never"`
	Audit         age               `json:"audit" doc:"entries of the audit log are removed after this, at least 24h; or never"`
	Batch         int               `json:"batch" doc:"how many rows are removed at a time, 1 to 500"`
	For           handlers.Duration `json:"for" doc:"how long the step runs at most; the next run continues"`
}

// Validate implements handlers.Validator.
func (c *cleanUpStep) Validate() error {
	var errs []error
	wrong := func(name, message string) { errs = append(errs, handlers.WrongParam(name, message)) }
	for _, f := range []struct {
		name string
		age  age
	}{
		{"completed", c.Completed}, {"archived", c.Archived}, {"deleted", c.Deleted}, {"firings", c.Firings}, {"runs", c.Runs}, {"workers", c.Workers},
		{"durations", c.Durations}, {"texts", c.Texts}, {"forecasts", c.Forecasts}, {"audit", c.Audit},
	} {
		if f.age.d != nil && *f.age.d < 0 {
			wrong(f.name, "want 0s or more, or never")
		}
	}
	if d := c.Workers.d; d != nil && *d >= 0 && *d < workqueue.LeastWorkerAge {
		wrong("workers", "want 24h or more, or never: a worker that restarts must find its row")
	}
	if d := c.Firings.d; d != nil && *d >= 0 && *d < workqueue.LeastFiringAge {
		wrong("firings", "want 24h or more, or never: without its record a planned time could run twice")
	}
	if d := c.Texts.d; d != nil && *d >= 0 && *d < workqueue.LeastTextAge {
		wrong("texts", "want 24h or more, or never: workers record only every twelve hours which versions they use")
	}
	if d := c.Audit.d; d != nil && *d >= 0 && *d < workqueue.LeastAuditAge {
		wrong("audit", "want 24h or more, or never: a command that is at work adds to its entry")
	}
	if n := c.ArchivedItems.n; n != nil && *n < 0 {
		wrong("archivedItems", "want 0 or more, or never")
	}
	if c.Batch < 1 || c.Batch > workqueue.MaxCleanBatch {
		wrong("batch", fmt.Sprintf("got %d, want 1 to %d", c.Batch, workqueue.MaxCleanBatch))
	}
	if c.For <= 0 {
		wrong("for", "want more than 0s")
	}
	return errors.Join(errs...)
}

// Handle implements handlers.Handler.
func (c *cleanUpStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	if c.services.CleanUp == nil {
		return nil, errNoCleanUp
	}
	store := c.services.CleanUp()
	if store == nil {
		return nil, errNoCleanUp
	}
	r, err := workqueue.CleanUp(ctx, store, workqueue.CleanUpParams{
		Completed: c.Completed.d, Archived: c.Archived.d, ArchivedItems: c.ArchivedItems.n, Deleted: c.Deleted.d,
		Firings: c.Firings.d, Runs: c.Runs.d, Workers: c.Workers.d, Durations: c.Durations.d, Texts: c.Texts.d, Forecasts: c.Forecasts.d, Audit: c.Audit.d, Batch: c.Batch, For: time.Duration(c.For),
	})
	log := call.Log.With().Bool("complete", r.Complete).Int("keys", r.Keys).Int("figures", r.Figures).Logger()
	reportCounts(call, log, "cleaned up", counter{"completed", r.Completed}, counter{"archived", r.Archived}, counter{"deleted", r.Deleted},
		counter{"firings", r.Firings}, counter{"runs", r.Runs}, counter{"workers", r.Workers}, counter{"durations", r.Durations}, counter{"texts", r.Texts}, counter{"forecasts", r.Forecasts}, counter{"audit", r.Audit})
	return map[string]any{
		"completed": r.Completed, "archived": r.Archived, "deleted": r.Deleted, "firings": r.Firings, "runs": r.Runs,
		"workers": r.Workers, "durations": r.Durations, "texts": r.Texts, "forecasts": r.Forecasts, "audit": r.Audit, "keys": r.Keys, "figures": r.Figures, "complete": r.Complete,
	}, err
}

// never is the value of a parameter that disables removal.
const never = "never"

// age is the minimum age for removal; nil: never.
type age struct{ d *time.Duration }

func after(d time.Duration) age { return age{&d} }

// UnmarshalText parses a duration, or never.
func (a *age) UnmarshalText(text []byte) error {
	if string(text) == never {
		a.d = nil
		return nil
	}
	d, err := handlers.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%w, or never", err)
	}
	a.d = &d
	return nil
}

// Pattern implements handlers.Patterned.
func (*age) Pattern() (pattern, wanted string) {
	return "^(" + never + "|" + handlers.DurationPattern + ")$", "a duration such as 30d, or never"
}

// String writes what UnmarshalText reads.
func (a age) String() string {
	if a.d == nil {
		return never
	}
	return handlers.Duration(*a.d).String()
}

// number is how many rows are kept; nil: all.
type number struct{ n *int }

func atMost(n int) number { return number{&n} }

// UnmarshalText parses a whole number, or never.
func (m *number) UnmarshalText(text []byte) error {
	if string(text) == never {
		m.n = nil
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil {
		return fmt.Errorf("got %q, want a whole number, or never", text)
	}
	m.n = &n
	return nil
}

// Pattern implements handlers.Patterned.
func (*number) Pattern() (pattern, wanted string) {
	return "^(" + never + "|[0-9]+)$", "a whole number, or never"
}

func (m number) String() string {
	if m.n == nil {
		return never
	}
	return strconv.Itoa(*m.n)
}
