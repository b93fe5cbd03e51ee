package pipelines

import (
	"botwork/cmd/internal/cli"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// pipelineView is a pipeline as JSON and YAML show it. Durations are strings such as "90s".
type pipelineView struct {
	Name              string              `json:"name"`
	Description       string              `json:"description"`
	File              string              `json:"file"`
	Hash              string              `json:"hash"`
	Trigger           *triggerView        `json:"trigger"`
	EstimatedDuration string              `json:"estimatedDuration,omitempty"`
	Channel           string              `json:"channel,omitempty"`
	LearnBy           *learnByView        `json:"learnBy,omitempty"`
	Labels            matching.Labels     `json:"labels,omitempty"`
	Selectors         []matching.Selector `json:"selectors,omitempty"`
	SelectorsReplace  bool                `json:"selectorsReplace,omitempty"`

	// Distribution is nil if the pipeline does not set it.
	Distribution *matching.Distribution `json:"distribution,omitempty"`

	Resilience workqueue.Resilience `json:"resilience"`
	Input      any                  `json:"input,omitempty"`
	Steps      []stepView           `json:"steps"`

	// Mistakes is the number of errors in the file; if there are any, only the name is known.
	Mistakes int `json:"mistakes,omitempty"`

	// Paused is set in the list if the pipeline is paused.
	Paused *workqueue.PipelinePause `json:"paused,omitempty"`
}

// viewBroken returns the files with errors, ordered by path.
func viewBroken(catalogue *pipelines.Catalogue) []pipelineView {
	var views []pipelineView
	for _, b := range catalogue.Broken() {
		views = append(views, pipelineView{Name: b.Name, File: b.File, Steps: []stepView{}, Mistakes: len(b.Findings)})
	}
	return views
}

type learnByView struct {
	KeyPrefix string `json:"keyPrefix"`
}

type triggerView struct {
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

type stepView struct {
	Name     string         `json:"name"`
	Handler  string         `json:"handler"`
	If       string         `json:"if,omitempty"`
	Timeout  string         `json:"timeout,omitempty"`
	Attempts int            `json:"attempts"`
	OnError  string         `json:"onError"`
	With     map[string]any `json:"with,omitempty"`
}

func viewPipeline(p *pipelines.Pipeline) pipelineView {
	v := pipelineView{
		Name: p.Name, Description: p.Description, File: p.File, Hash: p.Hash,
		EstimatedDuration: cli.DurationText(p.EstimatedDuration), Channel: p.Channel, Resilience: p.Resilience, Input: p.Input,
	}
	v.Labels, v.Selectors, v.SelectorsReplace = p.Labels, p.Selectors, p.SelectorsReplace
	if !p.Distribution.IsZero() {
		v.Distribution = &p.Distribution
	}
	if p.KeySeparator != "" {
		v.LearnBy = &learnByView{p.KeySeparator}
	}
	if t := p.Trigger; t != nil {
		v.Trigger = &triggerView{
			Cron: t.Cron, Every: cli.DurationText(t.Every), AtStart: t.AtStart, Wake: t.Wake, Timezone: t.Location.String(), DST: string(t.DST),
			Overlap: string(t.Overlap), Scope: string(t.Scope), CatchUp: cli.DurationText(t.CatchUp),
		}
	}
	for _, s := range p.Steps {
		v.Steps = append(v.Steps, stepView{
			Name: s.Name, Handler: s.Handler, If: s.If, Timeout: cli.DurationText(s.Timeout), Attempts: s.Attempts,
			OnError: string(s.OnError), With: s.With,
		})
	}
	return v
}

// starts returns a short description of what starts the pipeline, and whether it is paused.
func (v pipelineView) starts() string {
	if v.Paused != nil {
		return v.startedBy() + " (paused)"
	}
	return v.startedBy()
}

func (v pipelineView) startedBy() string {
	t := v.Trigger
	switch {
	case v.Mistakes > 0:
		return "broken: " + cli.Count(v.Mistakes, "error")
	case t == nil:
		return "an item"
	case t.Cron != "":
		return "cron " + t.Cron
	case t.Every != "":
		return "every " + t.Every
	case t.AtStart:
		return "at start"
	default:
		return "wake"
	}
}
