package workqueue

import (
	"time"
)

// SeriesPoint is one period of one group.
type SeriesPoint struct {
	Start time.Time `json:"start"` // UTC
	Group string    `json:"group"` // "" without a group, and for what belongs to none

	// Enqueued counts the items that were inserted, including clones and the copies that
	// are the next attempt of an item.
	Enqueued int64 `json:"enqueued"`

	// Started counts the runs that began in the period, including those that still run.
	Started   int64 `json:"started"`
	Succeeded int64 `json:"succeeded"`

	// Failed counts the failed attempts, without those that a user cancelled. Errors
	// and BusinessErrors are its parts: a business error is wrong data that a user has
	// to correct. FailedByKind divides Failed by the kind of the error.
	Failed         int64               `json:"failed"`
	Errors         int64               `json:"errors"`
	BusinessErrors int64               `json:"businessErrors"`
	FailedByKind   map[ErrorKind]int64 `json:"failedByKind"`

	// Retried counts the failed attempts after which the item waits for another one.
	Retried int64 `json:"retried"`

	// Cancelled counts the items that became Cancelled: out of attempts, for good, by
	// a user, expired or poison.
	Cancelled       int64               `json:"cancelled"`
	CancelledByKind map[ErrorKind]int64 `json:"cancelledByKind"`

	// Rescued counts the runs whose lease ran out, Released those that were given back
	// without a failure, and Snoozed those that asked to run later.
	Rescued  int64 `json:"rescued"`
	Released int64 `json:"released"`
	Snoozed  int64 `json:"snoozed"`

	// Wait is how long the runs that started had been due, Run how long the runs that
	// succeeded took. Both are nil if there were none.
	Wait *SeriesTimes `json:"wait"`
	Run  *SeriesTimes `json:"run"`

	// Gauges are nil in periods without a sample, and if a worker, or the group of workers,
	// is combined with a queue, pipeline or band: samples of workers are not divided by
	// them.
	Gauges *SeriesGauges `json:"gauges"`
}

// SeriesTimes describe durations. The mean is exact to the millisecond; the others
// have a relative error of at most DurationError.
type SeriesTimes struct {
	Count int64    `json:"count"`
	Mean  Duration `json:"mean"`
	P50   Duration `json:"p50"`
	P95   Duration `json:"p95"`
	P99   Duration `json:"p99"`

	// SumMs is the exact sum in milliseconds, Counts the number of durations by class.
	SumMs  int64          `json:"-"`
	Counts DurationCounts `json:"-"`
}

// SeriesGauges are samples that one worker of the cluster takes once a minute.
type SeriesGauges struct {
	Samples int64 `json:"samples"`

	// Backlog is the mean number of due items that waited, MostBacklog the largest in
	// one sample of one queue and band, or the sum of these. The backlog of a worker are
	// the items assigned to it, that of the group "" of workers those assigned to none.
	Backlog     float64 `json:"backlog"`
	MostBacklog int64   `json:"mostBacklog"`

	// OldestWaiting is the longest time that a due item had waited at a sample.
	OldestWaiting Duration `json:"oldestWaiting"`

	// SlotsUsed is the mean number of items that ran, MostSlotsUsed the largest. Items
	// that robots process are among them; they belong to no worker.
	SlotsUsed     float64 `json:"slotsUsed"`
	MostSlotsUsed int64   `json:"mostSlotsUsed"`

	// SlotsOffered is the mean number of slots of the workers that could get items,
	// MostSlotsOffered the largest. They are nil for a queue, pipeline or band: slots are
	// not divided by them.
	SlotsOffered     *float64 `json:"slotsOffered"`
	MostSlotsOffered *int64   `json:"mostSlotsOffered"`
}
