package pipelines

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
)

// saveTimeout bounds the statement that records a step: a run does not wait longer for its database.
const saveTimeout = 10 * time.Second

// resume is what a run keeps for the next attempt of its item, and what earlier attempts have kept.
type resume struct {
	keeper workqueue.StepKeeper

	// salt is what all definitions depend on: the payload, and `vars`.
	salt []byte

	mu      sync.Mutex
	earlier map[string]keptStep // by path
	sizes   map[string]int64    // of the records, by path
	off     bool                // they are too large, or could not be read
}

// keptStep is the record of a step.
type keptStep struct {
	// Def identifies the definition of the step.
	Def string `json:"def"`

	Skipped bool            `json:"skipped,omitempty"`
	Nothing bool            `json:"nothing,omitempty"` // it had no output
	Output  json.RawMessage `json:"output,omitempty"`
	Error   string          `json:"error,omitempty"`  // of a step that failed with onError: continue
	Errors  json.RawMessage `json:"errors,omitempty"` // of a loop

	// Loop is set for a loop that has not ended.
	Loop *keptLoop `json:"loop,omitempty"`
}

// beginResume reads what earlier attempts of the item have recorded. Without it, the run starts at the first
// step.
func (r *run) beginResume(ctx context.Context) {
	if r.in.Run == nil || r.in.Run.Steps == nil || r.batch != nil {
		return
	}
	r.resume = &resume{keeper: r.in.Run.Steps, salt: r.salt(), earlier: map[string]keptStep{}, sizes: map[string]int64{}}
	if r.lead.Fence <= 1 {
		return // its first claim
	}
	records, err := r.resume.keeper.Load(ctx)
	if err != nil {
		r.warn("cannot read what earlier attempts have recorded; starting at the first step", err)
		return
	}
	for _, one := range records {
		var kept keptStep
		if json.Unmarshal([]byte(one.Data), &kept) == nil {
			r.resume.earlier[one.Step] = kept
			r.resume.sizes[one.Step] = int64(len(one.Data))
		}
	}
	r.top.resuming = len(records) > 0
}

// salt hashes what the definitions of all steps depend on.
func (r *run) salt() []byte {
	sum := sha256.New()
	sum.Write([]byte(r.in.Payload))
	for _, v := range r.p.Vars {
		text, _ := json.Marshal([]any{v.Name, v.Raw})
		sum.Write(text)
	}
	return sum.Sum(nil)
}

func (r *run) warn(message string, err error) {
	log := r.engine.log.With().Str("pipeline", r.p.Name).Int64("item_id", r.in.Run.ID).Logger()
	log.Warn().Str("error", r.bounded(err.Error())).Msg(message)
}

// definition is what a step does, as far as it is written in the file.
type definition struct {
	Name, Handler, Uses, If, List, As string
	Parallel                          int
	Collect, Branches                 bool
	Timeout                           time.Duration
	Attempts                          int
	OnError                           OnError
	With                              map[string]any
	Steps                             []string
}

// def identifies the definition of a step, with those of its own steps and of the pipeline that it calls.
func (f *frame) def(s *Step) string {
	d := definition{
		Name: s.Name, Handler: s.Handler, Uses: s.Uses, If: s.If, Timeout: s.Timeout, Attempts: s.Attempts, OnError: s.OnError, With: s.With,
	}
	if s.Foreach != nil {
		d.List, d.As, d.Parallel, d.Collect = s.Foreach.List, s.Foreach.As, s.Foreach.Parallel, s.Foreach.Collect
	}
	if s.Block != nil {
		d.Branches = s.Block.Parallel
		for _, inner := range s.Block.Steps {
			d.Steps = append(d.Steps, f.def(inner))
		}
	}
	if callee := f.p.Callee(s); callee != nil {
		d.Uses = callee.RunHash
	}
	text, err := json.Marshal(d)
	if err != nil {
		return "" // impossible: it was read from YAML
	}
	sum := sha256.New()
	sum.Write(f.resume.salt)
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// find returns the record of a step with this definition.
func (f *frame) find(s *Step, path string) (keptStep, bool) {
	r := f.resume
	r.mu.Lock()
	kept, ok := r.earlier[path]
	r.mu.Unlock()
	return kept, ok && kept.Def == f.def(s)
}

// keep takes over a step that has ended in an earlier attempt, and reports whether it has.
func (f *frame) keep(s *Step, path string) (done StepResult, kept bool) {
	of, ok := f.find(s, path)
	if !ok || of.Loop != nil {
		return done, false
	}
	done = StepResult{Name: path, Status: StepKept}
	switch {
	case of.Skipped:
		done.Status = StepSkipped
		f.remember(s, nil, true, nil)
		return done, true
	case of.Error != "":
		done.Error = of.Error
		f.remember(s, nil, false, of.Error)
		return done, true
	}
	output, err := decodeKept(of.Output)
	if err != nil {
		return done, false
	}
	if of.Nothing {
		output = noOutput{}
	}
	if s.Foreach != nil {
		list, err := decodeKept(of.Errors)
		if err != nil {
			return done, false
		}
		if list == nil {
			list = []any{}
		}
		output = loopResult{outputs: output, errors: list}
	}
	f.produced(s, output)
	return done, true
}

// record records how a step has ended, so that the next attempt keeps it.
func (f *frame) record(ctx context.Context, s *Step, done StepResult) {
	if f.looping || s.top().in.key != "" {
		return
	}
	kept := keptStep{Def: f.def(s), Skipped: done.Status == StepSkipped}
	if done.Status == StepFailed {
		kept.Error = done.Error
	}
	if !kept.Skipped && kept.Error == "" {
		var ok bool
		if kept.Nothing = f.producer != s; !kept.Nothing {
			if kept.Output, ok = f.encode(f.message); !ok {
				return
			}
		}
		if kept.Errors, ok = f.encode(f.errorsOf(s)); !ok {
			return
		}
	}
	f.save(ctx, f.path(s), kept)
}

// top returns the step at the top of the file that the step is in, or itself.
func (s *Step) top() *Step {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// errorsOf returns the failed elements of a loop; nil for another step.
func (f *frame) errorsOf(s *Step) any {
	if s.Foreach == nil || f.vars == nil || !f.p.readsSteps {
		return nil
	}
	return f.vars[varSteps].(map[string]any)[s.Name].(map[string]any)[fieldErrors]
}

// save records a step under the claim of the run.
func (f *frame) save(ctx context.Context, path string, kept keptStep) {
	r := f.resume
	data, err := json.Marshal(kept)
	if err != nil {
		f.warn("cannot record a step; the next attempt runs it again", err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.off {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	r.sizes[path] = int64(len(data))
	total := int64(0)
	for _, n := range r.sizes {
		total += n
	}
	if limit := f.in.Run.Queue.OutputLimit(); total > limit {
		r.off = true
		err := r.keeper.Drop(ctx)
		f.warn("the outputs of the steps are too large to be kept; the next attempt starts at the first step",
			errors.Join(&workqueue.SizeError{Queue: f.in.Run.Queue.Name, What: "steps", Setting: "maxOutput", Got: total, Limit: limit}, err))
		return
	}
	if err := r.keeper.Save(ctx, workqueue.StepRecord{Step: path, Data: workqueue.JSONText(data)}); err != nil {
		f.warn("cannot record a step; the next attempt runs it again", err)
	}
}

// encode returns a value as it is recorded. A value with a secret is not recorded.
func (r *run) encode(v any) (json.RawMessage, bool) {
	if v == nil {
		return nil, true
	}
	text, err := jsonText(markTimes(v))
	if err != nil || r.engine.redactor.Redact(text) != text {
		return nil, false
	}
	return json.RawMessage(text), true
}

// The keys of mappings that represent times and durations, which JSON does not have.
const (
	markTime     = "botwork:time"
	markDuration = "botwork:duration"
)

// markTimes returns a value with marked texts in place of times and durations.
func markTimes(v any) any {
	switch v := v.(type) {
	case time.Time:
		return map[string]any{markTime: v.Format(time.RFC3339Nano)}
	case time.Duration:
		return map[string]any{markDuration: int64(v)}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = markTimes(v[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, one := range v {
			m[key] = markTimes(one)
		}
		return m
	}
	return v
}

// decodeKept returns a recorded value.
func decodeKept(text json.RawMessage) (any, error) {
	if len(text) == 0 {
		return nil, nil
	}
	v, err := handlers.DecodeJSON(text)
	return unmarkTimes(v), err
}

func unmarkTimes(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = unmarkTimes(v[i])
		}
	case map[string]any:
		if text, ok := v[markTime].(string); ok && len(v) == 1 {
			if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
				return at
			}
		}
		if n, ok := v[markDuration].(int); ok && len(v) == 1 {
			return time.Duration(n)
		}
		for key, one := range v {
			v[key] = unmarkTimes(one)
		}
	}
	return v
}
