package workqueue

import (
	"context"
	"time"
)

// DurationStore keeps how long runs have taken lately, by the keys of
// DurationKeys. All of it is a hint: losing a part of it, or counting a run
// twice because the answer to Learn was lost, changes estimates a little and
// nothing else.
type DurationStore interface {
	// Learn adds runs to what is known of their keys, all or none, and of which
	// each key may stand once. Any number of processes may learn of the same keys
	// at once: no run is lost by that.
	Learn(ctx context.Context, of []LearnedRuns) error

	// Learned returns what an assignment pass may count with: of the 20,000 keys
	// that were learned of last.
	Learned(ctx context.Context) (map[DurationKey]Typical, error)

	// Durations lists what is known, by pipeline, kind and name.
	Durations(ctx context.Context, f DurationFilter) ([]LearnedDuration, error)

	// ForgetDurations removes what the filter picks, whatever its Limit, and
	// returns how many keys that were. The next runs are learned anew.
	ForgetDurations(ctx context.Context, f DurationFilter) (int, error)
}

// LearnedRuns are runs of one key, the earliest first. Of very many the latest
// are enough: LeftOut counts earlier ones, which would weigh next to nothing.
type LearnedRuns struct {
	Key     DurationKey
	Runs    []RunTime
	LeftOut int64
}

// Typical is what is known of a key, as a pass counts with it.
type Typical struct {
	Runs      int64
	Mean, P90 time.Duration
}

// DurationFilter picks keys. The zero value of a field means any.
type DurationFilter struct {
	Kind     DurationKind
	Pipeline string
	Name     string

	// Limit bounds a listing; 0 means 1,000.
	Limit int
}
