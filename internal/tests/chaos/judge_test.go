//go:build unix

package chaos

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"botwork/internal/tests/chaos/ledger"
	"botwork/workqueue"
)

// verdict is the result of the judgement.
type verdict struct {
	faults  []string
	figures figures
}

func (v *verdict) fault(format string, args ...any) {
	v.faults = append(v.faults, fmt.Sprintf(format, args...))
}

// judge compares the database with the ledger. It uses only what the program
// promises, not how it works.
func judge(e evidence) verdict {
	v := verdict{faults: slices.Clone(e.faults), figures: figures{counts: e.counts}}
	v.orders(e)
	runs, steps := runsOf(e.lines), stepsOf(e.steps)
	for i := range e.rows {
		r := &e.rows[i]
		o, known := e.confirmed[r.number]
		if !known {
			o, known = e.unconfirmed[r.number]
		}
		if !known {
			v.fault("item %d has no order, its payload is %s", r.ID, r.Payload)
			continue
		}
		v.row(r, o)
		if o.Resume {
			v.steps(e, r, steps[r.ID])
			delete(steps, r.ID)
			continue
		}
		v.runs(r, runs[r.ID])
		delete(runs, r.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(steps)) {
		v.fault("steps of item %d are in the ledger and not in the database", id)
	}
	for _, id := range slices.Sorted(maps.Keys(runs)) {
		v.fault("item %d is in the ledger and not in the database", id)
	}
	v.overlaps(e, e.lines)
	v.overlaps(e, e.steps)
	v.cuts(e)
	v.repeats(e)
	v.recoveries(e)
	for _, p := range e.pauses {
		if p.to.Sub(p.from) > e.lease {
			v.figures.pausesPastLease++
		}
	}
	v.figures.kills, v.figures.pauses = len(e.deaths), len(e.pauses)
	v.figures.unsaved, v.figures.unread = len(e.unsaved), len(e.unread)
	return v
}

// orders finds lost orders, and orders with two items.
func (v *verdict) orders(e evidence) {
	rows := map[int]int{}
	for _, r := range e.rows {
		rows[r.number]++
	}
	v.figures.items = len(e.rows)
	for _, n := range slices.Sorted(maps.Keys(e.confirmed)) {
		if rows[n] == 0 {
			v.figures.lost++
			v.fault("order %d is lost: it was confirmed, but no item has it", n)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(rows)) {
		if rows[n] > 1 {
			v.figures.doubles++
			v.fault("order %d has %d items, want one", n, rows[n])
		}
	}
}

// row compares an item with its order and with its attempts.
func (v *verdict) row(r *row, o order) {
	want, failures := workqueue.Processed, o.Failures
	if o.Failures >= attempts {
		want, failures = workqueue.Cancelled, attempts
	}
	switch {
	case r.State != want:
		v.figures.lost++
		v.fault("item %d is %s, want %s: %+v, error %s", r.ID, r.State, want, o, text(r.Error))
	case want == workqueue.Processed:
		v.figures.processed++
	default:
		v.figures.cancelled++
	}
	if r.RetryCount != failures {
		v.fault("item %d has RetryCount %d, want %d: it fails %d times by design, and nothing else is a failure", r.ID, r.RetryCount, failures, failures)
	}
	outcomes := map[string]int{}
	for _, a := range r.attempts {
		outcomes[a.Outcome]++
	}
	if outcomes["failed"] != failures {
		v.fault("item %d has %d failed attempts, want %d", r.ID, outcomes["failed"], failures)
	}
	if outcomes["rescued"] != r.ReleaseCount {
		v.fault("item %d has ReleaseCount %d and %d rescued attempts, want the same number", r.ID, r.ReleaseCount, outcomes["rescued"])
	}
	if n := outcomes["failed"] + outcomes["rescued"] + outcomes["released"]; n != len(r.attempts) {
		v.fault("item %d has attempts that are neither failed nor rescued nor released: %v", r.ID, outcomes)
	}
	v.figures.failed += outcomes["failed"]
	v.figures.rescued += outcomes["rescued"]
	v.figures.released += outcomes["released"]
}

// run is what the ledger has about one claim of an item.
type run struct {
	fence   int64
	begins  int
	last    ledger.Kind // "": the process died
	program bool
	after   int // lines after the last
}

func runsOf(lines []ledger.Line) map[int64]map[int64]*run {
	items := map[int64]map[int64]*run{}
	for _, l := range lines {
		if items[l.Item] == nil {
			items[l.Item] = map[int64]*run{}
		}
		r := items[l.Item][l.Fence]
		if r == nil {
			r = &run{fence: l.Fence}
			items[l.Item][l.Fence] = r
		}
		r.program = l.Program != 0
		r.add(l.Kind)
	}
	return items
}

// add adds a line.
func (r *run) add(kind ledger.Kind) {
	switch {
	case kind == ledger.Begin:
		r.begins++
	case r.last != "":
		r.after++
	case kind.Last():
		r.last = kind
	}
}

// runs compares an item with the ledger: the run with the row's fence ended
// as the row says, and each earlier one has an attempt.
func (v *verdict) runs(r *row, runs map[int64]*run) {
	attempts := map[int64]string{}
	for _, a := range r.attempts {
		if attempts[a.Fence] != "" {
			v.fault("item %d, fence %d: has two attempts, %s and %s", r.ID, a.Fence, attempts[a.Fence], a.Outcome)
		}
		attempts[a.Fence] = a.Outcome
	}
	for _, fence := range slices.Sorted(maps.Keys(runs)) {
		run := runs[fence]
		v.figures.runs++
		if run.program {
			v.figures.programs++
		}
		if run.begins != 1 {
			v.figures.doubles++
			v.fault("item %d, fence %d: started %d times, want once", r.ID, fence, run.begins)
		}
		if run.after > 0 {
			v.fault("item %d, fence %d: %d lines after its %s", r.ID, fence, run.after, run.last)
		}
		if fence > r.Fence {
			v.fault("item %d, fence %d: ran, but the row has only fence %d", r.ID, fence, r.Fence)
		}
		outcome := attempts[fence]
		switch {
		case fence == r.Fence && r.State == workqueue.Processed:
			if run.last != ledger.End || outcome != "" {
				v.figures.doubles++
				v.fault("item %d, fence %d: Processed, but the run's last line is %q and its attempt %q, want end and none", r.ID, fence, run.last, outcome)
			}
		case outcome == "":
			v.fault("item %d, fence %d: started, last line %q, but it has no attempt", r.ID, fence, run.last)
		case outcome == "failed" && run.last != ledger.Fail:
			v.fault("item %d, fence %d: counted as failed, but its last line is %q", r.ID, fence, run.last)
		case run.last == ledger.End:
			v.figures.unrecorded++
		}
	}
	if runs[r.Fence] == nil && (r.State == workqueue.Processed || r.State == workqueue.Cancelled) {
		v.fault("item %d: %s with fence %d, which never ran", r.ID, r.State, r.Fence)
	}
}

// overlaps finds lines of a run after the begin of a later run of its item. A
// process that was suspended when the later run began may write some, for a short
// time after its wake-up.
func (v *verdict) overlaps(e evidence, lines []ledger.Line) {
	latest := map[int64]ledger.Line{} // each item's begin with the highest fence
	for _, l := range lines {
		newer, seen := latest[l.Item]
		if l.Kind == ledger.Begin && (!seen || l.Fence > newer.Fence) {
			latest[l.Item] = l
		}
		if !seen || l.Fence >= newer.Fence {
			continue
		}
		after, slept := e.sinceWaking(l, newer)
		switch {
		case !slept:
			v.figures.overlaps++
			v.fault("item %d: process %d wrote %s of fence %d after process %d had started fence %d, although it was not suspended",
				l.Item, l.PID, l.Kind, l.Fence, newer.PID, newer.Fence)
		case after > e.lateness:
			v.figures.overlaps++
			v.fault("item %d: process %d wrote %s of fence %d %v after it woke up, while process %d ran fence %d; want at most %v",
				l.Item, l.PID, l.Kind, l.Fence, after, newer.PID, newer.Fence, e.lateness)
		case after == 0 && l.Program != 0:
			v.figures.programLines++
		default:
			v.figures.late++
			if l.Kind == ledger.Tick {
				v.figures.lateTicks++
			}
			v.figures.worstLate = max(v.figures.worstLate, after)
		}
	}
}

// sinceWaking reports whether the writer of a late line had been suspended before
// the newer run began, and how long after its wake-up it wrote the line. A line that
// it prepared before the suspension counts as written at the wake-up. A program is not
// suspended with its worker: its lines count the same, until the worker wakes up or dies.
func (e *evidence) sinceWaking(late, newer ledger.Line) (after time.Duration, slept bool) {
	for _, p := range e.pauses {
		woke := p.to
		if woke.IsZero() && late.Program != 0 {
			woke = e.deathOf(p.pid)
		}
		if p.pid != late.PID || woke.IsZero() || p.from.After(newer.Time()) {
			continue
		}
		since := max(late.Time().Sub(woke), 0)
		if !slept || since < after {
			after, slept = since, true
		}
	}
	return after, slept
}

// deathOf returns when a process was killed; zero if it was not.
func (e *evidence) deathOf(pid int) time.Time {
	for _, d := range e.deaths {
		if d.pid == pid {
			return d.at
		}
	}
	return time.Time{}
}
