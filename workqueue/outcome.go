package workqueue

import (
	"context"
	"strings"
	"time"
)

// RunItem runs one claimed item's pipeline to its end and says what came of
// it. It stops when ctx ends; context.Cause tells why: [ErrLeaseLost],
// [ErrDraining] or a [*TimeLimitError]. It must not panic.
type RunItem func(ctx context.Context, run *Run) Outcome

// Verdict is how a run of an item ended.
type Verdict int

// The verdicts.
const (
	Succeeded Verdict = iota // the pipeline ran to its end, or broke off well
	Failed                   // counts an attempt
	Snoozed                  // run again later, counts no attempt
	Released                 // interrupted from outside, counts no attempt
)

// Outcome is what a run of an item came to.
type Outcome struct {
	Verdict Verdict

	// Output is the pipeline's last output; kept for Succeeded only.
	Output JSONText

	// Error, Kind and Step tell a failure; Kind "" means KindError. Error also
	// holds the reason of a snooze or a release.
	Error string
	Kind  ErrorKind
	Step  string

	// After is the wait that the run asked for: the time of a snooze, or the
	// least backoff of a failure.
	After time.Duration
}

// settle turns an outcome into the write that records it: limit N allows N
// attempts in all, so the failure that brings RetryCount to the limit cancels. took is
// how long the run was, random is in [0, 1).
func (o Outcome) settle(r *Run, took time.Duration, random float64) Finish {
	if o.Verdict == Failed && o.Kind == "" {
		o.Kind = KindError
	}
	note := r.note()
	f := Finish{
		ItemID: r.ID, Fence: r.Fence, RetryCount: r.RetryCount, Error: storable(o.Error), ErrorKind: o.Kind,
		Step: note.Step, Progress: note.Progress, LogTail: note.LogTail,
	}
	attempt := func(outcome string) {
		f.Attempt = &AttemptNote{Number: r.Attempt(), Outcome: outcome, Step: stepColumn(o.Step)}
	}
	switch o.Verdict {
	case Succeeded:
		f.State, f.Output, f.Error, f.ErrorKind = Processed, JSONText(storable(string(o.Output))), "", ""
	case Snoozed:
		f.State, f.Delay = Ready, o.After
		attempt("snoozed")
	case Released:
		f.State = Ready
		attempt("released")
	case Failed:
		policy, err := r.Policy()
		if err != nil {
			// A policy that cannot be read must not hide the failure; the
			// pipeline's policy holds and the text says so.
			f.Error += "\n" + err.Error()
		}
		f.RetryCount++
		f.State = Cancelled
		if policy.Retries(o.Kind, f.RetryCount) {
			delay := max(policy.Backoff(f.RetryCount, random), o.After)
			if late := policy.tooLate(r.Item, took+delay); late != nil {
				f.Error += "\n" + late.Error()
			} else {
				f.State, f.Delay = Ready, delay
			}
		}
		if o.Kind == KindTimeout {
			attempt("timeout")
		} else {
			attempt("failed")
		}
	}
	return f
}

// storable drops what PostgreSQL refuses in a text: a result that holds one NUL
// could never be written.
func storable(text string) string { return strings.ReplaceAll(text, "\x00", "") }

// stepColumn cuts a step's name to the width of its column, for the same reason.
func stepColumn(name string) string {
	const width = 200
	runes := []rune(storable(name))
	return string(runes[:min(len(runes), width)])
}
