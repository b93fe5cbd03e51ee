package operations

import (
	"context"
	"time"

	"botwork/workqueue"
)

// TaskOutcomes counts what became of the scope values of a window of a task that have a record. A task
// without a scope has one record.
type TaskOutcomes struct {
	PlannedAt time.Time `json:"plannedAt"`
	Fired     int       `json:"fired"` // an item was created
	Missed    int       `json:"missed"`
	Skipped   int       `json:"skipped"`

	// Trouble is the latest record of a scope value without an item; nil: all have one.
	Trouble *workqueue.Firing `json:"trouble"`
}

// mostScopes bounds the records of a window that are counted.
const mostScopes = 10_000

// lastWindow returns the latest record of a task, and the outcomes of the window that it is of; nil: there is none.
// scopes is how many values the scope of the task has now.
func lastWindow(ctx context.Context, store TaskStore, name string, scopes int) (*workqueue.Firing, *TaskOutcomes, error) {
	by := workqueue.FiringFilter{Schedule: workqueue.TaskSchedule(name), Limit: max(scopes, 1) + 1}
	records, err := store.Firings(ctx, by)
	if err != nil || len(records) == 0 {
		return nil, nil, err
	}
	at := records[0].PlannedAt
	if len(records) == by.Limit && records[len(records)-1].PlannedAt.Equal(at) { // the scope had more values then
		by.Since, by.Until, by.Limit = at, at.Add(time.Millisecond), mostScopes
		if records, err = store.Firings(ctx, by); err != nil || len(records) == 0 {
			return nil, nil, err
		}
	}
	last := &TaskOutcomes{PlannedAt: at}
	for i := range records {
		f := &records[i]
		if !f.PlannedAt.Equal(at) {
			break
		}
		switch f.Outcome {
		case workqueue.Fired:
			last.Fired++
		case workqueue.Missed:
			last.Missed++
		case workqueue.Skipped:
			last.Skipped++
		}
		if f.Outcome != workqueue.Fired && last.Trouble == nil {
			last.Trouble = f
		}
	}
	return &records[0], last, nil
}
