package workqueue

import (
	"slices"
	"sync"
)

// RunBatch are the items that one run runs together. Each keeps its own lease and gets its own
// outcome: that of the run, unless the run names it with Fail or Leave. Methods may be called
// from several goroutines at once.
type RunBatch struct {
	// Items are the items as they were claimed, the one that started the run first.
	Items []*Item

	mu     sync.Mutex
	failed map[int64]Outcome
	left   map[int64]bool
}

// Has reports whether the batch has an item of this id.
func (b *RunBatch) Has(id int64) bool {
	return slices.ContainsFunc(b.Items, func(it *Item) bool { return it.ID == id })
}

// Fail makes one item fail even if the run succeeds. The first failure of an item counts.
func (b *RunBatch) Fail(id int64, kind ErrorKind, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, failed := b.failed[id]; failed {
		return
	}
	if b.failed == nil {
		b.failed = map[int64]Outcome{}
	}
	b.failed[id] = Outcome{Verdict: Failed, Kind: kind, Error: text}
}

// Leave takes one item out of the run, whatever its outcome: the item waits again, alone.
func (b *RunBatch) Leave(id int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == nil {
		b.left = map[int64]bool{}
	}
	b.left[id] = true
}

// Left reports whether an item has left the run.
func (b *RunBatch) Left(id int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left[id]
}

// OutcomeOf returns the outcome of one item of a run with this outcome.
func (b *RunBatch) OutcomeOf(id int64, run Outcome) Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	if failed, ok := b.failed[id]; ok && (run.Verdict == Succeeded || run.Verdict == Failed) {
		failed.Step = run.Step
		return failed
	}
	return run
}
