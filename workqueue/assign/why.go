package assign

import (
	"cmp"
	"context"
	"errors"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/learned"
)

// WhyStore is what Why reads.
type WhyStore interface {
	workqueue.AssignStore

	// As in workqueue.ItemStore, workqueue.QueueStore and workqueue.WorkerStore.
	Item(ctx context.Context, id int64) (workqueue.Item, error)
	Attempts(ctx context.Context, itemID int64) ([]workqueue.Attempt, error)
	Queues(ctx context.Context) ([]workqueue.Queue, error)
	Queue(ctx context.Context, name string) (workqueue.Queue, error)
	Workers(ctx context.Context) ([]workqueue.Worker, error)

	// As in workqueue.WaitingStore.
	RowHolders(ctx context.Context, ids ...int64) ([]workqueue.RowHolder, error)

	// As in workqueue.EscalationStore.
	EscalationStates(ctx context.Context, itemID int64) ([]workqueue.EscalationState, error)
}

// WhyParams are what Why needs besides the database.
type WhyParams struct {
	// Profiles returns what pipelines declare about their items, and Learned estimates durations
	// from earlier runs; both may be nil.
	Profiles workqueue.Profiles
	Learned  *learned.Estimates

	// Resilience returns the policy of the pipeline that an IntegrationConfig names or contains;
	// may be nil.
	Resilience func(integrationConfig string) workqueue.Resilience

	// Escalations are the rules of escalation of pipelines.
	Escalations []workqueue.Escalation

	// Pipelines are the pipelines that assign or run items, in any order. Of the parameters of
	// their passes, Profiles, Learned and NewRule are not used.
	Pipelines []SystemPipeline

	// MostDue bounds the due items that are read, in the order in which passes take them; 0: a million, as for passes. Why
	// does not know when an item beyond them starts.
	MostDue int
}

// mostDue returns how many due items are read.
func (p *WhyParams) mostDue() int { return min(cmp.Or(p.MostDue, mostWindow), mostWindow) }

// Why returns the reason why an item is not running yet, and what would change that; for an item
// that runs or has ended, it says so. If several things prevent the item from running, it returns
// the first one in this order: what is wrong with the item and its queue, which workers may run
// it, whether they have room, when a pass assigns it.
//
// It takes no lock and changes nothing; when it returns, the reason may have changed. It plans by
// the planner of passes, and the times that it expects are as good as the estimates. The error is
// ErrNotFound if there is no such item.
func Why(ctx context.Context, store WhyStore, id int64, p WhyParams) (Reason, error) {
	item, err := store.Item(ctx, id)
	if err != nil {
		return Reason{}, err
	}
	const most = 3
	for n := 1; ; n++ {
		r, moved, err := whyItem(ctx, store, &item, p)
		if err != nil || !moved || n == most {
			return r, err
		}
		before := item
		if item, err = store.Item(ctx, id); err != nil || item.State == before.State && item.Fence == before.Fence {
			return r, err
		}
	}
}

// whyItem explains an item as it was read. moved is true if a worker or a pass may have moved it
// since.
func whyItem(ctx context.Context, store WhyStore, item *workqueue.Item, p WhyParams) (r Reason, moved bool, err error) {
	queue, err := store.Queue(ctx, item.QueueName)
	if err != nil && !errors.Is(err, workqueue.ErrNotFound) {
		return Reason{}, false, err
	}
	workers, err := store.Workers(ctx)
	if err != nil {
		return Reason{}, false, err
	}
	snooze, err := lastSnooze(ctx, store, item)
	if err != nil {
		return Reason{}, false, err
	}
	holders, err := store.RowHolders(ctx, item.ID)
	if err != nil {
		return Reason{}, false, err
	}
	if err := p.Learned.Refresh(ctx); err != nil {
		return Reason{}, false, err
	}
	rules, err := readRules(ctx, store, p.Escalations)
	if err != nil {
		return Reason{}, false, err
	}
	err = store.ReadUnlocked(ctx, func(ctx context.Context, view workqueue.AssignView) error {
		marks, err := view.PassState(ctx)
		if err != nil {
			return err
		}
		w := &why{p: p, view: view, item: item, queue: &queue, workers: workers, holder: longHolder(holders), snooze: snooze, rules: rules, now: marks.Now}
		w.choosePass()
		if r, err = w.judge(ctx); err != nil {
			return err
		}
		if r.Escalations, err = w.escalations(ctx, store); err != nil {
			return err
		}
		err = w.expect(ctx, &r)
		moved = w.moved
		return err
	})
	r.ItemID, r.Status, r.State, r.Lifecycle = item.ID, item.Status(), item.State.String(), item.Lifecycle
	if item.State != workqueue.Processed && item.State != workqueue.Cancelled {
		r.FinishBy = item.FinishBy
	}
	return r, moved, err
}

// why is one call of Why.
type why struct {
	p       WhyParams
	view    workqueue.AssignView
	item    *workqueue.Item
	queue   *workqueue.Queue
	workers []workqueue.Worker // all workers, by name
	holder  *workqueue.RowHolder
	snooze  *workqueue.Attempt // the last run, if it ended with a snooze
	rules   []SimRule          // all rules of escalation
	now     time.Time

	pass   comingPass // the next pass that covers the item's priority
	passed bool       // there is one

	// moved is set if the simulation does not start the item, perhaps because a worker or a pass
	// has moved it since it was read.
	moved bool
}

// comingPass is the next pass of one AssignTasksToWorker step.
type comingPass struct {
	Pipeline string
	At       time.Time // zero: no schedule starts the pipeline
	Wake     bool      // it is made as soon as there is something to assign
	Params   AssignParams
}

// choosePass finds the first pass that covers the item.
func (w *why) choosePass() {
	for _, p := range w.p.Pipelines {
		for _, params := range p.Passes {
			pass := comingPass{Pipeline: p.Name, At: p.next(w.now), Wake: p.Wake, Params: w.params(params)}
			if p.Wake {
				pass.At = w.now
			}
			sooner := w.pass.At.IsZero() || !pass.At.IsZero() && pass.At.Before(w.pass.At)
			if pass.Params.Band.Contains(w.item.Priority) && (!w.passed || sooner) {
				w.pass, w.passed = pass, true
			}
		}
	}
	if !w.passed {
		w.pass.Params = w.params(AssignParams{})
	}
}

// params completes the parameters of a pass.
func (w *why) params(p AssignParams) AssignParams { return w.p.params(p) }

// judge checks one kind of reason after the other until one applies.
func (w *why) judge(ctx context.Context) (Reason, error) {
	if r, ok := w.ended(); ok {
		return r, nil
	}
	if w.item.State != workqueue.Blocked && w.holder != nil {
		return w.locked(), nil
	}
	switch w.item.State {
	case workqueue.Blocked:
		return w.running(), nil
	case workqueue.Assigned:
		return w.assigned(ctx)
	}
	if r, ok := w.held(); ok {
		return r, nil
	}
	if r, ok, err := w.limited(ctx); ok || err != nil {
		return r, err
	}
	return w.unassigned(ctx)
}

// worker returns the row of a worker; nil if it is unknown.
func (w *why) worker(id *int64) *workqueue.Worker {
	for i := range w.workers {
		if id != nil && w.workers[i].ID == *id {
			return &w.workers[i]
		}
	}
	return nil
}
