package scheduler

import (
	"fmt"
	"time"

	"github.com/go-co-op/gocron/v2"
)

// longestNap is the longest time between two reads of the clock. Timers use
// elapsed time: they do not notice that the clock was set, nor, on most systems,
// that the machine slept.
const longestNap = 30 * time.Second

// newAlarms creates one gocron job for each schedule. gocron only rings the alarm: the
// runner determines from the clock which runs are due, and which worker starts them.
// An alarm that rings late, early or twice therefore does no harm. Ringing neither
// blocks nor panics, so a pipeline cannot block gocron.
func newAlarms(runners map[string]*runner) (gocron.Scheduler, error) {
	alarms, err := gocron.NewScheduler()
	if err != nil {
		return nil, fmt.Errorf("make the alarm clock: %w", err)
	}
	for _, r := range runners {
		if err := r.setAlarm(alarms); err != nil {
			_ = alarms.Shutdown() // it was never started
			return nil, err
		}
	}
	return alarms, nil
}

// setAlarm creates the gocron job of the runner's schedule, if it has one.
func (r *runner) setAlarm(alarms gocron.Scheduler) error {
	if r.job.Schedule == nil {
		return nil
	}
	job, err := alarms.NewJob(
		gocron.CronJob(r.job.Name, false), // the text is not read: see IsValid
		gocron.NewTask(r.ring),
		gocron.WithName(r.job.Name),
		gocron.WithCronImplementation(alarm{r.waitTime}),
	)
	if err != nil {
		return fmt.Errorf("set the alarm of schedule %q: %w", r.job.Name, err)
	}
	r.alarm = job
	return nil
}

// alarm is the schedule of gocron: when to ring next.
type alarm struct {
	nap func() time.Duration
}

var _ gocron.Cron = alarm{}

// IsValid accepts all schedules: they were parsed before.
func (a alarm) IsValid(string, *time.Location, time.Time) error { return nil }

// Next counts from now and not from the last alarm, which is in the future if the
// clock was set back. time.Now also contains the monotonic clock, so the wait is
// correct even if the clock is set in the meantime.
func (a alarm) Next(last time.Time) time.Time {
	next := time.Now().Add(a.nap())
	if behind := last.Sub(next); behind >= 0 && behind < longestNap {
		// gocron has this time already and asks, in a loop, for a later one.
		return last.Add(1)
	}
	return next
}
