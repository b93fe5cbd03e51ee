package forecast

import (
	"cmp"
	"context"
	"fmt"
	"sort"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/learned"
)

const (
	// MostRecorded is how many forecasts of items a record keeps at most.
	MostRecorded = 1000

	// LeastHistories is how many histories a record draws at least.
	LeastHistories = 20

	// mostDraws bounds the histories of a record times the items, and so its memory to about 200 MB.
	mostDraws = 20_000_000
)

// RecordStore is what a record reads and writes.
type RecordStore interface {
	Store
	learned.Reader
	workqueue.ForecastStore
}

// RecordParams say what to record.
type RecordParams struct {
	// Histories is how many are drawn; 0: DefaultHistories. With more than 100,000 items there are fewer.
	Histories int

	// Items is of how many items the forecast is kept; 0: MostRecorded, which is also the maximum.
	Items int
}

// Recorded is what a record has done.
type Recorded struct {
	At        time.Time
	Histories int
	Waiting   int // items that are due and have not started
	Kept      int // of how many of them the forecast was kept
}

// Record forecasts the present and keeps the forecast of items that are due and have not started, for Compare. If
// there are too many, it draws which: each of them is as likely as any other.
func Record(ctx context.Context, store RecordStore, w assign.WhyParams, p RecordParams) (Recorded, error) {
	r, err := Read(ctx, store, w)
	if err != nil {
		return Recorded{}, err
	}
	done := Recorded{At: r.At()}
	if len(r.situation.Items) == 0 {
		return done, nil
	}
	done.Histories = max(min(cmp.Or(p.Histories, DefaultHistories), mostDraws/len(r.situation.Items)), LeastHistories)
	seed := mix(uint64(r.At().UnixNano())) //nolint:gosec // any bits will do
	f, err := r.Make(ctx, Params{Histories: done.Histories, Seed: seed})
	if err != nil {
		return done, err
	}
	list := f.sample(min(cmp.Or(p.Items, MostRecorded), MostRecorded), seed, &done.Waiting)
	if done.Kept, err = store.RecordForecasts(ctx, f.At, list); err != nil {
		return done, fmt.Errorf("keep the forecast: %w", err)
	}
	return done, nil
}

// sample returns the forecasts of up to most items that are due and have not started, and counts all of them.
func (f *Forecast) sample(most int, seed uint64, waiting *int) []workqueue.ItemForecast {
	type drawn struct {
		id   int64
		draw uint64
	}
	var all []drawn
	o := f.outcome
	for i := range o.s.Items {
		if it := &o.s.Items[i]; o.activeNow[i] && !it.Running && it.ID < firstTaskID {
			all = append(all, drawn{it.ID, mix(seed + uint64(it.ID)*0x9e3779b97f4a7c15)}) //nolint:gosec // any bits will do
		}
	}
	*waiting = len(all)
	sort.Slice(all, func(i, k int) bool {
		return all[i].draw < all[k].draw || all[i].draw == all[k].draw && all[i].id < all[k].id
	})
	all = all[:min(len(all), most)]
	sort.Slice(all, func(i, k int) bool { return all[i].id < all[k].id })
	list := make([]workqueue.ItemForecast, len(all))
	for i := range all {
		it, _ := f.Item(all[i].id)
		list[i] = workqueue.ItemForecast{
			ItemID: it.ID, Pipeline: it.Pipeline, StartP50: it.Start.P50, StartP95: it.Start.P95, EndP50: it.End.P50, EndP95: it.End.P95,
		}
	}
	return list
}
