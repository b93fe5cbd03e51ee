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
		nodes := sync.OnceValue(p.Nodes)
		for s := range p.Each() {
			switch s.Handler {
			case "Enqueue":
				a.enqueue(nodes()[s].Get("with"))
			case "AssignTasksToWorker":
				a.seen(nodes()[s].Get("with"))
				a.releases(nodes()[s].Get("with"))
			}
		}
	}
	a.loops()
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
	a.naturalKey(with)
}

// naturalKey warns about a natural key in a queue in which keys are not unique, so that an item
// is created again. Only the definition in the settings is known.
func (a *crossCheck) naturalKey(with *strictyaml.Node) {
	key, name := with.Get("naturalKey"), workqueue.DefaultQueue
	if n := with.Get("queue"); n != nil {
		if name = n.Text; !isLiteral(n) {
			return
		}
	}
	queue := a.settings.Queues.Get(name)
	if !key.HasValue() || queue == nil {
		return
	}
	if unique := queue.Get("keys").Get("unique"); unique.HasValue() && unique.Text != string(workqueue.KeyScopeNone) {
		return
	}
	if p, ok := a.catalogue.Get(with.Get("pipeline").Text); ok && p.KeySeparator != "" {
		return // the key is for learned durations
	}
	a.add(key, strictyaml.Warning, "key-not-unique",
		fmt.Sprintf("natural keys are not unique in the queue %q, so another item of the same key is created", name),
		fmt.Sprintf("write queues: {%s: {keys: {unique: queue}}} in botwork.yaml", name))
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
	known := definedQueues(defined)
	if n == nil || name == "" || len(known) == 0 || slices.Contains(known, name) {
		return nil
	}
	f := n.Finding("unknown-queue", fmt.Sprintf("%s: the settings do not define the queue %q", n.Path, name), queueHint(name, known))
	f.Severity, f.Edit = strictyaml.Warning, n.ReplaceWord(known, false)
	return &f
}

// definedQueues returns the names of the queues that the settings define and of those that always
// exist, in order; nil if the settings define none, so that all may exist in the database.
func definedQueues(defined *strictyaml.Node) []string {
	if defined == nil || len(defined.Entries) == 0 {
		return nil
	}
	known := []string{workqueue.DefaultQueue}
	for _, e := range defined.Entries {
		if e.Key != workqueue.DefaultQueue {
			known = append(known, e.Key)
		}
	}
	slices.Sort(known)
	return known
}

func queueHint(name string, known []string) string {
	if hint := strictyaml.Suggest(name, known); hint != "" {
		return hint
	}
	return "defined queues: " + strings.Join(known, ", ") + "; ignore this warning if the queue exists in the database"
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
