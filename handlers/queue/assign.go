package queue

import (
	"context"
	"errors"
	"time"

	"botwork/handlers"
	"botwork/workqueue/assign"
	"botwork/workqueue/matching"
	"botwork/workqueue/scoring"
)

// errNoWorker reports that the step ran outside of `botwork run`.
var errNoWorker = handlers.Permanent(errors.New("no worker runs in this process; hint: botwork run, or botwork run --once PIPELINE"))

func assignKind(s Services) handlers.Kind {
	return handlers.Kind{
		Name: AssignKind, Summary: "Free stale items and give ready ones to the live workers",
		Doc: `First frees items that no worker will run: running items whose lease has run out, items that stay assigned longer than assignedFor,
items assigned to a worker that is gone. Then it assigns the due items to the workers that were seen within workerSeenWithin and
whose lease has not run out. The order of items: the expedited first, then the highest priority, the nearest deadline, the
earlier period in which they became due (horizon, else 5 minutes), the longest. Each item goes to the worker that mode selects,
by default the one where it starts first, and among equals the one with the least summed estimated duration per slot, counting
what it holds. The item gets state 5. An item without an estimated duration counts with the learned duration of such items, else
with its pipeline's, else with defaultEstimate.

With workers: available, a worker gets items only for its free slots, so the first free slot gets the most urgent item. With a
horizon and the mode least-loaded it also gets items in advance, until it has that much estimated work for each slot. With idle it
gets items only if it holds none at all, neither assigned nor running. It then gets horizon (5 minutes if none is given) of work for each slot. With one slot both give the same first item. An
item that is assigned and has not started is taken back if it could start at once on another worker, or with a horizon much sooner.

mode applies if neither the pipeline nor the queue sets one (its distribution): least-loaded; round-robin, by worker, after the one
that got the last item; longest-idle, the lowest share of the capacity in use after each item; best-worker, the best score first. The last
three give items only to free slots; round-robin and best-worker give no worker a second one while another that may have it has a
free slot and got none. Among equals the last two select the worker that has been free the longest. scoring is a mapping with rule (default, static, map,
expression or http) and the keys of the rule; without it the default score counts. An item goes only to a worker whose labels
satisfy all its selectors, unless bypassSelectors is true.

One pass writes at a time in the whole cluster. A pass plans before it writes, and plans again if another one wrote first. When the
step is done, everything that existed when it began has been considered, so this worker's items are ready to run. It is safe to run
twice: a second pass finds less to do.`,
		Output: "{rescued, released, poisoned, expired, workers, assigned, moved}: items of dead workers, assigned items given back, items cancelled " +
			"because too many workers died with them, items cancelled because they were not started in time, workers that could take items, items assigned, items moved to another worker.",
		OutputShape: handlers.Always(handlers.CountsShape("rescued", "released", "poisoned", "expired", "workers", "assigned", "moved")),
		Example: `- handler: AssignTasksToWorker
  with: {workerSeenWithin: 15m, minPriority: 500}
`,
		New: func() handlers.Handler {
			return &assignStep{
				services:           s,
				WorkerSeenWithin:   handlers.Duration(15 * time.Minute),
				AssignedFor:        handlers.Duration(15 * time.Minute),
				Workers:            string(assign.AvailableWorkers),
				MaxPerWorker:       2_000,
				DefaultEstimate:    handlers.Duration(10 * time.Second),
				distributionParams: distributionParams{Mode: string(matching.LeastLoaded)},
			}
		},
	}
}

type assignStep struct {
	services Services

	bandParams
	WorkerSeenWithin handlers.Duration `json:"workerSeenWithin" doc:"workers that were last seen earlier, or whose lease has run out, get nothing"`
	AssignedFor      handlers.Duration `json:"assignedFor" doc:"an item that is assigned for longer and has not started is given to another worker"`
	MaxReleases      int               `json:"maxReleases" doc:"has no effect: use maxReleases of the queue, in botwork.yaml"`
	Workers          string            `json:"workers" enum:"available,idle" doc:"available: an item goes to workers with a free slot or, with the mode least-loaded and a horizon, room within that; idle: only to those that hold no item at all"`
	Horizon          handlers.Duration `json:"horizon" doc:"how much estimated work each slot of a worker is given in advance; 0s: with available none, with idle 5m"`
	MaxPerWorker     int               `json:"maxPerWorker" doc:"how many items a worker holds at most"`
	DefaultEstimate  handlers.Duration `json:"defaultEstimate" doc:"the duration of items without an estimate"`

	distributionParams
}

// Validate implements handlers.Validator.
func (a *assignStep) Validate() error {
	if err := a.check(); err != nil {
		return err
	}
	_, err := a.params()
	return err
}

func (a *assignStep) params() (assign.AssignParams, error) {
	band, err := a.band()
	if err != nil {
		return assign.AssignParams{}, err
	}
	distribution, err := a.distribution()
	if err != nil {
		return assign.AssignParams{}, err
	}
	p := assign.AssignParams{
		Band:            band,
		SeenWithin:      time.Duration(a.WorkerSeenWithin),
		AssignedFor:     time.Duration(a.AssignedFor),
		Workers:         assign.Availability(a.Workers),
		Horizon:         time.Duration(a.Horizon),
		FreeSlots:       a.Horizon == 0 && a.Workers == string(assign.AvailableWorkers),
		MaxPerWorker:    a.MaxPerWorker,
		DefaultEstimate: time.Duration(a.DefaultEstimate),
		Profiles:        a.services.Profiles,
		Distribution:    distribution,
	}
	return p, p.Validate()
}

// Handle implements handlers.Handler.
func (a *assignStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	worker := a.services.worker()
	if worker == nil {
		return nil, errNoWorker
	}
	p, err := a.params()
	if err != nil {
		return nil, handlers.Permanent(err)
	}
	// Created for each run, so that a rule logs its fallback once per pass.
	p.NewRule = scoring.Services{Secrets: a.services.Secrets, Log: call.Log}.New
	r, err := worker.Assign(ctx, p)
	if err != nil {
		return nil, err
	}
	if len(r.Faults) > 0 {
		call.Log.Warn().Strs("faults", r.Faults).Msg("assignment skipped settings that cannot be read")
	}
	log := call.Log.With().Int("workers", r.Workers).Logger()
	reportCounts(call, log, "assigned items", counter{"assigned", r.Assigned}, counter{"rescued", r.Rescued},
		counter{"released", r.Released}, counter{"poisoned", r.Poisoned}, counter{"expired", r.Expired}, counter{"moved", r.Moved})
	return map[string]any{
		"rescued": r.Rescued, "released": r.Released, "poisoned": r.Poisoned, "expired": r.Expired, "workers": r.Workers, "assigned": r.Assigned, "moved": r.Moved,
	}, nil
}

func (s Services) worker() Worker {
	if s.Worker == nil {
		return nil
	}
	return s.Worker()
}
