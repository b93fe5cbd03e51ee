package operations

import (
	"context"
	"slices"
	"time"

	"botwork/internal/cron"
	"botwork/pipelines"
	"botwork/workqueue"
)

// CalendarStore is what a calendar is counted from.
type CalendarStore interface {
	RunStore
	workqueue.RunCounter
}

// CalendarParams select the days of a calendar.
type CalendarParams struct {
	Pipeline  string // "": all
	Schedules []*pipelines.Pipeline
	Zone      *time.Location
	First     time.Time // any time of the first day
	Days      int
	Now       time.Time // planned times count from now on
}

// CalendarDay has the planned and past runs of a day.
type CalendarDay struct {
	Day     string         `json:"day"`   // of the zone, such as 2026-01-31
	From    time.Time      `json:"from"`  // its first instant
	Until   time.Time      `json:"until"` // the first instant of the next day
	Planned int            `json:"planned"`
	Runs    map[string]int `json:"runs" nullable:"false"` // by outcome

	// Cut says that the day has more runs than are counted. All failed ones are counted, up to the same limit.
	Cut bool `json:"cut"`
}

// mostCounted bounds the rows that are read for the count of a day.
const mostCounted = 10_000

// Calendar counts the runs of days. Those that started count for the day of their start, and others for
// the day of their planned time, or of the request.
func Calendar(ctx context.Context, store CalendarStore, p CalendarParams) ([]CalendarDay, error) {
	days := make([]CalendarDay, p.Days)
	year, month, day := p.First.In(p.Zone).Date()
	for i := range days {
		d := &days[i]
		naive := time.Date(year, month, day+i, 0, 0, 0, 0, time.UTC)
		d.Day, d.Runs = naive.Format(time.DateOnly), map[string]int{}
		d.From, d.Until = cron.WallClock(naive, p.Zone), cron.WallClock(naive.AddDate(0, 0, 1), p.Zone)
		if err := d.countPast(ctx, store, p); err != nil {
			return nil, err
		}
		from := d.From
		if p.Now.After(from) {
			from = p.Now
		}
		for _, one := range p.Schedules {
			if s := one.Trigger.Schedule; s != nil {
				d.Planned += s.Count(from, d.Until)
			}
		}
	}
	// The database does not have these outcomes, but they are few.
	rare := RunFilter{
		Pipeline: p.Pipeline, Since: days[0].From, Until: days[len(days)-1].Until, Limit: MostRunsScanned,
		Outcomes: []string{string(workqueue.RunRunning), Interrupted, string(workqueue.RequestPending), string(workqueue.RequestExpired), string(workqueue.RequestRefused)},
	}
	found, err := FindRuns(ctx, store, rare)
	if err != nil {
		return nil, err
	}
	for i := range found {
		at := found[i].At()
		if n, ok := slices.BinarySearchFunc(days, at, func(d CalendarDay, at time.Time) int {
			switch {
			case !at.Before(d.Until):
				return -1
			case at.Before(d.From):
				return 1
			}
			return 0
		}); ok {
			days[n].Runs[found[i].Outcome]++
		}
	}
	return days, nil
}

// countPast counts the runs that ended, and the planned times without a run.
func (d *CalendarDay) countPast(ctx context.Context, store CalendarStore, p CalendarParams) error {
	if d.From.After(p.Now) {
		return nil
	}
	by := workqueue.RunFilter{Pipeline: p.Pipeline, Since: d.From, Until: d.Until, Outcomes: []workqueue.RunOutcome{workqueue.RunSucceeded, workqueue.RunFailed}}
	runs, more, err := store.CountRuns(ctx, by, mostCounted)
	if err != nil {
		return err
	}
	if more {
		d.Cut, by.Outcomes = true, []workqueue.RunOutcome{workqueue.RunFailed}
		failed, _, err := store.CountRuns(ctx, by, mostCounted)
		if err != nil {
			return err
		}
		runs[workqueue.RunFailed] = failed[workqueue.RunFailed]
	}
	without := workqueue.FiringFilter{Schedule: p.Pipeline, Since: d.From, Until: d.Until, Outcomes: []workqueue.FiringOutcome{workqueue.Missed, workqueue.Skipped}}
	firings, more, err := store.CountFirings(ctx, without, mostCounted)
	if err != nil {
		return err
	}
	if more {
		d.Cut, without.Outcomes = true, []workqueue.FiringOutcome{workqueue.Missed}
		missed, _, err := store.CountFirings(ctx, without, mostCounted)
		if err != nil {
			return err
		}
		firings[workqueue.Missed] = missed[workqueue.Missed]
	}
	for outcome, n := range runs {
		d.add(string(outcome), n)
	}
	for outcome, n := range firings {
		d.add(string(outcome), n)
	}
	return nil
}

func (d *CalendarDay) add(outcome string, n int) {
	if n > 0 {
		d.Runs[outcome] += n
	}
}
