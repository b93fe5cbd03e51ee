package graph

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"botwork/internal/spans"
	"botwork/pipelines"
	"botwork/workqueue"
)

func itoa(n int) string { return strconv.Itoa(n) }

// OfPipeline returns the chart of one pipeline: its trigger, the conditions and steps,
// the steps that end the run, enqueue items or call pipelines, and the ends. The steps of a
// block are in its frame, and those of a called pipeline in the frame of the step that calls it.
func OfPipeline(p *pipelines.Pipeline) *Chart {
	c := &Chart{Title: p.Name}
	start := c.node("", Start, triggers(p)...)
	frames := map[string]string{}   // by the path of their step
	latest := map[string]*chained{} // the latest step in each frame; that of "" is outside of frames
	var breaks []string             // the steps that end the run if they fail
	ended, failed := "", ""         // the ends of the steps, with which those of other lists begin
	end := func() {
		ended = c.node("", End, "succeeded")
		c.connect(latest[""], ended)
		for _, step := range breaks {
			c.edge(step, ended, OnError, "on error")
		}
	}
	drawn, framed := drawnSteps(p)
	for path, s := range drawn {
		call := strings.TrimSuffix(path, s.Path)
		list := s.List()
		switch {
		case list == "steps" || frames[call+list] != "":
		case call != "": // a list of a called pipeline follows its steps
			in := frames[workqueue.PathAround(call+list)]
			frames[call+list] = c.node(in, Frame, list)
			c.connect(latest[in], frames[call+list])
			latest[in] = &chained{Step: &pipelines.Step{}, entry: frames[call+list], step: frames[call+list]}
		default:
			if ended == "" {
				end()
			}
			if failed == "" && list != "onSuccess" {
				failed = c.node("", End, "failed")
			}
			frames[list] = c.node("", Frame, list)
			if list != "onFailure" {
				c.edge(ended, frames[list], Flow, "")
			}
			if list != "onSuccess" {
				c.edge(failed, frames[list], Flow, "")
			}
		}
		in := frames[workqueue.PathAround(path)]
		one := c.step(s, path, in, framed[path])
		if framed[path] {
			frames[path] = one.step
		}
		switch before := latest[in]; {
		case before != nil:
			c.connect(before, one.entry)
		case in == "":
			c.edge(start, one.entry, Flow, "")
		}
		latest[in] = one
		if s.OnError == pipelines.OnErrorBreak && in == "" {
			breaks = append(breaks, one.step)
		}
	}
	if ended == "" {
		end()
	}
	order := map[string]int{}
	for i, n := range c.Nodes {
		order[n.ID] = i
	}
	slices.SortStableFunc(c.Edges, func(a, b Edge) int { return order[a.From] - order[b.From] })
	return c
}

// mostCalled is how many steps a chart may have and still show those of called pipelines.
const mostCalled = 500

// drawnSteps returns the steps that a chart shows, by path, and the paths of those with steps in them.
func drawnSteps(p *pipelines.Pipeline) (drawn iter.Seq2[string, *pipelines.Step], framed map[string]bool) {
	drawn, framed = p.Walk(), map[string]bool{}
	n := 0
	for path := range drawn {
		framed[workqueue.PathAround(path)] = true
		n++
	}
	if n <= mostCalled {
		return drawn, framed
	}
	clear(framed)
	for s := range p.Each() {
		framed[workqueue.PathAround(s.Path)] = true
	}
	return func(yield func(string, *pipelines.Step) bool) {
		for s := range p.Each() {
			if !yield(s.Path, s) {
				return
			}
		}
	}, framed
}

// chained is a step in a chain.
type chained struct {
	*pipelines.Step
	entry, step string // its nodes; entry is its condition, if it has one
	ends, apart bool   // it ends the run; the step after it runs beside it
}

// step adds the nodes of a step. framed is true if there are steps in it.
func (c *Chart) step(s *pipelines.Step, path, in string, framed bool) *chained {
	one := &chained{Step: s}
	for i := range c.Nodes {
		one.apart = one.apart || c.Nodes[i].ID == in && c.Nodes[i].Beside
	}
	if s.If != "" {
		one.entry = c.node(in, Condition, "if", oneLine(s.If))
	}
	shape := Step
	if framed {
		shape = Frame
	}
	one.step = c.node(in, shape, describe(s)...)
	c.Nodes[len(c.Nodes)-1].Path, c.Nodes[len(c.Nodes)-1].Beside = path, s.Block != nil && s.Block.Parallel
	if one.entry == "" {
		one.entry = one.step
	} else {
		c.edge(one.entry, one.step, Flow, "yes")
	}
	text, ends := endOf(s)
	succeeded := "succeeded"
	if path != s.Path {
		succeeded = "the call ends"
	}
	if text == "succeeded" {
		text = succeeded
	}
	if one.ends = ends; text != "" {
		c.edge(one.step, c.aside(in, End, text), Flow, "")
	}
	for _, name := range enqueued(s) {
		c.edge(one.step, c.aside(in, Pipeline, name), Enqueues, "enqueues")
	}
	if s.Uses != "" && !framed {
		c.edge(one.step, c.aside(in, Pipeline, s.Uses), Calls, "calls")
	}
	if s.OnError == pipelines.OnErrorBreak && in != "" {
		c.edge(one.step, c.aside(in, End, succeeded), OnError, "on error")
	}
	return one
}

// connect adds the lines from a step to the node after it in its chain.
func (c *Chart) connect(s *chained, next string) {
	if s.apart {
		return
	}
	if s.If != "" {
		c.edge(s.entry, next, Flow, "no")
	}
	if !s.ends {
		c.edge(s.step, next, Flow, "")
	}
	if s.OnError == pipelines.OnErrorContinue {
		c.edge(s.step, next, OnError, "on error")
	}
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

// describe returns the text of a step's box or frame.
func describe(s *pipelines.Step) []string {
	lines := []string{s.Name}
	switch {
	case s.Block != nil && s.Block.Parallel:
		lines = append(lines, "side by side")
	case s.Block == nil && s.Name != s.Handler:
		lines = append(lines, s.Kind())
	}
	if l := s.Foreach; l != nil {
		text := "for each " + cmp.Or(l.As, "element")
		if l.List != "" { // otherwise the list is in the file
			text += " of " + oneLine(bare(l.List))
		}
		if l.Parallel > 1 {
			text += fmt.Sprintf(", %d at once", l.Parallel)
		}
		lines = append(lines, text)
	}
	var more []string
	if s.Attempts > 1 {
		more = append(more, fmt.Sprintf("%d attempts", s.Attempts))
	}
	if s.Timeout > 0 {
		more = append(more, "timeout "+spans.Text(s.Timeout))
	}
	if s.OnError == pipelines.OnErrorContinue && (s.Foreach != nil || workqueue.PathAround(s.Path) != "") {
		more = append(more, "onError continue")
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

// called returns the name of the pipeline that a step calls; "" if it calls none. An unknown
// pipeline has the name in the file.
func called(p *pipelines.Pipeline, s *pipelines.Step) string {
	if callee := p.Callee(s); callee != nil {
		return callee.Name
	}
	return s.Uses
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
