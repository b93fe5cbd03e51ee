package assign

import (
	"fmt"
	"slices"

	"botwork/workqueue"
)

// broken explains items whose pipeline's file has errors, here or on all remaining workers.
func (w *why) broken(pl *passPlanner, due *workqueue.DueItem, profile workqueue.Profile, left []int) (able []int, r *Reason) {
	unable := pl.classes.broken.workers(due.Pipeline)
	able = slices.DeleteFunc(slices.Clone(left), func(i int) bool { return slices.Contains(unable, i) })
	switch {
	case profile.Broken != "":
		return nil, &Reason{Kind: WhyBroken, Error: profile.Broken, Workers: reasonWorkers(pl, left, due.Priority),
			Text:   fmt.Sprintf("the file of its pipeline %q has errors: %s", due.Pipeline, profile.Broken),
			Change: "fix the file: the item waits until then, or until its deadline"}
	case len(able) == 0:
		return nil, &Reason{Kind: WhyBroken, Workers: reasonWorkers(pl, left, due.Priority),
			Text:   fmt.Sprintf("the file of its pipeline %q has errors at every live worker that serves its queue %q: %s", due.Pipeline, due.QueueName, names(pl, left)),
			Change: "fix the file there: the item waits until then, or until its deadline"}
	}
	return able, nil
}
