package storetest

import (
	"slices"

	"botwork/workqueue"
)

func markTests() []test {
	return []test{
		{"of queues", markQueues},
		{"of workers", markWorkers},
		{"of the latest runs", markRuns},
	}
}

// marks reads the marks with those of so many runs.
func (x *fixture) marks(runs int) workqueue.Marks {
	x.Helper()
	marks, err := x.Store.Marks(x.ctx, runs)
	if err != nil {
		x.Fatal(err)
	}
	return marks
}

func markQueues(x *fixture) {
	x.exec(2, `INSERT INTO "BotQueues" ("Name", "Paused", "Revision") VALUES ('mail', '1', 7), ('archive', '0', 2)`)
	got := x.marks(10).Queues
	if len(got) != 3 {
		x.Errorf("the marks are %s, want those of 3 queues", asJSON(got))
	}
	for _, want := range []workqueue.QueueMark{{Name: "mail", Revision: 7, Paused: true}, {Name: "archive", Revision: 2}} {
		if !slices.Contains(got, want) {
			x.Errorf("the marks are %s, want %s among them", asJSON(got), asJSON(want))
		}
	}
}

// A worker is gone if its lease is over or it has none, and it did not stop.
func markWorkers(x *fixture) {
	want := map[string]workqueue.WorkerMark{}
	for _, c := range []struct {
		name, set string
		state     workqueue.WorkerState
		gone      bool
	}{
		{"ann", "", workqueue.WorkerActive, false},
		{"ben", `"State" = 'draining'`, workqueue.WorkerDraining, false},
		{"cat", `"LeaseExpiresAt" = ` + longAgo, workqueue.WorkerActive, true},
		{"dan", `"LeaseExpiresAt" = NULL`, workqueue.WorkerActive, true},
		{"eve", `"State" = 'stopped', "LeaseExpiresAt" = ` + longAgo, workqueue.WorkerStopped, false},
	} {
		w := x.Worker(WorkerOpts{Name: c.name})
		if c.set != "" {
			x.exec(1, `UPDATE "BotWorkers" SET %s WHERE "Id" = %d`, c.set, w.ID)
		}
		want[c.name] = workqueue.WorkerMark{ID: w.ID, Name: c.name, State: c.state, Gone: c.gone}
	}
	got := x.marks(10).Workers
	if len(got) != len(want) {
		x.Errorf("the marks are %s, want those of %d workers", asJSON(got), len(want))
	}
	for _, mark := range got {
		if mark != want[mark.Name] {
			x.Errorf("got %s, want %s", asJSON(mark), asJSON(want[mark.Name]))
		}
	}
}

func markRuns(x *fixture) {
	w := x.Worker(WorkerOpts{})
	var ids []int64
	for range 4 {
		ids = append(ids, x.startRun(workqueue.PipelineRun{Pipeline: "nightly", Trigger: "t", WorkerID: &w.ID}))
	}
	x.exec(1, `UPDATE "BotPipelineRuns" SET "Outcome" = 'failed' WHERE "Id" = %d`, ids[2])
	got := x.marks(3).Runs
	want := []workqueue.RunMark{
		{ID: ids[3], Pipeline: "nightly", Outcome: workqueue.RunRunning},
		{ID: ids[2], Pipeline: "nightly", Outcome: workqueue.RunFailed},
		{ID: ids[1], Pipeline: "nightly", Outcome: workqueue.RunRunning},
	}
	if !slices.Equal(got, want) {
		x.Errorf("the marks of 3 runs are %s, want %s", asJSON(got), asJSON(want))
	}
}
