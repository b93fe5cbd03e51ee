package pipelines

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// saveEvery is how often a loop records its iterations.
const saveEvery = time.Second

// keptLoop is the record of a loop that has not ended.
type keptLoop struct {
	// List identifies the elements.
	List string `json:"list"`

	// The first Done iterations have ended, and those in More.
	Done int   `json:"done"`
	More []int `json:"more,omitempty"`

	// Outputs are those of the iterations in Done and then of those in More; nil if none are kept.
	Outputs json.RawMessage `json:"outputs,omitempty"`
	Errors  json.RawMessage `json:"errors,omitempty"`
	Failed  int             `json:"failed,omitempty"`
}

// keptIterations are the iterations of a loop that need not run again. The zero value is for a loop of which
// nothing is recorded.
type keptIterations struct {
	on    bool // guarded by the loop's mu
	path  string
	list  string
	saved time.Time
	ended []bool // by index
}

// resumeLoop takes over the iterations that have ended in an earlier attempt, if the elements are the same.
func (l *loop) resumeLoop(resuming bool) {
	f := l.f
	if f.resume == nil || f.looping {
		return
	}
	text, err := jsonText(markTimes(l.elements))
	if err != nil {
		return
	}
	sum := sha256.Sum256([]byte(text))
	l.kept = keptIterations{on: true, path: f.path(l.s), list: hex.EncodeToString(sum[:12]), saved: time.Now(), ended: make([]bool, len(l.elements))}
	of, ok := f.find(l.s, l.kept.path)
	if !resuming || !ok || of.Loop == nil || of.Loop.List != l.kept.list {
		return
	}
	outputs, err := decodeKept(of.Loop.Outputs)
	list, _ := outputs.([]any)
	failures, wrong := decodeKept(of.Loop.Errors)
	var indexes []int
	for i := range min(of.Loop.Done, len(l.elements)) {
		indexes = append(indexes, i)
	}
	indexes = append(indexes, of.Loop.More...)
	if err != nil || wrong != nil || l.outputs != nil && len(list) != len(indexes) {
		return
	}
	for at, i := range indexes {
		if i < 0 || i >= len(l.elements) {
			continue
		}
		l.kept.ended[i] = true
		l.done++
		if l.outputs != nil {
			l.outputs[i] = list[at]
		}
	}
	l.errors, _ = failures.([]any)
	l.failed = of.Loop.Failed
}

// saveLoop records the iterations that have ended. The caller holds mu.
func (l *loop) saveLoop(ctx context.Context) {
	if !l.kept.on {
		return
	}
	l.kept.saved = time.Now()
	kept := keptLoop{List: l.kept.list, Failed: l.failed}
	var outputs []any
	for i, ended := range l.kept.ended {
		switch {
		case !ended:
			continue
		case kept.Done == i:
			kept.Done++
		default:
			kept.More = append(kept.More, i)
		}
		if l.outputs != nil {
			outputs = append(outputs, l.outputs[i])
		}
	}
	var ok bool
	if kept.Outputs, ok = l.f.encode(orNothing(outputs)); !ok {
		l.kept.on = false // an output has a secret
		return
	}
	if kept.Errors, ok = l.f.encode(orNothing(l.errors)); !ok {
		l.kept.on = false
		return
	}
	l.f.save(ctx, l.kept.path, keptStep{Def: l.f.def(l.s), Loop: &kept})
}

// orNothing returns nil for an empty list.
func orNothing(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list
}
