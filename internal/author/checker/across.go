package checker

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"botwork/internal/author/strictyaml"
	"botwork/internal/spans"
	"botwork/pipelines"
	"botwork/workqueue"
)

// across looks at the pipelines of a project together: what one of them names has to
// be there, and what is to be run has to be run by somebody.
type across struct {
	*Checker
	catalogue *pipelines.Catalogue
	findings  strictyaml.Findings
}

// across finds what is wrong between the pipelines of a catalogue, and between them
// and the settings. Which priorities nobody runs is told of a whole catalogue only: a
// pipeline with mistakes may be the one that does.
func (c *Checker) across(catalogue *pipelines.Catalogue, whole bool) strictyaml.Findings {
	a := &across{Checker: c, catalogue: catalogue}
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
	if whole {
		a.bands()
	}
	a.findings.Sort()
	return a.findings
}

func (a *across) add(n *strictyaml.Node, severity strictyaml.Severity, code, message, hint string) {
	f := n.Finding(code, n.Path+": "+message, hint)
	f.Severity = severity
	a.findings = append(a.findings, f)
}

// enqueue checks the pipeline and the queue that a step names. Both are asked for
// when it runs, and it fails for good without them.
func (a *across) enqueue(with *strictyaml.Node) {
	if name := with.Get("pipeline"); isLiteral(name) && name.Text != "" {
		a.pipeline(name)
	}
	if name := with.Get("queue"); isLiteral(name) {
		a.queue(name, name.Text)
	}
}

// isLiteral tells that a value is a text in which no expression stands.
func isLiteral(n *strictyaml.Node) bool {
	if n == nil {
		return false
	}
	text, ok := n.Value.(string)
	return ok && !strings.Contains(text, "${{")
}

// pipeline checks what an item's IntegrationConfig will be. That a pipeline of the
// folder has mistakes is told where they are.
func (a *across) pipeline(n *strictyaml.Node) {
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

// names are the pipelines that items may run.
func (a *across) names() []string {
	var names []string
	for _, p := range a.catalogue.All() {
		if p.Trigger == nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// queue warns of a queue that the settings do not define although they define some:
// it may be in the database all the same, made by a hand or by other settings.
func (a *across) queue(n *strictyaml.Node, name string) {
	if f := unknownQueue(a.settings.Queues, n, name); f != nil {
		a.findings = append(a.findings, *f)
	}
}

// unknownQueue is the warning of a queue that is not among those of the settings, nil
// where it is or the settings define none.
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
		hint = "they define " + strings.Join(known, ", ") + "; a queue that is in the database alone is right as well"
	}
	f := n.Finding("unknown-queue", fmt.Sprintf("%s: the settings define no queue %q", n.Path, name), hint)
	f.Severity, f.Edit = strictyaml.Warning, n.ReplaceWord(known, false)
	return &f
}

// releases warns of a maxReleases in a pipeline, which has no effect: the first pass that
// found an item used to decide by its own.
func (a *across) releases(with *strictyaml.Node) {
	if n := with.Get("maxReleases"); n != nil {
		a.add(n, strictyaml.Warning, "moved-setting", "got "+n.Text+", which has no effect: maxReleases is set for a queue",
			"remove it, and set queues.NAME.maxReleases in botwork.yaml")
	}
}

// seen warns of workers that get nothing although their leases hold. Leases are
// renewed by each heartbeat for as long as a run takes, so that a step's or a run's
// timeout may be longer than worker.lease without any harm. What does harm is a
// worker that counts as gone before its lease has run out: one beat that comes late,
// and the pass gives it nothing while it works.
func (a *across) seen(with *strictyaml.Node) {
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
