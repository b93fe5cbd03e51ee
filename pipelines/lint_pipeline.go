package pipelines

import (
	"errors"
	"fmt"
	"time"

	"botwork/internal/author/strictyaml"
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
	Channel           *strictyaml.Node   `yaml:"channel"`
	LearnBy           *strictyaml.Node   `yaml:"learnBy"`
	Finish            *strictyaml.Node   `yaml:"finish"`
	Steps             []*strictyaml.Node `yaml:"steps,required"`
}

func (c *compilation) pipeline(p *Pipeline, top *strictyaml.Node) {
	var raw rawPipeline
	c.findings = append(c.findings, top.Decode(&raw)...)
	if top.Kind != strictyaml.Mapping {
		return
	}
	if name := value[string](c, raw.Name, nil); name != "" {
		p.Name = name
	}
	if !isPipelineName(p.Name) {
		at := top
		if given(raw.Name) {
			at = raw.Name
		}
		c.report(at, CodeInvalidName, fmt.Sprintf("got the pipeline name %q, %s", p.Name, nameRule), "")
	}
	p.Description = value[string](c, raw.Description, nil)
	p.EstimatedDuration = time.Duration(value(c, raw.EstimatedDuration, positive))
	p.Channel = value(c, raw.Channel, channelName)
	p.KeySeparator = c.learnBy(raw.LearnBy)
	p.Finish = choice(c, raw.Finish, finishes...)
	p.Trigger = c.trigger(raw.Trigger)
	p.Resilience = c.resilience(raw.Resilience)
	c.input(p, raw.Input)
	c.matching(p, &raw)

	if steps := top.Get("steps"); steps != nil && steps.Kind == strictyaml.Sequence && len(steps.Items) == 0 {
		c.report(steps, CodeNoSteps, "got an empty list, want one step or more", "")
	}
	c.steps(p, raw.Steps)
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
	if !given(n) {
		return
	}
	if _, isBool := n.Value.(bool); n.Kind != strictyaml.Mapping && !isBool {
		c.report(n, CodeInvalidSchema, fmt.Sprintf("got %s, want a JSON Schema, which is a mapping", n.Kind), "")
		return
	}
	doc := n.Any()
	compiled, err := jsonschemas.Compile(doc)
	if err == nil {
		p.Input, p.input = doc, compiled
		return
	}
	wrong, ok := errors.AsType[jsonschemas.Problems](err)
	if !ok {
		c.report(n, CodeInvalidSchema, err.Error(), "")
		return
	}
	for _, one := range wrong {
		c.report(n.Descend(one.Path), CodeInvalidSchema, one.Text, "")
	}
}
