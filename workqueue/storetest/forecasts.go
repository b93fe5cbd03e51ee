package storetest

import (
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

func forecastTests() []test {
	return []test{
		{"a forecast and what happened", forecastsOfItems},
		{"items that were changed", forecastsOfChangedItems},
		{"pages and filters", forecastPages},
		{"old forecasts", forecastsRemoved},
	}
}

// forecastsMade is when the forecasts of these tests were made.
var forecastsMade = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

// forecastOf returns the forecast of an item: times that are minutes after forecastsMade.
func forecastOf(id int64, pipeline string) workqueue.ItemForecast {
	at := func(minutes int) *time.Time {
		return new(forecastsMade.Add(time.Duration(minutes)*time.Minute + 123*time.Millisecond))
	}
	return workqueue.ItemForecast{ItemID: id, Pipeline: pipeline, StartP50: at(1), StartP95: at(2), EndP50: at(3), EndP95: at(4)}
}

// record keeps forecasts, and checks how many.
func (x *fixture) record(made time.Time, want int, list ...workqueue.ItemForecast) {
	x.Helper()
	if kept, err := x.Store.RecordForecasts(x.ctx, made, list); err != nil || kept != want {
		x.Fatalf("RecordForecasts = %d, %v, want %d", kept, err, want)
	}
}

// outcomes returns what happened to the items of all forecasts, the latest first.
func (x *fixture) outcomes(f workqueue.ForecastFilter) []workqueue.ForecastOutcome {
	x.Helper()
	if f.Until.IsZero() {
		f.Until = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	list, err := x.Store.ForecastOutcomes(x.ctx, f)
	if err != nil {
		x.Fatal(err)
	}
	return list
}

func forecastsOfItems(x *fixture) {
	x.define("test", []string{"other"}, workqueue.Queue{Name: "other"})
	w := x.Worker(WorkerOpts{})
	waits, ends, gone := x.Item(ItemOpts{Queue: "other"}).ID, x.Item(ItemOpts{State: workqueue.Assigned, Worker: w}).ID, x.Item(ItemOpts{}).ID
	cancelled := x.Item(ItemOpts{Pipeline: "nap"}).ID
	later := forecastOf(cancelled, "nap")
	later.StartP95, later.EndP50, later.EndP95 = nil, nil, nil
	x.record(forecastsMade, 4, forecastOf(waits, "work"), forecastOf(ends, "work"), forecastOf(gone, "work"), later, forecastOf(gone+1000, "work"))
	x.record(forecastsMade, 0)

	x.claim(w, 10)
	x.finish(w, workqueue.Finish{ItemID: ends, Fence: x.show(ends).Fence, State: workqueue.Processed})
	for _, id := range []int64{gone, cancelled} {
		action := workqueue.Cancel
		if id == gone {
			action = workqueue.Delete
		}
		if _, err := x.Store.ChangeItem(x.ctx, id, workqueue.Change{Action: action}); err != nil {
			x.Fatal(err)
		}
	}
	list := x.outcomes(workqueue.ForecastFilter{})
	if len(list) != 4 {
		x.Fatalf("got %d forecasts, want 4: %+v", len(list), list)
	}
	byItem := map[int64]workqueue.ForecastOutcome{}
	for _, one := range list {
		byItem[one.ItemID] = one
	}
	one := byItem[ends]
	x.wantClean("FinishedAt", one.FinishedAt)
	if want := forecastOf(ends, "work"); !one.MadeAt.Equal(forecastsMade) || one.Queue != "default" || one.Pipeline != "work" ||
		!one.StartP50.Equal(*want.StartP50) || !one.StartP95.Equal(*want.StartP95) || !one.EndP50.Equal(*want.EndP50) || !one.EndP95.Equal(*want.EndP95) {
		x.Errorf("the forecast is %+v, want %+v", one, want)
	}
	if one.State != workqueue.Processed || one.FinishedAt == nil || one.Gone || one.Changed || one.Deleted {
		x.Errorf("of the item that ended: %+v", one)
	}
	if one := byItem[waits]; one.FinishedAt != nil || one.Queue != "other" || one.Gone || one.Changed {
		x.Errorf("of the item that waits: %+v", one)
	}
	if one := byItem[gone]; !one.Gone || one.FinishedAt != nil || one.Changed {
		x.Errorf("of the item that was removed: %+v", one)
	}
	if one := byItem[cancelled]; one.State != workqueue.Cancelled || one.ErrorKind != workqueue.KindCancelled || one.Gone || one.Changed || one.EndP95 != nil || one.EndP50 != nil || one.StartP95 != nil || one.StartP50 == nil {
		x.Errorf("of the item that was cancelled: %+v", one)
	}
}

func forecastsOfChangedItems(x *fixture) {
	x.define("test", []string{"other"}, workqueue.Queue{Name: "other"})
	same := map[string]string{
		"as it was": `"Tags" = "Tags"`, "assigned": `"AssignedAt" = "AvailableAt"`,
		"an attempt failed, and it waits": `"RetryCount" = 2, "AvailableAt" = '2031-01-01 00:00:00.000'`,
	}
	other := map[string]string{
		"priority": `"Priority" = 7`, "queue": `"QueueName" = 'other'`, "put off": `"AvailableAt" = '2031-01-01 00:00:00.000'`,
		"run again": `"RetryCount" = 0, "AvailableAt" = '2031-01-01 00:00:00.000'`,
	}
	ids := map[int64]string{}
	for _, changes := range []map[string]string{same, other} {
		for what, set := range changes {
			id := x.Item(ItemOpts{}).ID
			x.exec(1, `UPDATE "BotWorkQueueItems" SET "RetryCount" = 1 WHERE "Id" = %d`, id)
			x.record(forecastsMade, 1, forecastOf(id, "work"))
			x.exec(1, `UPDATE "BotWorkQueueItems" SET %s WHERE "Id" = %d`, set, id)
			ids[id] = what
		}
	}
	for _, one := range x.outcomes(workqueue.ForecastFilter{}) {
		what := ids[one.ItemID]
		if _, changed := other[what]; one.Changed != changed {
			x.Errorf("%s: changed = %t, want %t", what, one.Changed, changed)
		}
		delete(ids, one.ItemID)
	}
	if len(ids) > 0 {
		x.Errorf("no outcome of %v", ids)
	}
}

func forecastPages(x *fixture) {
	x.define("test", []string{"other"}, workqueue.Queue{Name: "other"})
	a, b := x.Item(ItemOpts{}).ID, x.Item(ItemOpts{Queue: "other"}).ID
	for hour := range 3 {
		x.record(forecastsMade.Add(time.Duration(hour)*time.Hour), 2, forecastOf(a, "one"), forecastOf(b, "two"))
	}
	hours := func(f workqueue.ForecastFilter) (list []string) {
		for _, one := range x.outcomes(f) {
			list = append(list, fmt.Sprint(one.MadeAt.Sub(forecastsMade).Hours(), " ", one.Pipeline))
		}
		return list
	}
	for _, c := range []struct {
		f    workqueue.ForecastFilter
		want []string
	}{
		{workqueue.ForecastFilter{Queue: "other"}, []string{"2 two", "1 two", "0 two"}},
		{workqueue.ForecastFilter{Pipeline: "one"}, []string{"2 one", "1 one", "0 one"}},
		{workqueue.ForecastFilter{Queue: "other", Pipeline: "one"}, nil},
	} {
		if got := hours(c.f); !slices.Equal(got, c.want) {
			x.Errorf("%+v: got %q, want %q", c.f, got, c.want)
		}
	}
	if got := hours(workqueue.ForecastFilter{Since: forecastsMade.Add(time.Hour), Until: forecastsMade.Add(2 * time.Hour)}); len(got) != 2 || got[0][:1] != "1" || got[1][:1] != "1" {
		x.Errorf("of an hour: %q, want those of hour 1", got)
	}
	seen := map[int64]bool{}
	f := workqueue.ForecastFilter{Until: forecastsMade.Add(24 * time.Hour), Limit: 1}
	for range 10 {
		page := x.outcomes(f)
		if len(page) == 0 {
			break
		}
		if seen[page[0].ID] {
			x.Fatalf("page after %s, %d has a forecast again", f.Until, f.BeforeID)
		}
		seen[page[0].ID] = true
		f.Until, f.BeforeID = page[0].MadeAt, page[0].ID
	}
	if len(seen) != 6 {
		x.Errorf("%d forecasts on all pages, want 6", len(seen))
	}
}

func forecastsRemoved(x *fixture) {
	s := x.cleaned()
	id := x.Item(ItemOpts{}).ID
	for _, age := range []time.Duration{*days(40), *days(30), *days(30) - time.Millisecond, 0} {
		x.record(cleanNow.Add(-age), 1, forecastOf(id, "work"))
	}
	for _, want := range []int{1, 1, 0} {
		n, err := s.RemoveForecasts(x.ctx, *days(30), 1)
		x.wantRemoved(n, err, want)
	}
	if left := x.outcomes(workqueue.ForecastFilter{}); len(left) != 2 || !left[0].MadeAt.Equal(cleanNow) {
		x.Errorf("%d forecasts are left, want the latest two", len(left))
	}
}
