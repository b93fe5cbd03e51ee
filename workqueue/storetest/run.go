package storetest

import (
	"fmt"
	"strings"
	"time"

	"botwork/workqueue"
)

func runTests() []test {
	return []test{
		{"start and end", runStartEnd},
		{"an end is written once", runEndOnce},
		{"the latest first", runList},
		{"a filter", runFilter},
		{"on other workers", runElsewhere},
		{"on other workers that have stopped", runElsewhereGone},
	}
}

// startRun records the start of a run.
func (x *fixture) startRun(r workqueue.PipelineRun) int64 {
	x.Helper()
	id, err := x.Store.StartRun(x.ctx, r)
	if err != nil {
		x.Fatal(err)
	}
	return id
}

// runs lists the runs of a pipeline.
func (x *fixture) runs(pipeline string, limit int) []workqueue.PipelineRun {
	x.Helper()
	runs, err := x.Store.Runs(x.ctx, workqueue.RunFilter{Pipeline: pipeline, Limit: limit})
	if err != nil {
		x.Fatal(err)
	}
	return runs
}

func runStartEnd(x *fixture) {
	w := x.Worker(WorkerOpts{})
	at := planned
	id := x.startRun(workqueue.PipelineRun{Pipeline: "ExecuteWorkQueue", Trigger: "cron", PlannedAt: &at, WorkerID: &w.ID})
	got := x.runs("", 0)
	if len(got) != 1 {
		x.Fatalf("%d runs, want 1", len(got))
	}
	x.wantClean("StartedAt", &got[0].StartedAt)
	want := workqueue.PipelineRun{
		ID: id, Pipeline: "ExecuteWorkQueue", Trigger: "cron", PlannedAt: &at, WorkerID: &w.ID, Outcome: workqueue.RunRunning, StartedAt: got[0].StartedAt,
	}
	if asJSON(got[0]) != asJSON(want) {
		x.Errorf("the run is\n     %s\nwant %s", asJSON(got[0]), asJSON(want))
	}
	broken := "broken: \x00 " + strings.Repeat("a long story 🚀 ", 5000)
	if err := x.Store.FinishRun(x.ctx, id, workqueue.RunEnd{Outcome: workqueue.RunFailed, Step: "load", Error: broken, Summary: `{"assigned": 3}`}); err != nil {
		x.Fatal(err)
	}
	got = x.runs("", 0)
	x.wantClean("FinishedAt", got[0].FinishedAt)
	text := strings.Replace(broken, "\x00", "\uFFFD", 1)
	step := "load"
	want.FailedStep = &step
	want.Outcome, want.Error, want.Summary, want.FinishedAt = workqueue.RunFailed, &text, `{"assigned": 3}`, got[0].FinishedAt
	if asJSON(got[0]) != asJSON(want) {
		x.Errorf("the run is\n     %.500s\nwant %.500s", asJSON(got[0]), asJSON(want))
	}
}

func runEndOnce(x *fixture) {
	w := x.Worker(WorkerOpts{})
	id := x.startRun(workqueue.PipelineRun{Pipeline: "Nightly", Trigger: "every", WorkerID: &w.ID})
	for _, outcome := range []workqueue.RunOutcome{workqueue.RunSucceeded, workqueue.RunFailed} {
		if err := x.Store.FinishRun(x.ctx, id, workqueue.RunEnd{Outcome: outcome}); err != nil {
			x.Fatal(err)
		}
		if got := x.runs("Nightly", 0)[0]; got.Outcome != workqueue.RunSucceeded || got.Error != nil || got.Summary != "" {
			x.Errorf("the run is %s, want it succeeded", asJSON(got))
		}
	}
}

func runList(x *fixture) {
	w := x.Worker(WorkerOpts{})
	var ids []int64
	for _, pipeline := range []string{"Nightly", "Other", "Nightly", "Nightly"} {
		ids = append(ids, x.startRun(workqueue.PipelineRun{Pipeline: pipeline, Trigger: "cron", WorkerID: &w.ID}))
	}
	for _, c := range []struct {
		pipeline string
		limit    int
		want     []int64
	}{
		{"", 0, []int64{ids[3], ids[2], ids[1], ids[0]}},
		{"", 2, []int64{ids[3], ids[2]}},
		{"Nightly", 2, []int64{ids[3], ids[2]}},
		{"Other", 0, []int64{ids[1]}},
		{"None", 0, nil},
	} {
		var got []int64
		for _, r := range x.runs(c.pipeline, c.limit) {
			got = append(got, r.ID)
		}
		x.wantIDs("runs of "+c.pipeline, got, c.want)
	}
}

// elsewhere returns since when other workers run the pipeline.
func (x *fixture) elsewhere(pipeline string, w workqueue.Worker) (time.Time, bool) {
	x.Helper()
	since, running, err := x.Store.RunsElsewhere(x.ctx, pipeline, w.ID)
	if err != nil {
		x.Fatal(err)
	}
	if running == since.IsZero() {
		x.Errorf("RunsElsewhere = %s, %t: want a time if and only if a run is active", since, running)
	}
	return since, running
}

func runElsewhere(x *fixture) {
	ann, bob := x.Worker(WorkerOpts{Name: "ann"}), x.Worker(WorkerOpts{Name: "bob"})
	if _, running := x.elsewhere("Nightly", ann); running {
		x.Error("a run is found before any started")
	}
	id := x.startRun(workqueue.PipelineRun{Pipeline: "Nightly", Trigger: "cron", WorkerID: &bob.ID})
	x.startRun(workqueue.PipelineRun{Pipeline: "Nightly", Trigger: "cron", WorkerID: &bob.ID})
	first := x.runs("Nightly", 0)[1]
	if since, running := x.elsewhere("Nightly", ann); !running || !since.Equal(first.StartedAt) {
		x.Errorf("RunsElsewhere = %s, %t, want since %s", since, running, first.StartedAt)
	}
	if _, running := x.elsewhere("Nightly", bob); running {
		x.Error("the worker's own run is found as a run of another worker")
	}
	if _, running := x.elsewhere("Other", ann); running {
		x.Error("a run of another pipeline is found")
	}
	for _, r := range []int64{id, id + 1} {
		if err := x.Store.FinishRun(x.ctx, r, workqueue.RunEnd{Outcome: workqueue.RunSucceeded}); err != nil {
			x.Fatal(err)
		}
	}
	if _, running := x.elsewhere("Nightly", ann); running {
		x.Error("a finished run is found")
	}
}

func runElsewhereGone(x *fixture) {
	ann, bob := x.Worker(WorkerOpts{Name: "ann"}), x.Worker(WorkerOpts{Name: "bob"})
	x.startRun(workqueue.PipelineRun{Pipeline: "Nightly", Trigger: "cron", WorkerID: &bob.ID})
	for _, c := range []struct{ name, change, back string }{
		{"stopped", `"State" = 'stopped'`, `"State" = 'active'`},
		{"without a heartbeat", `"LeaseExpiresAt" = ` + longAgo, `"LeaseExpiresAt" = ` + farAway},
		{"restarted", `"StartedAt" = ` + farAway, `"StartedAt" = ` + longAgo},
	} {
		x.exec(1, `UPDATE "BotWorkers" SET %s WHERE "Id" = %d`, c.change, bob.ID)
		if _, running := x.elsewhere("Nightly", ann); running {
			x.Errorf("the run of a worker that is %s is found", c.name)
		}
		x.exec(1, `UPDATE "BotWorkers" SET %s WHERE "Id" = %d`, c.back, bob.ID)
		if _, running := x.elsewhere("Nightly", ann); !running {
			x.Errorf("the run of a worker that is no longer %s is not found", c.name)
		}
	}
	x.exec(1, `UPDATE "BotWorkers" SET "State" = 'draining' WHERE "Id" = %d`, bob.ID)
	if _, running := x.elsewhere("Nightly", ann); !running {
		x.Error("the run of a draining worker is not found")
	}
}

func runFilter(x *fixture) {
	w := x.Worker(WorkerOpts{})
	at := []time.Time{planned, planned.Add(time.Hour), planned.Add(2 * time.Hour)}
	var ids []int64
	for i := range at {
		ids = append(ids, x.startRun(workqueue.PipelineRun{Pipeline: "Nightly", Trigger: "cron", PlannedAt: &at[i], WorkerID: &w.ID}))
	}
	by := "ann"
	ids = append(ids, x.startRun(workqueue.PipelineRun{Pipeline: "Other", Trigger: "request", WorkerID: &w.ID, RequestedBy: &by}))
	for i, outcome := range []workqueue.RunOutcome{workqueue.RunFailed, workqueue.RunSucceeded} {
		if err := x.Store.FinishRun(x.ctx, ids[i], workqueue.RunEnd{Outcome: outcome}); err != nil {
			x.Fatal(err)
		}
	}
	started := x.runs("Other", 1)[0].StartedAt
	if got := x.runs("Other", 1)[0]; got.RequestedBy == nil || *got.RequestedBy != by || got.RequestID != nil {
		x.Errorf("the run of a request is %s, want it requested by %s", asJSON(got), by)
	}
	for name, c := range map[string]struct {
		filter workqueue.RunFilter
		want   []int64
	}{
		"id":            {workqueue.RunFilter{ID: ids[1]}, []int64{ids[1]}},
		"no such id":    {workqueue.RunFilter{ID: ids[3] + 1000}, nil},
		"outcome":       {workqueue.RunFilter{Outcomes: []workqueue.RunOutcome{workqueue.RunFailed}}, []int64{ids[0]}},
		"outcomes":      {workqueue.RunFilter{Outcomes: []workqueue.RunOutcome{workqueue.RunFailed, workqueue.RunRunning}}, []int64{ids[3], ids[2], ids[0]}},
		"planned":       {workqueue.RunFilter{PlannedSince: at[1], PlannedUntil: at[2]}, []int64{ids[1]}},
		"since is in":   {workqueue.RunFilter{Since: started, Pipeline: "Other"}, []int64{ids[3]}},
		"until is out":  {workqueue.RunFilter{Until: started, Pipeline: "Other"}, nil},
		"too late":      {workqueue.RunFilter{Since: started.Add(time.Hour)}, nil},
		"another zone":  {workqueue.RunFilter{PlannedSince: at[2].In(time.FixedZone("", 3600))}, []int64{ids[2]}},
		"ended":         {workqueue.RunFilter{EndsAfter: started.Add(time.Hour)}, []int64{ids[3], ids[2]}},
		"ends after":    {workqueue.RunFilter{EndsAfter: started.Add(-time.Hour), Pipeline: "Nightly"}, []int64{ids[2], ids[1], ids[0]}},
		"the oldest":    {workqueue.RunFilter{Oldest: true, Limit: 2}, []int64{ids[0], ids[1]}},
		"all, at most1": {workqueue.RunFilter{Limit: 1}, []int64{ids[3]}},
	} {
		runs, err := x.Store.Runs(x.ctx, c.filter)
		if err != nil {
			x.Fatal(err)
		}
		var got []int64
		for _, r := range runs {
			got = append(got, r.ID)
		}
		x.wantIDs("runs by "+name, got, c.want)
	}
	for _, c := range []struct {
		filter workqueue.RunFilter
		most   int
		want   string
	}{
		{workqueue.RunFilter{}, 4, `{"failed":1,"running":2,"succeeded":1} false`},
		{workqueue.RunFilter{}, 3, `3 true`},
		{workqueue.RunFilter{Pipeline: "Other"}, 9, `{"running":1} false`},
		{workqueue.RunFilter{Outcomes: []workqueue.RunOutcome{workqueue.RunFailed}}, 9, `{"failed":1} false`},
		{workqueue.RunFilter{Since: started.Add(time.Hour)}, 9, `{} false`},
		{workqueue.RunFilter{Until: started.Add(-time.Hour)}, 9, `{} false`},
	} {
		counts, more, err := x.Store.CountRuns(x.ctx, c.filter, c.most)
		if err != nil {
			x.Fatal(err)
		}
		got := fmt.Sprint(asJSON(counts), " ", more)
		if more { // which rows are counted is open
			sum := 0
			for _, n := range counts {
				sum += n
			}
			got = fmt.Sprint(sum, " ", more)
		}
		if got != c.want {
			x.Errorf("CountRuns(%+v, %d): got %s, want %s", c.filter, c.most, got, c.want)
		}
	}
	for i, outcome := range []workqueue.FiringOutcome{workqueue.Missed, workqueue.Skipped, workqueue.Missed} {
		f := workqueue.Firing{Schedule: "Nightly", PlannedAt: at[i], Outcome: outcome, RecordedBy: "w"}
		task := f
		task.Schedule = workqueue.TaskSchedule("close") // left out
		if err := x.Store.RecordFirings(x.ctx, []workqueue.Firing{f, task}); err != nil {
			x.Fatal(err)
		}
	}
	for _, c := range []struct {
		filter workqueue.FiringFilter
		most   int
		want   string
	}{
		{workqueue.FiringFilter{}, 3, `{"missed":2,"skipped":1} false`},
		{workqueue.FiringFilter{}, 2, `{"missed":1,"skipped":1} true`},
		{workqueue.FiringFilter{Outcomes: []workqueue.FiringOutcome{workqueue.Missed}}, 9, `{"missed":2} false`},
		{workqueue.FiringFilter{Since: at[1], Until: at[2]}, 9, `{"skipped":1} false`},
		{workqueue.FiringFilter{Schedule: "Other"}, 9, `{} false`},
	} {
		counts, more, err := x.Store.CountFirings(x.ctx, c.filter, c.most)
		if err != nil {
			x.Fatal(err)
		}
		if got := fmt.Sprint(asJSON(counts), " ", more); got != c.want {
			x.Errorf("CountFirings(%+v, %d): got %s, want %s", c.filter, c.most, got, c.want)
		}
	}
}
