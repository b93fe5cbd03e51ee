package pipelines

import (
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/internal/jsonschemas"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// Pipeline is a parsed, checked and compiled pipeline. It is immutable and
// serves any number of runs at the same time.
type Pipeline struct {
	// Name is what items and people call it: the key `name`, or else the
	// file's base name, or "inline".
	Name        string
	Description string

	// File is the name that findings and errors give, Text the exact text that
	// was parsed, and Hash its SHA-256 in hexadecimal.
	File string
	Text string
	Hash string

	// Trigger is nil for a pipeline that items run.
	Trigger *Trigger

	// Resilience holds what the pipeline says; what it leaves open is filled
	// from the item's queue.
	Resilience workqueue.Resilience

	// EstimatedDuration is 0 when the pipeline does not say.
	EstimatedDuration time.Duration

	// Labels, Selectors, SelectorsReplace and Distribution are what the pipeline
	// says of where its items may run; see workqueue.Profile.
	Labels           matching.Labels
	Selectors        []matching.Selector
	SelectorsReplace bool
	Distribution     matching.Distribution

	// Channel is the sort of the pipeline's items, by which workers tell how many
	// of their slots each takes; "": none, which takes one.
	Channel string

	// KeySeparator ends the beginning of a natural key for which durations are
	// learned by themselves; "" when the pipeline does not say.
	KeySeparator string

	// Finish says when the end of a run is written.
	Finish Finish

	Steps []*Step

	// Warnings tell what is allowed and probably not meant, in the file's order.
	Warnings strictyaml.Findings

	// Input is the JSON Schema of the payload as it was written, nil if none.
	Input any

	input *jsonschemas.Schema

	// dynamic tells that some step holds an expression: without one, a run
	// need not prepare the variables. readsItem and readsSteps tell that one names
	// `item` or `steps`: those are made for who asks alone.
	dynamic               bool
	readsItem, readsSteps bool
}

// StepNodes are the steps as they stand in the file, for who has more to say of
// them. They are read from the text at each call: few pipelines are asked, and kept
// for all they would take as much memory as what runs.
func (p *Pipeline) StepNodes() []*strictyaml.Node {
	top, _ := strictyaml.Parse(p.File, []byte(p.Text))
	return top.Get("steps").Items
}
