package assign

import (
	"slices"
	"strings"

	"botwork/workqueue"
	"botwork/workqueue/matching"
	"botwork/workqueue/plan"
)

// brokenPipelines are the pipelines that some worker, or every one, cannot run
// because their files have mistakes.
type brokenPipelines struct {
	// at has the workers whose files are broken, by the pipeline's name in lower
	// case.
	at map[string][]int

	// here are the pipelines that are broken where the pass runs, as items name
	// them. Nobody is given their items: what they say of workers is not known.
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

// addHere notes a pipeline that is broken where the pass runs.
func (b *brokenPipelines) addHere(pipeline string) {
	if !slices.Contains(b.here, pipeline) {
		b.here = append(b.here, pipeline)
	}
}

// workers are those that cannot run a pipeline.
func (b *brokenPipelines) workers(pipeline string) []int {
	if b.at == nil || workqueue.InlinePipeline(pipeline) {
		return nil
	}
	return b.at[strings.ToLower(strings.TrimSpace(pipeline))]
}

// limit takes the workers that cannot run a pipeline out of a set of n; nil is the
// set of all.
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
