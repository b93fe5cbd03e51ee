package pipelines

import (
	"fmt"
	"slices"
	"strings"

	"botwork/internal/author/strictyaml"
)

// Part says that a run takes only some of a pipeline's steps, one after the
// other. The steps before them count as done.
type Part struct {
	// From and Until name the first and the last step that run; "" is the
	// first and the last of the pipeline.
	From, Until string

	// Outputs are what steps before From have put out, by their names. The
	// message that From gets is what the step right before it put out.
	Outputs map[string]any
}

// PartError says why a part of a pipeline cannot be run.
type PartError struct {
	Message string
	Hint    string // "" if none
}

func (e *PartError) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// CheckPart says what is wrong with a part: steps that are not there, outputs of
// steps that run anyway, and outputs that the steps of the part read and that
// are not given. A dry run does without those, so complete is false for one. Its
// error is a *PartError. nil is the whole pipeline.
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
		return &PartError{Message: fmt.Sprintf("step %q stands before step %q, with which the run begins", part.Until, part.From)}
	}
	for _, name := range sortedKeys(part.Outputs) {
		switch at := p.stepIndex(name); {
		case at < 0:
			return p.noStep(name)
		case part.From == "":
			return &PartError{Message: fmt.Sprintf("an output of step %q is given, and the run begins before it", name),
				Hint: "say with which step it begins"}
		case at >= from:
			return &PartError{Message: fmt.Sprintf("an output of step %q is given, and the step runs: the run begins at %q", name, part.From)}
		}
	}
	if !complete {
		return nil
	}
	return p.checkGiven(part, from, until)
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
	return &PartError{fmt.Sprintf("pipeline %q has no step %q", p.Name, name), hint}
}

// checkGiven finds the first output that a step of the part needs and that is
// not given.
func (p *Pipeline) checkGiven(part *Part, from, until int) error {
	missing := func(name, reader, what string) error {
		return &PartError{
			Message: fmt.Sprintf("step %q reads %s step %q, which does not run, and its output is not given", reader, what, name),
			Hint:    "give it, null if there is none",
		}
	}
	for _, s := range p.Steps[from : until+1] {
		read := s.reads()
		for _, before := range p.Steps[:from] {
			if _, given := part.Outputs[before.Name]; !given && read.reads(before.Name) {
				return missing(before.Name, s.Name, "from")
			}
		}
	}
	if source := p.messageBefore(from); source != nil {
		if _, given := part.Outputs[source.Name]; !given {
			return missing(source.Name, p.Steps[from].Name, "as its input the output of")
		}
	}
	return nil
}

// messageBefore is the step whose output the step at the index gets as its
// input, nil when that is the payload. A step that only ever ends the run puts
// nothing out: where the run has gone on, it was skipped.
func (p *Pipeline) messageBefore(index int) *Step {
	for _, s := range slices.Backward(p.Steps[:index]) {
		if ending(s.Handler) == "" {
			return s
		}
	}
	return nil
}

// ending is what comes of a run whose step has a handler that does nothing but
// end it; "" for all others.
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

// bounds are the indexes of the part's first and last step.
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

// begin takes the steps before the part as done and returns those of the part.
func (r *run) begin(part *Part) []*Step {
	from, until := r.p.bounds(part)
	if source := r.p.messageBefore(from); source != nil {
		r.message, r.producer = part.Outputs[source.Name], source
	}
	for _, s := range r.p.Steps[:from] {
		r.remember(s, part.Outputs[s.Name], false, nil)
	}
	return r.p.Steps[from : until+1]
}
