package process

import (
	"context"
	"errors"
	"fmt"

	"botwork/internal/scheduler"
	"botwork/pipelines"
	"botwork/workqueue"
)

// Adopt makes the pipelines of a catalogue those that run from now on: items that
// begin resolve by it, and schedules come, change and go as its triggers say. What
// runs goes on with the text that it began with. The texts are kept in the
// database first, with the names of the broken pipelines; when that fails, nothing
// changes. Adopt is called after Start, by one goroutine at a time.
func (p *Process) Adopt(ctx context.Context, next *pipelines.Catalogue) error {
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
			errs = append(errs, p.scheduler.Rework(pl.Name, p.work(pl)))
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
		p.waker.wake(workqueue.EveryPriority, true) // for items that have waited until their file was fixed
	}
	return nil
}

// KeepTexts notes in the database that this worker has the texts of its pipelines.
// Who runs for long calls it each workqueue.TextUse.
func (p *Process) KeepTexts(ctx context.Context) error {
	return p.keepTexts(ctx, p.o.Link.catalogue.Load())
}

// keepTexts keeps the texts of all pipelines of the catalogues, so that no run
// holds the hash of a text that cannot be read. What a catalogue replaces counts as
// used until now.
func (p *Process) keepTexts(ctx context.Context, of ...*pipelines.Catalogue) error {
	type key struct{ name, hash string }
	seen := map[key]bool{}
	var texts []workqueue.PipelineText
	for _, k := range of {
		for _, pl := range k.All() {
			if id := (key{pl.Name, pl.Hash}); !seen[id] {
				seen[id] = true
				texts = append(texts, workqueue.PipelineText{Hash: pl.Hash, Pipeline: pl.Name, Text: pl.Text})
			}
		}
	}
	if err := p.o.Store.KeepTexts(ctx, texts); err != nil {
		return fmt.Errorf("keep the texts of pipelines: %w", err)
	}
	return nil
}

// work is what a system pipeline's schedule starts.
func (p *Process) work(pl *pipelines.Pipeline) scheduler.Work {
	k := p.waker.find(pl.Name)
	if k == nil {
		return scheduler.Work{Hash: pl.Hash, Run: func(ctx context.Context, _ scheduler.Start) error { return p.run(ctx, pl) }}
	}
	work := scheduler.Work{
		Hash: pl.Hash,
		Run:  func(ctx context.Context, start scheduler.Start) error { return p.runSession(ctx, pl, start) },
		Tick: k.tick,
	}
	if pl.Trigger.Wake {
		work.Leave = k.leave
	}
	return work
}
