package scheduler

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

const (
	// onTime is how late an instant may be noticed without being missed. It is longer
	// than longestNap.
	onTime = time.Minute

	// startWindow is the interval of the planned instants for a job without a schedule that
	// runs once in the cluster at start.
	startWindow = 10 * time.Minute

	// elsewherePoll is how often the scheduler checks for the end of a run on another worker.
	elsewherePoll = 5 * time.Second

	// maxCount bounds the counting of instants that are not recorded.
	maxCount = 10_000
)

// step does everything that is due now. An error means that the store did not answer;
// the next step repeats what was not done. Failed housekeeping does not delay a firing.
func (r *runner) step() error {
	sweepErr := r.sweep()
	if err := r.advance(); err != nil {
		return err
	}
	return cmp.Or(r.wakeUp(), r.flush(), sweepErr)
}

// advance fires what is due.
func (r *runner) advance() error {
	expected := r.localTime()
	now, err := r.clock()
	if err != nil {
		return fmt.Errorf("read the database's clock: %w", err)
	}
	if err := r.begin(now); err != nil {
		return err
	}
	if err := r.resume(); err != nil {
		return err
	}
	if r.job.Schedule != nil {
		r.timetable.place(now)
		if err := r.checkDue(now, expected); err != nil {
			return err
		}
	}
	if r.atStart {
		return r.fireAtStart(now)
	}
	return nil
}

// begin reads, once, up to which instant the firings of the schedule are recorded.
func (r *runner) begin(now time.Time) error {
	if r.initialized {
		return nil
	}
	r.origin = now.Add(-time.Since(r.startedAt))
	r.cursor = r.origin
	if r.job.Schedule != nil && !r.fresh {
		last, err := r.lastFiring()
		if err != nil {
			return err
		}
		if !last.IsZero() {
			r.cursor = last
		}
	}
	r.initialized = true
	return nil
}

func (r *runner) lastFiring() (time.Time, error) {
	ctx, cancel := r.storeCtx()
	defer cancel()
	last, err := r.s.store.LastFiring(ctx, r.job.Name, r.workerKey())
	if err != nil {
		return time.Time{}, fmt.Errorf("read the latest firing: %w", err)
	}
	return last.UTC(), nil
}

// checkDue handles the due instants after the cursor. Expected is the time at which the
// alarm rang, by this machine's clock.
func (r *runner) checkDue(now, expected time.Time) error {
	if r.cursor.Sub(now) > onTime {
		r.log.Warn().Time("planned_at", r.cursor).Time("now", now).Msg("the clock was set back; continuing the schedule from now")
		r.cursor, r.timetable = now, r.timetable.last()
	}
	next := r.timetable.next(r.cursor)
	if r.job.Scope == ScopeOnce && r.late(next, now) {
		left, err := r.consult(now)
		if err != nil || left {
			return err
		}
		next = r.timetable.next(r.cursor)
	}
	if next.IsZero() || next.After(now) {
		r.dropReplaced()
	}
	if next.IsZero() {
		return nil
	}
	if next.After(now) {
		if !next.After(expected) { // the alarm rang before the database's time
			r.checkAgain(next.Sub(now))
		}
		return nil
	}
	latest := r.timetable.prev(now)
	r.missBefore(latest, now)
	// The earlier ones first: after a restart the latest record counts.
	flushErr := r.flush()
	return cmp.Or(r.due(latest, now), flushErr)
}

// late reports whether an instant has been missed if next is the first one that was not handled.
func (r *runner) late(next, now time.Time) bool {
	if next.IsZero() || next.After(now) {
		return false
	}
	second := r.timetable.next(next)
	return now.Sub(next) > onTime || !second.IsZero() && !second.After(now)
}

// consult advances the cursor to the latest record of the cluster. While a run is active on
// another worker, later instants are left to that worker: it may have queued the one that
// this worker would record as missed. For the same reason, after a run has ended, that worker
// gets some time to start the queued one.
func (r *runner) consult(now time.Time) (left bool, err error) {
	_, running, err := r.runsElsewhere()
	if err != nil {
		return false, err
	}
	last, err := r.lastFiring() // after the check for runs: the firing of a run is recorded
	if err != nil {
		return false, err
	}
	if last.After(r.cursor) {
		r.cursor = last
	}
	switch {
	case running:
		r.quietSince = time.Time{}
		left = true
	case r.job.Overlap == OverlapQueue:
		if r.quietSince.IsZero() {
			r.quietSince = now
		}
		left = now.Sub(r.quietSince) < elsewherePoll
	}
	if left {
		r.checkAgain(elsewherePoll)
	} else {
		r.quietSince = time.Time{}
	}
	return left, nil
}

// missBefore records the instants between the cursor and latest as missed, or as skipped if
// the schedule was removed or changed.
func (r *runner) missBefore(latest, now time.Time) {
	var missed []time.Time
	for at := r.before(latest); at.After(r.cursor) && len(missed) < maxBacklog; at = r.before(at) {
		missed = append(missed, at)
	}
	if len(missed) == 0 {
		return
	}
	slices.Reverse(missed)
	earlier := r.timetable.count(r.cursor, missed[0].Add(-1), maxCount)
	r.backlog.dropped += earlier
	r.backlog.atLeast = r.backlog.atLeast || earlier == maxCount
	outcome := workqueue.Missed
	if r.missedReason != "" {
		outcome = workqueue.Skipped
	}
	for _, at := range missed {
		r.backlog.add(r.firing(at, outcome, r.whyMissed(at, now)))
	}
	r.cursor = missed[len(missed)-1]
	r.log.Warn().Int("count", len(missed)+earlier).Time("planned_at", r.cursor).
		Str("reason", r.whyMissed(r.cursor, now)).Msgf("%s scheduled runs; showing the latest", outcome)
}

func (r *runner) before(at time.Time) time.Time {
	return r.timetable.prev(at.Add(-1))
}

// due handles the latest due instant.
func (r *runner) due(latest, now time.Time) error {
	late := now.Sub(latest)
	start := Start{Trigger: r.job.TriggerName, PlannedAt: latest}
	switch {
	case r.atStart && (r.job.Scope == ScopeOnce || late <= max(onTime, r.job.CatchUp)):
		start.Trigger = TriggerAtStart
	case late <= onTime:
	case late <= r.job.CatchUp:
		start.Trigger = TriggerCatchUp
	case r.job.CatchUp == 0 && r.wasAway(latest, now):
		// It was retried all the time, and no other instant has become due since.
	default:
		reason := r.whyMissed(latest, now)
		r.backlog.add(r.firing(latest, workqueue.Missed, reason))
		r.log.Warn().Time("planned_at", latest).Str("reason", reason).Msg("missed scheduled run")
		r.cursor = latest
		return nil
	}
	settled, err := r.fire(start)
	if settled {
		r.cursor = latest
		r.atStart = r.atStart && start.Trigger != TriggerAtStart
	}
	return err
}

// fireAtStart starts the run at start, unless a due instant has already started a run.
func (r *runner) fireAtStart(now time.Time) error {
	start := Start{Trigger: TriggerAtStart}
	if r.job.Scope == ScopeOnce {
		if r.job.Schedule != nil {
			start.PlannedAt = r.timetable.prev(now)
		}
		if start.PlannedAt.IsZero() {
			start.PlannedAt = now.Truncate(startWindow)
		}
	}
	settled, err := r.fire(start)
	r.atStart = !settled
	return err
}

// wasAway reports whether the store did not answer when the instant was due.
func (r *runner) wasAway(planned, now time.Time) bool {
	if r.outage.err == nil {
		return false
	}
	began := now.Add(-time.Since(r.outage.since))
	return planned.After(began.Add(-onTime)) && !planned.Before(r.origin)
}

func (r *runner) whyMissed(planned, now time.Time) string {
	switch {
	case r.missedReason != "":
		return r.missedReason
	case r.wasAway(planned, now):
		return fmt.Sprintf("the database did not answer: %v", r.outage.err)
	case planned.Before(r.origin) && r.job.Scope == ScopeOnce:
		return "no worker was running"
	case planned.Before(r.origin):
		return "the worker was not running"
	}
	return fmt.Sprintf("noticed only at %s: the machine slept, the clock was set forward, or the process was held up",
		now.Format(time.RFC3339))
}
