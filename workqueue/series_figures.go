package workqueue

import (
	"maps"
	"time"
)

// SeriesFigures are the sums that are kept for a period. Two of them can be added.
// The JSON form is stored in BotStatistics; a missing number is 0.
type SeriesFigures struct {
	Enqueued  int64 `json:"enqueued,omitempty"`
	Started   int64 `json:"started,omitempty"`
	Succeeded int64 `json:"succeeded,omitempty"`
	Retried   int64 `json:"retried,omitempty"`
	Rescued   int64 `json:"rescued,omitempty"`
	Released  int64 `json:"released,omitempty"`
	Snoozed   int64 `json:"snoozed,omitempty"`

	Failed    map[ErrorKind]int64 `json:"failed,omitempty"`
	Cancelled map[ErrorKind]int64 `json:"cancelled,omitempty"`

	// WaitMs and RunMs are the sums of what Waits and Runs count by class.
	WaitMs int64          `json:"waitMs,omitempty"`
	RunMs  int64          `json:"runMs,omitempty"`
	Waits  DurationCounts `json:"waits,omitempty"`
	Runs   DurationCounts `json:"runs,omitempty"`

	// Incomplete is set if an item of which an event is counted here, or in an earlier
	// period of the queue, is no longer in the table as that event left it. Then the
	// items cannot be counted again.
	Incomplete bool `json:"incomplete,omitempty"`
}

// The events that are counted, as they are stored.
const (
	EventEnqueued   = "enqueued"
	EventStarted    = "started"
	EventSucceeded  = "succeeded"
	EventFailed     = "failed"
	EventRetried    = "retried"
	EventCancelled  = "cancelled"
	EventRescued    = "rescued"
	EventReleased   = "released"
	EventSnoozed    = "snoozed"
	EventIncomplete = "incomplete" // see SeriesFigures.Incomplete
)

// NoDurationBucket is the class of an event whose duration is not known.
const NoDurationBucket = -1

// SeriesEvent is a number of equal events.
type SeriesEvent struct {
	Event  string
	Kind   ErrorKind // of EventFailed and EventCancelled
	Bucket int       // the class of the wait of EventStarted, and of the run of EventSucceeded
	Count  int64
	Ms     int64 // the sum of these durations
}

// Count adds events.
func (f *SeriesFigures) Count(e SeriesEvent) {
	switch e.Event {
	case EventEnqueued:
		f.Enqueued += e.Count
	case EventStarted:
		f.Started += e.Count
		f.WaitMs += e.Ms
		addDurations(&f.Waits, e)
	case EventSucceeded:
		f.Succeeded += e.Count
		f.RunMs += e.Ms
		addDurations(&f.Runs, e)
	case EventFailed:
		addKind(&f.Failed, e.Kind, e.Count)
	case EventRetried:
		f.Retried += e.Count
	case EventCancelled:
		addKind(&f.Cancelled, e.Kind, e.Count)
	case EventRescued:
		f.Rescued += e.Count
	case EventReleased:
		f.Released += e.Count
	case EventSnoozed:
		f.Snoozed += e.Count
	case EventIncomplete:
		f.Incomplete = true
	}
}

func addDurations(counts *DurationCounts, e SeriesEvent) {
	if e.Bucket != NoDurationBucket {
		counts.Add(e.Bucket, e.Count)
	}
}

func addKind(counts *map[ErrorKind]int64, kind ErrorKind, n int64) {
	if *counts == nil {
		*counts = map[ErrorKind]int64{}
	}
	(*counts)[kind] += n
}

// Add adds the figures of another period or group.
func (f *SeriesFigures) Add(other *SeriesFigures) {
	f.Enqueued += other.Enqueued
	f.Started += other.Started
	f.Succeeded += other.Succeeded
	f.Retried += other.Retried
	f.Rescued += other.Rescued
	f.Released += other.Released
	f.Snoozed += other.Snoozed
	for kind, n := range other.Failed {
		addKind(&f.Failed, kind, n)
	}
	for kind, n := range other.Cancelled {
		addKind(&f.Cancelled, kind, n)
	}
	f.WaitMs += other.WaitMs
	f.RunMs += other.RunMs
	for bucket, n := range other.Waits {
		f.Waits.Add(bucket, n)
	}
	for bucket, n := range other.Runs {
		f.Runs.Add(bucket, n)
	}
	f.Incomplete = f.Incomplete || other.Incomplete
}

// Empty reports whether nothing was counted.
func (f *SeriesFigures) Empty() bool {
	return f.Enqueued+f.Started+f.Succeeded+f.Retried+f.Rescued+f.Released+f.Snoozed == 0 && len(f.Failed)+len(f.Cancelled) == 0
}

// Point returns the figures as they are shown.
func (f *SeriesFigures) Point(start time.Time, group string) SeriesPoint {
	p := SeriesPoint{
		Start: start, Group: group, Enqueued: f.Enqueued, Started: f.Started, Succeeded: f.Succeeded, Retried: f.Retried,
		Rescued: f.Rescued, Released: f.Released, Snoozed: f.Snoozed,
		FailedByKind: map[ErrorKind]int64{}, CancelledByKind: map[ErrorKind]int64{},
		Wait: f.Waits.times(f.WaitMs), Run: f.Runs.times(f.RunMs),
	}
	maps.Copy(p.FailedByKind, f.Failed)
	maps.Copy(p.CancelledByKind, f.Cancelled)
	for _, n := range f.Failed {
		p.Failed += n
	}
	for _, n := range f.Cancelled {
		p.Cancelled += n
	}
	p.BusinessErrors = f.Failed[KindBusiness]
	p.Errors = p.Failed - p.BusinessErrors
	return p
}

// times returns what the counts say; sumMs is the sum of the durations.
func (c DurationCounts) times(sumMs int64) *SeriesTimes {
	var count int64
	for _, n := range c {
		count += n
	}
	if count == 0 {
		return nil
	}
	return &SeriesTimes{
		Count: count, Mean: Duration(time.Duration(sumMs/count) * time.Millisecond),
		P50: Duration(c.Percentile(50)), P95: Duration(c.Percentile(95)), P99: Duration(c.Percentile(99)),
		SumMs: sumMs, Counts: c,
	}
}
