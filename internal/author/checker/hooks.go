package checker

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"botwork/config"
	"botwork/internal/api/hooks"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/workqueue"
)

// Hooks returns the webhooks of the settings, and what is wrong with them besides what the check
// of the settings finds: expressions, queues and pipelines. Hooks with a wrong expression are left
// out.
func (c *Checker) Hooks(catalogue *pipelines.Catalogue) ([]*hooks.Hook, strictyaml.Findings) {
	var (
		all      []*hooks.Hook
		findings strictyaml.Findings
	)
	for _, name := range slices.Sorted(maps.Keys(c.settings.HTTP.Hooks)) {
		h := c.settings.HTTP.Hooks[name]
		hook, err := hooks.New(hooks.Hook{
			Name: name, Form: hooks.Form(h.Signature), Secret: c.settings.Secrets[h.Secret].Reveal(), Tolerance: cmp.Or(h.Tolerance, config.HookTolerance),
			Queue: cmp.Or(h.Queue, workqueue.DefaultQueue), Pipeline: h.Pipeline, Priority: workqueue.RequestPriority, Tags: h.Tags, KeyHeader: h.Key,
		}, h.Payload)
		at := c.settings.HookNode(name)
		if err != nil {
			message, _, _ := strings.Cut(err.Error(), "\n") // the rest repeats the expression
			findings = append(findings, at.Get("payload").Finding("expression-syntax", "http.hooks."+name+".payload: "+message, "the expression may read body, headers and query"))
			continue
		}
		if h.Priority != nil {
			hook.Priority = *h.Priority
		}
		all = append(all, hook)
		if f := unknownQueue(c.settings.Queues, at.Get("queue"), h.Queue); f != nil {
			findings = append(findings, *f)
		}
		findings = append(findings, taskPipeline(catalogue, at.Get("pipeline"), h.Pipeline)...)
	}
	return all, findings
}
