package checker

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// band is the range of priorities that a step of a pipeline with a trigger handles.
// It includes both ends.
type band struct {
	low, high int
	pipeline  string
	at        *strictyaml.Node // the step
}

// The lowest and the highest priority: priorities have 32 bits.
const (
	lowest  = math.MinInt32
	highest = math.MaxInt32
)

// priorities reports the priorities that no pipeline runs or assigns, and those that
// two pipelines run. It does not report gaps if the bounds of a step, or its condition,
// are unknown before a run: that step may cover the gap.
func (a *crossCheck) priorities() {
	run, runKnown := a.bands("ExecuteWorkItems")
	assigned, assignedKnown := a.bands("AssignTasksToWorker")
	if runKnown && len(run) > 0 {
		for _, gap := range gaps(run) {
			if gap.low == lowest || gap.high == highest {
				a.unserved(gap) // a project may have no such items, or run them manually
				continue
			}
			a.add(gap.at, strictyaml.Warning, "unserved-priorities",
				fmt.Sprintf("no pipeline runs items of %s", gap), "extend the range of a step ExecuteWorkItems, or add one")
		}
		if assignedKnown && len(assigned) > 0 {
			a.unassigned(run, assigned)
		}
	}
	a.overlaps(run)
}

// unassigned reports priorities that a step would run but that no pass assigns.
func (a *crossCheck) unassigned(run, assigned []band) {
	for _, gap := range gaps(assigned) {
		for _, r := range run {
			if low, high := max(gap.low, r.low), min(gap.high, r.high); low <= high {
				a.add(gap.at, strictyaml.Warning, "unserved-priorities",
					fmt.Sprintf("no pipeline assigns items of %s, which pipeline %q would run", band{low: low, high: high}, r.pipeline),
					"extend the range of a step AssignTasksToWorker, or add one")
				break
			}
		}
	}
}

// overlaps reports priorities that two pipelines run. Steps of the same pipeline can
// overlap, because the second step runs the items that the first one has left.
func (a *crossCheck) overlaps(run []band) {
	reported := map[[2]string]bool{}
	for i, r := range run {
		for _, other := range run[:i] {
			low, high := max(r.low, other.low), min(r.high, other.high)
			pair := [2]string{min(r.pipeline, other.pipeline), max(r.pipeline, other.pipeline)}
			if low > high || r.pipeline == other.pipeline || reported[pair] {
				continue
			}
			reported[pair] = true
			a.add(r.at, strictyaml.Warning, "overlapping-priorities",
				fmt.Sprintf("pipeline %q also runs items of %s", other.pipeline, band{low: low, high: high}),
				"let one range begin where the other ends, for example minPriority: 500 and belowPriority: 500")
		}
	}
}

// bands returns the bands of the steps of a kind in pipelines with a trigger, and
// reports whether all of them are known before a run.
func (a *crossCheck) bands(kind string) (list []band, known bool) {
	known = true
	for _, p := range a.catalogue.All() {
		if p.Trigger == nil {
			continue
		}
		nodes := sync.OnceValue(p.Nodes)
		for s := range p.Each() {
			if s.Handler != kind {
				continue
			}
			b, ok := bandOf(p, s, nodes()[s])
			if !ok || s.If != "" {
				known = false
				continue
			}
			list = append(list, b)
		}
	}
	slices.SortStableFunc(list, func(a, b band) int { return a.low - b.low })
	return list, known
}

func bandOf(p *pipelines.Pipeline, step *pipelines.Step, at *strictyaml.Node) (band, bool) {
	b := band{low: lowest, high: highest, pipeline: p.Name, at: at}
	for key, value := range step.With {
		bound, isNumber := value.(int)
		switch key {
		case "minPriority", "abovePriority", "belowPriority":
			if value == nil {
				continue // the same as without the key
			}
			if !isNumber {
				return b, false
			}
		}
		switch key {
		case "minPriority":
			b.low = bound
		case "abovePriority":
			b.low = bound + 1
		case "belowPriority":
			b.high = bound - 1
		}
	}
	return b, true
}

// gaps returns the ranges that no band covers, each with the step of the band above
// it or, for the highest range, of the last band. The bands must be in the order of
// their lower ends.
func gaps(list []band) []band {
	var found []band
	next := lowest // the lowest priority that no previous band covers
	for _, b := range list {
		if b.low > next {
			found = append(found, band{low: next, high: b.low - 1, at: b.at})
		}
		next = max(next, b.high+1)
	}
	if next <= highest && len(list) > 0 {
		found = append(found, band{low: next, high: highest, at: list[len(list)-1].at})
	}
	return found
}

func (b band) String() string {
	switch {
	case b.low == lowest && b.high == highest:
		return "any priority"
	case b.low == lowest:
		return fmt.Sprintf("priority %d and below", b.high)
	case b.high == highest:
		return fmt.Sprintf("priority %d and above", b.low)
	case b.low == b.high:
		return fmt.Sprintf("priority %d", b.low)
	default:
		return fmt.Sprintf("priority %d to %d", b.low, b.high)
	}
}
