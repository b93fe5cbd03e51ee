package notify

import (
	"slices"

	"botwork/workqueue"
)

// alerts returns the alerts that a message is about.
func (m *Message) alerts() []Alert {
	if m.Status == StatusSummary {
		return m.Alerts
	}
	return []Alert{m.Alert}
}

// SharesAlert reports whether two messages are about the same group of a rule.
func (m *Message) SharesAlert(other *Message) bool {
	return slices.ContainsFunc(m.alerts(), func(a Alert) bool {
		return slices.ContainsFunc(other.alerts(), func(b Alert) bool { return a.Rule == b.Rule && a.Group == b.Group })
	})
}

// DropOutdated removes the alerts about which a later message was decided, and reports whether the
// message is about any other alert. Without that, a message that was refused for a while would say
// that an alert is firing after another one has said that it is over.
func (m *Message) DropOutdated(state *workqueue.AlertState) (current bool) {
	if m.Status != StatusSummary {
		return !m.outdated(&m.Alert, state)
	}
	all := len(m.Alerts)
	m.Alerts = slices.DeleteFunc(m.Alerts, func(a Alert) bool { return m.outdated(&a, state) })
	if len(m.Alerts) < all {
		m.Title = summaryTitle(m.Alerts)
	}
	return len(m.Alerts) > 0
}

// outdated reports whether a later message about an alert was decided.
func (m *Message) outdated(a *Alert, state *workqueue.AlertState) bool {
	return slices.ContainsFunc(state.Alerts, func(now workqueue.Alert) bool {
		return now.Rule == a.Rule && now.Group == a.Group && track(now).Decided.After(m.At)
	})
}
