package scheduler

import (
	"fmt"
	"time"

	"github.com/go-co-op/gocron/v2"
)

// longestNap bounds the time between two looks at the clock. Timers run on
// elapsed time: they notice neither a clock that is set nor, on most systems,
// the hours that a machine sleeps.
const longestNap = 30 * time.Second

// newAlarms makes one gocron job for each schedule. gocron only rings: which
// instants are due, and who fires them, the runner works out from the clock. So
// an alarm that rings late, early or twice does no harm, and since ringing
// neither blocks nor panics, nothing in a pipeline can hold gocron up.
func newAlarms(runners map[string]*runner) (gocron.Scheduler, error) {
	alarms, err := gocron.NewScheduler()
	if err != nil {
		return nil, fmt.Errorf("make the alarm clock: %w", err)
	}
	for _, r := range runners {
		if err := r.setAlarm(alarms); err != nil {
			_ = alarms.Shutdown() // of a scheduler that was never started
			return nil, err
		}
	}
	return alarms, nil
}

// setAlarm makes the gocron job of the runner's schedule, if it has one.
func (r *runner) setAlarm(alarms gocron.Scheduler) error {
	if r.job.Schedule == nil {
		return nil
	}
	job, err := alarms.NewJob(
		gocron.CronJob(r.job.Name, false), // the text is not read: see IsValid
		gocron.NewTask(r.ring),
		gocron.WithName(r.job.Name),
		gocron.WithCronImplementation(alarm{r.nap}),
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

// IsValid has nothing to refuse: the schedule was parsed before.
func (a alarm) IsValid(string, *time.Location, time.Time) error { return nil }

// Next counts from now and not from the last alarm, which a clock that was set
// back has left in the future. The reading of the elapsed-time clock that
// time.Now brings along keeps the nap right if the clock is set meanwhile.
func (a alarm) Next(last time.Time) time.Time {
	next := time.Now().Add(a.nap())
	if behind := last.Sub(next); behind >= 0 && behind < longestNap {
		// gocron has this time already and asks, in a loop, for a later one.
		return last.Add(1)
	}
	return next
}
