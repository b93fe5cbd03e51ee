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
		if step.Handler == handler {
			b, _ := bandOf(step)
			list = append(list, b)
		}
	}
	return list
}

// bandOf is the band that a step names, and whether it is known before the run.
func bandOf(step *pipelines.Step) (b workqueue.Band, known bool) {
	known = true
	bound := func(name string) *int {
		value, ok := step.With[name]
		if n, isNumber := value.(int); isNumber {
			return &n
		}
		known = known && !ok
		return nil
	}
	b, err := workqueue.NewBand(bound("minPriority"), bound("abovePriority"), bound("belowPriority"))
	if err != nil {
		return workqueue.EveryPriority, false
	}
	return b, known
}
