package handlers

import (
	"context"

	"github.com/rs/zerolog"
)

// Handler does the work of one step. A value of it is the step's parameters,
// decoded and validated.
//
// Handle returns the step's output: nil, a bool, a number, a string, a
// time.Time, a []any or a map[string]any of such values, so that expressions
// can read it and it can be written as JSON. It stops when ctx ends. It may be
// called from several goroutines at once and must not change the receiver.
type Handler interface {
	Handle(ctx context.Context, call *Call) (any, error)
}

// Validator is implemented by handlers whose parameters can be wrong in ways
// that their types do not show. Validate does no I/O; it joins all that is
// wrong into one error.
type Validator interface {
	Validate() error
}

// Call is what a handler learns about the run that it is part of. The engine
// makes a new one for every step of every run; a handler may keep none of it.
type Call struct {
	// Pipeline and Step are the names of the caller.
	Pipeline, Step string

	// ItemID is the work item's id, 0 in a run that belongs to no item.
	ItemID int64

	// IdempotencyKey is what other systems know the item's work by: the same at every
	// try of the item and unlike that of any other, in this database or another. "" in a
	// run that belongs to no item.
	IdempotencyKey string

	// Queue is the item's queue, "" in a run that belongs to no item.
	Queue string

	// Attempt is 1 for the first try of the item.
	Attempt int

	// Fence grows with every claim of the item, 0 in a run that belongs to no
	// item. A system outside can keep the largest it has seen for an item and
	// refuse smaller ones: they come from a run that has lost its lease.
	Fence int64

	// Payload is the item's payload as decoded JSON; whole numbers are int,
	// others float64. It is shared by all steps: read it, do not change it.
	Payload any

	// Input is the output of the step before, the payload for the first step.
	Input any

	// Log has the pipeline, the step and the item bound already.
	Log zerolog.Logger

	// OnProgress, OnPercent, OnOutput and OnAnalytics receive what Progress, Percent, Show and
	// Analyse report; may be nil.
	OnProgress  func(text string)
	OnPercent   func(percent int)
	OnOutput    func(value any) error
	OnAnalytics func(value any) error

	// OnCount receives what Count reports; may be nil.
	OnCount func(name string, n int)
}

// Count reports that the step did something n times, such as "assigned" 4 items. The log
// line at the end of a scheduled run has the sums of all steps. A run in which every step
// reports only zeros did nothing, and is logged at debug level; a step that reports no count
// may have done anything. Call it before Handle returns, from one goroutine at a time.
func (c *Call) Count(name string, n int) {
	if c.OnCount != nil {
		c.OnCount(name, n)
	}
}

// Progress reports how far the work has come, such as "1,200 of 5,000 rows"; the latest text is
// stored with the item. It may be called as often as the handler likes: it is stored every few
// seconds.
func (c *Call) Progress(text string) {
	if c.OnProgress != nil {
		c.OnProgress(text)
	}
}

// Percent reports how far the work has come, 0 to 100; values outside are clamped. It is recorded
// like Progress.
func (c *Call) Percent(percent int) {
	if c.OnPercent != nil {
		c.OnPercent(percent)
	}
}

// Show stores a preliminary output with the item, such as the number of the order that the run
// has created, so that it can be found after a failure or a crash. The pipeline's output replaces
// it when the item succeeds. The error is that the value cannot be written as JSON.
func (c *Call) Show(value any) error {
	if c.OnOutput == nil {
		return nil
	}
	return c.OnOutput(value)
}

// Analyse reports figures about the work for the queue's owner, such as the number of pages; the
// latest value is stored with the item when its run ends, and must match the queue's schema. The
// error is that the value cannot be written as JSON.
func (c *Call) Analyse(value any) error {
	if c.OnAnalytics == nil {
		return nil
	}
	return c.OnAnalytics(value)
}
