package process

import (
	"botwork/pipelines"
	"botwork/workqueue"
)

// attend starts the pipelines that run items of the band, because abandoned items were
// found. It does not start pipelines that are already running: they look for more items
// themselves.
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

// bands returns the priorities that the steps of a pipeline with this handler run or
// assign. A bound that is an expression is not known before the run and counts as no bound.
func bands(pl *pipelines.Pipeline, handler string) []workqueue.Band {
	var list []workqueue.Band
	for step := range pl.Each() {
		if step.Handler == handler {
			b, _ := bandOf(step)
			list = append(list, b)
		}
	}
	return list
}

// bandOf returns the band of a step, and whether it is known before the run.
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
