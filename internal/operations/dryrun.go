package operations

import (
	"encoding/json"
	"fmt"
	"time"

	"botwork/pipelines"
	"botwork/workqueue"
)

// DryRun is what a run of a pipeline would do. JSON field names are part of the command line's
// contract.
type DryRun struct {
	Pipeline  string `json:"pipeline"`
	File      string `json:"file"`
	DryRun    bool   `json:"dryRun"`  // always true
	Outcome   string `json:"outcome"` // would succeed, may fail, would fail, would snooze, would drop its item
	Step      string `json:"step,omitempty"`
	Error     string `json:"error,omitempty"`
	ErrorKind string `json:"errorKind,omitempty"`

	// Resilience is missing for a pipeline that no item runs.
	Resilience *workqueue.Resilience `json:"resilience,omitempty"`

	Steps []DryStep `json:"steps"`
}

// DryStep is what a run would do with a step.
type DryStep struct {
	Name    string `json:"name"`
	Path    string `json:"path"`    // with the names of the blocks around it: "post / sign"
	Kind    string `json:"kind"`    // what it runs: the handler, "block", "parallel" or "uses PIPELINE"
	Handler string `json:"handler"` // "" for a block and a call
	Summary string `json:"summary"`
	Action  string `json:"action"` // call, skip, fail, given, not reached
	Reason  string `json:"reason,omitempty"`

	// Unless are earlier steps that may end the run.
	Unless []string `json:"unless,omitempty"`

	If      string         `json:"if,omitempty"`
	Gives   string         `json:"gives,omitempty"` // true, false, unknown
	Timeout string         `json:"timeout,omitempty"`
	Retry   *DryRetry      `json:"retry,omitempty"`
	OnError string         `json:"onError"`
	With    map[string]any `json:"with,omitempty"`

	Unknown []pipelines.DryUnknown `json:"unknown,omitempty"`
}

// DryRetry is how a step would be repeated.
type DryRetry struct {
	Attempts int     `json:"attempts"`
	Delay    string  `json:"delay"`
	Factor   float64 `json:"factor"`
	MaxDelay string  `json:"maxDelay"`
	Jitter   float64 `json:"jitter"`
}

// PartOf selects the steps from one to another, with the outputs of earlier steps as JSON. It returns
// nil, which is the whole pipeline, if nothing is selected.
func PartOf(from, until string, outputs map[string]json.RawMessage) (*pipelines.Part, error) {
	if from == "" && until == "" && len(outputs) == 0 {
		return nil, nil
	}
	part := &pipelines.Part{From: from, Until: until}
	for step, text := range outputs {
		if err := part.SetOutput(step, text); err != nil {
			return nil, fmt.Errorf("the output of a step is not JSON: %w", err)
		}
	}
	return part, nil
}

// RunDry returns what a run of the pipeline would do. It opens no file or connection.
func RunDry(engine *pipelines.Engine, p *pipelines.Pipeline, payload workqueue.JSONText, part *pipelines.Part) DryRun {
	in := pipelines.RunInput{Payload: payload, Part: part}
	if p.Trigger == nil {
		in.Run = StandInItem(p, payload)
	}
	return viewDryRun(p, engine.DryRun(p, in))
}

// StandInItem is the item of a run without one.
func StandInItem(p *pipelines.Pipeline, payload workqueue.JSONText) *workqueue.Run {
	now := time.Now().UTC()
	return workqueue.NewRun(&workqueue.Item{
		QueueName: workqueue.DefaultQueue, State: workqueue.Blocked, Priority: workqueue.RequestPriority,
		IntegrationConfig: p.Name, Payload: payload, AvailableAt: now, CreatedAt: now,
	})
}

func viewDryRun(p *pipelines.Pipeline, r pipelines.DryRun) DryRun {
	v := DryRun{
		Pipeline: p.Name, File: p.File, DryRun: true, Outcome: string(r.Outcome),
		Step: r.Step, Error: r.Error, ErrorKind: string(r.Kind), Steps: []DryStep{},
	}
	if p.Trigger == nil {
		v.Resilience = &r.Resilience
	}
	for _, s := range r.Steps {
		step := DryStep{
			Name: s.Name, Path: s.Path, Kind: s.Kind(), Handler: s.Handler, Summary: s.Summary, Action: string(s.Action), Reason: s.Reason, Unless: s.Unless,
			If: s.If, Gives: s.Condition, Timeout: durationText(s.Timeout), OnError: string(s.OnError),
			With: s.Parameters, Unknown: s.Unknown,
		}
		if s.Attempts > 1 {
			step.Retry = &DryRetry{
				Attempts: s.Attempts, Delay: s.Backoff.Delay.String(), Factor: s.Backoff.Factor,
				MaxDelay: s.Backoff.MaxDelay.String(),
			}
			if s.Backoff.Jitter != nil {
				step.Retry.Jitter = *s.Backoff.Jitter
			}
		}
		v.Steps = append(v.Steps, step)
	}
	return v
}
