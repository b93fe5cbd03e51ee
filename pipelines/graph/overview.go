package graph

import "botwork/pipelines"

// Task contains the fields of a scheduled task that a chart shows.
type Task struct {
	Name, Pipeline string

	// Notify is the pipeline that is notified of failures, "" if there is none.
	Notify string
}

// OfProject returns the chart of a project: its pipelines, their triggers, which pipelines call
// which, and which pipelines and tasks enqueue items of which pipelines. It also contains the names of
// pipelines that do not exist in the project.
func OfProject(all []*pipelines.Pipeline, tasks []Task) *Chart {
	c := &Chart{Title: "pipelines", Layered: true}
	ids := map[string]string{}
	for _, p := range all {
		lines := []string{p.Name}
		if p.Trigger != nil {
			lines = append(lines, triggers(p)...)
		}
		ids[p.Name] = c.node("", Pipeline, lines...)
	}
	named := func(name string) string {
		if ids[name] == "" {
			ids[name] = c.node("", Pipeline, name)
		}
		return ids[name]
	}
	var manager string // the pipeline that enqueues the items of tasks
	for _, p := range all {
		for s := range p.Each() {
			if s.Handler == "ManageWorkQueue" {
				manager = ids[p.Name]
			}
		}
	}
	for _, t := range tasks {
		id := c.node("", Start, t.Name, "task")
		if manager != "" {
			c.edge(manager, id, Flow, "")
		}
		c.edge(id, named(pipelineName(t.Pipeline)), Enqueues, "")
		if t.Notify != "" {
			c.edge(id, named(pipelineName(t.Notify)), OnError, "failed")
		}
	}
	for _, p := range all {
		drawn := map[Edge]bool{} // several steps can lead to the same pipeline
		lead := func(to string, line Line) {
			if e := (Edge{From: ids[p.Name], To: to, Line: line}); !drawn[e] {
				drawn[e], c.Edges = true, append(c.Edges, e)
			}
		}
		for s := range p.Each() {
			for _, name := range enqueued(s) {
				lead(named(name), Enqueues)
			}
			if name := called(p, s); name != "" {
				lead(named(name), Calls)
			}
		}
	}
	return c
}
