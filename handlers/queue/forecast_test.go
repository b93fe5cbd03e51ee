package queue_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/internal/database"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/forecast"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// The step records the forecast of the items that wait, and a comparison finds it.
func TestRecordForecast(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	open := func() *sqlstore.Store {
		store, err := sqlstore.Open(t.Context(), sqlstore.Options{
			Driver: string(database.SQLite), DSN: filepath.Join(t.TempDir(), "botwork.db"), Now: func() time.Time { return now },
		})
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
	store := open()
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
