package pipelines

import (
	"errors"
	"fmt"
	"time"

	"botwork/internal/author/policykeys"
	"botwork/internal/author/strictyaml"
	"botwork/internal/filenames"
	"botwork/internal/jsonschemas"
	"botwork/workqueue"
)

// rawPipeline lists the keys of a pipeline. The values stay nodes, so that every finding
// can be reported at its position.
type rawPipeline struct {
	Name              *strictyaml.Node   `yaml:"name"`
	Description       *strictyaml.Node   `yaml:"description"`
	Trigger           *strictyaml.Node   `yaml:"trigger"`
	Input             *strictyaml.Node   `yaml:"input"`
	Resilience        *strictyaml.Node   `yaml:"resilience"`
	EstimatedDuration *strictyaml.Node   `yaml:"estimatedDuration"`
	Labels            *strictyaml.Node   `yaml:"labels"`
	Selectors         *strictyaml.Node   `yaml:"selectors"`
	SelectorsReplace  *strictyaml.Node   `yaml:"selectorsReplace"`
	Distribution      *strictyaml.Node   `yaml:"distribution"`
	Escalation        *strictyaml.Node   `yaml:"escalation"`
	Channel           *strictyaml.Node   `yaml:"channel"`
	LearnBy           *strictyaml.Node   `yaml:"learnBy"`
	Finish            *strictyaml.Node   `yaml:"finish"`
	Batch             *strictyaml.Node   `yaml:"batch"`
	Resume            *strictyaml.Node   `yaml:"resume"`
	Vars              *strictyaml.Node   `yaml:"vars"`
	Steps             []*strictyaml.Node `yaml:"steps,required"`
	OnSuccess         []*strictyaml.Node `yaml:"onSuccess"`
	OnFailure         []*strictyaml.Node `yaml:"onFailure"`
	Finally           []*strictyaml.Node `yaml:"finally"`
	CleanupTimeout    *strictyaml.Node   `yaml:"cleanupTimeout"`
}

func (c *compilation) pipeline(p *Pipeline, top *strictyaml.Node) {
	var raw rawPipeline
	c.decodeWithHabits(top, &raw, pipelineHabits)
	if top.Kind != strictyaml.Mapping {
		return
	}
	if name := strictyaml.Value[string](&c.Reader, raw.Name, nil); name != "" {
		p.Name = name
	}
	at := top
	if raw.Name.HasValue() {
		at = raw.Name
	}
	if !isPipelineName(p.Name) {
		c.Report(at, CodeInvalidName, fmt.Sprintf("got the pipeline name %q, %s", p.Name, nameRule), "")
	} else if err := filenames.Check(p.Name); err != nil { // it becomes the name of a file
		c.Report(at, CodeInvalidName, "pipeline: "+err.Error(), "")
	}
	c.cutTexts(top)
	p.Description = strictyaml.Value[string](&c.Reader, raw.Description, nil)
	p.EstimatedDuration = time.Duration(policykeys.Span(&c.Reader, raw.EstimatedDuration, policykeys.Positive))
	p.Channel = strictyaml.Value(&c.Reader, raw.Channel, channelName)
	p.KeySeparator = c.learnBy(raw.LearnBy)
	p.Finish = strictyaml.Choice(&c.Reader, raw.Finish, finishes...)
	p.Trigger = c.trigger(raw.Trigger)
	p.Resilience = c.resilience(raw.Resilience)
	c.input(p, raw.Input)
	c.matching(p, &raw)
	p.Escalation = c.escalation(raw.Escalation)

	if steps := top.Get("steps"); steps != nil && steps.Kind == strictyaml.Sequence && len(steps.Items) == 0 {
		c.Report(steps, CodeNoSteps, "got an empty list, want one step or more", "")
	}
	c.cleanup(p, top, &raw)
	c.steps(p, &raw)
	c.batch(p, raw.Batch)
	c.resume(p, raw.Resume)
}

// resume reads whether attempts go on where the one before has ended.
func (c *compilation) resume(p *Pipeline, n *strictyaml.Node) {
	if !n.HasValue() {
		return
	}
	p.Resume = strictyaml.Value[bool](&c.Reader, n, nil)
	switch {
	case !p.Resume:
	case p.Trigger != nil:
		c.Report(n, CodeNoEffect, "it applies to items only, and this pipeline is started by its trigger", "")
	case p.Batch != nil:
		c.Report(n, CodeInvalidValue, "got resume and batch, want one of them: the items of a batch may meet in other batches at their next attempt", "")
	}
}

// channelName checks the name of a channel: the same rules as for a queue.
func channelName(name string) string {
	if err := workqueue.CheckName(name); err != nil {
		return err.Error()
	}
	return ""
}

// input compiles the payload's schema.
func (c *compilation) input(p *Pipeline, n *strictyaml.Node) {
	if !n.HasValue() {
		return
	}
	if _, isBool := n.Value.(bool); n.Kind != strictyaml.Mapping && !isBool {
		c.Report(n, CodeInvalidSchema, fmt.Sprintf("got %s, want a JSON Schema, which is a mapping", n.Kind), "")
		return
	}
	doc := n.Any()
	compiled, err := jsonschemas.Compile(doc)
	if err == nil {
		p.Input, p.input = doc, compiled
		c.warned = append(c.warned, SchemaWarnings(n)...)
		return
	}
	wrong, ok := errors.AsType[jsonschemas.Problems](err)
	if !ok {
		c.Report(n, CodeInvalidSchema, err.Error(), "")
		return
	}
	for _, one := range wrong {
		c.Report(n.Descend(one.Path), CodeInvalidSchema, one.Text, "")
	}
}
