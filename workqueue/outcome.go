package workqueue

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"
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
	Dropped                  // not wanted any more: the item is deleted, as its queue deletes
)

// Outcome is what a run of an item came to.
type Outcome struct {
	Verdict Verdict

	// Output is the pipeline's last output; kept for Succeeded only.
	Output JSONText

	// Error, Kind and Step tell a failure; Kind "" means KindError. Of a snooze or
	// a release, which are no failures, Error is the reason, "" for none.
	Error string
	Kind  ErrorKind
	Step  string

	// Uncounted tells that a failure counts no attempt: the item is tried again
	// after its backoff, however often.
	Uncounted bool

	// After is the wait that the run asked for: the time of a snooze, or the
	// least backoff of a failure, as far as its policy grants that.
	After time.Duration
}

// Settle turns an outcome into the write that records it: limit N allows N
// attempts in all, so the failure that brings RetryCount to the limit cancels. took is
// how long the run was, random is in [0, 1).
func (o Outcome) Settle(r *Run, took time.Duration, random float64) Finish {
	if o.Verdict == Failed && o.Kind == "" {
		o.Kind = KindError
	}
	note := r.ProgressNote()
	f := Finish{
		ItemID: r.ID, Fence: r.Fence, QueueName: r.QueueName, StartedAt: r.claimedAt(), Took: took, RetryCount: r.RetryCount, Error: storable(o.Error), ErrorKind: o.Kind,
		Output: note.Output, Analytics: r.analysed(), Encrypted: r.Encrypted,
		Step: note.Step, Progress: note.Progress, Percent: note.Percent, LogTail: note.LogTail, PipelineHash: note.PipelineHash,
	}
	attempt := func(outcome string) {
		f.Attempt = &AttemptNote{Number: r.Attempt(), Outcome: outcome, Step: stepColumn(o.Step)}
	}
	uncounted := func(outcome string) {
		attempt(outcome)
		f.Attempt.Reason = f.Error
		f.Error, f.ErrorKind = r.LastFailure()
	}
	switch o.Verdict {
	case Succeeded:
		f.State, f.Error, f.ErrorKind, f.Retain = Processed, "", "", r.retention()
		if o.Output != "" {
			f.Output = JSONText(storable(string(o.Output)))
		}
	case Snoozed:
		f.State, f.Delay = Ready, o.After
		uncounted("snoozed")
	case Released:
		f.State = Ready
		uncounted("released")
		if f.ErrorKind == "" {
			f.Error = f.Attempt.Reason // of an item that never failed: why it waits again
		}
	case Dropped:
		f.State, f.Delete = Cancelled, r.Queue.Deletion
		if f.Delete == "" {
			f.Delete = DeletionPhysical
		}
	case Failed:
		policy, err := r.Policy()
		if err != nil {
			// A policy that cannot be read must not hide the failure; the
			// pipeline's policy holds and the text says so.
			f.Error += "\n" + err.Error()
		}
		again := o.Uncounted || policy.Retries(o.Kind, f.RetryCount+1)
		delay := max(policy.Backoff(f.RetryCount+1, random), policy.retryAfter(o.After))
		if !o.Uncounted {
			f.RetryCount++
		}
		f.State = Cancelled
		if again {
			if late := policy.tooLate(r.Item, r.WaitedFor, took+delay); late != nil {
				f.Error += "\n" + late.Error()
			} else {
				f.State, f.Delay = Ready, delay
				if r.Queue.RetryAs == RetryCopy {
					f.State, f.Copy = Cancelled, true
				}
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

// LastFailure returns the error of the item's last failed attempt, "" when none has
// failed: a text without a kind is the reason of a release.
func (it *Item) LastFailure() (text string, kind ErrorKind) {
	if it.Error == nil || it.ErrorKind == nil {
		return "", ""
	}
	return *it.Error, *it.ErrorKind
}

// storable drops what PostgreSQL refuses in a text: a result that holds one NUL
// could never be written.
func storable(text string) string { return strings.ReplaceAll(text, "\x00", "") }

// stepColumn cuts a step's name to the width of its column, for the same reason.
func stepColumn(name string) string {
	const width = 200
	if len(name) <= width && strings.IndexByte(name, 0) < 0 && utf8.ValidString(name) {
		return name // as it is for each step of each run
	}
	runes := []rune(storable(name))
	return string(runes[:min(len(runes), width)])
}
