package pipelines

import (
	"fmt"
	"strings"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/workqueue"
)

// dryView is what `pipelines run --dry-run --output json` prints.
type dryView struct {
	Pipeline  string `json:"pipeline"`
	File      string `json:"file"`
	DryRun    bool   `json:"dryRun"`  // always true
	Outcome   string `json:"outcome"` // would succeed, may fail, would fail, would snooze, would drop its item
	Step      string `json:"step,omitempty"`
	Error     string `json:"error,omitempty"`
	ErrorKind string `json:"errorKind,omitempty"`

	// Resilience is missing for a pipeline that no item runs.
	Resilience *workqueue.Resilience `json:"resilience,omitempty"`

	Steps []dryStepView `json:"steps"`
}

type dryStepView struct {
	Name    string `json:"name"`
	Handler string `json:"handler"`
	Summary string `json:"summary"`
	Action  string `json:"action"` // call, skip, fail, given, not reached
	Reason  string `json:"reason,omitempty"`

	// Unless are earlier steps that may end the run.
	Unless []string `json:"unless,omitempty"`

	If      string         `json:"if,omitempty"`
	Gives   string         `json:"gives,omitempty"` // true, false, unknown
	Timeout string         `json:"timeout,omitempty"`
	Retry   *dryRetryView  `json:"retry,omitempty"`
	OnError string         `json:"onError"`
	With    map[string]any `json:"with,omitempty"`

	Unknown []pipelines.DryUnknown `json:"unknown,omitempty"`
}

type dryRetryView struct {
	Attempts int     `json:"attempts"`
	Delay    string  `json:"delay"`
	Factor   float64 `json:"factor"`
	MaxDelay string  `json:"maxDelay"`
	Jitter   float64 `json:"jitter"`
}

// dryRun prints what a run would do. It opens no file or connection.
func (a *command) dryRun(p *pipelines.Pipeline, payload workqueue.JSONText, part *pipelines.Part) dryView {
	secrets := a.Secrets()
	for name, value := range secrets {
		if value == "" { // there is no payload here, which is not an error of the pipeline
			secrets[name] = "<secret>"
		}
	}
	engine := pipelines.NewEngine(pipelines.EngineOptions{
		Env: pipelines.Environ(), SecretEnv: a.Config.SecretVariables(), Secrets: secrets, WorkerName: a.Config.Worker.Name, Redactor: a.Redactor(),
	})
	in := pipelines.RunInput{Payload: payload, Part: part}
	if p.Trigger == nil {
		in.Run = standInItem(p, payload)
	}
	return viewDryRun(p, engine.DryRun(p, in))
}

// standInItem is the item of a run without one.
func standInItem(p *pipelines.Pipeline, payload workqueue.JSONText) *workqueue.Run {
	now := time.Now().UTC()
	return workqueue.NewRun(&workqueue.Item{
		QueueName: workqueue.DefaultQueue, State: workqueue.Blocked, Priority: workqueue.RequestPriority,
		IntegrationConfig: p.Name, Payload: payload, AvailableAt: now, CreatedAt: now,
	})
}

func viewDryRun(p *pipelines.Pipeline, r pipelines.DryRun) dryView {
	v := dryView{
		Pipeline: p.Name, File: p.File, DryRun: true, Outcome: string(r.Outcome),
		Step: r.Step, Error: r.Error, ErrorKind: string(r.Kind), Steps: []dryStepView{},
	}
	if p.Trigger == nil {
		v.Resilience = &r.Resilience
	}
	for _, s := range r.Steps {
		step := dryStepView{
			Name: s.Name, Handler: s.Handler, Summary: s.Summary, Action: string(s.Action), Reason: s.Reason, Unless: s.Unless,
			If: s.If, Gives: s.Condition, Timeout: cli.DurationText(s.Timeout), OnError: string(s.OnError),
			With: s.Parameters, Unknown: s.Unknown,
		}
		if s.Attempts > 1 {
			step.Retry = &dryRetryView{
				Attempts: s.Attempts, Delay: handlers.Duration(s.Backoff.Delay).String(), Factor: s.Backoff.Factor,
				MaxDelay: handlers.Duration(s.Backoff.MaxDelay).String(),
			}
			if s.Backoff.Jitter != nil {
				step.Retry.Jitter = *s.Backoff.Jitter
			}
		}
		v.Steps = append(v.Steps, step)
	}
	return v
}

// drySheet prints a dry run as text.
func (a *command) drySheet(v dryView) error {
	for i, s := range v.Steps {
		fmt.Fprintf(a.Stdout, "%d. %s: %s, %s\n", i+1, s.Name, s.Handler, s.Summary)
		fmt.Fprintf(a.Stdout, "   %s\n", s.does())
		if s.If != "" && s.Gives != "" {
			fmt.Fprintf(a.Stdout, "   if: %s -> %s\n", strings.Join(strings.Fields(s.If), " "), s.Gives)
		}
		if force := s.inForce(); force != "" {
			fmt.Fprintf(a.Stdout, "   %s\n", force)
		}
		if len(s.With) > 0 {
			text, err := strictyaml.Marshal(s.With)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "   with:\n     %s\n", strings.ReplaceAll(strings.TrimRight(string(text), "\n"), "\n", "\n     "))
		}
	}
	if len(v.Steps) > 0 {
		fmt.Fprintln(a.Stdout)
	}
	fmt.Fprintf(a.Stdout, "%s %s", v.Pipeline, v.Outcome)
	if v.ErrorKind != "" {
		fmt.Fprintf(a.Stdout, " (%s)", v.ErrorKind)
	}
	switch {
	case v.Error != "":
		fmt.Fprintf(a.Stdout, ": %s", v.Error)
	case v.Step != "":
		fmt.Fprintf(a.Stdout, ", in step %q", v.Step)
	default:
		fmt.Fprint(a.Stdout, ", if each handler that it calls succeeds")
	}
	fmt.Fprintln(a.Stdout)
	if r := v.Resilience; r != nil {
		fmt.Fprintf(a.Stdout, "as an item: %s in all", cli.Count(r.Limit, "attempt"))
		if r.Timeout > 0 {
			fmt.Fprintf(a.Stdout, ", %v for each", r.Timeout)
		}
		fmt.Fprintln(a.Stdout, "; its queue may override this")
	}
	return nil
}

// does returns one line that describes what would happen in the step.
func (s dryStepView) does() string {
	text := map[string]string{
		"call": "would be called", "skip": "would be skipped", "fail": "would fail", "given": "counts as done", "not reached": "would not be reached",
	}[s.Action]
	if s.Gives == "unknown" {
		text = "may" + strings.TrimPrefix(text, "would")
	}
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	if len(s.Unless) > 0 {
		text += "; unless the run has ended in " + strings.Join(s.Unless, " or ")
	}
	return text
}

// inForce describes the step's timeout, retry and onError; "" if all are the default.
func (s dryStepView) inForce() string {
	var parts []string
	if s.Timeout != "" {
		parts = append(parts, "timeout "+s.Timeout)
	}
	if r := s.Retry; r != nil {
		parts = append(parts, fmt.Sprintf("%d attempts, the second after %s, each wait %v times the previous one and at most %s, ±%v %%",
			r.Attempts, r.Delay, r.Factor, r.MaxDelay, 100*r.Jitter))
	}
	if s.OnError != string(pipelines.OnErrorFail) {
		parts = append(parts, "onError "+s.OnError)
	}
	return strings.Join(parts, "; ")
}
