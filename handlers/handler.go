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

// Validator is implemented by handlers whose parameters can be wrong in ways that their types
// do not show. Validate does no I/O; it joins all errors into one.
type Validator interface {
	Validate() error
}

// Call describes the current run to a handler. The engine creates a new one for every step of
// every run; a handler must not keep it.
type Call struct {
	// Pipeline and Step are the names of the caller.
	Pipeline, Step string

	// ItemID is the work item's id, 0 in a run that belongs to no item.
	ItemID int64

	// IdempotencyKey identifies the item's work to other systems: it is the same in every attempt
	// of the item and different for all other items, also in other databases. "" in a run that
	// belongs to no item.
	IdempotencyKey string

	// Queue is the item's queue, "" in a run that belongs to no item.
	Queue string

	// Attempt is 1 for the first try of the item.
	Attempt int

	// Fence grows with every claim of the item, 0 in a run that belongs to no
	// item. A system outside can keep the largest it has seen for an item and
	// refuse smaller ones: they come from a run that has lost its lease.
	Fence int64

	// Payload is the item's payload as DecodeJSON returns it. It is shared by all steps: read
	// it, do not change it.
	Payload any

	// Input is the output of the step before, the payload for the first step.
	Input any

	// Log already has the fields for the pipeline, the step and the item.
	Log zerolog.Logger

	// OnProgress, OnPercent, OnOutput and OnAnalytics receive what Progress, Percent, Show and
	// Analyse report; may be nil.
	OnProgress  func(text string)
	OnPercent   func(percent int)
	OnOutput    func(value any) error
	OnAnalytics func(value any) error

	// OnPrint receives what Print reports; may be nil.
	OnPrint func(text func() string) (changed func())

	// Batch are the items of a run of several items, this one first; empty in any other run. It is
	// shared by all steps: read it, do not change it.
	Batch []BatchItem

	// FailedItems are the items that FailItem has named.
	FailedItems map[int64]error

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

// Progress reports the progress of the work, such as "1,200 of 5,000 rows"; the latest text is
// stored with the item. It may be called often: it is stored only every few seconds.
func (c *Call) Progress(text string) {
	if c.OnProgress != nil {
		c.OnProgress(text)
	}
}

// Percent reports the progress of the work, 0 to 100; other values are clamped. It is recorded
// like Progress.
func (c *Call) Percent(percent int) {
	if c.OnPercent != nil {
		c.OnPercent(percent)
	}
}

// Show stores a preliminary output with the item, such as the number of the order that the run
// has created, so that it can be found after a failure or a crash. The pipeline's output
// replaces it when the item succeeds. Show returns an error if the value cannot be encoded as
// JSON.
func (c *Call) Show(value any) error {
	if c.OnOutput == nil {
		return nil
	}
	return c.OnOutput(value)
}

// Print adds a text that grows while the step runs, such as the output of a program, to the log
// that is kept with the item. text returns the end of it so far; it is called at any time, also
// by other goroutines, and secrets are removed from what it returns. Call changed after the text
// has grown. Lines for botwork's own log go to Log.
func (c *Call) Print(text func() string) (changed func()) {
	if c.OnPrint == nil {
		return func() {}
	}
	return c.OnPrint(text)
}

// Analyse reports figures about the work for the queue's owner, such as the number of pages;
// the latest value is stored with the item when its run ends, and must match the queue's
// schema. Analyse returns an error if the value cannot be encoded as JSON.
func (c *Call) Analyse(value any) error {
	if c.OnAnalytics == nil {
		return nil
	}
	return c.OnAnalytics(value)
}
