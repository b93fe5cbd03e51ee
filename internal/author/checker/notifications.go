package checker

import (
	"maps"
	"slices"
	"time"

	"botwork/config"
	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/internal/notifier"
	"botwork/workqueue/notify"
)

// Notifications returns the rules and targets of the settings, and what is wrong with them besides what
// the check of the settings finds: addresses and templates, as the handlers that send the messages judge
// them.
func (c *Checker) Notifications() (notifier.Plan, strictyaml.Findings) {
	plan := NotificationPlan(c.settings, c.registry)
	var findings strictyaml.Findings
	for _, t := range plan.Targets {
		if t.URL == "" && t.Kind != notify.Mail {
			continue // it is in a file that was not read, or a missing key
		}
		if err := plan.Sender.Check(t); err != nil {
			path := "notifications.targets." + t.Name
			findings = append(findings, c.settings.TargetNode(t.Name).Finding("invalid-target", path+": "+err.Error(), ""))
		}
	}
	return plan, findings
}

// NotificationPlan returns the rules and targets of settings that were checked. They are in the order of
// their names.
func NotificationPlan(c *config.Config, registry *handlers.Registry) notifier.Plan {
	plan := notifier.Plan{Sender: &notifier.Sender{Registry: registry}}
	for _, name := range slices.Sorted(maps.Keys(c.Notifications.Targets)) {
		t := c.Notifications.Targets[name]
		plan.Targets = append(plan.Targets, notify.Target{
			Name: name, Kind: notify.TargetKind(t.Kind), URL: t.URL.Reveal(), Token: t.Token.Reveal(), Headers: config.HeaderValues(t.Headers), ContentType: t.ContentType,
			Host: t.Host, Port: t.Port, TLS: t.TLS, Username: t.Username, Password: t.Password.Reveal(), From: t.From, To: t.To,
			Template: t.Template, Timeout: t.Timeout,
		})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Notifications.Rules)) {
		plan.Rules = append(plan.Rules, notificationRule(c, name, c.Notifications.Rules[name]))
	}
	return plan
}

func notificationRule(c *config.Config, name string, r config.NotificationRule) notify.Rule {
	hours := r.QuietHours
	if len(hours) == 0 {
		hours = c.Notifications.QuietHours
	}
	event := notify.Event(r.Event)
	rule := notify.Rule{
		Name: name, Event: event, Filter: notify.Filter{Queues: r.Filter.Queues, Pipelines: r.Filter.Pipelines, Workers: r.Filter.Workers, Errors: r.Filter.Errors},
		Bounds:  notify.Bounds{Items: r.Items, Age: r.Age, Percent: r.Percent, Within: r.Within, Least: r.Least, Delay: r.Delay},
		Targets: r.Targets, GroupBy: r.GroupBy, Wait: event.DefaultWait(), Repeat: r.Repeat, RecoverAfter: r.RecoverAfter,
		Silent: r.Recover != nil && !*r.Recover, Quiet: c.Quiet(hours), Urgent: r.Urgent,
	}
	if r.Wait != nil {
		rule.Wait = time.Duration(*r.Wait)
	}
	return rule.Complete()
}
