package operations

import (
	"cmp"

	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// Pipeline is a pipeline of a project. Durations are strings such as "90s". JSON field names are part
// of the command line's contract.
type Pipeline struct {
	Name              string              `json:"name"`
	Description       string              `json:"description"`
	File              string              `json:"file"`
	Hash              string              `json:"hash"`              // of the text of its file
	RunHash           string              `json:"runHash,omitempty"` // what runs record, if it calls pipelines: the texts of those count, too
	Trigger           *PipelineTrigger    `json:"trigger"`
	Starts            string              `json:"starts,omitempty"` // what starts it, in words; "" if the file has errors
	EstimatedDuration string              `json:"estimatedDuration,omitempty"`
	Channel           string              `json:"channel,omitempty"`
	LearnBy           *PipelineLearnBy    `json:"learnBy,omitempty"`
	Labels            matching.Labels     `json:"labels,omitempty"`
	Selectors         []matching.Selector `json:"selectors,omitempty"`
	SelectorsReplace  bool                `json:"selectorsReplace,omitempty"`

	// Distribution is nil if the pipeline does not set it.
	Distribution *matching.Distribution `json:"distribution,omitempty"`

	// Batch is nil if each item runs alone.
	Batch *PipelineBatch `json:"batch,omitempty"`

	Resilience workqueue.Resilience `json:"resilience"`
	Input      any                  `json:"input,omitempty"`

	// Steps are all steps that a run may reach, in the order of the file: a block is before its steps, and
	// a step that calls a pipeline before the steps of that pipeline.
	// Resume: an attempt goes on where the one before has ended.
	Resume bool `json:"resume,omitempty"`

	Steps []PipelineStep `json:"steps"`

	// Mistakes is the number of errors in the file; if there are any, only the name is known.
	Mistakes int `json:"mistakes,omitempty"`

	// Paused is set in the list if the pipeline is paused.
	Paused *workqueue.PipelinePause `json:"paused,omitempty"`
}

// BrokenPipelines returns the files with errors, ordered by path.
func BrokenPipelines(catalogue *pipelines.Catalogue) []Pipeline {
	var views []Pipeline
	for _, b := range catalogue.Broken() {
		views = append(views, Pipeline{Name: b.Name, File: b.File, Steps: []PipelineStep{}, Mistakes: len(b.Findings)})
	}
	return views
}

// PipelineLearnBy is the prefix of keys by which durations are learned.
type PipelineLearnBy struct {
	KeyPrefix string `json:"keyPrefix"`
}

// PipelineTrigger is what starts a pipeline.
type PipelineTrigger struct {
	Cron     string `json:"cron,omitempty"`
	Every    string `json:"every,omitempty"`
	AtStart  bool   `json:"atStart"`
	Wake     bool   `json:"wake,omitempty"`
	Timezone string `json:"timezone"`
	DST      string `json:"dst"`
	Overlap  string `json:"overlap"`
	Scope    string `json:"scope"`
	CatchUp  string `json:"catchUp,omitempty"`
}

// PipelineBatch says which items run together.
type PipelineBatch struct {
	By     string `json:"by"`
	Max    int    `json:"max"`
	Wait   string `json:"wait,omitempty"`
	AtMost string `json:"atMost,omitempty"`
}

// PipelineStep is one step of a pipeline.
type PipelineStep struct {
	Name     string         `json:"name"`
	Path     string         `json:"path"`              // with the names of the blocks around it: "post / sign"
	Kind     string         `json:"kind"`              // what it runs: the handler, "block", "parallel" or "uses PIPELINE"
	Handler  string         `json:"handler"`           // "" for a block and a call
	Uses     string         `json:"uses,omitempty"`    // the pipeline that it calls
	Foreach  string         `json:"foreach,omitempty"` // the list of a loop; "a list" if it is not an expression
	As       string         `json:"as,omitempty"`
	Parallel int            `json:"parallel,omitempty"` // how many iterations of a loop run at the same time
	If       string         `json:"if,omitempty"`
	Timeout  string         `json:"timeout,omitempty"`
	Attempts int            `json:"attempts"`
	OnError  string         `json:"onError"`
	With     map[string]any `json:"with,omitempty"`
}

// ViewPipeline returns what a pipeline says.
func ViewPipeline(p *pipelines.Pipeline) Pipeline {
	v := Pipeline{
		Name: p.Name, Description: p.Description, File: p.File, Hash: p.Hash,
		Starts: p.Trigger.Words(), EstimatedDuration: durationText(p.EstimatedDuration), Channel: p.Channel, Resilience: p.Resilience, Resume: p.Resume, Input: p.Input,
	}
	if p.RunHash != p.Hash {
		v.RunHash = p.RunHash
	}
	v.Labels, v.Selectors, v.SelectorsReplace = p.Labels, p.Selectors, p.SelectorsReplace
	if !p.Distribution.IsZero() {
		v.Distribution = &p.Distribution
	}
	if b := p.Batch; b != nil {
		v.Batch = &PipelineBatch{b.By, b.Max, durationText(b.Wait), durationText(b.AtMost)}
	}
	if p.KeySeparator != "" {
		v.LearnBy = &PipelineLearnBy{p.KeySeparator}
	}
	if t := p.Trigger; t != nil {
		v.Trigger = &PipelineTrigger{
			Cron: t.Cron, Every: durationText(t.Every), AtStart: t.AtStart, Wake: t.Wake, Timezone: t.Location.String(), DST: string(t.DST),
			Overlap: string(t.Overlap), Scope: string(t.Scope), CatchUp: durationText(t.CatchUp),
		}
	}
	for path, s := range p.Walk() {
		step := PipelineStep{
			Name: s.Name, Path: path, Kind: s.Kind(), Handler: s.Handler, Uses: s.Uses, If: s.If, Timeout: durationText(s.Timeout), Attempts: s.Attempts,
			OnError: string(s.OnError), With: s.With,
		}
		if l := s.Foreach; l != nil {
			step.Foreach, step.As, step.Parallel = cmp.Or(l.List, "a list"), l.As, l.Parallel
		}
		v.Steps = append(v.Steps, step)
	}
	return v
}
