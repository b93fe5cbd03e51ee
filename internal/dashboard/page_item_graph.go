package dashboard

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"

	"botwork/pipelines/graph"
)

// runGraph returns the address of the graph of an item's pipeline with its latest run; "": there is none to draw.
// The address differs when the graph does, so that a page that stays open reads it again then and not before.
func runGraph(it *item, p *itemPipeline, run *latestRun, steps []runStep) string {
	if p == nil || run == nil {
		return ""
	}
	sum := fnv.New64a()
	fmt.Fprintln(sum, p.runHash(), run.Number, run.Outcome)
	for i := range steps {
		fmt.Fprintln(sum, steps[i].Look.Word, steps[i].Took)
	}
	return fmt.Sprintf("/drawings/items/%d?of=%x", it.ID, sum.Sum64())
}

// drawRun sends the graph of an item's pipeline with what the latest run did with each step, as SVG.
func (d *Dashboard) drawRun(w http.ResponseWriter, r *http.Request) {
	drawing, err := d.runDrawing(r)
	if err != nil {
		d.refuse(w, r, &page{Path: r.URL.RequestURI(), Version: d.version, Name: d.name}, err)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	if _, err := w.Write(drawing); err != nil {
		d.log.Debug().Err(err).Msg("could not send a graph")
	}
}

func (d *Dashboard) runDrawing(r *http.Request) ([]byte, error) {
	id := segment(r.PathValue("id"))
	var it item
	if _, err := d.ask(r, http.MethodGet, "/items/"+id, nil, nil, &it); err != nil {
		return nil, err
	}
	name := it.pipelineName()
	if name == "" || len(name) > maxPipelineName {
		return nil, &problem{Status: http.StatusNotFound, Detail: "the pipeline of this item is not one of the project"}
	}
	var attempts list[attempt]
	var present itemPipeline
	var chart graph.Chart
	at := "/pipelines/" + segment(name)
	ask := d.asking(r)
	ask.get("/items/"+id+"/attempts", nil, &attempts)
	ask.get(at, nil, &present)
	ask.get(at+"/graph", values("format", "json"), &chart)
	if err := ask.wait(); err != nil {
		return nil, err
	}
	run := latestOf(&it, attempts.Items)
	markRun(&chart, stepsOf(present.Steps, run), run)
	var text bytes.Buffer
	err := graph.WriteSVG(&text, &chart)
	return text.Bytes(), err
}

// marks gives each look of a step its mark in the graph, and the sign before its word. The sign is for people who
// cannot tell the colours apart.
var marks = map[look]struct {
	mark graph.Mark
	sign string
}{
	stepRan: {graph.Done, "✓"}, stepWentOn: {graph.Failed, "✗"}, stepUnsure: {"", "?"}, stepUnreached: {graph.Unreached, "–"}, stepSkipped: {graph.Unreached, "–"},
	stepHere["running"]: {graph.Active, "▶"}, stepHere["failed"]: {graph.Failed, "✗"}, stepHere["timeout"]: {graph.Failed, "✗"},
	stepHere["snoozed"]: {graph.Active, "…"}, stepHere["released"]: {graph.Active, "…"},
}

// markRun marks the steps of a graph with what a run did with them; nil: none has begun.
func markRun(c *graph.Chart, steps []runStep, run *latestRun) {
	if run == nil {
		return
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		switch n.Shape {
		case graph.Start:
			n.Mark = graph.Done
		case graph.End:
			if !n.Aside && run.Outcome == "succeeded" {
				n.Mark = graph.Done
			}
		case graph.Step, graph.Frame:
			at := slices.IndexFunc(steps, func(s runStep) bool { return s.Path == n.Path })
			if at < 0 {
				continue
			}
			m := marks[steps[at].Look]
			n.Mark = m.mark
			n.Lines = append(n.Lines, joined(m.sign+" "+steps[at].Look.Word, steps[at].Took))
		}
	}
}
