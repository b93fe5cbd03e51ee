package assign

import (
	"context"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// dryStore is a store for one pass that writes nothing: it records what the pass would write and
// what it has read.
type dryStore struct {
	real workqueue.AssignStore
	p    AssignParams

	now       time.Time
	loads     []workqueue.WorkerLoad
	queues    map[string]workqueue.JSONText
	seen      map[int64]workqueue.DueItem
	written   []workqueue.Assignment
	sweepable bool

	rules map[string]*rememberedRule // by the text of their scoring
}

var _ workqueue.AssignStore = (*dryStore)(nil)

func newDryStore(real workqueue.AssignStore, p AssignParams) *dryStore {
	return &dryStore{real: real, p: p, seen: map[int64]workqueue.DueItem{}, rules: map[string]*rememberedRule{}}
}

// ReadUnlocked implements AssignStore.
func (d *dryStore) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return d.real.ReadUnlocked(ctx, func(ctx context.Context, view workqueue.AssignView) error {
		return read(ctx, &dryTx{AssignView: view, d: d})
	})
}

// Assign implements AssignStore, without the lock.
func (d *dryStore) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	return d.real.ReadUnlocked(ctx, func(ctx context.Context, view workqueue.AssignView) error {
		d.written = nil
		return pass(ctx, &dryTx{AssignView: view, d: d})
	})
}

// ClaimPass implements AssignStore.
func (d *dryStore) ClaimPass(ctx context.Context, passes int64, assignments []workqueue.Assignment, t workqueue.PassClaim) (workqueue.Claimed, bool, error) {
	return workqueue.ClaimPassByAssign(ctx, d, passes, assignments, t)
}

// dryTx is a pass's view and transaction.
type dryTx struct {
	workqueue.AssignView
	d *dryStore
}

var _ workqueue.AssignTx = (*dryTx)(nil)

// ReadPass implements AssignView. It leaves the due items to DueItems, which knows what the
// pass would have written, and drops the scores of earlier workers.
func (t *dryTx) ReadPass(ctx context.Context, q workqueue.PassQuery) (workqueue.PassInput, error) {
	q.Due = 0
	in, err := t.AssignView.ReadPass(ctx, q)
	t.d.now, t.d.queues, t.d.loads = in.PassState.Now, in.Distributions, in.Loads
	clear(t.d.rules)
	return in, err
}

// NeedsSweep implements AssignView.
func (t *dryTx) NeedsSweep(ctx context.Context, assignedFor time.Duration) (bool, error) {
	found, err := t.AssignView.NeedsSweep(ctx, assignedFor)
	t.d.sweepable = t.d.sweepable || found
	return found, err
}

// DueItems implements AssignView. It leaves out what the pass would have written.
func (t *dryTx) DueItems(ctx context.Context, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	due, err := t.AssignView.DueItems(ctx, band, full, limit+len(t.d.written))
	return t.left(due, limit), err
}

// DueOfQueue implements AssignView as DueItems does.
func (t *dryTx) DueOfQueue(ctx context.Context, queue string, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	due, err := t.AssignView.DueOfQueue(ctx, queue, band, full, limit+len(t.d.written))
	return t.left(due, limit), err
}

// left returns the first of the due items that the pass would not have written.
func (t *dryTx) left(due []workqueue.DueItem, limit int) []workqueue.DueItem {
	given := make(map[int64]bool, len(t.d.written))
	for i := range t.d.written {
		given[t.d.written[i].ItemID] = true
	}
	due = slices.DeleteFunc(due, func(it workqueue.DueItem) bool { return given[it.ID] })
	due = workqueue.FirstDue(due, limit)
	for i := range due {
		due[i].ByHand = false
	}
	t.remember(due)
	return due
}

// AssignedItems implements AssignView.
func (t *dryTx) AssignedItems(ctx context.Context, band workqueue.Band, limit int) ([]workqueue.DueItem, error) {
	items, err := t.AssignView.AssignedItems(ctx, band, limit)
	t.remember(items)
	return items, err
}

func (t *dryTx) remember(items []workqueue.DueItem) {
	for i := range items {
		t.d.seen[items[i].ID] = items[i]
	}
}

// Limits implements LimitTx.
func (t *dryTx) Limits(ctx context.Context) ([]workqueue.LimitUse, error) { return t.LimitUses(ctx) }

// Rescue implements AssignTx.
func (t *dryTx) Rescue(context.Context, time.Duration) (workqueue.RescueResult, error) {
	return workqueue.RescueResult{}, nil
}

// ApplyPolicies implements AssignTx; DueItems returns items inserted by hand as they are.
func (t *dryTx) ApplyPolicies(context.Context) (workqueue.AppliedPolicies, error) {
	return workqueue.AppliedPolicies{}, nil
}

// Expire implements AssignTx.
func (t *dryTx) Expire(context.Context) (int, error) { return 0, nil }

// Write implements AssignTx.
func (t *dryTx) Write(_ context.Context, assignments []workqueue.Assignment) (int, error) {
	t.d.written = append(t.d.written, assignments...)
	return len(assignments), nil
}

// AssignAndClaim implements AssignTx. A dry pass claims nothing.
func (t *dryTx) AssignAndClaim(context.Context, []workqueue.Assignment, workqueue.PassClaim) ([]workqueue.Item, error) {
	return nil, nil
}

// RecordPass implements AssignTx.
func (t *dryTx) RecordPass(context.Context, workqueue.PassState) error { return nil }

// rule returns rules that remember their answers: scores are shown after the plan is made, and a
// service must not be called for them again.
func (d *dryStore) rule(s matching.Scoring) (matching.Rule, error) {
	text := matching.Distribution{Scoring: &s}.JSON()
	if r, ok := d.rules[text]; ok {
		return r, nil
	}
	rule, err := d.p.newRule(s)
	if err != nil {
		return nil, err
	}
	d.rules[text] = &rememberedRule{rule: rule, scores: map[string][]float64{}}
	return d.rules[text], nil
}

type rememberedRule struct {
	rule   matching.Rule
	scores map[string][]float64 // by the job
}

// Scores implements matching.Rule.
func (r *rememberedRule) Scores(ctx context.Context, job matching.Job, workers []matching.Labels) ([]float64, error) {
	key := job.Labels.JSON() + "\n" + matching.SelectorsJSON(job.Selectors)
	if scores, ok := r.scores[key]; ok {
		return slices.Clone(scores), nil // the caller changes them
	}
	scores, err := r.rule.Scores(ctx, job, workers)
	if err == nil {
		r.scores[key] = slices.Clone(scores)
	}
	return scores, err
}
