package checker

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// band is a range of priorities, both ends included, that a step of a pipeline with
// a trigger works on.
type band struct {
	low, high int
	pipeline  string
	at        *strictyaml.Node // the step
}

// The ends of priorities: they have 32 bits.
const (
	lowest  = math.MinInt32
	highest = math.MaxInt32
)

// bands looks for priorities that nobody runs or assigns and for those that two
// pipelines run. Where the bounds of a step, or whether it runs at all, are known in
// a run alone, nothing is told: it may be the one that is missing.
func (a *across) bands() {
	run, known := a.of("ExecuteWorkItems")
	given, knownGiven := a.of("AssignTasksToWorker")
	if known && len(run) > 0 {
		for _, hole := range holes(run) {
			if hole.low == lowest || hole.high == highest {
				continue // a project may have no such items, or run them by hand
			}
			a.add(hole.at, strictyaml.Warning, "unserved-priorities",
				fmt.Sprintf("no pipeline runs items of %s", hole), "widen a step ExecuteWorkItems, or add one")
		}
		if knownGiven && len(given) > 0 {
			a.notGiven(run, given)
		}
	}
	a.twice(run)
}

// notGiven reports priorities that are run and that no pass assigns.
func (a *across) notGiven(run, given []band) {
	for _, hole := range holes(given) {
		for _, r := range run {
			if low, high := max(hole.low, r.low), min(hole.high, r.high); low <= high {
				a.add(hole.at, strictyaml.Warning, "unserved-priorities",
					fmt.Sprintf("no pipeline assigns items of %s, which %s would run", band{low: low, high: high}, r.pipeline),
					"widen a step AssignTasksToWorker, or add one")
				break
			}
		}
	}
}

// twice reports priorities that two pipelines run. Steps of one pipeline may well
// overlap: the second takes what the first has left.
func (a *across) twice(run []band) {
	told := map[[2]string]bool{}
	for i, r := range run {
		for _, other := range run[:i] {
			low, high := max(r.low, other.low), min(r.high, other.high)
			pair := [2]string{min(r.pipeline, other.pipeline), max(r.pipeline, other.pipeline)}
			if low > high || r.pipeline == other.pipeline || told[pair] {
				continue
			}
			told[pair] = true
			a.add(r.at, strictyaml.Warning, "overlapping-priorities",
				fmt.Sprintf("items of %s are run by %s as well", band{low: low, high: high}, other.pipeline),
				"let one begin where the other ends, as minPriority: 500 and belowPriority: 500 do")
		}
	}
}

// of collects the bands of the steps of a kind in pipelines with a trigger, and tells
// whether all of them are known.
func (a *across) of(kind string) (list []band, known bool) {
	known = true
	for _, p := range a.catalogue.All() {
		if p.Trigger == nil {
			continue
		}
		nodes := sync.OnceValue(p.StepNodes)
		for i, s := range p.Steps {
			if s.Handler != kind {
				continue
			}
			b, ok := bandOf(p, s, nodes()[i])
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
				continue // as if it were not there
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

// holes returns what lies outside of all bands, each at the band above it, or at the
// last one. The bands are in the order of their lower ends.
func holes(list []band) []band {
	var found []band
	next := lowest // the least that nothing before has covered
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
