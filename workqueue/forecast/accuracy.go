package forecast

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

const (
	// CompareSince is how far back forecasts are compared by default.
	CompareSince = 7 * 24 * time.Hour

	// mostCompared bounds the forecasts that are read: the latest.
	mostCompared = 200_000

	// LeastCoverage and MostCoverage are between which part of the items should end by p95.
	LeastCoverage, MostCoverage = 0.85, 0.99

	// nearPart is how far the end may be from p50, as a part of the time from the forecast to p50, so that the
	// forecast counts as near.
	nearPart = 0.15
)

// AccuracyStore is what a comparison reads.
type AccuracyStore interface {
	Now(ctx context.Context) (time.Time, error)
	ForecastOutcomes(ctx context.Context, f workqueue.ForecastFilter) ([]workqueue.ForecastOutcome, error)
}

// AccuracyParams select the forecasts to compare.
type AccuracyParams struct {
	Queue, Pipeline string // "": any

	// Since is the earliest time at which a forecast was made; zero: CompareSince ago.
	Since time.Time
}

// Accuracy compares recorded forecasts with what happened. JSON field names are part of the command line's
// contract.
type Accuracy struct {
	At    time.Time `json:"at"` // UTC by the database's clock
	Since time.Time `json:"since"`

	All       Agreement   `json:"all"`
	Queues    []Agreement `json:"queues"`
	Pipelines []Agreement `json:"pipelines"`

	// Complete is false if there were too many forecasts and the earlier ones were not read. Since is then the time
	// of the earliest one that was read.
	Complete bool `json:"complete"`
}

// Agreement is how well the forecasts of some items agree with what happened. An item may have several forecasts, made at
// different times; each counts.
type Agreement struct {
	Name      string `json:"name"`
	Forecasts int    `json:"forecasts"`

	// Compared are the forecasts whose time is over: both p95, and the time that lies 15 % after p50. Forecasts of items
	// that ended earlier are not counted before that, since those of items that take longer cannot be counted either.
	Compared int `json:"compared"`

	// Coverage is the part of the compared forecasts whose item ended by p95; with good forecasts it is 0.95. Near is the
	// part whose item ended within 15 % of p50, of the time from the forecast to p50. nil: none was compared.
	Coverage *float64 `json:"coverage"`
	Near     *float64 `json:"near"`

	// Of the compared forecasts whose item has ended: the mean and the median time between p50 and the end, and how much later
	// than p50 the end was in the mean; below zero: earlier. nil: none has ended.
	MeanError   *workqueue.Duration `json:"meanError"`
	MedianError *workqueue.Duration `json:"medianError"`
	Bias        *workqueue.Duration `json:"bias"`

	// Overdue are the compared forecasts whose item has not ended. They count as not covered and not near.
	Overdue int `json:"overdue"`

	// The others are not compared. Open: their time is not over. Later: the forecast did not reach the end of the item.
	// Cancelled: the item was cancelled or deleted, or has expired. Changed: the item was changed, put off or run again.
	// Removed: its row is gone.
	Open      int `json:"open"`
	Later     int `json:"later"`
	Cancelled int `json:"cancelled"`
	Changed   int `json:"changed"`
	Removed   int `json:"removed"`
}

// Compare compares the recorded forecasts with what happened. It only reads.
func Compare(ctx context.Context, store AccuracyStore, p AccuracyParams) (*Accuracy, error) {
	now, err := store.Now(ctx)
	if err != nil {
		return nil, err
	}
	if p.Since.IsZero() {
		p.Since = now.Add(-CompareSince)
	}
	a := &Accuracy{At: now, Since: p.Since.UTC(), Complete: true}
	all, queues, pipelines := &tally{}, map[string]*tally{}, map[string]*tally{}
	f := workqueue.ForecastFilter{Queue: p.Queue, Pipeline: p.Pipeline, Since: p.Since, Until: now.Add(time.Millisecond), Limit: workqueue.MaxForecasts}
	for read := 0; ; {
		page, err := store.ForecastOutcomes(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("compare forecasts: %w", err)
		}
		for i := range page {
			one := &page[i]
			for _, t := range []*tally{all, of(queues, one.Queue), of(pipelines, one.Pipeline)} {
				t.add(one, now)
			}
		}
		if len(page) < f.Limit {
			break
		}
		last := &page[len(page)-1]
		f.Until, f.BeforeID = last.MadeAt, last.ID
		if read += len(page); read >= mostCompared {
			a.Complete, a.Since = false, last.MadeAt
			break
		}
	}
	a.All, a.Queues, a.Pipelines = all.agreement("all"), agreements(queues), agreements(pipelines)
	return a, nil
}

func of(tallies map[string]*tally, name string) *tally {
	t := tallies[name]
	if t == nil {
		t = &tally{}
		tallies[name] = t
	}
	return t
}

// agreements returns those with the most forecasts first.
func agreements(tallies map[string]*tally) []Agreement {
	list := make([]Agreement, 0, len(tallies))
	for name, t := range tallies {
		list = append(list, t.agreement(name))
	}
	slices.SortStableFunc(list, func(a, b Agreement) int {
		return cmp.Or(cmp.Compare(b.Forecasts, a.Forecasts), strings.Compare(a.Name, b.Name))
	})
	return list
}

// tally sums up an Agreement.
type tally struct {
	Agreement

	covered, near int
	off           []time.Duration // the end minus p50
}

// add counts a forecast.
func (t *tally) add(f *workqueue.ForecastOutcome, now time.Time) {
	t.Forecasts++
	ended := (f.State == workqueue.Processed || f.State == workqueue.Cancelled) && f.FinishedAt != nil
	switch {
	case f.Gone:
		t.Removed++
		return
	case f.Changed:
		t.Changed++
		return
	case f.ErrorKind == workqueue.KindCancelled && f.State == workqueue.Cancelled, f.ErrorKind == workqueue.KindExpired && f.State == workqueue.Cancelled, f.Deleted && !ended:
		t.Cancelled++
		return
	case f.EndP50 == nil || f.EndP95 == nil:
		t.Later++
		return
	}
	within := time.Duration(nearPart * float64(f.EndP50.Sub(f.MadeAt)))
	if !now.After(*f.EndP95) || !now.After(f.EndP50.Add(within)) {
		t.Open++
		return
	}
	t.Compared++
	if !ended {
		t.Overdue++
		return
	}
	off := f.FinishedAt.Sub(*f.EndP50)
	t.off = append(t.off, off)
	if !f.FinishedAt.After(*f.EndP95) {
		t.covered++
	}
	if off.Abs() <= within {
		t.near++
	}
}

// agreement returns the result.
func (t *tally) agreement(name string) Agreement {
	a := t.Agreement
	a.Name = name
	if a.Compared > 0 {
		a.Coverage, a.Near = new(float64(t.covered)/float64(a.Compared)), new(float64(t.near)/float64(a.Compared))
	}
	if len(t.off) == 0 {
		return a
	}
	var bias, sum float64
	size := make([]time.Duration, len(t.off))
	for i, off := range t.off {
		size[i] = off.Abs()
		bias += float64(off)
		sum += float64(size[i])
	}
	slices.Sort(size)
	n := float64(len(size))
	a.MeanError, a.Bias = rounded(time.Duration(sum/n)), rounded(time.Duration(bias/n))
	a.MedianError = rounded((size[(len(size)-1)/2] + size[len(size)/2]) / 2)
	return a
}

func rounded(d time.Duration) *workqueue.Duration {
	return new(workqueue.Duration(d.Round(time.Millisecond)))
}
