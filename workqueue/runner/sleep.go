package runner

import "time"

// sleepwatch notices that the machine slept. The steady clock, by which leases
// are watched, stands still on Linux while it does; the wall clock does not. A
// wall clock that somebody set ahead looks the same, so nothing may follow from
// it but a question to the database.
type sleepwatch struct {
	wall         func() time.Time
	last, lastBy time.Time // the latest look: by the steady clock, by the wall clock
}

func newSleepwatch(wall func() time.Time) *sleepwatch {
	return &sleepwatch{wall: wall, last: time.Now(), lastBy: wall().Round(0)}
}

// slept returns how much more time has gone by on the wall clock than on the
// steady one since the last look; negative where the wall clock was set back.
func (s *sleepwatch) slept() time.Duration {
	now, by := time.Now(), s.wall().Round(0)
	ahead := by.Sub(s.lastBy) - now.Sub(s.last)
	s.last, s.lastBy = now, by
	return ahead
}
