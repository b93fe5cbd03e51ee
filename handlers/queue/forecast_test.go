package queue_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/internal/database"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/forecast"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// forecastStore opens an empty store whose time is that of clock.
func forecastStore(t *testing.T, clock func() time.Time) *sqlstore.Store {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: filepath.Join(t.TempDir(), "botwork.db"), Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

// A forecast of a part of the due items has those that passes take first, and says so.
func TestForecastOfTheFirstItems(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	store := forecastStore(t, func() time.Time { return now })
	factory := storetest.NewFactory(t, store)
	factory.Worker(storetest.WorkerOpts{})
	var ids []int64
	for _, priority := range []int{700, 900, 800} {
		ids = append(ids, factory.Item(storetest.ItemOpts{Priority: priority, Estimate: time.Minute}).ID)
	}
	pass := assign.AssignParams{Band: workqueue.EveryPriority, Workers: assign.AvailableWorkers, FreeSlots: true}
	pipeline := assign.SystemPipeline{Name: "Execute", Wake: true, Bands: []workqueue.Band{workqueue.EveryPriority}, Passes: []assign.AssignParams{pass}}
	for most, want := range map[int][]int64{0: ids, 2: ids[1:], 3: ids} {
		present, err := forecast.Read(t.Context(), store, assign.WhyParams{Pipelines: []assign.SystemPipeline{pipeline}, MostDue: most})
		if err != nil {
			t.Fatal(err)
		}
		f, err := present.Make(t.Context(), forecast.Params{Histories: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if _, ok := f.Item(id); ok != slices.Contains(want, id) {
				t.Errorf("at most %d: item %d is part of the forecast: %t", most, id, ok)
			}
		}
		if said := strings.Contains(strings.Join(present.Notes, "\n"), "more than 2 items are due"); said != (most == 2) {
			t.Errorf("at most %d: notes %q", most, present.Notes)
		}
	}
}

// The step records the forecast of the items that wait, and a comparison finds it.
func TestRecordForecast(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	store := forecastStore(t, func() time.Time { return now })
	catalogue := pipelines.NewCatalogue(pipelines.NewCompiler(registry(queue.Services{}), pipelines.Options{}))
	for name, text := range map[string]string{
		"Execute": "trigger: {cron: '* * * * *', wake: true, scope: each-worker}\nsteps:\n  - {handler: AssignTasksToWorker, with: {workers: available}}\n  - handler: ExecuteWorkItems\n",
		"Work":    "estimatedDuration: 60s\nsteps:\n  - {handler: Enqueue, with: {pipeline: Work}}\n",
	} {
		if err := catalogue.Add(name+".yaml", []byte(text)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	profiles := func(string) workqueue.Profile { return workqueue.Profile{Estimate: time.Minute} }
	s := queue.Services{Profiles: profiles, Forecast: func() (queue.ForecastStore, *pipelines.Catalogue) { return store, catalogue }}
	record := func(with map[string]any) map[string]any {
		t.Helper()
		out, err := run(t, s, "RecordForecast", with, handlers.Call{Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		return out.(map[string]any)
	}
	if empty := record(nil); empty["waiting"] != 0 || empty["recorded"] != 0 {
		t.Errorf("an empty queue: %v", empty)
	}
	factory := storetest.NewFactory(t, store)
	worker := factory.Worker(storetest.WorkerOpts{})
	ids := factory.Items(30, storetest.ItemOpts{})
	factory.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: worker})
	factory.Item(storetest.ItemOpts{In: time.Hour})
	if got := record(map[string]any{"items": 20, "histories": 50}); got["waiting"] != 30 || got["recorded"] != 20 || got["histories"] != 50 || !got["at"].(time.Time).Equal(now) {
		t.Errorf("got %v, want 20 of 30 items", got)
	}
	list, err := store.ForecastOutcomes(t.Context(), workqueue.ForecastFilter{Until: now.Add(time.Hour)})
	if err != nil || len(list) != 20 {
		t.Fatalf("%d forecasts were kept, %v; want 20", len(list), err)
	}
	for _, one := range list {
		if one.EndP50 == nil || one.EndP95 == nil || one.EndP50.After(*one.EndP95) || one.ItemID > ids[len(ids)-1] || one.Pipeline != "Work" || !one.MadeAt.Equal(now) {
			t.Errorf("kept %+v, want the times of an item that waits", one)
		}
	}
	now = now.Add(24 * time.Hour)
	a, err := forecast.Compare(t.Context(), store, forecast.AccuracyParams{})
	if err != nil || a.All.Forecasts != 20 || a.All.Compared != 20 || a.All.Overdue != 20 || *a.All.Coverage != 0 {
		t.Errorf("a day later: %+v, %v; want none of the 20 to have ended", a, err)
	}
}

func TestRecordForecastRejectsWrongParameters(t *testing.T) {
	k, _ := registry(queue.Services{}).Lookup("RecordForecast")
	for want, with := range map[string]map[string]any{
		"want 1 to 1000":  {"items": 1001},
		"want 20 to 2000": {"histories": 19},
	} {
		if _, err := k.Build(with); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one about %q", with, err, want)
		}
	}
	if _, err := run(t, queue.Services{}, "RecordForecast", nil, handlers.Call{}); err == nil || !strings.Contains(err.Error(), "botwork run") {
		t.Errorf("without a database: %v, want a hint", err)
	}
}
