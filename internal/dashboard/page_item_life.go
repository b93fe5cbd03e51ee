package dashboard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"botwork/workqueue"
)

// attempt is an attempt that did not simply succeed.
type attempt struct {
	Number     int        `json:"attempt"`
	Fence      int64      `json:"fence"`
	Outcome    string     `json:"outcome"`
	Worker     *string    `json:"workerName"`
	Host       *string    `json:"host"`
	Step       *string    `json:"step"`
	Progress   *string    `json:"progress"`
	Error      *string    `json:"error"`
	ErrorKind  *string    `json:"errorKind"`
	Reason     *string    `json:"reason"`
	Hash       *string    `json:"pipelineHash"`
	StartedAt  *time.Time `json:"startedAt"`
	FinishedAt time.Time  `json:"finishedAt"`
	LogTail    *string    `json:"logTail"`

	StepTimes json.RawMessage `json:"stepTimes"`

	// Times is how many snoozes this one is the last of, on the page; 0: it is no snooze of several.
	Times int `json:"-"`
}

// shownAttempts returns the attempts of the page: of snoozes that follow each other, the last one.
func shownAttempts(attempts []attempt) []attempt {
	var shown []attempt
	for _, group := range workqueue.GroupSnoozes(attempts, (*attempt).sameSnooze) {
		a := group[len(group)-1]
		if n := len(group); n > 1 {
			a.Times = n
		}
		shown = append(shown, a)
	}
	return shown
}

// Took returns how long the attempt ran; 0 if it had not begun.
func (a *attempt) Took() time.Duration {
	if a.StartedAt == nil {
		return 0
	}
	return max(a.FinishedAt.Sub(*a.StartedAt), 0)
}

// sameSnooze reports whether two attempts are snoozes of the same step for the same reason.
func (a *attempt) sameSnooze(b *attempt) bool {
	return a.Outcome == workqueue.OutcomeSnoozed && b.Outcome == workqueue.OutcomeSnoozed && deref(a.Step) == deref(b.Step) && deref(a.Reason) == deref(b.Reason)
}

// phase is a stretch of an item's life, or a moment of it.
type phase struct {
	Status string // names its look
	What   string
	More   string
	From   time.Time
	Until  time.Time // zero: a moment
	Open   bool      // it has not ended; Until is now
	Future bool      // it is expected
}

// Took returns how long the phase was, or has been so far.
func (p *phase) Took() time.Duration {
	if p.Until.IsZero() {
		return 0
	}
	return max(p.Until.Sub(p.From), 0)
}

// life collects the phases of an item.
type life struct {
	it     *item
	phases []phase
	at     time.Time // the end of the latest phase
	last   *attempt  // the attempt before at; nil: none
	ended  bool      // the item had ended at this time
	now    time.Time
}

// lifeOf returns the phases of an item and its moments, in the order of their beginnings, and what is
// expected.
func lifeOf(it *item, attempts []attempt, history []entry, why *reason, now time.Time) []phase {
	l := &life{it: it, at: it.CreatedAt, now: now}
	l.mark(it.CreatedAt, "scheduled", "Enqueued", joined(prefixed("by ", deref(it.CreatedBy)), "priority "+number(int64(it.Priority))))
	repeats := repeatsOf(history)
	known := false
	for _, group := range workqueue.GroupSnoozes(attempts, (*attempt).sameSnooze) {
		a := &group[len(group)-1]
		latest := a == &attempts[len(attempts)-1]
		known = known || a.Fence == it.Fence
		if len(group) > 1 {
			from := cmp.Or(group[0].StartedAt, &group[0].FinishedAt)
			repeats = l.repeated(repeats, *from)
			l.waits(*from, false)
			l.add(phase{Status: "snoozed", What: fmt.Sprintf("Postponed %d times", len(group)), More: joined(prefixed("step ", deref(a.Step)), deref(a.Reason)), From: *from, Until: a.FinishedAt})
			l.last, l.ended = a, false
			continue
		}
		from := a.FinishedAt
		if a.StartedAt != nil {
			from = *a.StartedAt
		}
		repeats = l.repeated(repeats, from)
		l.waits(from, latest && known)
		if a.StartedAt != nil {
			l.add(phase{Status: "running", What: fmt.Sprintf("Attempt %d", a.Number), More: joined(prefixed("on ", deref(a.Worker)), briefText(stepsText(a.StepTimes), lifeSteps)), From: from, Until: a.FinishedAt})
		}
		l.mark(a.FinishedAt, a.Outcome, fmt.Sprintf("Attempt %d: %s", a.Number, strings.ToLower(statusLook(a.Outcome).Word)),
			joined(prefixed("step ", deref(a.Step)), deref(a.Error), deref(a.Reason)))
		l.last, l.ended = a, false
	}
	if it.StartedAt != nil && !known && !it.StartedAt.Before(l.at) {
		repeats = l.repeated(repeats, *it.StartedAt)
		l.waits(*it.StartedAt, true)
		l.run()
	}
	l.present(repeats)
	for _, h := range history {
		l.mark(h.At, "audited", actionText(h.Action), joined(prefixed("by ", h.Actor), h.Reason))
	}
	sort.SliceStable(l.phases, func(i, k int) bool { return l.phases[i].From.Before(l.phases[k].From) })
	return append(l.phases, expected(it, why)...)
}

// repeat is when a person let the item run again after its end.
type repeat struct {
	at        time.Time
	ended     time.Time // when a person had ended it; zero: it ended by itself
	succeeded bool      // its last run, of which the item keeps nothing when it is repeated
}

// repeatsOf returns the repeats of an item, the earliest first.
func repeatsOf(history []entry) []repeat {
	var all []repeat
	var next repeat
	for _, h := range slices.SortedStableFunc(slices.Values(history), func(a, b entry) int { return a.At.Compare(b.At) }) {
		switch h.Action {
		case "items.cancel", "items.archive":
			next.ended, next.succeeded = h.At, h.hadSucceeded()
		case "items.repeat":
			next.at, next.succeeded = h.At, next.succeeded || h.hadSucceeded()
			all = append(all, next)
			next = repeat{}
		}
	}
	return all
}

// hadSucceeded reports whether the item of a change had succeeded before.
func (e *entry) hadSucceeded() bool {
	var was struct {
		State *workqueue.State `json:"state"`
	}
	return json.Unmarshal(e.Before, &was) == nil && was.State != nil && *was.State == workqueue.Processed
}

func (l *life) mark(at time.Time, status, what, more string) {
	l.phases = append(l.phases, phase{Status: status, What: what, More: more, From: at})
}

// add adds a phase, unless it is empty.
func (l *life) add(p phase) {
	if p.Until.After(p.From) {
		l.phases = append(l.phases, p)
	}
	l.at = p.Until
}

// repeated adds the time in which the item had ended, until it was repeated, and returns the repeats
// that are later than until.
func (l *life) repeated(repeats []repeat, until time.Time) []repeat {
	for len(repeats) > 0 && !repeats[0].at.After(until) {
		if r := &repeats[0]; r.at.After(l.at) {
			p := phase{Status: "ended", What: "Ended, until it was repeated", Until: r.at}
			switch {
			case r.succeeded:
				p.What, p.More = "Waited, ran and succeeded, until it was repeated", "the times of that run are not kept"
			case r.ended.After(l.at):
				l.waits(r.ended, false)
			case l.last == nil:
				p.What = "Waited and ended, until it was repeated"
			}
			p.From = l.at
			l.add(p)
			l.last = nil
		}
		repeats = repeats[1:]
	}
	return repeats
}

// waits adds the wait until a run begins. The item has the times of its latest wait only.
func (l *life) waits(until time.Time, latest bool) {
	if !until.After(l.at) {
		return
	}
	if !latest {
		l.add(l.wait(l.at, until, l.last != nil))
		return
	}
	l.pause(until)
	if assigned := l.it.AssignedAt; assigned != nil && assigned.After(l.at) && assigned.Before(until) {
		l.add(l.wait(l.at, *assigned, false))
		l.add(phase{Status: "assigned", What: "Assigned", More: prefixed("to ", l.it.Worker), From: *assigned, Until: until})
		return
	}
	l.add(l.wait(l.at, until, false))
}

// pause adds the time before the item was due.
func (l *life) pause(until time.Time) {
	if due := l.it.AvailableAt; due.After(l.at.Add(time.Second)) {
		if due.After(until) {
			due = until
		}
		l.add(l.wait(l.at, due, true))
	}
}

// wait describes a wait, either until the item is due or for a worker.
func (l *life) wait(from, until time.Time, notDue bool) phase {
	p := phase{Status: "pending", What: "Waiting", From: from, Until: until}
	if !notDue {
		return p
	}
	p.Status, p.What = "scheduled", "Not due yet"
	if l.last == nil {
		return p
	}
	switch l.last.Outcome {
	case "snoozed":
		p.What = "Postponed"
	case "released", "rescued":
		p.Status, p.What = "pending", "Waiting again"
	default:
		p.Status, p.What = "retry", fmt.Sprintf("Backoff after attempt %d", l.last.Number)
	}
	return p
}

// lifeSteps bounds the text of the steps of a run, in characters.
const lifeSteps = 160

// run adds the latest run, which no record of an attempt describes: it goes on, or has succeeded.
func (l *life) run() {
	it := l.it
	p := phase{Status: "running", What: fmt.Sprintf("Attempt %d", it.RetryCount+1), More: prefixed("on ", it.Worker), From: *it.StartedAt, Until: l.now}
	switch {
	case it.Status == "Running":
		p.Open, p.More = true, joined(p.More, briefText(stepsText(it.StepTimes), lifeSteps), prefixed("now in step ", deref(it.Step)), deref(it.Progress))
	case it.Ended():
		p.Until, p.More = *it.FinishedAt, joined(p.More, briefText(stepsText(it.StepTimes), lifeSteps))
	default:
		return
	}
	l.add(p)
}

// present adds how the item has ended, or the phase that it is in.
func (l *life) present(repeats []repeat) {
	it := l.it
	if it.Ended() {
		l.repeated(repeats, *it.FinishedAt)
		l.waits(*it.FinishedAt, true)
		more := deref(it.Error)
		if l.last != nil && deref(l.last.Error) == more {
			more = "" // the attempt has it
		}
		l.mark(*it.FinishedAt, it.Status, statusLook(it.Status).Word, more)
		return
	}
	l.repeated(repeats, l.now)
	if it.DeletedAt != nil {
		l.waits(*it.DeletedAt, true)
		l.mark(*it.DeletedAt, "deleted", "Deleted", "")
		return
	}
	switch it.Status {
	case "Running":
		return
	case "Assigned":
		if it.AssignedAt != nil {
			l.waits(*it.AssignedAt, true)
			l.add(phase{Status: "assigned", What: "Assigned", More: prefixed("to ", it.Worker), From: *it.AssignedAt, Until: l.now, Open: true})
		}
		return
	}
	l.waits(l.now, true)
	if n := len(l.phases) - 1; !l.phases[n].Until.IsZero() {
		l.phases[n].Open = true
	}
}

// expected returns when the item is expected to start, or when that is decided.
func expected(it *item, why *reason) []phase {
	switch {
	case it.Ended():
	case why.ExpectedAt != nil:
		return []phase{{Status: "scheduled", What: "Expected to start", From: *why.ExpectedAt, Future: true}}
	case why.At != nil && it.Status != "Running":
		return []phase{{Status: "scheduled", What: "Next change by itself", From: *why.At, Future: true}}
	}
	return nil
}

// actionText writes an action of the audit log: items.cancel is Cancel.
func actionText(action string) string {
	_, verb, _ := strings.Cut(action, ".")
	if verb == "" {
		return action
	}
	return strings.ToUpper(verb[:1]) + verb[1:]
}
