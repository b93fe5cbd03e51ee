package pipelines

import (
	"fmt"
	"slices"
	"strings"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
)

// Part selects consecutive steps of a pipeline to run. The steps before them count as done.
type Part struct {
	// From and Until name the first and the last step to run; "" means the first and the
	// last step of the pipeline.
	From, Until string

	// Outputs are outputs of steps before From, by name. The output of the step right
	// before From is its input.
	Outputs map[string]any
}

// SetOutput sets the output of a step from its JSON.
func (p *Part) SetOutput(step string, text []byte) error {
	value, err := handlers.DecodeJSON(text)
	if err != nil {
		return err
	}
	if p.Outputs == nil {
		p.Outputs = map[string]any{}
	}
	p.Outputs[step] = value
	return nil
}

// PartError is the reason why a part of a pipeline cannot be run.
type PartError struct {
	Message string
	Hint    string // "" if none

	// MissingOutput reports that an output which the part needs is not in Part.Outputs.
	MissingOutput bool
}

func (e *PartError) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// CheckPart checks a part: unknown steps, outputs of steps that run anyway, and missing
// outputs that the steps of the part read. A dry run does not need those, so complete is
// false for it. The error is a *PartError. A nil part is the whole pipeline.
func (p *Pipeline) CheckPart(part *Part, complete bool) error {
	if part == nil {
		return nil
	}
	for _, name := range []string{part.From, part.Until} {
		if name != "" && p.stepIndex(name) < 0 {
			return p.noStep(name)
		}
	}
	from, until := p.bounds(part)
	if until < from {
		return &PartError{Message: fmt.Sprintf("step %q is before step %q, the first step of the run", part.Until, part.From)}
	}
	for _, name := range sortedKeys(part.Outputs) {
		switch at := p.stepIndex(name); {
		case at < 0:
			return p.noStep(name)
		case part.From == "":
			return &PartError{Message: fmt.Sprintf("got an output of step %q, but the run begins before that step", name),
				Hint: "specify the first step of the run"}
		case at >= from:
			return &PartError{Message: fmt.Sprintf("got an output of step %q, but the step runs: the run begins at %q", name, part.From)}
		}
	}
	if !complete {
		return nil
	}
	return p.checkOutputs(part, from, until)
}

func (p *Pipeline) noStep(name string) error {
	names := make([]string, len(p.Steps))
	for i, s := range p.Steps {
		names[i] = s.Name
	}
	hint := strictyaml.Suggest(name, names)
	if hint == "" {
		hint = "it has " + strings.Join(names, ", ")
	}
	return &PartError{Message: fmt.Sprintf("pipeline %q has no step %q", p.Name, name), Hint: hint}
}

// checkOutputs finds the first missing output that a step of the part reads.
func (p *Pipeline) checkOutputs(part *Part, from, until int) error {
	missing := func(name, reader, what string) error {
		return &PartError{
			Message: fmt.Sprintf("step %q reads %s step %q, which does not run, and its output is missing", reader, what, name),
			Hint:    "provide it, or null if there is none",

			MissingOutput: true,
		}
	}
	for _, s := range p.Steps[from : until+1] {
		read := s.reads()
		for _, before := range p.Steps[:from] {
			if _, provided := part.Outputs[before.Name]; !provided && read.reads(before.Name) {
				return missing(before.Name, s.Name, "from")
			}
		}
	}
	if source := p.messageBefore(from); source != nil {
		if _, provided := part.Outputs[source.Name]; !provided {
			return missing(source.Name, p.Steps[from].Name, "as its input the output of")
		}
	}
	return nil
}

// messageBefore returns the step whose output is the input of the step at index, nil if
// that input is the payload. A step that only ends the run has no output: if the run
// continued, the step was skipped.
func (p *Pipeline) messageBefore(index int) *Step {
	for _, s := range slices.Backward(p.Steps[:index]) {
		if ending(s.Handler) == "" {
			return s
		}
	}
	return nil
}

// ending describes how a run ends at a step whose handler only ends the run; "" for other
// handlers.
func ending(handler string) string {
	switch handler {
	case "Break":
		return "ends the run, successfully"
	case "Fail":
		return "fails"
	case "Snooze":
		return "snoozes the item"
	case "Drop":
		return "deletes the item"
	}
	return ""
}

func (p *Pipeline) stepIndex(name string) int {
	return slices.IndexFunc(p.Steps, func(s *Step) bool { return s.Name == name })
}

// bounds returns the indexes of the part's first and last step.
func (p *Pipeline) bounds(part *Part) (from, until int) {
	until = len(p.Steps) - 1
	if part == nil {
		return 0, until
	}
	if part.From != "" {
		from = p.stepIndex(part.From)
	}
	if part.Until != "" {
		until = p.stepIndex(part.Until)
	}
	return max(from, 0), until
}

// begin marks the steps before the part as done and returns the steps of the part.
func (f *frame) begin(part *Part) []*Step {
	from, until := f.p.bounds(part)
	if source := f.p.messageBefore(from); source != nil {
		f.message, f.producer = part.Outputs[source.Name], source
	}
	for _, s := range f.p.Steps[:from] {
		f.remember(s, part.Outputs[s.Name], false, nil)
	}
	return f.p.Steps[from : until+1]
}
