package workqueue

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"
)

// RunItem runs one claimed item's pipeline to its end and returns the outcome. It
// stops when ctx ends; context.Cause gives the reason: [ErrLeaseLost], [ErrDraining]
// a [*TimeLimitError] or a [*FinishByError]. It must not panic.
type RunItem func(ctx context.Context, run *Run) Outcome

// Verdict is how a run of an item ended.
type Verdict int

// The verdicts.
const (
	Succeeded Verdict = iota // the pipeline ran to its end, or stopped early with success
	Failed                   // counts an attempt
	Snoozed                  // run again later, counts no attempt
	Released                 // interrupted from outside, counts no attempt
	Dropped                  // no longer wanted: the item is deleted, by its queue's deletion policy
)

// Outcome is the result of a run of an item.
type Outcome struct {
	Verdict Verdict

	// Output is the pipeline's last output; kept for Succeeded only.
	Output JSONText

	// Error, Kind and Step describe a failure; Kind "" means KindError. For a snooze
	// or a release, which are no failures, Error is the reason, "" for none.
	Error string
	Kind  ErrorKind
	Step  string

	// Uncounted is set if a failure does not count as an attempt: the item is tried
	// again after its backoff, without a limit.
	Uncounted bool

	// After is the wait that the run requested: the time of a snooze, or the minimum
	// backoff of a failure, within the limits of its policy.
	After time.Duration
}

// ToFinish turns an outcome into the write that records it. A limit of N allows N
// attempts in all, so the failure that raises RetryCount to the limit cancels the
// item. took is the duration of the run, random is in [0, 1).
func (o Outcome) ToFinish(r *Run, took time.Duration, random float64) Finish {
	if o.Verdict == Failed && o.Kind == "" {
		o.Kind = KindError
	}
	note := r.ProgressNote()
	f := Finish{
		ItemID: r.ID, Fence: r.Fence, QueueName: r.QueueName, StartedAt: r.claimedAt(),
		Pipeline: r.IntegrationConfig, Priority: r.Priority, DueAt: r.AvailableAt, Took: took, RetryCount: r.RetryCount, Error: storable(o.Error), ErrorKind: o.Kind,
		Output: note.Output, Analytics: r.analysed(), Encrypted: r.Encrypted, HasSteps: r.keepsSteps(),
		Step: note.Step, Progress: note.Progress, Percent: note.Percent, LogTail: note.LogTail, StepTimes: note.StepTimes, PipelineHash: note.PipelineHash,
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
		f.LogTail = r.keptLog(f.LogTail)
		if o.Output != "" {
			f.Output = JSONText(storable(string(o.Output)))
		}
	case Snoozed:
		f.State, f.Delay = Ready, o.After
		uncounted(OutcomeSnoozed)
	case Released:
		f.State = Ready
		uncounted("released")
		if f.ErrorKind == "" {
			f.Error = f.Attempt.Reason // the item never failed: this is why it waits again
		}
	case Dropped:
		f.State, f.Delete = Cancelled, r.Queue.Deletion
		if f.Delete == "" {
			f.Delete = DeletionPhysical
		}
	case Failed:
		again, delay, notes := o.retry(r, took, random)
		f.Error += notes
		if !o.Uncounted {
			f.RetryCount++
		}
		f.State = Cancelled
		if again {
			f.State, f.Delay = Ready, delay
			if r.Queue.RetryAs == RetryCopy {
				f.State, f.Copy = Cancelled, true
			}
		}
		if o.Kind == KindTimeout || o.Kind == KindExpired {
			attempt("timeout")
		} else {
			attempt("failed")
		}
	}
	return f
}

// retry reports whether a failed run is followed by another attempt, and after which wait. notes
// is what that adds to the error.
func (o Outcome) retry(r *Run, took time.Duration, random float64) (again bool, delay time.Duration, notes string) {
	policy, err := r.Policy()
	if err != nil {
		// A policy that cannot be read must not hide the failure. The
		// pipeline's policy applies then, and the error text says so.
		notes = "\n" + err.Error()
	}
	if !o.Uncounted && !policy.Retries(o.Kind, r.RetryCount+1) {
		return false, 0, notes
	}
	delay = max(policy.Backoff(r.RetryCount+1, random), policy.retryAfter(o.After))
	late := policy.tooLate(r.Item, r.WaitedFor, took+delay)
	if late == nil {
		late = r.pastFinishBy(r.WaitedFor + took + delay)
	}
	if late != nil {
		return false, 0, notes + "\n" + late.Error()
	}
	return true, delay, notes
}

// Final reports whether no attempt follows a run that has failed so after took. Only jitter, which
// is drawn when the result is written, may still move the next attempt beyond a limit.
func (o Outcome) Final(r *Run, took time.Duration) bool {
	again, _, _ := o.retry(r, took, 0.5)
	return !again
}

// LastFailure returns the error of the item's last failed attempt, "" when none has
// failed: a text without a kind is the reason of a release.
func (it *Item) LastFailure() (text string, kind ErrorKind) {
	if it.Error == nil || it.ErrorKind == nil {
		return "", ""
	}
	return *it.Error, *it.ErrorKind
}

// storable removes NUL, which PostgreSQL rejects in a text: a result with one NUL
// could never be written.
func storable(text string) string { return strings.ReplaceAll(text, "\x00", "") }

// stepColumn cuts a step's name to the width of its column, for the same reason. Of the steps of branches it
// keeps as many whole names as fit: "both / one, both / two, …".
func stepColumn(name string) string {
	const width = 200
	if len(name) <= width && strings.IndexByte(name, 0) < 0 && utf8.ValidString(name) {
		return name // the usual case, without an allocation
	}
	runes := []rune(storable(name))
	if len(runes) <= width {
		return string(runes)
	}
	const more = ", …"
	kept := string(runes[:width-len([]rune(more))+1]) // with a comma that may follow
	if i := strings.LastIndexByte(kept, ','); i > 0 {
		return kept[:i] + more
	}
	return string(runes[:width])
}
