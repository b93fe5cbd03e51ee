package storetest

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"botwork/workqueue"
)

func pauseTests() []test {
	return []test{
		{"pause and resume", pauseResume},
		{"one of many pauses counts", pauseContention},
		{"no firing and no run while paused", pauseStartsNothing},
		{"no run starts after the pause", pauseContendsWithStarts},
		{"a claimed firing that is skipped", pauseSkipsClaimed},
	}
}

// pause pauses a pipeline.
func (x *fixture) pause(pipeline, by, reason string) bool {
	x.Helper()
	changed, err := x.Store.PausePipeline(x.ctx, workqueue.PipelinePause{Pipeline: pipeline, By: by, Reason: reason})
	if err != nil {
		x.Fatal(err)
	}
	return changed
}

// resume resumes a pipeline.
func (x *fixture) resume(pipeline, by string) bool {
	x.Helper()
	changed, err := x.Store.ResumePipeline(x.ctx, pipeline, by)
	if err != nil {
		x.Fatal(err)
	}
	return changed
}

// controls reads what people asked of schedules.
func (x *fixture) controls() workqueue.Controls {
	x.Helper()
	c, err := x.Store.Controls(x.ctx)
	if err != nil {
		x.Fatal(err)
	}
	return c
}

func pauseResume(x *fixture) {
	if x.resume("Nightly", "ann") {
		x.Error("a pipeline that was never paused was resumed")
	}
	for _, c := range []struct {
		by      string
		changed bool
	}{{"ann", true}, {"bob", false}} {
		if got := x.pause("Nightly", c.by, "maintenance of "+c.by); got != c.changed {
			x.Errorf("pause by %s: changed %t, want %t", c.by, got, c.changed)
		}
		p := x.controls().Paused["Nightly"]
		x.wantClean("At", &p.At)
		p.At = time.Time{}
		if want := (workqueue.PipelinePause{Pipeline: "Nightly", By: "ann", Reason: "maintenance of ann"}); p != want {
			x.Errorf("the pause is %+v, want the first one: %+v", p, want)
		}
	}
	x.pause("Other", "ann", "")
	if !x.resume("Nightly", "eve") || x.resume("Nightly", "eve") {
		x.Error("resume: want it changed once")
	}
	if c := x.controls(); len(c.Paused) != 1 || c.Paused["Other"].By != "ann" {
		x.Errorf("paused are %v, want only Other", c.Paused)
	}
	x.exec(1, `DELETE FROM "BotPipelinePauses" WHERE "Pipeline" = 'Nightly' AND "ChangedBy" = 'eve' AND "Reason" = ''`) // who resumed it is recorded
	x.pause("Nightly", "bob", "")
	x.resume("Nightly", "bob")
	if !x.pause("Nightly", "bob", "again") || x.controls().Paused["Nightly"].By != "bob" {
		x.Error("a pipeline that was resumed cannot be paused again")
	}
}

func pauseContention(x *fixture) {
	stores := []Store{x.Store, x.Another(x.T)}
	var changed atomic.Int32
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			ok, err := stores[n%len(stores)].PausePipeline(x.ctx, workqueue.PipelinePause{Pipeline: "Nightly", By: "ann"})
			if err != nil {
				x.Error(err)
			}
			if ok {
				changed.Add(1)
			}
		})
	}
	wg.Wait()
	if n := changed.Load(); n != 1 {
		x.Errorf("%d pauses changed the pipeline, want one", n)
	}
}

// wantPaused checks that a run of the pipeline does not start.
func (x *fixture) wantPaused(pipeline string, worker int64) {
	x.Helper()
	id, err := x.Store.StartRun(x.ctx, workqueue.PipelineRun{Pipeline: pipeline, Trigger: "cron", WorkerID: &worker})
	if paused, ok := errors.AsType[*workqueue.PausedError](err); !ok || id != 0 || paused.By != "ann" || paused.Pipeline != pipeline {
		x.Errorf("StartRun = %d, %v, want a *PausedError", id, err)
	}
}

func pauseStartsNothing(x *fixture) {
	w := x.Worker(WorkerOpts{})
	active := x.startRun(workqueue.PipelineRun{Pipeline: "Nightly", Trigger: "cron", WorkerID: &w.ID})
	x.pause("Nightly", "ann", "maintenance")
	x.wantPaused("Nightly", w.ID)
	claim := x.claimFiring("Nightly", "", planned)
	if claim.Won || claim.Early != 0 || claim.Paused == nil || claim.Paused.Reason != "maintenance" {
		x.Errorf("claim of a paused pipeline: %+v, want the pause", claim)
	}
	if early := x.claimFiring("Nightly", "", time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC)); early.Early == 0 || early.Paused != nil {
		x.Errorf("claim of a future instant: %+v, want early", early)
	}
	if len(x.firings("Nightly", 0)) != 0 || len(x.runs("Nightly", 0)) != 1 {
		x.Error("a paused pipeline has new records")
	}
	if !x.claimFiring("Other", "", planned).Won {
		x.Error("another pipeline does not fire")
	}
	if err := x.Store.FinishRun(x.ctx, active, workqueue.RunEnd{Outcome: workqueue.RunSucceeded}); err != nil || x.runs("Nightly", 0)[0].Outcome != workqueue.RunSucceeded {
		x.Errorf("the active run did not end: %v", err)
	}
	x.resume("Nightly", "bob")
	if !x.claimFiring("Nightly", "", planned).Won {
		x.Error("a resumed pipeline does not fire")
	}
	x.startRun(workqueue.PipelineRun{Pipeline: "Nightly", Trigger: "cron", WorkerID: &w.ID})
	x.pause("Nightly", "ann", "")
	if claim := x.claimFiring("Nightly", "", planned); claim.Won || claim.Paused != nil {
		x.Errorf("claim of an instant that has fired: %+v, want neither won nor paused", claim)
	}
}

// A run that a worker starts at the same time as the pause was started before it, or not at all.
func pauseContendsWithStarts(x *fixture) {
	w := x.Worker(WorkerOpts{})
	stores := []Store{x.Another(x.T), x.Another(x.T), x.Another(x.T)}
	var paused atomic.Bool
	var wg sync.WaitGroup
	for _, s := range stores {
		wg.Go(func() {
			for range 200 {
				before := paused.Load()
				_, err := s.StartRun(x.ctx, workqueue.PipelineRun{Pipeline: "Nightly", Trigger: "cron", WorkerID: &w.ID})
				if _, refused := errors.AsType[*workqueue.PausedError](err); refused {
					return
				}
				if err != nil {
					x.Error(err)
					return
				}
				if before {
					x.Error("a run started after PausePipeline had returned")
					return
				}
			}
		})
	}
	x.pause("Nightly", "ann", "")
	paused.Store(true)
	wg.Wait()
	x.wantPaused("Nightly", w.ID)
}

func pauseSkipsClaimed(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ran, left, other := planned, planned.Add(time.Hour), planned.Add(2*time.Hour)
	for _, at := range []time.Time{ran, left, other} {
		x.claimFiring("Nightly", "", at)
	}
	x.startRun(workqueue.PipelineRun{Pipeline: "Nightly", Trigger: "cron", PlannedAt: &ran, WorkerID: &w.ID})
	for _, f := range []workqueue.Firing{
		{Schedule: "Nightly", PlannedAt: ran, RecordedBy: "ann", Reason: "paused"},
		{Schedule: "Nightly", PlannedAt: left, RecordedBy: "ann", Reason: "paused"},
		{Schedule: "Nightly", PlannedAt: other, RecordedBy: "bob", Reason: "paused"}, // it is ann's
	} {
		if err := x.Store.SkipFiring(x.ctx, f); err != nil {
			x.Fatal(err)
		}
	}
	var got []workqueue.FiringOutcome
	for _, f := range x.firings("Nightly", 0) {
		got = append(got, f.Outcome)
	}
	if want := []workqueue.FiringOutcome{workqueue.Fired, workqueue.Skipped, workqueue.Fired}; !slices.Equal(got, want) {
		x.Errorf("outcomes are %v, the latest first; want %v", got, want)
	}
}
