package graph

import (
	"fmt"
	"strconv"
	"strings"

	"botwork/handlers"
	"botwork/pipelines"
	"botwork/workqueue"
)

func itoa(n int) string { return strconv.Itoa(n) }

// OfPipeline charts the steps of one pipeline: what starts it, each condition
// and step, where a step ends the run or makes items, and the ends.
func OfPipeline(p *pipelines.Pipeline) *Chart {
	c := &Chart{Title: p.Name}
	start := c.node(Start, starts(p)...)

	// Nodes come first, in the order of the steps, so that edges can name them.
	type place struct {
		entry, step string
		ends        bool
	}
	places := make([]place, len(p.Steps))
	for i, s := range p.Steps {
		if s.If != "" {
			places[i].entry = c.node(Condition, "if", oneLine(s.If))
		}
		places[i].step = c.node(Step, describe(s)...)
		if places[i].entry == "" {
			places[i].entry = places[i].step
		}
		text, ends := endOf(s)
		if places[i].ends = ends; text != "" {
			c.edge(places[i].step, c.aside(End, text), Flow, "")
		}
		for _, name := range made(s) {
			c.edge(places[i].step, c.aside(Pipeline, name), Makes, "enqueues")
		}
	}
	done := c.node(End, "succeeded")

	c.edge(start, places[0].entry, Flow, "")
	for i, s := range p.Steps {
		next := done
		if i+1 < len(p.Steps) {
			next = places[i+1].entry
		}
		if s.If != "" {
			c.edge(places[i].entry, places[i].step, Flow, "yes")
			c.edge(places[i].entry, next, Flow, "no")
		}
		if !places[i].ends {
			c.edge(places[i].step, next, Flow, "")
		}
		switch s.OnError {
		case pipelines.OnErrorContinue:
			c.edge(places[i].step, next, OnError, "on error")
		case pipelines.OnErrorBreak:
			c.edge(places[i].step, done, OnError, "on error")
		}
	}
	return c
}

// starts says what starts a pipeline.
func starts(p *pipelines.Pipeline) []string {
	t := p.Trigger
	if t == nil {
		return []string{"an item"}
	}
	var ways []string
	switch {
	case t.Cron != "":
		ways = append(ways, "cron "+t.Cron+" "+t.Location.String())
	case t.Every > 0:
		ways = append(ways, "every "+handlers.Duration(t.Every).String())
	}
	if t.AtStart {
		ways = append(ways, "at start")
	}
	if t.Wake {
		ways = append(ways, "wake")
	}
	return ways
}

// describe is the text of a step's box.
func describe(s *pipelines.Step) []string {
	lines := []string{s.Name}
	if s.Name != s.Handler {
		lines = append(lines, s.Handler)
	}
	var more []string
	if s.Attempts > 1 {
		more = append(more, fmt.Sprintf("%d attempts", s.Attempts))
	}
	if s.Timeout > 0 {
		more = append(more, "timeout "+handlers.Duration(s.Timeout).String())
	}
	if len(more) > 0 {
		lines = append(lines, strings.Join(more, ", "))
	}
	return lines
}

// endOf tells whether a step's handler never lets the run go on to the next step,
// and how it ends it; a Fail step with an onError ends nothing by itself.
func endOf(s *pipelines.Step) (how string, ends bool) {
	switch s.Handler {
	case "Break":
		return "ends, succeeded", true
	case "Snooze":
		return "again later", true
	case "Drop":
		return "item deleted", true
	case "Fail":
		if s.OnError == pipelines.OnErrorFail {
			return "failed", true
		}
		return "", true
	}
	return "", false
}

// made are the pipelines whose items a step makes.
func made(s *pipelines.Step) []string {
	if s.Handler != "Enqueue" {
		return nil
	}
	return []string{pipelineName(s.With["pipeline"])}
}

// pipelineName names the pipeline of new items as it stands in a file: an
// expression as it is, a whole pipeline in words.
func pipelineName(v any) string {
	text, _ := v.(string)
	switch text = strings.TrimSpace(text); {
	case text == "":
		return "robots"
	case strings.Contains(text, "${{"):
		return oneLine(text)
	case workqueue.InlinePipeline(text):
		return "a pipeline of its own"
	}
	return text
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
