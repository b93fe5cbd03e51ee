package checker

import (
	"slices"

	"botwork/config"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue/escalation"
	"botwork/workqueue/notify"
)

// escalations checks the rules of queues and pipelines: the queues to which they move items, and
// whether a message is sent about what they report.
func (a *crossCheck) escalations() {
	if a.settings.Queues != nil {
		for _, e := range a.settings.Queues.Entries {
			a.moves(e.Value.Get("escalation"))
			a.heard(e.Value.Get("escalation"), func(f *config.NotificationFilter) bool { return names(f.Queues, e.Key) })
		}
	}
	for _, p := range a.catalogue.All() {
		if slices.ContainsFunc(p.Escalation, func(r escalation.Rule) bool { return r.MoveTo != "" || r.Notify }) {
			top, _ := strictyaml.Parse(p.File, []byte(p.Text)) // it was read without mistakes
			a.moves(top.Get("escalation"))
			a.heard(top.Get("escalation"), func(f *config.NotificationFilter) bool { return names(f.Pipelines, p.Name) })
		}
	}
}

func (a *crossCheck) moves(rules *strictyaml.Node) {
	if rules == nil {
		return
	}
	for _, rule := range rules.Items {
		if to := rule.Get("moveTo"); isLiteral(to) {
			a.queue(to, to.Text)
		}
	}
}

// heard warns of rules that report something about which no rule of notifications sends messages.
// covers reports whether a filter leaves in what the rules are about.
func (a *crossCheck) heard(rules *strictyaml.Node, covers func(*config.NotificationFilter) bool) {
	if rules == nil {
		return
	}
	for _, r := range a.settings.Notifications.Rules {
		if notify.Event(r.Event) == notify.Escalation && covers(&r.Filter) {
			return
		}
	}
	for _, rule := range rules.Items {
		if tells := rule.Get("notify"); tells != nil && tells.Value == true {
			a.add(tells, strictyaml.Warning, "unheard-escalation", "no message is sent: no rule of notifications has `event: escalation` for these items",
				"add such a rule to notifications in botwork.yaml, or use another action")
		}
	}
}

// names reports whether a pattern of a filter names something; no patterns name all.
func names(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(pattern string) bool { return notify.Matches(pattern, name) })
}
