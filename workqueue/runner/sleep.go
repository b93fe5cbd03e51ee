package runner

import "time"

// sleepwatch detects that the machine was suspended. On Linux the monotonic clock, which is
// used to watch leases, stops during that time; the wall clock does not. A wall clock that was
// set forward looks the same, so the only reaction is to check the leases in the database.
type sleepwatch struct {
	wall         func() time.Time
	last, lastBy time.Time // the latest readings of the monotonic clock and of the wall clock
}

func newSleepwatch(wall func() time.Time) *sleepwatch {
	return &sleepwatch{wall: wall, last: time.Now(), lastBy: wall().Round(0)}
}

// slept returns how much more time has passed on the wall clock than on the monotonic clock
// since the last call; negative if the wall clock was set back.
func (s *sleepwatch) slept() time.Duration {
	now, by := time.Now(), s.wall().Round(0)
	ahead := by.Sub(s.lastBy) - now.Sub(s.last)
	s.last, s.lastBy = now, by
	return ahead
}
