package notify

import (
	"encoding/json"
	"maps"
	"time"

	"botwork/workqueue"
)

// memory is what an alert remembers for its next message.
type memory struct {
	Labels  labels   `json:"labels,omitempty"`
	Text    string   `json:"text"`
	Title   string   `json:"title,omitempty"`  // of a condition
	About   []string `json:"about,omitempty"`  // the sorted names that a title has
	Back    bool     `json:"back,omitempty"`   // the lost workers are alive again
	Unsent  int64    `json:"unsent,omitempty"` // events since the last message
	Samples []Sample `json:"samples,omitempty"`

	// Sent is the number of messages of this occurrence. Told is set once people know that it is
	// firing: without that there is no recovery message.
	Sent int64 `json:"sent,omitempty"`
	Told bool  `json:"told,omitempty"`

	// Decided is when the last message was decided, also that of an earlier occurrence or of a
	// summary: the At of the message.
	Decided time.Time `json:"decided,omitzero"`

	// Held is set if quiet hours have held a message, and Earlier are the earlier occurrences that
	// they have held, without those that did not fit.
	Held    bool    `json:"held,omitempty"`
	Earlier []Alert `json:"earlier,omitempty"`

	// Failed are the failed runs after which their pipelines have not succeeded.
	Failed map[string]int64 `json:"failed,omitempty"`
}

// tracked is an alert during an evaluation.
type tracked struct {
	workqueue.Alert
	memory
	changed bool
}

func track(a workqueue.Alert) *tracked {
	t := &tracked{Alert: a}
	if a.Memory != "" {
		// A row that was edited by hand begins with an empty memory.
		_ = json.Unmarshal([]byte(a.Memory), &t.memory)
	}
	return t
}

// row returns the alert as it is stored.
func (t *tracked) row() (workqueue.Alert, error) {
	text, err := json.Marshal(t.memory)
	t.Memory = workqueue.JSONText(text)
	return t.Alert, err
}

// observe updates the alert by what was observed; o is nil if nothing was. It returns true if the
// condition is over, or the last event was long ago.
func (t *tracked) observe(r *Rule, o *observation, now time.Time) (over bool) {
	momentary := r.Event.Momentary()
	if o != nil && (o.active || o.count > 0) {
		t.begin(r, o, now)
		t.merge(o, momentary, now)
		return false
	}
	switch {
	case t.Phase == workqueue.AlertOK:
		return false
	case !momentary:
		return true
	case r.Event == RunFailed:
		return len(t.Failed) == 0
	default:
		return now.Sub(t.LastAt) >= r.RecoverAfter
	}
}

// begin begins a new occurrence, unless the alert is pending or firing.
func (t *tracked) begin(r *Rule, o *observation, now time.Time) {
	if t.Phase == workqueue.AlertPending || t.Phase == workqueue.AlertFiring {
		return
	}
	t.Occurrence++
	held, earlier := t.Held, t.Earlier
	if held && len(earlier) < maxEarlier {
		earlier = append(earlier, t.shown(r))
	}
	t.memory = memory{Labels: o.labels, Held: held, Earlier: earlier, Decided: t.Decided}
	t.Phase, t.StartedAt, t.EndedAt, t.SentAt, t.Events = workqueue.AlertPending, now, nil, nil, 0
	if o.count > 0 {
		t.StartedAt = o.first
	}
	if !o.since.IsZero() {
		t.StartedAt = o.since
	}
	t.LastAt = t.StartedAt
}

// maxEarlier bounds the earlier occurrences in a summary.
const maxEarlier = 20

// merge adds an observation to the occurrence.
func (t *tracked) merge(o *observation, momentary bool, now time.Time) {
	t.changed = true
	t.Text, t.Back = o.text, false
	if !momentary {
		t.LastAt, t.Samples, t.Title, t.About = now, o.samples, o.title, o.about
		return
	}
	for _, name := range o.about {
		t.About = addName(t.About, name)
	}
	t.Events += o.count
	t.Unsent += o.count
	if o.last.After(t.LastAt) {
		t.LastAt = o.last
	}
	for _, s := range o.samples {
		if len(t.Samples) < maxSamples {
			t.Samples = append(t.Samples, s)
		}
	}
	if len(o.failed) > 0 {
		if t.Failed == nil {
			t.Failed = map[string]int64{}
		}
		maps.Copy(t.Failed, o.failed)
	}
}

// action is what an evaluation does about an alert.
type action int

const (
	nothing action = iota
	send
	sendResolved
)

// decide returns what is due for the alert and updates its phase.
func (t *tracked) decide(r *Rule, over, muted bool, now time.Time) (act action, status Status) {
	switch t.Phase {
	case workqueue.AlertPending:
		if over && (!r.Event.Momentary() || t.Unsent == 0) {
			t.end(now) // it was never firing
			return nothing, ""
		}
		if now.Sub(t.StartedAt) < r.Wait {
			return nothing, ""
		}
		if muted {
			t.drop()
			return nothing, ""
		}
		if r.Event.Momentary() && t.Unsent == 0 {
			return nothing, "" // what happened was muted
		}
		t.changed = true
		t.Phase = workqueue.AlertFiring
		return send, StatusFiring
	case workqueue.AlertFiring:
		if muted {
			t.drop()
			if over {
				t.end(now)
			}
			return nothing, ""
		}
		// Without a recovery message, the events since the last message wait for the next one.
		if over && (!r.Silent || t.Unsent == 0) {
			t.end(now)
			if r.Silent || !t.Told && !t.Held {
				return nothing, ""
			}
			return sendResolved, StatusResolved
		}
		if t.SentAt != nil && now.Sub(*t.SentAt) >= r.Repeat && (!r.Event.Momentary() || t.Unsent > 0) {
			return send, StatusRepeat
		}
	}
	return nothing, ""
}

// end ends the occurrence.
func (t *tracked) end(now time.Time) {
	t.changed = true
	t.Phase, t.EndedAt = workqueue.AlertOK, &now
}

// drop forgets the events that a muted alert does not report.
func (t *tracked) drop() {
	if t.Unsent > 0 || len(t.Samples) > 0 || t.Held {
		t.changed, t.Unsent, t.Samples, t.Held, t.Earlier = true, 0, nil, false, nil
	}
}

// sent records a message.
func (t *tracked) sent(now time.Time) {
	t.changed = true
	t.Sent++
	t.Decided = now
	t.SentAt, t.Unsent, t.Samples, t.Held, t.Earlier = &now, 0, nil, false, nil
	t.Told = t.Phase == workqueue.AlertFiring
}

// shown returns the alert as a message shows it.
func (t *tracked) shown(r *Rule) Alert {
	a := Alert{
		Rule: t.Rule, Event: r.Event, Group: t.Group, Labels: t.Labels, State: string(t.Phase), StartedAt: t.StartedAt, EndedAt: t.EndedAt,
		Text: t.Text, Count: t.Unsent, Total: t.Events, Samples: t.Samples,
	}
	if r.Event.Momentary() && t.Unsent > 0 {
		a.Text = r.Event.countText(t.Unsent)
	}
	a.Title = t.titled(r, &a)
	return a
}
