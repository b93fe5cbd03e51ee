package checker

import (
	"cmp"
	"errors"
	"fmt"
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
			Queue: cmp.Or(h.Queue, workqueue.DefaultQueue), Pipeline: h.Pipeline, Priority: workqueue.RequestPriority, Tags: h.Tags,
		}, hooks.Expressions{When: h.When, Payload: h.Payload, Key: h.Key})
		at := c.settings.HookNode(name)
		if wrong, ok := errors.AsType[*hooks.ExpressionError](err); ok {
			message, _, _ := strings.Cut(wrong.Err.Error(), "\n") // the rest repeats the expression
			findings = append(findings, at.Get(wrong.Key).Finding("expression-syntax", "http.hooks."+name+"."+wrong.Key+": "+message, "the expression may read body, headers and query"))
			continue
		}
		findings = append(findings, c.replayable(name, hook)...)
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

// replayable returns warnings about a hook whose signatures do not say everything that they seem to.
func (c *Checker) replayable(name string, hook *hooks.Hook) strictyaml.Findings {
	var findings strictyaml.Findings
	report := func(key, code, message, hint string) {
		f := c.settings.HookNode(name).Get(key).Finding(code, "http.hooks."+name+"."+key+": "+message, hint)
		f.Severity = strictyaml.Warning
		findings = append(findings, f)
	}
	all := c.settings.HTTP.Hooks
	h := all[name]
	if hook.UnsignedKey() {
		report("key", "unsigned-key", fmt.Sprintf("the signature covers only the body, so the natural key from %.80q can be forged", h.Key), "want an expression over the body, such as body.id")
	}
	for _, other := range slices.Sorted(maps.Keys(all)) {
		if other >= name {
			break
		}
		if o := all[other]; o.Signature == h.Signature && c.sameSecret(o.Secret, h.Secret) {
			report("secret", "shared-secret", fmt.Sprintf("the hook %q has the same secret, so both accept a request that was signed for one", other), "want a secret for each hook")
			break
		}
	}
	return findings
}

// sameSecret reports whether two names are of the same secret.
func (c *Checker) sameSecret(a, b string) bool {
	text := c.settings.Secrets[a].Reveal()
	return a == b || text != "" && text == c.settings.Secrets[b].Reveal()
}
