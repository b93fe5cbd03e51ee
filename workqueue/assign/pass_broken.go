package assign

import (
	"slices"
	"strings"

	"botwork/workqueue"
	"botwork/workqueue/matching"
	"botwork/workqueue/plan"
)

// brokenPipelines are the pipelines that some or all workers cannot run because their files have
// errors.
type brokenPipelines struct {
	// at has the workers with a broken file, by the pipeline's name in lower case.
	at map[string][]int

	// here are the pipelines that are broken in this process, as items name them. Their items are
	// not assigned, because their requirements are unknown.
	here []string
}

func newBrokenPipelines(labels []matching.Labels) brokenPipelines {
	b := brokenPipelines{}
	for i := range labels {
		for _, name := range labels[i].Broken() {
			if b.at == nil {
				b.at = map[string][]int{}
			}
			key := strings.ToLower(name)
			b.at[key] = append(b.at[key], i)
		}
	}
	return b
}

// addHere records a pipeline that is broken in this process.
func (b *brokenPipelines) addHere(pipeline string) {
	if !slices.Contains(b.here, pipeline) {
		b.here = append(b.here, pipeline)
	}
}

// workers returns the workers that cannot run a pipeline.
func (b *brokenPipelines) workers(pipeline string) []int {
	if b.at == nil || workqueue.InlinePipeline(pipeline) {
		return nil
	}
	return b.at[strings.ToLower(strings.TrimSpace(pipeline))]
}

// limit removes the workers that cannot run a pipeline from a set of n; nil is the set of all.
func (b *brokenPipelines) limit(set plan.Set, pipeline string, n int) plan.Set {
	unable := b.workers(pipeline)
	if len(unable) == 0 {
		return set
	}
	if set == nil {
		set = plan.NewSet(n)
		for i := range n {
			set.Add(i)
		}
	}
	for _, i := range unable {
		set.Remove(i)
	}
	return set
}
