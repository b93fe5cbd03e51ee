package simulation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers"
	"botwork/pipelines"
	"botwork/workqueue"
)

// In some histories, a part of the items run a pipeline with `resume: true`, on the real engine. Its
// file is not the same in all processes, as while a new version is deployed: steps have changed.

// smallOutput is the maximum size of the outputs of a queue whose records of steps are sometimes too large.
const smallOutput = 300

// drawSteps decides whether items resume. It has its own dice, so that the other histories do not change.
func (r *rules) drawSteps(seed uint64) {
	d := roll(seed, "steps", 0)
	if r.Steps = d.chance(25); r.Steps && d.chance(25) {
		r.MaxOutput = smallOutput
	}
}

// resumeFile is the file of the pipeline. It has the versions of two steps.
const resumeFile = `resume: true
steps:
  - {name: load, handler: Step}
  - {name: lines, foreach: "${{ 0..4 }}", handler: Step, with: {version: %q}}
  - {name: sign, handler: Step, with: {version: %q}}
  - {name: send, handler: Step, with: {from: "${{ [steps.load.output, steps.lines.output, steps.sign.output] }}"}}
`

// lineCount is the number of iterations of its loop.
const lineCount = 5

// edition is the pipeline of a process.
type edition struct {
	versions map[string]string // of its steps
	pipeline *pipelines.Pipeline
}

// editions are the pipelines that processes have: half of them have the first one.
var editions = sync.OnceValues(func() (list []*edition, err error) {
	registry := handlers.NewRegistry()
	registry.MustRegister(handlers.Kind{Name: "Step", New: func() handlers.Handler { return &stepHandler{} }})
	for _, v := range [][2]string{{"1", "1"}, {"1", "2"}, {"2", "1"}} {
		catalogue, findings := pipelines.Load(pipelines.NewCompiler(registry, pipelines.Options{}), []pipelines.File{
			{Path: "resume.yaml", Data: fmt.Appendf(nil, resumeFile, v[0], v[1])},
		})
		p, missing := catalogue.Resolve("resume")
		if missing != nil {
			return nil, errors.Join(missing, findings)
		}
		list = append(list, &edition{map[string]string{"load": "1", "lines": v[0], "sign": v[1], "send": "1"}, p})
	}
	return list, nil
})

var resumeEngine = sync.OnceValue(func() *pipelines.Engine {
	return pipelines.NewEngine(pipelines.EngineOptions{Log: zerolog.Nop()})
})

// edition returns the pipeline of a process.
func (p *process) edition() *edition {
	list, err := editions()
	if err != nil {
		p.w.t.Fatal(err)
	}
	return list[max(0, roll(p.w.seed, "edition of "+p.instance, 0).IntN(4)-1)]
}

// resumingRun is a run of an item whose pipeline resumes. It belongs to the goroutine of the run.
type resumingRun struct {
	p    *process
	run  *workqueue.Run
	ref  workqueue.ItemRef
	plan plan
	of   *edition
	took time.Duration

	stopsAt int      // the part from which on a run that fails or snoozes does
	due     []string // what must run, in this order: the places of steps
	stopped error    // its context has ended, or the process is dead
}

// parts are the places of all steps, in order.
func parts() []string {
	list := []string{"load"}
	for i := range lineCount {
		list = append(list, fmt.Sprintf("lines[%d]", i))
	}
	return append(list, "sign", "send")
}

type resumingKey struct{}

// resuming returns the run that sends a statement.
func resuming(ctx context.Context) *resumingRun { return ctx.Value(resumingKey{}).(*resumingRun) }

// resume runs an item on the engine.
func (p *process) resume(ctx context.Context, run *workqueue.Run, plan plan, took time.Duration) workqueue.Outcome {
	ref := workqueue.ItemRef{ItemID: run.ID, Fence: run.Fence}
	r := &resumingRun{p: p, run: run, ref: ref, plan: plan, of: p.edition(), took: took, due: parts()}
	r.stopsAt = roll(p.w.seed, fmt.Sprintf("stop of %v", ref), 0).IntN(len(r.due))
	if plan.outlives && run.RetryCount == 0 {
		r.stopsAt = len(r.due) - 1
	}
	p.w.judge.begins(p, ref, plan.deaf)
	got := resumeEngine().Run(context.WithValue(ctx, resumingKey{}, r), r.of.pipeline, pipelines.RunInput{Run: run})
	switch {
	case p.isDead():
		return p.interrupted(ctx, ref, errKilled)
	case r.stopped != nil:
		return p.interrupted(ctx, ref, r.stopped)
	case got.Verdict != workqueue.Succeeded && ctx.Err() != nil:
		return p.interrupted(ctx, ref, ctx.Err())
	case got.Verdict == workqueue.Succeeded:
		p.w.judge.resumed(r, got.Output)
	}
	p.w.judge.ends(p, ref, got.Outcome)
	return got.Outcome
}

// awaitNextRun waits until a later run of an item has begun, and then a moment, or gives up.
func (w *world) awaitNextRun(ref workqueue.ItemRef, op string) {
	const every = 500 * time.Millisecond
	for range 2 * w.rules.Lease / every {
		if w.sleep(every); w.judge.begunLater(ref) || w.isOver() {
			break
		}
	}
	w.sleep(roll(w.seed, "later than "+op, 0).between(time.Millisecond, time.Second))
}

// begunLater reports whether a later run of the item has begun.
func (j *judge) begunLater(ref workqueue.ItemRef) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.newest[ref.ItemID] > ref.Fence
}

// loaded computes what must run after the run has read these records: a step that has ended, with the
// definition that it has now, does not run again, nor does an iteration of a loop that has not ended.
func (r *resumingRun) loaded(records []keptStep) {
	all := parts()
	for _, name := range []string{"load", "lines", "sign", "send"} {
		at := slices.IndexFunc(records, func(k keptStep) bool { return k.step == name })
		if at < 0 || records[at].versions[name] != r.of.versions[name] {
			break
		}
		loop := records[at].loop()
		all = slices.DeleteFunc(all, func(place string) bool {
			step, index, _ := strings.Cut(strings.TrimSuffix(place, "]"), "[")
			return step == name && (loop == nil || loop.has(index))
		})
		if loop != nil {
			break
		}
	}
	r.due = all
}

// keptStep is a record of a step.
type keptStep struct {
	step, data string
	fence      int64
	versions   map[string]string // in the pipeline of the run that has recorded it
}

// keptLoop says which iterations a record of a loop has.
type keptLoop struct {
	Done int
	More []int
}

func (k keptStep) loop() *keptLoop {
	var data struct{ Loop *keptLoop }
	_ = json.Unmarshal([]byte(k.data), &data)
	return data.Loop
}

func (l *keptLoop) has(index string) bool {
	for i := range lineCount {
		if fmt.Sprint(i) == index {
			return i < l.Done || slices.Contains(l.More, i)
		}
	}
	return false
}

// stepHandler is the handler of all steps.
type stepHandler struct {
	Version string `json:"version" doc:"of the step"`
	From    any    `json:"from" doc:"what the steps before have put out"`
}

// Handle implements handlers.Handler. Its output has the place of the step, the fence and the version, and the
// output of the last step has those of all.
func (h *stepHandler) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	r := resuming(ctx)
	if r.p.isDead() || ctx.Err() != nil && !r.plan.deaf {
		r.stopped = cmp.Or(r.stopped, r.p.work(ctx, false, 0))
		return nil, r.stopped
	}
	r.p.w.judge.stepBegins(r, call.Step)
	if r.stopped = r.p.work(ctx, r.plan.deaf, r.timeOf(call.Step)); r.stopped != nil {
		return nil, r.stopped
	}
	r.p.w.judge.effect(r.p, r.ref)
	if err := r.failure(call.Step); err != nil {
		return nil, err
	}
	output := fmt.Sprintf("%s@%d/%s", call.Step, r.ref.Fence, cmp.Or(h.Version, "1"))
	r.p.w.judge.stepEnds(r, output)
	if h.From != nil {
		return []any{h.From, output}, nil
	}
	return output, nil
}

// timeOf returns how long a step takes. That a run takes too long is up to its last step, which no run before has
// recorded.
func (r *resumingRun) timeOf(place string) time.Duration {
	d := roll(r.p.w.seed, fmt.Sprintf("time of %s in %v", place, r.ref), 0)
	part := r.took / time.Duration(len(parts()))
	if r.plan.outlives && r.run.RetryCount == 0 {
		part = time.Second
		if place == "send" {
			return r.took
		}
	}
	return part/2 + d.between(0, part)
}

// failure returns the error with which the run ends in this step. The last step of such a run does not end well, so
// that no later run finds that all steps have.
func (r *resumingRun) failure(place string) error {
	if slices.Index(parts(), place) < r.stopsAt {
		return nil
	}
	switch o := r.plan.outcome(r.run); {
	case o.Verdict == workqueue.Snoozed:
		return handlers.Snooze(o.After, "")
	case o.Kind == workqueue.KindPermanent:
		return handlers.Permanent(errors.New(o.Error))
	case o.Verdict == workqueue.Failed:
		return errors.New(o.Error)
	}
	return nil
}

// stepBegins checks that a step must run: it has not been recorded, and all before it have run or were.
func (j *judge) stepBegins(r *resumingRun, place string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.logLocked(r.p.instance, "run %d/%d: %s begins", r.ref.ItemID, r.ref.Fence, place)
	j.figures.steps++
	if len(r.due) == 0 || r.due[0] != place {
		j.violationLocked("run %d/%d runs %s, want %v: by the records, no other step has to run before", r.ref.ItemID, r.ref.Fence, place, r.due[:min(1, len(r.due))])
		return
	}
	r.due = r.due[1:]
}

// stepEnds records that a step has ended well.
func (j *judge) stepEnds(r *resumingRun, output string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.outputs[r.ref.ItemID] == nil {
		j.outputs[r.ref.ItemID] = map[string]bool{}
	}
	j.outputs[r.ref.ItemID][output] = true
}

// resumed checks a run that has succeeded: all steps have ended well, in it or in an earlier run, with the version
// that they have in its pipeline.
func (j *judge) resumed(r *resumingRun, output workqueue.JSONText) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(r.due) > 0 {
		j.violationLocked("run %d/%d has succeeded without %v, which were not recorded", r.ref.ItemID, r.ref.Fence, r.due)
	}
	var nested any
	_ = json.Unmarshal([]byte(output), &nested)
	got := flatten(nested)
	for i, place := range parts() {
		name, _, _ := strings.Cut(place, "[")
		of, version := "", ""
		if i < len(got) {
			of, version, _ = strings.Cut(got[i], "/")
		}
		switch {
		case len(got) != len(parts()) || !strings.HasPrefix(of, place+"@") || version != r.of.versions[name]:
			j.violationLocked("run %d/%d has the output %s, want one of %s in version %s", r.ref.ItemID, r.ref.Fence, output, place, r.of.versions[name])
		case !j.outputs[r.ref.ItemID][got[i]]:
			j.violationLocked("run %d/%d uses %s, which no run has put out", r.ref.ItemID, r.ref.Fence, got[i])
		}
	}
}

// flatten returns the texts in nested lists.
func flatten(v any) (texts []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			texts = append(texts, flatten(one)...)
		}
	}
	return texts
}
