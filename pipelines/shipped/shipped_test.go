package shipped_test

import (
	"context"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/pipelines"
	"botwork/pipelines/shipped"

	"github.com/google/go-cmp/cmp"
)

// band replaces the kinds that move the queue, because this test must not depend on a
// queue.
type band struct {
	WorkerSeenWithin handlers.Duration `json:"workerSeenWithin"`
	MinPriority      *int              `json:"minPriority"`
	AbovePriority    *int              `json:"abovePriority"`
	BelowPriority    *int              `json:"belowPriority"`
	Workers          string            `json:"workers"`
}

func (*band) Handle(context.Context, *handlers.Call) (any, error) { return nil, nil }

// bounds replaces the kind CleanUp.
type bounds struct {
	Completed     handlers.Duration `json:"completed"`
	Archived      handlers.Duration `json:"archived"`
	ArchivedItems int               `json:"archivedItems"`
	Deleted       handlers.Duration `json:"deleted"`
	Firings       handlers.Duration `json:"firings"`
	Runs          handlers.Duration `json:"runs"`
	Workers       handlers.Duration `json:"workers"`
	Durations     handlers.Duration `json:"durations"`
	Texts         handlers.Duration `json:"texts"`
	Forecasts     handlers.Duration `json:"forecasts"`
	For           handlers.Duration `json:"for"`
}

func (*bounds) Handle(context.Context, *handlers.Call) (any, error) { return nil, nil }

// sample replaces RecordForecast.
type sample struct {
	Items int `json:"items"`
}

func (*sample) Handle(context.Context, *handlers.Call) (any, error) { return nil, nil }

func TestShippedPipelines(t *testing.T) {
	registry := handlers.NewRegistry()
	for _, name := range []string{"AssignTasksToWorker", "ExecuteWorkItems", "ManageWorkQueue", "LoadWorkQueueItems", "SchedulePendingTasks"} {
		registry.MustRegister(handlers.Kind{Name: name, New: func() handlers.Handler { return &band{} }})
	}
	registry.MustRegister(handlers.Kind{Name: "CleanUp", New: func() handlers.Handler { return &bounds{} }})
	registry.MustRegister(handlers.Kind{Name: "RecordForecast", New: func() handlers.Handler { return &sample{} }})
	type step struct {
		Handler string
		With    map[string]any
	}
	type summary struct {
		Next    time.Time
		AtStart bool
		Scope   pipelines.Scope
		Steps   []step
	}
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	got := map[string]summary{}
	for _, file := range shipped.Files() {
		p, findings := pipelines.NewCompiler(registry, pipelines.Options{}).Parse(file.Name, file.Data)
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		s := summary{Next: p.Trigger.Schedule.Next(noon), AtStart: p.Trigger.AtStart, Scope: p.Trigger.Scope}
		for _, one := range p.Steps {
			s.Steps = append(s.Steps, step{one.Handler, one.With})
		}
		got[p.Name] = s
		if p.Name+".yaml" != file.Name {
			t.Errorf("%s contains the pipeline %s", file.Name, p.Name)
		}
		if p.Trigger.Overlap != pipelines.OverlapSkip {
			t.Errorf("%s: trigger = %+v", p.Name, p.Trigger)
		}
	}
	want := map[string]summary{
		"CleanUp": {noon.Add(17 * time.Minute), false, pipelines.ScopeOnce, []step{{"CleanUp", map[string]any{
			"completed": "30d", "archived": "90d", "archivedItems": 10_000, "deleted": "30d", "firings": "90d", "runs": "30d", "workers": "30d", "durations": "90d", "texts": "365d", "forecasts": "30d", "for": "10m",
		}}}},
		"ExecuteWorkQueue": {noon.Add(time.Minute), true, pipelines.ScopeEachWorker, []step{
			{"AssignTasksToWorker", map[string]any{"workerSeenWithin": "15m", "minPriority": 500, "workers": "available"}},
			{"ExecuteWorkItems", map[string]any{"abovePriority": 1000}},
			{"ExecuteWorkItems", map[string]any{"minPriority": 500}},
		}},
		"ExecuteLowPriorityWorkQueue": {noon.Add(3 * time.Hour), true, pipelines.ScopeEachWorker, []step{
			{"AssignTasksToWorker", map[string]any{"workerSeenWithin": "15m", "belowPriority": 500, "workers": "available"}},
			{"ExecuteWorkItems", map[string]any{"belowPriority": 500}},
		}},
		"LoadWorkQueue":  {noon.Add(time.Minute), false, pipelines.ScopeOnce, []step{{"ManageWorkQueue", map[string]any{}}}},
		"RecordForecast": {noon.Add(37 * time.Minute), false, pipelines.ScopeOnce, []step{{"RecordForecast", map[string]any{"items": 1000}}}},
		"ScheduleTasks":  {noon.Add(time.Hour), false, pipelines.ScopeOnce, []step{{"LoadWorkQueueItems", map[string]any{}}, {"SchedulePendingTasks", map[string]any{}}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("shipped pipelines (-want +got):\n%s", diff)
	}
}
