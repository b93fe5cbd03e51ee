package api

import (
	"context"
	"sort"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// workerLoad is the work that a worker holds.
type workerLoad struct {
	Worker   string             `json:"worker" doc:"its name"`
	Slots    int                `json:"slots" doc:"how many runs it can have at the same time, without slots that are stuck"`
	Running  int                `json:"running" doc:"the runs that it has now; items that run together are one"`
	Assigned int                `json:"assigned" doc:"the items that wait for it"`
	Expected workqueue.Duration `json:"expected" doc:"how long all of that is still expected to take, one after the other"`
	FreeIn   workqueue.Duration `json:"freeIn" doc:"the same, side by side on its slots"`
}

type workerLoads struct {
	Body struct {
		Workers []workerLoad `json:"workers" nullable:"false"`
	}
}

func (a *API) workerLoads(ctx context.Context, _ *struct{}) (*workerLoads, error) {
	p, err := a.whyParams()
	if err != nil {
		return nil, err
	}
	q := workqueue.PassQuery{
		SeenWithin: assign.AssignParams{}.WithDefaults().SeenWithin, Band: workqueue.EveryPriority, DefaultEstimate: p.DefaultEstimate(),
	}
	var in workqueue.PassInput
	err = a.store.ReadUnlocked(ctx, func(ctx context.Context, view workqueue.AssignView) (err error) {
		in, err = view.ReadPass(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := &workerLoads{}
	out.Body.Workers = make([]workerLoad, len(in.Loads))
	for i := range in.Loads {
		out.Body.Workers[i] = loadOf(&in.Loads[i])
	}
	sort.SliceStable(out.Body.Workers, func(i, k int) bool { return out.Body.Workers[i].Worker < out.Body.Workers[k].Worker })
	return out, nil
}

func loadOf(w *workqueue.WorkerLoad) workerLoad {
	load := workerLoad{Worker: w.Name, Slots: w.Capacity}
	var expected time.Duration
	for _, h := range w.Held {
		expected += h.Estimate
		if h.Running {
			load.Running += h.Count
		} else {
			load.Assigned += h.Count
		}
	}
	load.Expected = workqueue.Duration(expected)
	load.FreeIn = workqueue.Duration(expected / time.Duration(max(min(w.Capacity, load.Running+load.Assigned), 1)))
	return load
}
