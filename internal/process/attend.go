package process

import (
	"botwork/pipelines"
	"botwork/workqueue"
)

// attend starts the pipelines that run items of the band, at which items lie
// about that nobody runs. Those that run already are left alone: they ask for
// more by themselves.
func (p *Process) attend(band workqueue.Band) {
	if !p.started.Load() {
		return
	}
	for _, pl := range p.system() {
		for _, b := range bands(pl, pipelines.ExecuteHandler) {
			if b.Overlaps(band) && !p.waker.find(pl.Name).wake(true) {
				p.scheduler.Wake(pl.Name)
				break
			}
		}
	}
}

// bands are the priorities that a pipeline's steps of a kind run or assign. Bounds
// that are not known before the run, since they are expressions, count as none.
func bands(pl *pipelines.Pipeline, handler string) []workqueue.Band {
	var list []workqueue.Band
	for _, step := range pl.Steps {
		if step.Handler != handler {
			continue
		}
		bound := func(name string) *int {
			if n, ok := step.With[name].(int); ok {
				return &n
			}
			return nil
		}
		b, err := workqueue.NewBand(bound("minPriority"), bound("abovePriority"), bound("belowPriority"))
		if err != nil {
			b = workqueue.EveryPriority
		}
		list = append(list, b)
	}
	return list
}
