package cron

import (
	"fmt"
	"time"
)

// interval plans the multiples of itself since the Unix epoch, so that machines that
// started at different times plan the same instants.
type interval time.Duration

// Every returns the schedule of a fixed interval: the multiples of d since
// 1970-01-01T00:00:00Z, in any zone and regardless of when the program started.
// Every(90*time.Second) is due at 00:00:00, 00:01:30, 00:03:00 … UTC on that day. An
// interval is at least one second and a whole number of milliseconds, the resolution of
// the databases that record the instants.
func Every(d time.Duration) (*Schedule, error) {
	if d < time.Second {
		return nil, fmt.Errorf("interval is %v, want 1s or more", d)
	}
	if d%time.Millisecond != 0 {
		return nil, fmt.Errorf("interval is %v, want whole milliseconds", d)
	}
	return &Schedule{plan: interval(d)}, nil
}

func (i interval) next(after time.Time) time.Time {
	return i.prev(after).Add(time.Duration(i))
}

func (i interval) prev(at time.Time) time.Time {
	step := time.Duration(i).Milliseconds()
	ms := at.UnixMilli()
	offset := ms % step
	if offset < 0 { // before 1970: Go rounds a quotient towards zero
		offset += step
	}
	return time.UnixMilli(ms - offset).UTC()
}
