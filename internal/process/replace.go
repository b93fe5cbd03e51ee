package process

import (
	"context"
	"errors"
	"fmt"

	"botwork/internal/scheduler"
	"botwork/pipelines"
	"botwork/workqueue"
)

// ReplacePipelines replaces the pipelines with those of a new catalogue. Items that start from now
// on use it, and schedules are added, changed and removed as its triggers say. Runs in
// progress continue with the text that they started with. ReplacePipelines first saves the texts and
// the names of the broken pipelines in the database; if that fails, nothing changes. It
// must be called after Start, by one goroutine at a time.
func (p *Process) ReplacePipelines(ctx context.Context, next *pipelines.Catalogue) error {
	before := p.o.Link.catalogue.Load()
	if err := p.keepTexts(ctx, before, next); err != nil {
		return err
	}
	if err := p.label(ctx, next); err != nil {
		return err
	}
	p.o.Link.SetCatalogue(next)
	p.waker.adopt(next)
	var errs []error
	for _, pl := range system(next) {
		was, ok := before.Get(pl.Name)
		switch {
		case !ok || was.Trigger == nil || !was.Trigger.Equal(pl.Trigger):
			errs = append(errs, p.scheduler.Put(p.job(pl)))
		default:
			errs = append(errs, p.scheduler.SetWork(pl.Name, p.work(pl)))
		}
	}
	for _, was := range system(before) {
		if pl, ok := next.Get(was.Name); !ok || pl.Trigger == nil {
			p.scheduler.Remove(was.Name)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("schedules: %w", err)
	}
	if len(before.Broken()) > 0 && p.started.Load() {
		p.waker.wake(workqueue.EveryPriority, true) // for items that waited for their file to be fixed
	}
	return nil
}

// KeepTexts records in the database that this worker uses the texts of its pipelines.
// A process that keeps running must call it every workqueue.TextUse.
func (p *Process) KeepTexts(ctx context.Context) error {
	return p.keepTexts(ctx, p.o.Link.catalogue.Load())
}

// keepTexts saves the texts of all pipelines of the catalogues, so that the text of every
// hash that a run records can be read. A text that is being replaced counts as used
// until now.
func (p *Process) keepTexts(ctx context.Context, of ...*pipelines.Catalogue) error {
	type key struct{ name, hash string }
	seen := map[key]bool{}
	var texts []workqueue.PipelineText
	for _, k := range of {
		for _, pl := range k.All() {
			if id := (key{pl.Name, pl.RunHash}); !seen[id] {
				seen[id] = true
				texts = append(texts, workqueue.PipelineText{Hash: pl.RunHash, Pipeline: pl.Name, Text: pl.Text})
			}
		}
	}
	if err := p.o.Store.KeepTexts(ctx, texts); err != nil {
		return fmt.Errorf("save pipeline texts: %w", err)
	}
	return nil
}

// work returns the work that the schedule of a system pipeline starts.
func (p *Process) work(pl *pipelines.Pipeline) scheduler.Work {
	k := p.waker.find(pl.Name)
	if k == nil {
		return scheduler.Work{Hash: pl.RunHash, Run: func(ctx context.Context, start scheduler.Start) (scheduler.Report, error) {
			return p.run(ctx, pl, start)
		}}
	}
	work := scheduler.Work{
		Hash: pl.RunHash,
		Run: func(ctx context.Context, start scheduler.Start) (scheduler.Report, error) {
			return p.runSession(ctx, pl, start)
		},
		Tick:  k.tick,
		Pause: k.halt,
	}
	if pl.Trigger.Wake {
		work.Leave = k.leave
	}
	return work
}
