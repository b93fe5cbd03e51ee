package operations

import (
	"context"
	"fmt"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/learned"
)

// PassStore is what a pass reads.
type PassStore interface {
	workqueue.AssignStore
	learned.Reader
}

// DryPass is what one AssignTasksToWorker step would do; its field names are part of the command
// line's contract.
type DryPass struct {
	Pipeline    string `json:"pipeline"`
	MinPriority *int   `json:"minPriority"` // nil: no bound
	MaxPriority *int   `json:"maxPriority"`
	assign.DryRunResult
}

// DryPasses returns what the passes of the pipelines would do, each separately.
func DryPasses(ctx context.Context, store PassStore, of []assign.SystemPipeline) ([]DryPass, error) {
	learned := learned.NewEstimates(store)
	results := []DryPass{}
	for _, p := range of {
		for _, params := range p.Passes {
			params.Learned = learned
			r, err := assign.DryRun(ctx, store, params)
			if err != nil {
				return nil, fmt.Errorf("pipeline %q: %w", p.Name, err)
			}
			one := DryPass{Pipeline: p.Name, DryRunResult: r}
			if every := workqueue.EveryPriority; r.Band.Min != every.Min {
				one.MinPriority = &r.Band.Min
			}
			if r.Band.Max != workqueue.EveryPriority.Max {
				one.MaxPriority = &r.Band.Max
			}
			results = append(results, one)
		}
	}
	return results, nil
}
