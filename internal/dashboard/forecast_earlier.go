package dashboard

import (
	"time"

	"botwork/workqueue/forecast"
)

// earlierRow shows how good the earlier forecasts of some items were.
type earlierRow struct {
	forecast.Agreement
	Kind, Link string // "" for all items
}

// askAccuracy compares the forecasts that were recorded with what happened; nil if that is not known yet.
func askAccuracy(ask *asking, c caller) (*forecast.Accuracy, error) {
	a := &forecast.Accuracy{}
	if err := ask.patient(c).now("/forecast/accuracy", nil, a); err != nil || a.Since.IsZero() {
		return nil, err
	}
	return a, nil
}

// EarlierRows are those of all items, of queues and of pipelines.
func (v *forecastPage) EarlierRows() []earlierRow {
	rows := []earlierRow{{Agreement: v.Earlier.All}}
	for _, a := range v.Earlier.Queues[:min(len(v.Earlier.Queues), mostRows)] {
		rows = append(rows, earlierRow{a, "queue", "/queues/" + segment(a.Name)})
	}
	for _, a := range v.Earlier.Pipelines[:min(len(v.Earlier.Pipelines), mostRows)] {
		rows = append(rows, earlierRow{a, "pipeline", address("/items", "pipeline", a.Name)})
	}
	return rows
}

// Verdict says whether as many items ended by p95 as should.
func (r *earlierRow) Verdict() string {
	switch {
	case r.Coverage == nil:
		return ""
	case *r.Coverage < forecast.LeastCoverage:
		return "forecasts too early"
	case *r.Coverage > forecast.MostCoverage:
		return "forecasts too late"
	}
	return "as it should be"
}

// BiasText says on which side of p50 the ends were.
func (r *earlierRow) BiasText() string {
	switch {
	case r.Bias == nil:
		return "–"
	case *r.Bias > 0:
		return span(time.Duration(*r.Bias)) + " later"
	case *r.Bias < 0:
		return span(time.Duration(*r.Bias)) + " earlier"
	}
	return "none"
}

// LeftOut are the forecasts that could not be compared, besides those that are open.
func (r *earlierRow) LeftOut() int64 { return int64(r.Cancelled + r.Changed + r.Removed + r.Later) }
