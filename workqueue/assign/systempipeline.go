package assign

import (
	"slices"
	"time"

	"botwork/workqueue"
)

// SystemPipeline is what Why knows about a pipeline that assigns or runs items.
type SystemPipeline struct {
	Name string

	// Passes are the parameters of its AssignTasksToWorker steps, in their order;
	// Bands are the priorities that its ExecuteWorkItems steps run.
	Passes []AssignParams
	Bands  []workqueue.Band

	// Next returns the first time after another one at which the schedule starts the pipeline, or
	// zero if there is none; a nil Next means that there is no schedule.
	Next func(after time.Time) time.Time

	// Wake reports whether the pipeline starts as soon as there is work for it.
	Wake bool
}

// next returns when the schedule starts the pipeline next; zero if never.
func (s *SystemPipeline) next(after time.Time) time.Time {
	if s.Next == nil {
		return time.Time{}
	}
	if next := s.Next(after); next.After(after) {
		return next.UTC()
	}
	return time.Time{}
}

// runs reports whether the pipeline runs items of a priority.
func (s *SystemPipeline) runs(priority int) bool {
	return slices.ContainsFunc(s.Bands, func(b workqueue.Band) bool { return b.Contains(priority) })
}
