package graph

import (
	"fmt"
	"strconv"
	"strings"

	"botwork/internal/spans"
	"botwork/pipelines"
	"botwork/workqueue"
)

func itoa(n int) string { return strconv.Itoa(n) }

// OfPipeline returns the chart of one pipeline: its trigger, the conditions and steps,
// the steps that end the run or enqueue items, and the ends.
func OfPipeline(p *pipelines.Pipeline) *Chart {
	c := &Chart{Title: p.Name}
	start := c.node(Start, triggers(p)...)

	// All nodes are created first, in the order of the steps, because edges refer to
	// them.
	type stepNodes struct {
		entry, step string
		ends        bool
	}
	nodes := make([]stepNodes, len(p.Steps))
	for i, s := range p.Steps {
		if s.If != "" {
			nodes[i].entry = c.node(Condition, "if", oneLine(s.If))
		}
		nodes[i].step = c.node(Step, describe(s)...)
		if nodes[i].entry == "" {
			nodes[i].entry = nodes[i].step
		}
		text, ends := endOf(s)
		if nodes[i].ends = ends; text != "" {
			c.edge(nodes[i].step, c.aside(End, text), Flow, "")
		}
		for _, name := range enqueued(s) {
			c.edge(nodes[i].step, c.aside(Pipeline, name), Enqueues, "enqueues")
		}
	}
	done := c.node(End, "succeeded")

	c.edge(start, nodes[0].entry, Flow, "")
	for i, s := range p.Steps {
		next := done
		if i+1 < len(p.Steps) {
			next = nodes[i+1].entry
		}
		if s.If != "" {
			c.edge(nodes[i].entry, nodes[i].step, Flow, "yes")
			c.edge(nodes[i].entry, next, Flow, "no")
		}
		if !nodes[i].ends {
			c.edge(nodes[i].step, next, Flow, "")
		}
		switch s.OnError {
		case pipelines.OnErrorContinue:
			c.edge(nodes[i].step, next, OnError, "on error")
		case pipelines.OnErrorBreak:
			c.edge(nodes[i].step, done, OnError, "on error")
		}
	}
	return c
}

// bare returns an expression without the braces around it.
func bare(text string) string {
	inner, isExpression := strings.CutPrefix(text, "${{")
	if inner, ends := strings.CutSuffix(inner, "}}"); isExpression && ends && !strings.Contains(inner, "${{") {
		return inner
	}
	return text
}

// triggers describes what starts a pipeline.
func triggers(p *pipelines.Pipeline) []string {
	t := p.Trigger
	if t == nil && p.Batch != nil {
		return []string{fmt.Sprintf("up to %d items", p.Batch.Max), "of one " + oneLine(bare(p.Batch.By))}
	}
	if t == nil {
		return []string{"an item"}
	}
	var list []string
	switch {
	case t.Cron != "":
		list = append(list, "cron "+t.Cron+" "+t.Location.String())
	case t.Every > 0:
		list = append(list, "every "+spans.Text(t.Every))
	}
	if t.AtStart {
		list = append(list, "at start")
	}
	if t.Wake {
		list = append(list, "wake")
	}
	return list
}

// describe returns the text of a step's box.
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
		more = append(more, "timeout "+spans.Text(s.Timeout))
	}
	if len(more) > 0 {
		lines = append(lines, strings.Join(more, ", "))
	}
	return lines
}

// endOf reports whether a step's handler always ends the run, and how. The text is empty
// for a Fail step with another onError than fail, because its end depends on onError.
func endOf(s *pipelines.Step) (how string, ends bool) {
	switch s.Handler {
	case "Break":
		return "succeeded", true
	case "Snooze":
		return "runs again later", true
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

// enqueued returns the pipelines of the items that a step enqueues.
func enqueued(s *pipelines.Step) []string {
	if s.Handler != "Enqueue" {
		return nil
	}
	return []string{pipelineName(s.With["pipeline"])}
}

// pipelineName returns the name of the pipeline of new items. An expression is shown
// unchanged.
func pipelineName(v any) string {
	text, _ := v.(string)
	switch text = strings.TrimSpace(text); {
	case text == "":
		return "robots"
	case strings.Contains(text, "${{"):
		return oneLine(text)
	case workqueue.InlinePipeline(text):
		return "inline pipeline"
	}
	return text
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
