//go:build unix

package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"botwork/internal/tests/chaos/ledger"
	"botwork/workqueue"
)

// stages are the steps of the pipeline resume, in order; those from cleanUpStage on are its finally.
var stages = []string{"first", "lines", "part / one", "part / two", "last", "finally / close", "finally / tidy"}

const linesStage, lastStage, cleanUpStage = 1, 4, 5

// stageOf returns the stage of a step; -1 if there is none.
func stageOf(step string) int {
	name, _, _ := strings.Cut(step, "[")
	return slices.Index(stages, name)
}

// everyStep returns all steps of some stages, with the iterations.
func everyStep(from, to int) (steps []string) {
	for i := from; i < to; i++ {
		if i != linesStage {
			steps = append(steps, stages[i])
			continue
		}
		for n := range iterations {
			steps = append(steps, fmt.Sprintf("lines[%d]", n))
		}
	}
	return steps
}

// stepRun has the lines of the ledger about one claim of an item, by step.
type stepRun struct {
	steps map[string]*run // by step
	pid   int
}

func stepsOf(all []ledger.Line) map[int64]map[int64]*stepRun {
	items := map[int64]map[int64]*stepRun{}
	for _, l := range all {
		if items[l.Item] == nil {
			items[l.Item] = map[int64]*stepRun{}
		}
		r := items[l.Item][l.Fence]
		if r == nil {
			r = &stepRun{map[string]*run{}, l.PID}
			items[l.Item][l.Fence] = r
		}
		if r.steps[l.Step] == nil {
			r.steps[l.Step] = &run{fence: l.Fence}
		}
		r.steps[l.Step].add(l.Kind)
	}
	return items
}

// furthest returns the last stage before finally that has begun.
func (r *stepRun) furthest() (stage int) {
	for step := range r.steps {
		if at := stageOf(step); at < cleanUpStage {
			stage = max(stage, at)
		}
	}
	return stage
}

func (r *stepRun) ended(step string) bool {
	return r.steps[step] != nil && r.steps[step].last == ledger.End
}

// recorded returns the steps that are certainly recorded, by this run or an earlier one: this run has begun a later step.
func (r *stepRun) recorded() []string {
	steps := everyStep(0, r.furthest())
	if r.ended(stages[lastStage]) && r.steps[stages[cleanUpStage]] != nil {
		steps = append(steps, stages[lastStage])
	}
	return steps
}

// steps returns the steps that need not run again.
func (r record) steps() []string {
	stage := stageOf(r.step)
	switch {
	case r.step == "part":
		return []string{"part / one", "part / two"}
	case r.loop == nil && stage >= 0:
		return everyStep(stage, stage+1)
	}
	var ended []string
	if r.loop != nil {
		for i := range iterations {
			if i < r.loop.Done || slices.Contains(r.loop.More, i) {
				ended = append(ended, fmt.Sprintf("lines[%d]", i))
			}
		}
	}
	return ended
}

// steps compares an item that resumes with the ledger. No step runs again that had ended and was recorded: the run that
// recorded it has gone on to a later one, or its record was seen in the database. A step whose record was not yet written
// may run again. All steps have ended when the item has, and finally in its last run.
func (v *verdict) steps(e evidence, r *row, runs map[int64]*stepRun) {
	kept := map[string]int64{} // the fence under which a step was recorded
	keep := func(steps []string, fence int64) {
		for _, step := range steps {
			if _, before := kept[step]; !before {
				kept[step] = fence
			}
		}
	}
	seen := map[int64][]string{} // by fence
	for _, one := range e.records {
		if one.item == r.ID {
			seen[one.fence] = append(seen[one.fence], one.steps()...)
		}
	}
	ended := map[string]bool{}
	fences := slices.Sorted(maps.Keys(runs))
	for i, fence := range fences {
		run := runs[fence]
		if i > 0 && runs[fence].steps["first"] == nil {
			v.figures.resumed++
		}
		for _, step := range slices.Sorted(maps.Keys(run.steps)) {
			v.step(r, fence, step, run.steps[step])
			if by, recorded := kept[step]; recorded && by < fence && !e.unread[r.ID] {
				v.fault("item %d, fence %d: %s ran again, although it had ended and was recorded with fence %d", r.ID, fence, step, by)
			} else if ended[step] && stageOf(step) < cleanUpStage {
				v.figures.endedAgain++
			}
			ended[step] = ended[step] || run.ended(step)
		}
		if !e.unsaved[r.ID] {
			keep(run.recorded(), fence)
		}
		keep(seen[fence], fence)
	}
	v.figures.recorded += len(kept)
	v.stepAttempts(r, runs)
	v.ended(r, runs[r.Fence], ended)
}

// step checks the lines of one step in one run.
func (v *verdict) step(r *row, fence int64, step string, one *run) {
	switch {
	case stageOf(step) < 0:
		v.fault("item %d, fence %d: %s is not a step", r.ID, fence, step)
	case one.begins != 1:
		v.figures.doubles++
		v.fault("item %d, fence %d: %s began %d times, want once", r.ID, fence, step, one.begins)
	case one.after > 0:
		v.fault("item %d, fence %d: %d lines of %s after its %s", r.ID, fence, one.after, step, one.last)
	}
}

// stepAttempts compares the runs with the attempts of the item.
func (v *verdict) stepAttempts(r *row, runs map[int64]*stepRun) {
	outcomes := map[int64]string{}
	for _, a := range r.attempts {
		outcomes[a.Fence] = a.Outcome
	}
	for _, fence := range slices.Sorted(maps.Keys(runs)) {
		v.figures.runs++
		outcome, failed := outcomes[fence], runs[fence].steps[stages[lastStage]]
		switch {
		case fence > r.Fence:
			v.fault("item %d, fence %d: ran, but the row has only fence %d", r.ID, fence, r.Fence)
		case fence == r.Fence && r.State == workqueue.Processed:
			if outcome != "" {
				v.fault("item %d, fence %d: Processed, but its attempt is %q, want none", r.ID, fence, outcome)
			}
		case outcome == "":
			v.fault("item %d, fence %d: steps of it ran, but it has no attempt", r.ID, fence)
		case outcome == "failed" && (failed == nil || failed.last != ledger.Fail):
			v.fault("item %d, fence %d: counted as failed, but its last step has not failed", r.ID, fence)
		}
	}
}

// ended checks an item that has ended: each of its steps has ended in some run, and finally in the last run, so a
// kill has cut off nothing for good.
func (v *verdict) ended(r *row, final *stepRun, ended map[string]bool) {
	if r.State != workqueue.Processed && r.State != workqueue.Cancelled {
		return
	}
	most := cleanUpStage
	if r.State == workqueue.Cancelled {
		most = lastStage // which failed
	}
	for _, step := range everyStep(0, most) {
		if !ended[step] {
			v.figures.lost++
			v.fault("item %d: %s, but no run of %s has ended", r.ID, r.State, step)
		}
	}
	for _, step := range everyStep(cleanUpStage, len(stages)) {
		if final == nil || !final.ended(step) {
			v.fault("item %d, fence %d: %s, but its last run has not ended %s", r.ID, r.Fence, r.State, step)
		}
	}
}

// cuts counts the kills in the middle of a loop, of a called pipeline, and of finally.
func (v *verdict) cuts(e evidence) {
	open := map[int]map[string]bool{} // the names of stages, by process
	for _, runs := range stepsOf(e.steps) {
		for _, run := range runs {
			for step, one := range run.steps {
				if one.last != "" {
					continue
				}
				if open[run.pid] == nil {
					open[run.pid] = map[string]bool{}
				}
				name, _, _ := strings.Cut(stages[max(0, stageOf(step))], " ")
				open[run.pid][name] = true
				if name == "finally" && slices.ContainsFunc(e.deaths, func(d death) bool { return d.pid == run.pid }) {
					v.figures.cutsOfCleanUps++
				}
			}
		}
	}
	for _, d := range e.deaths {
		for name, counter := range map[string]*int{"lines": &v.figures.inForeach, "part": &v.figures.inUses, "finally": &v.figures.inFinally} {
			if open[d.pid][name] {
				*counter++
			}
		}
	}
}
