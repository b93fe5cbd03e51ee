package pipelines

import (
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/internal/jsonschemas"
	"botwork/workqueue"
	"botwork/workqueue/escalation"
	"botwork/workqueue/matching"
)

// Pipeline is a parsed, checked and compiled pipeline. It is immutable and safe for
// concurrent runs.
type Pipeline struct {
	// Name is the key `name`, or else the base name of the file, or "inline".
	Name        string
	Description string

	// File is the file name in findings and errors, Text the exact text that was parsed,
	// and Hash its SHA-256 in hexadecimal.
	File string
	Text string
	Hash string

	// RunHash identifies what a run executes: it is Hash, or covers also the pipelines that the steps
	// call.
	RunHash string

	// Trigger is nil for a pipeline that items run.
	Trigger *Trigger

	// Resilience is the policy of the pipeline; the item's queue fills in unset values.
	Resilience workqueue.Resilience

	// EstimatedDuration is 0 if the pipeline has no estimate.
	EstimatedDuration time.Duration

	// Labels, Selectors, SelectorsReplace and Distribution decide where the items may run;
	// see workqueue.Profile.
	Labels           matching.Labels
	Selectors        []matching.Selector
	SelectorsReplace bool
	Distribution     matching.Distribution

	// Escalation is what happens to items of the pipeline that wait too long.
	Escalation []escalation.Rule

	// Channel is the kind of the pipeline's items. It decides how many slots each takes on
	// a worker; "" means no channel and one slot.
	Channel string

	// KeySeparator ends the part of natural keys by which durations are learned; "" if not
	// set.
	KeySeparator string

	// Finish decides when the end of a run is written.
	Finish Finish

	// Batch makes items of the same key run together; nil: each runs alone. An inline pipeline
	// runs alone in any case.
	Batch *Batch

	// Resume makes an attempt of an item go on where the one before has ended.
	Resume bool

	// Vars are values that the steps read as vars.NAME, in the order of the file.
	Vars []Var

	// Block has the steps.
	Block

	// OnSuccess, OnFailure and Finally run after the steps, when it is decided how they have ended;
	// nil: nothing does. CleanupTimeout bounds them.
	OnSuccess, OnFailure, Finally *Block
	CleanupTimeout                time.Duration

	// Warnings are the findings about suspicious settings, in file order.
	Warnings strictyaml.Findings

	// Input is the JSON Schema of the payload as written in the file, nil if none.
	Input any

	input *jsonschemas.Schema

	// callees are the pipelines that its steps call, by the text of `uses`.
	callees map[string]*Pipeline

	// reach is the number of steps with those of the callees; 0 for a pipeline that calls none.
	reach int

	// dynamic reports whether some step has an expression: without one, a run need not
	// prepare the variables. readsItem, readsSteps and readsBatch report whether an
	// expression names `item`, `steps` or `batch`, which are prepared only if needed.
	dynamic                           bool
	readsItem, readsSteps, readsBatch bool
}
