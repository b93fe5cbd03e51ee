package workqueue

import "time"

// WindowStatistics are the latest events in a queue. Rates are for the time from
// Since to now, which is as long as Window plus at most one step: ten seconds for
// windows of minutes, a minute for an hour, a quarter of an hour for a day.
type WindowStatistics struct {
	Window Duration  `json:"window"`
	Since  time.Time `json:"since"`

	// Completed counts the runs that succeeded, Failed the failed attempts (without
	// those that a user cancelled, and without releases), Archived the items that
	// were archived: cancelled, out of attempts, expired or set aside. Deleted counts
	// the items that were hidden.
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
	Archived  int64 `json:"archived"`
	Deleted   int64 `json:"deleted"`

	CompletedPerMinute float64 `json:"completedPerMinute"`
	FailedPerMinute    float64 `json:"failedPerMinute"`
	ArchivedPerMinute  float64 `json:"archivedPerMinute"`

	// FailureRate is the fraction of the attempts that failed, 0 to 1; nil if none
	// ended.
	FailureRate *float64 `json:"failureRate"`

	// MeanDuration is the mean duration of the runs that succeeded, from the start of
	// the attempt, to the millisecond. P95Duration is the duration that 95 of 100 of
	// them did not exceed, with a relative error of at most DurationError. Both are
	// nil if no run succeeded.
	MeanDuration *Duration `json:"meanDuration"`
	P95Duration  *Duration `json:"p95Duration"`

	until     time.Time
	tookMs    int64 // the sum of the durations of completed runs
	durations DurationCounts
}

// Complete adds successful runs whose durations are of one class.
func (w *WindowStatistics) Complete(bucket int, runs, tookMs int64) {
	w.Completed += runs
	w.tookMs += tookMs
	w.durations.Add(bucket, runs)
}

func (w *WindowStatistics) add(other *WindowStatistics) {
	w.Completed += other.Completed
	w.Failed += other.Failed
	w.Archived += other.Archived
	w.Deleted += other.Deleted
	w.tookMs += other.tookMs
	for bucket, n := range other.durations {
		w.durations.Add(bucket, n)
	}
}

func (w *WindowStatistics) settle() {
	minutes := w.until.Sub(w.Since).Minutes()
	rate := func(n int64) float64 {
		if minutes <= 0 {
			return 0
		}
		return float64(n) / minutes
	}
	w.CompletedPerMinute, w.FailedPerMinute, w.ArchivedPerMinute = rate(w.Completed), rate(w.Failed), rate(w.Archived)
	w.FailureRate, w.MeanDuration, w.P95Duration = nil, nil, nil
	if ended := w.Completed + w.Failed; ended > 0 {
		w.FailureRate = new(float64(w.Failed) / float64(ended))
	}
	if w.Completed > 0 {
		w.MeanDuration = new(Duration(time.Duration(w.tookMs/w.Completed) * time.Millisecond))
		w.P95Duration = new(Duration(w.durations.Percentile(95)))
	}
}
