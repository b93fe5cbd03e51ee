package learned

import (
	"context"
	"time"
)

// Reader reads what assignment passes need.
type Reader interface {
	// Learned returns the means of the 20,000 keys that were updated last.
	Learned(ctx context.Context) (map[Key]Typical, error)
}

// Store keeps how long the latest runs took, by Key.
type Store interface {
	Reader

	// Learn adds runs to their keys, all or none; each key may occur once. Any
	// number of processes may add runs to the same keys at once: no run is lost by
	// that. If the answer to a call is lost and the call is repeated, runs count
	// twice.
	Learn(ctx context.Context, of []Runs) error

	// Durations lists the learned durations, by pipeline, kind and name.
	Durations(ctx context.Context, f Filter) ([]Duration, error)

	// ForgetDurations removes what the filter picks, whatever its Limit, and
	// returns the number of removed keys. Their next runs start from zero.
	ForgetDurations(ctx context.Context, f Filter) (int, error)
}

// Runs are runs of one key, the earliest first. Of very many runs the latest
// decide the result: LeftOut counts earlier ones, whose weight would be negligible.
type Runs struct {
	Key     Key
	Runs    []Run
	LeftOut int64
}

// Trim keeps the latest KeptRuns runs and counts the others in LeftOut.
func (r *Runs) Trim() {
	if over := len(r.Runs) - KeptRuns; over > 0 {
		r.Runs = append(r.Runs[:0], r.Runs[over:]...)
		r.LeftOut += int64(over)
	}
}

// Typical is the part of a learned duration that a pass uses.
type Typical struct {
	Runs      int64
	Mean, P90 time.Duration
}

// Filter picks keys. The zero value of a field matches everything.
type Filter struct {
	Kind     Kind
	Pipeline string
	Name     string

	// Limit bounds a listing; 0 means 1,000.
	Limit int
}
