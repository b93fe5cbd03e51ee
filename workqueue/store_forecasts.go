package workqueue

import (
	"context"
	"time"
)

// ForecastStore keeps forecasts of items, to compare them with what happened.
type ForecastStore interface {
	// RecordForecasts keeps forecasts that were made at the same time, by the database's clock. It
	// leaves out items that are gone, and returns how many forecasts it has kept.
	RecordForecasts(ctx context.Context, made time.Time, list []ItemForecast) (kept int, err error)

	// ForecastOutcomes returns a page of kept forecasts with what has happened to their items, the
	// latest first.
	ForecastOutcomes(ctx context.Context, f ForecastFilter) ([]ForecastOutcome, error)
}

// ItemForecast is when an item is likely to start and end: in half of the histories by the time
// P50, in 95 % by P95. nil: not before the end of the forecast.
type ItemForecast struct {
	ItemID   int64
	Pipeline string

	StartP50, StartP95, EndP50, EndP95 *time.Time
}

// ForecastFilter selects forecasts.
type ForecastFilter struct {
	Queue, Pipeline string // "": any

	// Since and Until bound when the forecast was made: from Since on, before Until. For the next page, set
	// Until and BeforeID to MadeAt and ID of the last forecast: those that were made at the same
	// time and have a smaller id follow.
	Since, Until time.Time
	BeforeID     int64

	// Limit bounds the page; 0 means MaxForecasts, which is also the maximum.
	Limit int
}

// MaxForecasts is the largest page of forecasts.
const MaxForecasts = 5000

// ForecastOutcome is a kept forecast and what has happened to its item since.
type ForecastOutcome struct {
	ItemForecast

	ID     int64
	MadeAt time.Time
	Queue  string

	// Gone: the item was removed. Its end is unknown, and the following fields are empty.
	Gone bool

	// Changed: the item has another priority, queue or due time than when the forecast was kept, other than
	// by failed attempts. It was changed by a person or a rule, put off, or run again.
	Changed bool

	Deleted    bool
	State      State
	ErrorKind  ErrorKind
	FinishedAt *time.Time
}
