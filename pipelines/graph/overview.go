package graph

import (
	"slices"

	"botwork/pipelines"
)

// Task is a scheduled task, as far as a chart shows it.
type Task struct {
	Name, Pipeline string

	// Notify is the pipeline that is told of failures, "" if none.
	Notify string
}

// OfProject charts which pipelines there are, what starts them and which of them
// makes items of which. Names that lead to no pipeline of the project stand there
// as well.
func OfProject(all []*pipelines.Pipeline, tasks []Task) *Chart {
	c := &Chart{Title: "pipelines", layered: true}
	ids := map[string]string{}
	for _, p := range all {
		lines := []string{p.Name}
		if p.Trigger != nil {
			lines = append(lines, starts(p)...)
		}
		ids[p.Name] = c.node(Pipeline, lines...)
	}
	named := func(name string) string {
		if ids[name] == "" {
			ids[name] = c.node(Pipeline, name)
		}
		return ids[name]
	}
	var manager string // what makes the items of tasks
	for _, p := range all {
		if slices.ContainsFunc(p.Steps, func(s *pipelines.Step) bool { return s.Handler == "ManageWorkQueue" }) {
			manager = ids[p.Name]
		}
	}
	for _, t := range tasks {
		id := c.node(Start, t.Name, "task")
		if manager != "" {
			c.edge(manager, id, Flow, "")
		}
		c.edge(id, named(pipelineName(t.Pipeline)), Makes, "")
		if t.Notify != "" {
			c.edge(id, named(pipelineName(t.Notify)), OnError, "failed")
		}
	}
	for _, p := range all {
		var known []string
		for _, s := range p.Steps {
			for _, name := range made(s) {
				if !slices.Contains(known, name) { // two steps may make items of one pipeline
					known = append(known, name)
					c.edge(ids[p.Name], named(name), Makes, "")
				}
			}
		}
	}
	return c
}
