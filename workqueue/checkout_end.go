package workqueue

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// RobotEnd is a robot's report of the end of its work on an item.
type RobotEnd struct {
	// Kind is "" for a success, KindBusiness if the data is wrong, KindError if the
	// work failed. The queue's policy decides which is tried again.
	Kind ErrorKind

	// Error is the error text; a failure without one is rejected.
	Error string

	// Output is the result of a success.
	Output JSONText

	// Analytics is the robot's data about its work; "" for none.
	Analytics JSONText
}

// MaxPostpone is the longest time that a robot may postpone an item.
const MaxPostpone = 366 * 24 * time.Hour

// Postponement is until when a robot postpones an item.
type Postponement struct {
	// Until is when the item is due again. In is the same as an offset from the
	// database's now. If both are set, Until is used.
	Until time.Time
	In    time.Duration

	Reason string // stored with the attempt; "" for none
}

// RobotNote is the progress of the work on an item; nil and "" keep the recorded
// values.
type RobotNote struct {
	Text    string // for people; cut to 1,000 characters
	Percent *int   // 0 to 100
}

// RobotEnded is the state of an item after its robot has ended its work.
type RobotEnded struct {
	State State `json:"state"`

	// Copied is set if a new item, linked by RootID, tries again.
	Copied bool `json:"copied"`

	// RetryIn is the wait before the next attempt, if there is one.
	RetryIn Duration `json:"retryIn,omitzero"`
}

// MarshalJSON adds the state's name after its number.
func (e RobotEnded) MarshalJSON() ([]byte, error) {
	type plain RobotEnded
	return json.Marshal(struct {
		plain
		StateName string `json:"stateName"`
	}{plain(e), e.State.String()})
}

// Validate checks the note.
func (n RobotNote) Validate() error {
	if n.Percent != nil && (*n.Percent < 0 || *n.Percent > 100) {
		return fmt.Errorf("percent: got %d, want 0 to 100", *n.Percent)
	}
	return nil
}

// validate checks everything that does not depend on the queue.
func (e *RobotEnd) validate() error {
	var errs []error
	switch e.Kind {
	case "":
		if e.Error != "" {
			errs = append(errs, errors.New("error: a success has none; say whether it was an error or a business error"))
		}
	case KindError, KindBusiness:
		if e.Error == "" {
			errs = append(errs, errors.New("error: got no text, want one that describes the failure"))
		}
		if e.Output != "" {
			errs = append(errs, errors.New("output: a failure has none; put details into analytics"))
		}
	default:
		errs = append(errs, fmt.Errorf("kind %q: want none, %s or %s", e.Kind, KindError, KindBusiness))
	}
	return errors.Join(errs...)
}

// EndByRobot returns the end of an item that its robot reported, by its queue's
// policy: the rules of a worker's run, without those of a pipeline. Data that does
// not match the queue's schemas (*SchemaError) or is too large (*SizeError) is
// rejected, and the robot keeps the item. took is how long the robot has held the
// item, random is in [0, 1).
func (q *Queue) EndByRobot(it *Item, e RobotEnd, schemas *Schemas, took time.Duration, random float64) (Finish, error) {
	if err := e.validate(); err != nil {
		return Finish{}, err
	}
	var errs []error
	if e.Kind == "" {
		errs = append(errs, cmp.Or(q.CheckOutputSize(e.Output), schemas.CheckOutput(q, e.Output)))
	}
	if e.Kind == "" || e.Analytics != "" {
		errs = append(errs, cmp.Or(q.CheckAnalyticsSize(e.Analytics), schemas.CheckAnalytics(q, e.Analytics)))
	}
	if err := errors.Join(errs...); err != nil {
		return Finish{}, err
	}
	o := Outcome{Output: e.Output, Error: e.Error, Kind: e.Kind}
	if e.Kind != "" {
		o.Verdict = Failed
	}
	f := o.ToFinish(q.robotRun(it), took, random)
	f.Took = 0 // the run began at the checkout; the item has that time
	f.Analytics = JSONText(storable(string(e.Analytics)))
	return f, nil
}

// ReleaseByRobot returns the end of an item that its robot releases, which counts no
// failure.
func (q *Queue) ReleaseByRobot(it *Item, reason string) Finish {
	o := Outcome{Verdict: Released, Error: cmp.Or(reason, "released by its robot")}
	return o.ToFinish(q.robotRun(it), 0, 0)
}

// PostponeByRobot returns the end of an item that its robot postpones, which counts no
// failure. now is the time by the database's clock. A time that has passed makes the
// item due at once.
func (q *Queue) PostponeByRobot(it *Item, p Postponement, now time.Time) (Finish, error) {
	wait := p.In
	if !p.Until.IsZero() {
		wait = max(p.Until.Sub(now), 0)
	}
	if wait < 0 || wait > MaxPostpone {
		return Finish{}, &PostponeError{Wait: wait}
	}
	o := Outcome{Verdict: Snoozed, After: wait, Error: cmp.Or(p.Reason, "postponed by its robot")}
	return o.ToFinish(q.robotRun(it), 0, 0), nil
}

// PostponeError is returned for a postponement that is too long.
type PostponeError struct{ Wait time.Duration }

func (e *PostponeError) Error() string {
	return fmt.Sprintf("postpone: got %v, want 0s to %v", Duration(e.Wait), Duration(MaxPostpone))
}

// ReleaseFromRobot returns the end of an item that a person takes away from its robot,
// which counts no failure.
func (q *Queue) ReleaseFromRobot(it *Item, reason string) Finish {
	o := Outcome{Verdict: Released, Error: cmp.Or(reason, "taken away from its robot by a user")}
	return o.ToFinish(q.robotRun(it), 0, 0)
}

// DropByRobot returns the end of an item that its robot deletes, by the queue's
// deletion policy.
func (q *Queue) DropByRobot(it *Item, reason string) Finish {
	o := Outcome{Verdict: Dropped, Error: cmp.Or(reason, "deleted by its robot")}
	return o.ToFinish(q.robotRun(it), 0, 0)
}

// robotRun returns a robot's work on an item as a run. Such a run reports nothing
// before its end.
func (q *Queue) robotRun(it *Item) *Run {
	run := &Run{Item: it, Queue: q}
	if policy, err := ParseResilience(q.Resilience); err == nil { // workers ignore an invalid one, too
		run.QueueResilience = policy
	}
	return run
}
