package workqueue

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// RobotEnd is what a robot says of its work on an item.
type RobotEnd struct {
	// Kind is "" for a success, KindBusiness when the data is wrong, KindError
	// when the work went wrong. The queue's policy says which is tried again.
	Kind ErrorKind

	// Error tells what went wrong; a failure without a text is refused.
	Error string

	// Output is the result of a success.
	Output JSONText

	// Analytics is what the robot tells of its work; "" tells nothing.
	Analytics JSONText
}

// RobotNote is how far the work on an item has come; nil and "" keep what was
// told before.
type RobotNote struct {
	Text    string // for people; cut to 1,000 signs
	Percent *int   // 0 to 100
}

// RobotEnded is what became of an item whose robot has said how it ended.
type RobotEnded struct {
	State State `json:"state"`

	// Copied tells that a new item, linked by RootID, tries again.
	Copied bool `json:"copied"`

	// RetryIn is how long the next attempt waits, where there is one.
	RetryIn Duration `json:"retryIn,omitzero"`
}

// MarshalJSON adds the state's name behind its number.
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

// validate checks what does not depend on the queue.
func (e *RobotEnd) validate() error {
	var errs []error
	switch e.Kind {
	case "":
		if e.Error != "" {
			errs = append(errs, errors.New("error: a success has none; say whether it was an error or a business error"))
		}
	case KindError, KindBusiness:
		if e.Error == "" {
			errs = append(errs, errors.New("error: got no text, want one that tells what went wrong"))
		}
		if e.Output != "" {
			errs = append(errs, errors.New("output: a failure has none; analytics may tell more"))
		}
	default:
		errs = append(errs, fmt.Errorf("kind %q: want none, %s or %s", e.Kind, KindError, KindBusiness))
	}
	return errors.Join(errs...)
}

// EndByRobot is the end of an item that a robot says, as its queue's policy has
// it: the rules of a worker's run, without a pipeline's. Data that does not fit
// the queue's schemas (*SchemaError), or is too large (*SizeError), is refused and the item stays taken. took
// is how long the robot has had the item, random is in [0, 1).
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
	f := o.Settle(q.robotRun(it), took, random)
	f.Took = 0 // it began with its checkout, whose time the item has
	f.Analytics = JSONText(storable(string(e.Analytics)))
	return f, nil
}

// ReleaseByRobot is the end of an item that its robot gives back, uncounted.
func (q *Queue) ReleaseByRobot(it *Item, reason string) Finish {
	o := Outcome{Verdict: Released, Error: cmp.Or(reason, "given back by its robot")}
	return o.Settle(q.robotRun(it), 0, 0)
}

// DropByRobot is the end of an item that its robot deletes, as the queue does.
func (q *Queue) DropByRobot(it *Item, reason string) Finish {
	o := Outcome{Verdict: Dropped, Error: cmp.Or(reason, "deleted by its robot")}
	return o.Settle(q.robotRun(it), 0, 0)
}

// robotRun is a robot's work on an item as a run, of which it tells nothing
// before its end.
func (q *Queue) robotRun(it *Item) *Run {
	run := &Run{Item: it, Queue: q}
	if policy, err := ParseResilience(q.Resilience); err == nil { // workers pass over a broken one, too
		run.QueueResilience = policy
	}
	return run
}
