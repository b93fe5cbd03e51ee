package operations

import (
	"math"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/learned"
)

// Duration is a learned duration of runs. JSON field names are part of the command line's contract.
type Duration struct {
	Kind     learned.Kind `json:"kind"`
	Pipeline *string      `json:"pipeline"` // nil for a task whose items have their own pipelines
	Name     *string      `json:"name"`     // the task's name, or the keys' prefix; nil for a pipeline
	Runs     int64        `json:"runs"`

	Mean workqueue.Duration `json:"mean"`
	P90  workqueue.Duration `json:"p90"`

	// Error is the mean difference between a run and its estimate, and ErrorPercent is its share
	// of the mean; nil until a run was compared.
	Error        *workqueue.Duration `json:"error"`
	ErrorPercent *float64            `json:"errorPercent"`

	UpdatedAt time.Time `json:"updatedAt"`
}

// ViewDuration returns a learned duration.
func ViewDuration(l *learned.Duration) Duration {
	v := Duration{
		Kind: l.Kind, Pipeline: orNull(l.Pipeline), Name: orNull(l.Name), Runs: l.Runs,
		Mean: roundSpan(l.Mean()), P90: roundSpan(l.P90()), UpdatedAt: l.UpdatedAt,
	}
	if off, compared := l.Error(); compared {
		v.Error = new(roundSpan(off))
		if mean := l.Mean(); mean > 0 {
			v.ErrorPercent = new(math.Round(1000*float64(off)/float64(mean)) / 10)
		}
	}
	return v
}

// roundSpan rounds short durations to microseconds and others to milliseconds.
func roundSpan(d time.Duration) workqueue.Duration {
	if d < 10*time.Millisecond {
		return workqueue.Duration(d.Round(time.Microsecond))
	}
	return workqueue.Duration(d.Round(time.Millisecond))
}
