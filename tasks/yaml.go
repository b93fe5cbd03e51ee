package tasks

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// rawTask lists the keys of a task in a settings file.
type rawTask struct {
	Topic             string           `yaml:"topic"`
	Description       string           `yaml:"description"`
	Active            *bool            `yaml:"active"`
	Queue             string           `yaml:"queue"`
	Pipeline          *strictyaml.Node `yaml:"pipeline,required"`
	Importance        *strictyaml.Node `yaml:"importance"`
	Schedule          *strictyaml.Node `yaml:"schedule"`
	Scope             *strictyaml.Node `yaml:"scope"`
	Payload           *strictyaml.Node `yaml:"payload"`
	Resilience        *strictyaml.Node `yaml:"resilience"`
	EstimatedDuration *strictyaml.Node `yaml:"estimatedDuration"`
	Notify            *strictyaml.Node `yaml:"notify"`
}

type rawSchedule struct {
	Cron           string           `yaml:"cron"`
	Execute        string           `yaml:"execute"`
	StartAt        *strictyaml.Node `yaml:"startAt"`
	StartTolerance *strictyaml.Node `yaml:"startTolerance"`
	Timezone       string           `yaml:"timezone"`
	Active         *bool            `yaml:"active"`
}

type rawNotify struct {
	Pipeline *strictyaml.Node `yaml:"pipeline,required"`
	Payload  *strictyaml.Node `yaml:"payload"`
}

type rawResilience struct {
	Limit    *strictyaml.Node `yaml:"limit"`
	Delay    *strictyaml.Node `yaml:"delay"`
	Factor   *strictyaml.Node `yaml:"factor"`
	MaxDelay *strictyaml.Node `yaml:"maxDelay"`
	Jitter   *strictyaml.Node `yaml:"jitter"`
	RetryOn  *strictyaml.Node `yaml:"retryOn"`
	Timeout  *strictyaml.Node `yaml:"timeout"`
	Within   *strictyaml.Node `yaml:"within"`

	MaxRetryAfter *strictyaml.Node `yaml:"maxRetryAfter"`
}

// Decode parses the mapping `tasks:` of a settings file. zone is the default time zone of
// schedules. It returns all errors with their positions, and the tasks by name; tasks with
// errors must not be used.
func Decode(n *strictyaml.Node, zone string) ([]Task, strictyaml.Findings) {
	if n == nil || n.Kind == strictyaml.Null {
		return nil, nil
	}
	if n.Kind != strictyaml.Mapping {
		return nil, strictyaml.Findings{n.Finding("wrong-type", fmt.Sprintf("%s: got %s, want a mapping of tasks by name", n.Path, n.Kind), "")}
	}
	d := decoder{zone: zone}
	list := make([]Task, 0, len(n.Entries))
	named := map[string]string{}
	for _, e := range n.Entries {
		if other, taken := named[strings.ToLower(e.Key)]; taken {
			d.add(e.Value, "invalid-name", fmt.Sprintf("there is a task %q already; upper and lower case count as the same", other), "")
		}
		named[strings.ToLower(e.Key)] = e.Key
		list = append(list, d.task(e))
	}
	d.findings.Sort()
	return list, d.findings
}

type decoder struct {
	zone     string
	findings strictyaml.Findings
}

func (d *decoder) add(n *strictyaml.Node, code, message, hint string) {
	d.findings = append(d.findings, n.Finding(code, n.Path+": "+message, hint))
}

func (d *decoder) decode(n *strictyaml.Node, into any) {
	d.findings = append(d.findings, n.Decode(into)...)
}

func (d *decoder) task(e strictyaml.Entry) Task {
	t := Task{Name: e.Key, Active: true, Queue: workqueue.DefaultQueue, Importance: Normal}
	raw := rawTask{Queue: t.Queue}
	before := len(d.findings)
	if e.Value.Kind == strictyaml.Null {
		d.add(e.Value, "missing-key", `key "pipeline" is missing`, "")
		return t
	}
	d.decode(e.Value, &raw)
	if e.Value.Kind != strictyaml.Mapping {
		return t
	}
	t.Topic, t.Description, t.Queue = raw.Topic, raw.Description, raw.Queue
	t.EstimatedDuration = d.estimate(raw.EstimatedDuration)
	if raw.Active != nil {
		t.Active = *raw.Active
	}
	t.Pipeline = d.pipeline(raw.Pipeline)
	if raw.Importance.HasValue() {
		importance, err := ParseImportance(raw.Importance.Text)
		if err != nil {
			d.add(raw.Importance, "invalid-value", err.Error(), strictyaml.Suggest(raw.Importance.Text, importanceNames[:]))
		}
		t.Importance = importance
	}
	t.Schedule = d.schedule(raw.Schedule)
	t.Scope = d.scope(raw.Scope)
	t.Payload = d.json(raw.Payload)
	if raw.Resilience.HasValue() {
		d.decode(raw.Resilience, &rawResilience{})
		t.Resilience = d.json(raw.Resilience)
	}
	t.Notify = d.notify(raw.Notify)
	d.validate(e, &t, before)
	return t
}

// estimate parses the estimated duration; 0 means unknown. check reports negative values.
func (d *decoder) estimate(n *strictyaml.Node) workqueue.Duration {
	if !n.HasValue() {
		return 0
	}
	var estimate time.Duration
	before := len(d.findings)
	d.decode(n, &estimate)
	if estimate == 0 && len(d.findings) == before {
		d.add(n, "invalid-value", wrongEstimate(0), leaveEstimateOut)
	}
	return workqueue.Duration(estimate)
}

// pipeline accepts a name or an inline pipeline.
func (d *decoder) pipeline(n *strictyaml.Node) string {
	if !n.HasValue() {
		return ""
	}
	if n.Kind == strictyaml.Mapping {
		return string(d.json(n))
	}
	var text string
	d.decode(n, &text)
	return text
}

func (d *decoder) schedule(n *strictyaml.Node) *Schedule {
	if !n.HasValue() {
		return nil
	}
	raw := rawSchedule{Timezone: d.zone}
	d.decode(n, &raw)
	return &Schedule{
		Cron: raw.Cron, Execute: Execute(raw.Execute), StartAt: d.text(raw.StartAt), StartTolerance: d.text(raw.StartTolerance),
		Timezone: raw.Timezone, Active: raw.Active,
	}
}

// text accepts a number or a string as it is written.
func (d *decoder) text(n *strictyaml.Node) Text {
	if !n.HasValue() {
		return ""
	}
	if n.Kind != strictyaml.Scalar {
		d.add(n, "wrong-type", fmt.Sprintf("got %s, want a number or text", n.Kind), "")
		return ""
	}
	return Text(n.Text)
}

// scope accepts strings and numbers.
func (d *decoder) scope(n *strictyaml.Node) []string {
	if !n.HasValue() {
		return nil
	}
	if n.Kind != strictyaml.Sequence {
		d.add(n, "wrong-type", fmt.Sprintf("got %s, want a list of values", n.Kind), "")
		return nil
	}
	var values []string
	for _, item := range n.Items {
		values = append(values, string(d.text(item)))
	}
	return values
}

func (d *decoder) notify(n *strictyaml.Node) *Notify {
	if !n.HasValue() {
		return nil
	}
	var raw rawNotify
	d.decode(n, &raw)
	return &Notify{Pipeline: d.pipeline(raw.Pipeline), Payload: d.json(raw.Payload)}
}

// json writes any value as JSON.
func (d *decoder) json(n *strictyaml.Node) workqueue.JSONText {
	if !n.HasValue() {
		return ""
	}
	text, err := json.Marshal(n.Any())
	if err != nil {
		d.add(n, "invalid-value", "it cannot be written as JSON: "+err.Error(), "")
	}
	return workqueue.JSONText(text)
}
