package checker

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"botwork/internal/author/strictyaml"
	"botwork/internal/spans"
	"botwork/pipelines"
	"botwork/workqueue"
)

// crossCheck checks the pipelines of a project together: the pipelines and queues that
// they refer to must exist, and a pipeline must run the items of each priority.
type crossCheck struct {
	*Checker
	catalogue *pipelines.Catalogue
	findings  strictyaml.Findings
}

// crossCheck returns the conflicts between the pipelines of a catalogue, and between
// them and the settings. It checks priorities only if the catalogue is complete:
// otherwise, a pipeline with mistakes may be the one that runs them.
func (c *Checker) crossCheck(catalogue *pipelines.Catalogue, complete bool) strictyaml.Findings {
	a := &crossCheck{Checker: c, catalogue: catalogue}
	for _, p := range catalogue.All() {
		nodes := sync.OnceValue(p.StepNodes)
		for i, s := range p.Steps {
			switch s.Handler {
			case "Enqueue":
				a.enqueue(nodes()[i].Get("with"))
			case "AssignTasksToWorker":
				a.seen(nodes()[i].Get("with"))
				a.releases(nodes()[i].Get("with"))
			}
		}
	}
	a.escalations()
	if complete {
		a.priorities()
	}
	a.findings.Sort()
	return a.findings
}

func (a *crossCheck) add(n *strictyaml.Node, severity strictyaml.Severity, code, message, hint string) {
	f := n.Finding(code, n.Path+": "+message, hint)
	f.Severity = severity
	a.findings = append(a.findings, f)
}

// enqueue checks the pipeline and the queue that a step refers to. If one of them does
// not exist when the step runs, it fails permanently.
func (a *crossCheck) enqueue(with *strictyaml.Node) {
	if name := with.Get("pipeline"); isLiteral(name) && name.Text != "" {
		a.pipeline(name)
		a.payloads(name, with)
	}
	if name := with.Get("queue"); isLiteral(name) {
		a.queue(name, name.Text)
	}
}

// payloads checks the payloads that a step Enqueue gives without expressions against the
// input of their pipeline.
func (a *crossCheck) payloads(pipeline, with *strictyaml.Node) {
	check := func(at, payload *strictyaml.Node) {
		if hasExpression(payload) {
			return
		}
		text, err := json.Marshal(payload.Any())
		if err != nil || payload == nil {
			text = nil
		}
		if err := a.catalogue.CheckItemPayload(pipeline.Text, workqueue.JSONText(text)); err != nil {
			a.add(at, strictyaml.Error, "invalid-payload", fmt.Sprintf("pipeline %q: %v", cutText(pipeline.Text), err), "")
		}
	}
	payload, items := with.Get("payload"), with.Get("items")
	switch {
	case payload != nil:
		check(payload, payload)
	case items == nil:
		check(pipeline, nil)
	case items.Kind == strictyaml.Sequence:
		for _, item := range items.Items {
			check(item, item)
		}
	}
}

// cutText shortens a pipeline's name or text for a message.
func cutText(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}

// hasExpression reports whether a value contains an expression.
func hasExpression(n *strictyaml.Node) bool {
	if n == nil {
		return false
	}
	text, _ := n.Value.(string)
	return strings.Contains(text, "${{") || slices.ContainsFunc(n.Items, hasExpression) ||
		slices.ContainsFunc(n.Entries, func(e strictyaml.Entry) bool { return hasExpression(e.Value) })
}

// isLiteral reports whether a value is a text without an expression.
func isLiteral(n *strictyaml.Node) bool {
	if n == nil {
		return false
	}
	text, ok := n.Value.(string)
	return ok && !strings.Contains(text, "${{")
}

// pipeline checks the future IntegrationConfig of an item. It does not report that a
// pipeline of the folder has mistakes, because they are reported in that file.
func (a *crossCheck) pipeline(n *strictyaml.Node) {
	for _, f := range a.catalogue.CheckIntegrationConfig(n.Text) {
		if f.File != pipelines.InlineFile || f.Code == pipelines.CodeBrokenPipeline {
			continue
		}
		if f.Line > 1 || f.Column > 1 {
			f.Message = fmt.Sprintf("%d:%d: %s", f.Line, f.Column, f.Message)
		}
		a.add(n, strictyaml.Error, f.Code, f.Message, f.Hint)
		if f.Code == pipelines.CodeUnknownPipeline {
			a.findings[len(a.findings)-1].Edit = n.ReplaceWord(a.names(), false)
		}
	}
}

// names returns the names of the pipelines that items can run.
func (a *crossCheck) names() []string {
	var names []string
	for _, p := range a.catalogue.All() {
		if p.Trigger == nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// queue warns if the settings define queues but not this one. It is only a warning,
// because the queue may exist in the database.
func (a *crossCheck) queue(n *strictyaml.Node, name string) {
	if f := unknownQueue(a.settings.Queues, n, name); f != nil {
		a.findings = append(a.findings, *f)
	}
}

// unknownQueue returns the warning that the settings do not define a queue, or nil if
// they define it or define no queues at all.
func unknownQueue(defined, n *strictyaml.Node, name string) *strictyaml.Finding {
	if n == nil || name == "" || name == workqueue.DefaultQueue || defined == nil || len(defined.Entries) == 0 || defined.Get(name) != nil {
		return nil
	}
	known := []string{workqueue.DefaultQueue}
	for _, e := range defined.Entries {
		known = append(known, e.Key)
	}
	slices.Sort(known)
	hint := strictyaml.Suggest(name, known)
	if hint == "" {
		hint = "defined queues: " + strings.Join(known, ", ") + "; ignore this warning if the queue exists in the database"
	}
	f := n.Finding("unknown-queue", fmt.Sprintf("%s: the settings do not define the queue %q", n.Path, name), hint)
	f.Severity, f.Edit = strictyaml.Warning, n.ReplaceWord(known, false)
	return &f
}

// releases warns about a maxReleases in a pipeline, which has no effect. It is a setting
// of queues, because otherwise the limit of an item would depend on the pass that finds
// it first.
func (a *crossCheck) releases(with *strictyaml.Node) {
	if n := with.Get("maxReleases"); n != nil {
		a.add(n, strictyaml.Warning, "moved-setting", "got "+n.Text+", which has no effect: maxReleases is a setting of queues",
			"remove it, and set queues.NAME.maxReleases in botwork.yaml")
	}
}

// seen warns if a worker can count as gone before its lease expires: after one late
// heartbeat, the pass assigns nothing to it although it is running. A timeout longer
// than worker.lease is no problem, because each heartbeat renews the leases during a
// run.
func (a *crossCheck) seen(with *strictyaml.Node) {
	n := with.Get("workerSeenWithin")
	lease := a.settings.Worker.Lease
	if n == nil {
		return
	}
	within, err := spans.Parse(n.Text)
	if err != nil || within >= lease {
		return
	}
	a.add(n, strictyaml.Warning, "seen-too-short",
		fmt.Sprintf("got %s, but a worker that is late with a heartbeat keeps its items for %s (worker.lease)", spans.Text(within), spans.Text(lease)),
		"want "+spans.Text(lease)+" or more")
}
