package storetest

import (
	"context"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/matching"
)

func dryRunTests() []test {
	return []test{
		{"same result as the next pass", dryRunSame},
		{"queues with limits", dryRunLimits},
		{"items that move to a new worker", dryRunMoves},
		{"scores", dryRunScores},
		{"items that are left out", dryRunLeft},
		{"items that must be released first", dryRunFrees},
	}
}

// dryRun does a dry run and checks that it changes nothing.
func (x *fixture) dryRun(p assign.AssignParams) assign.DryRunResult {
	x.Helper()
	before := x.everything()
	result, err := assign.DryRun(x.ctx, x.Store, p)
	if err != nil {
		x.Fatal(err)
	}
	if diff := cmp.Diff(before, x.everything()); diff != "" {
		x.Errorf("a dry run has changed rows (-before +after):\n%s", diff)
	}
	return result
}

// everything returns all that a pass could change.
func (x *fixture) everything() string {
	x.Helper()
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{Limit: 10_000})
	if err != nil {
		x.Fatal(err)
	}
	workers, err := x.Store.Workers(x.ctx)
	if err != nil {
		x.Fatal(err)
	}
	var marks workqueue.PassState
	err = x.Store.ReadUnlocked(x.ctx, func(ctx context.Context, view workqueue.AssignView) (err error) {
		marks, err = view.PassState(ctx)
		return err
	})
	if err != nil {
		x.Fatal(err)
	}
	return asJSON([]any{items, workers, marks.Passes, marks.Turns})
}

// wantDryRun checks that the next pass assigns the items exactly as the dry run
// predicted.
func (x *fixture) wantDryRun(p assign.AssignParams, dry assign.DryRunResult) {
	x.Helper()
	want := x.holders()
	for _, it := range dry.Items {
		want[it.ItemID] = it.Worker
	}
	result, err := assign.AssignPass(x.ctx, x.Store, p)
	if err != nil {
		x.Fatal(err)
	}
	if diff := cmp.Diff(want, x.holders()); diff != "" {
		x.Errorf("workers of the items (-dry run +pass):\n%s", diff)
	}
	if got := result.Assigned + result.Moved; got != len(dry.Items) || got == 0 {
		x.Errorf("the pass assigned and moved %d items, want %d as in the dry run, and at least 1", got, len(dry.Items))
	}
}

// holders returns the name of the worker of each assigned item.
func (x *fixture) holders() map[int64]string {
	x.Helper()
	names := map[int64]string{}
	workers, err := x.Store.Workers(x.ctx)
	if err != nil {
		x.Fatal(err)
	}
	for _, w := range workers {
		names[w.ID] = w.Name
	}
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{States: []workqueue.State{workqueue.Assigned}, Limit: 10_000})
	if err != nil {
		x.Fatal(err)
	}
	holders := map[int64]string{}
	for _, it := range items {
		holders[it.ID] = names[*it.WorkerID]
	}
	return holders
}

func dryRunSame(x *fixture) {
	for _, mode := range []matching.Mode{matching.LeastLoaded, matching.RoundRobin, matching.LongestIdle, matching.BestWorker} {
		x.whyWorker("a-"+string(mode), 3, func(s *workqueue.WorkerSpec) { s.Labels = `{"gpu": true}` })
		x.whyWorker("b-"+string(mode), 2, nil)
		x.Items(30, ItemOpts{Priority: 800, Estimate: 40 * time.Second})
		x.Items(5, ItemOpts{Priority: 1500, Estimate: 3 * time.Minute})
		x.Items(7, ItemOpts{})
		for range 4 {
			x.withSelectors(`"gpu = true"`)
		}
		p := assign.AssignParams{Workers: assign.AvailableWorkers, Horizon: 2 * time.Minute, Distribution: matching.Distribution{Mode: mode}}
		dry := x.dryRun(p)
		for i, it := range dry.Items {
			if it.Mode != mode || it.Queue != workqueue.DefaultQueue || it.Pipeline != Pipeline || it.From != nil || it.StartsAt.Before(dry.At.Add(-time.Second)) || it.Estimate <= 0 {
				x.Errorf("item %+v, want mode %s, the default queue, pipeline %s, and a start time", it, mode, Pipeline)
			}
			if i > 0 && it.Priority > dry.Items[i-1].Priority {
				x.Errorf("item %+v comes after %+v", it, dry.Items[i-1])
			}
		}
		x.wantDryRun(p, dry)
	}
}

func dryRunLimits(x *fixture) {
	x.makeQueue("erp", `"ConcurrencyLimit", "RateLimit", "RatePeriodMs"`, "7, 5, 3600000")
	x.whyWorker("a", 3, nil)
	x.whyWorker("b", 2, nil)
	x.Items(20, ItemOpts{Queue: "erp", Estimate: time.Second})
	x.Items(100, ItemOpts{Priority: 600, Estimate: 2 * time.Second})
	p := assign.AssignParams{Workers: assign.AvailableWorkers, Horizon: 30 * time.Second}
	dry := x.dryRun(p)
	left := 0
	for _, one := range dry.Left {
		if one.Queue == "erp" && one.Reason == assign.WhyLimit {
			left++
		}
	}
	if left != 15 {
		x.Errorf("%d items are left out because of the rate limit of their queue, want 15: %+v", left, dry.Left)
	}
	x.wantDryRun(p, dry)
}

func dryRunMoves(x *fixture) {
	w := x.whyWorker("a", 1, nil)
	x.Items(4, ItemOpts{State: workqueue.Assigned, Worker: w, Estimate: time.Minute})
	x.whyWorker("b", 1, nil)
	p := assign.AssignParams{Workers: assign.AvailableWorkers}
	dry := x.dryRun(p)
	if len(dry.Items) == 0 {
		x.Fatal("no item moves to the new worker")
	}
	for _, it := range dry.Items {
		if it.From == nil || *it.From != "a" || it.Worker != "b" || it.EstimateFrom != "item" {
			x.Errorf("item %+v, want a move from a to b", it)
		}
	}
	x.wantDryRun(p, dry)
}

func dryRunScores(x *fixture) {
	for name, skill := range map[string]workqueue.JSONText{"a": `{"skill": "novice"}`, "b": `{"skill": "expert"}`, "c": `{}`} {
		x.whyWorker(name, 1, func(s *workqueue.WorkerSpec) { s.Labels = skill })
	}
	x.Items(3, ItemOpts{})
	calls := 0
	p := assign.AssignParams{
		Workers: assign.AvailableWorkers, MaxPerWorker: 1,
		Distribution: matching.Distribution{Mode: matching.BestWorker, Scoring: &matching.Scoring{Rule: matching.ExpressionRule, Expression: "1", Ascending: true}},
		NewRule:      func(matching.Scoring) (matching.Rule, error) { return skillRule{&calls}, nil },
	}
	dry := x.dryRun(p)
	got := map[string]float64{}
	for _, it := range dry.Items {
		if it.Score == nil {
			x.Fatalf("item %+v has no score", it)
		}
		got[it.Worker] = *it.Score
	}
	if diff := cmp.Diff(map[string]float64{"a": 1, "b": -10, "c": 0.5}, got); diff != "" || dry.Items[0].Worker != "b" {
		x.Errorf("scores (-want +got), the lowest first:\n%s\n%+v", diff, dry.Items)
	}
	if calls != 1 {
		x.Errorf("the rule was called %d times, want once: a reported score is not computed again", calls)
	}
	x.wantDryRun(p, dry)
}

type skillRule struct{ calls *int }

func (r skillRule) Scores(_ context.Context, _ matching.Job, workers []matching.Labels) ([]float64, error) {
	*r.calls++
	scores := make([]float64, len(workers))
	for i, labels := range workers {
		scores[i] = map[matching.Value]float64{matching.Text("novice"): 1, matching.Text("expert"): -10, {}: 0.5}[labels["skill"]]
	}
	return scores, nil
}

func dryRunLeft(x *fixture) {
	p := assign.AssignParams{MaxPerWorker: 2}
	first := x.Items(1, ItemOpts{Priority: 2000})[0]
	want := map[int64]assign.ReasonKind{first: assign.WhyNoWorker}
	check := func(more bool) {
		x.Helper()
		dry := x.dryRun(p)
		got := map[int64]assign.ReasonKind{}
		for _, one := range dry.Left {
			got[one.ItemID] = one.Reason
		}
		if diff := cmp.Diff(want, got); diff != "" || dry.More != more {
			x.Errorf("left out, with more %v (-want +got):\n%s", dry.More, diff)
		}
	}
	check(false)
	x.whyWorker("a", 1, nil)
	want = map[int64]assign.ReasonKind{x.withSelectors(`"gpu = true"`): assign.WhySelectors}
	check(false)
	x.Items(1, ItemOpts{})
	want[x.Item(ItemOpts{}).ID] = assign.WhyBehind
	check(false)
	x.assignBy(x.Store, p)
	for id := range want {
		if want[id] == assign.WhyBehind {
			want[id] = assign.WhyFull
		}
	}
	check(false)
	for _, id := range x.Items(98, ItemOpts{}) {
		want[id] = assign.WhyFull
	}
	check(false)
	x.Items(1, ItemOpts{Priority: 1})
	check(true)
}

func dryRunFrees(x *fixture) {
	w := x.whyWorker("a", 1, nil)
	x.whyWorker("b", 1, nil)
	id := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w}).ID
	if dry := x.dryRun(assign.AssignParams{}); dry.Frees || len(dry.Items) != 0 {
		x.Errorf("dry run %+v, want Frees to be false", dry)
	}
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s`, longAgo)
	waits := x.Item(ItemOpts{Priority: 900}).ID
	dry := x.dryRun(assign.AssignParams{})
	if !dry.Frees || len(dry.Items) != 1 || dry.Items[0].ItemID != waits {
		x.Errorf("dry run %+v, want Frees to be true, and item %d assigned", dry, waits)
	}
	x.wantState(workqueue.Blocked, id)
}
