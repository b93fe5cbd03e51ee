package notify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"botwork/workqueue"
)

// maxAbout bounds the names in a title. If there are more, a title has none.
const maxAbout = 3

// titled returns the title of a message about the alert: what happened, or that it is over. It has
// neither the name of the rule nor the status, which receivers show beside it.
func (t *tracked) titled(r *Rule, a *Alert) string {
	if t.Phase == workqueue.AlertOK {
		return t.overTitle(r)
	}
	if !r.Event.Momentary() {
		return cmp.Or(t.Title, upper(t.Text))
	}
	return eventTitle(r.Event, a, t.About)
}

// eventTitle returns the title about events.
func eventTitle(e Event, a *Alert, about []string) string {
	n := max(a.Count, 1)
	subject := ""
	switch e {
	case RunFailed:
		subject = countOf(n, "run", 0) + ofNames(about) + " failed"
	case RunMissed:
		if subject = countOf(n, "run", 0) + ofNames(about); n == 1 {
			subject += " was missed or late"
		} else {
			subject += " were missed or late"
		}
	case DiskLow:
		subject = "Little free space on a disk"
		if names := namesOf(about, "worker"); names != "" {
			subject = "Little free space on " + names
		}
	default:
		subject = countOf(n, "item", itemOf(a)) + ofNames(about) + " " + itemVerb(e, a, n)
	}
	if why := sameText(a.Samples); why != "" {
		subject += ": " + why
	}
	return cut(subject, maxTitle)
}

// maxTitle bounds a title, which is the subject of a mail.
const maxTitle = 200

// itemVerb says what happened to items.
func itemVerb(e Event, a *Alert, n int64) string {
	were := "were"
	if n == 1 {
		were = "was"
	}
	switch e {
	case PoisonItem:
		return were + " cancelled as poison"
	case Escalation:
		return were + " escalated"
	}
	switch kind := sameKind(a.Samples); kind {
	case string(workqueue.KindExpired):
		return "expired"
	case string(workqueue.KindCancelled):
		return were + " cancelled"
	}
	return "failed"
}

// overTitle returns the title of the message that an alert is over.
func (t *tracked) overTitle(r *Rule) string {
	of := ofNames(t.About)
	after := " for " + workqueue.Duration(r.RecoverAfter).String()
	switch r.Event {
	case ItemCancelled:
		return "No item" + of + " has failed" + after
	case PoisonItem:
		return "No item" + of + " was cancelled as poison" + after
	case Escalation:
		return "No item" + of + " was escalated" + after
	case RunFailed:
		return "Runs" + of + " succeed again"
	case RunMissed:
		return "No run" + of + " was missed or late" + after
	case DiskLow:
		return strings.TrimSpace("No lack of free space "+prefixed("on ", namesOf(t.About, "worker"))) + after
	case Backlog:
		return fmt.Sprintf("No more than %d due items%s wait", r.Bounds.Items, of)
	case Oldest:
		return fmt.Sprintf("No due item%s has waited for more than %s", of, workqueue.Duration(r.Bounds.Age))
	case FailureRate:
		return fmt.Sprintf("No more than %g %% of the attempts%s fail", r.Bounds.Percent, of)
	case WorkerLost:
		if t.Back {
			return workersOf(t.About) + " " + isAre(t.About) + " back"
		}
		return workersOf(t.About) + " " + isAre(t.About) + " no longer expected"
	case WorkerStuck:
		return workersOf(t.About) + " " + isAre(t.About) + " no longer stuck"
	case NoWorker:
		return "A worker is alive again" + prefixed(" that serves ", namesOf(t.About, "queue"))
	case DeadlineAtRisk:
		return "No item" + of + " is about to miss its deadline"
	}
	return t.Text
}

// conditionTitle returns the title of a condition about these workers or queues.
func conditionTitle(e Event, about []string) string {
	switch e {
	case WorkerLost:
		return workersOf(about) + " " + isAre(about) + " lost"
	case WorkerStuck:
		return workersOf(about) + " " + isAre(about) + " stuck: a handler does not stop"
	}
	return "No worker is alive" + prefixed(" that serves ", namesOf(about, "queue"))
}

// namesOf names a few workers or queues, or how many there are: "worker w1", "4 workers"; "" for
// none.
func namesOf(names []string, what string) string {
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return what + " " + names[0]
	case n <= maxAbout:
		return what + "s " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	default:
		return fmt.Sprintf("%d %ss", n, what)
	}
}

// workersOf names workers at the beginning of a title.
func workersOf(names []string) string { return cmp.Or(upper(namesOf(names, "worker")), "Workers") }

// ofNames returns " of letters", and "" for none or for many names.
func ofNames(names []string) string {
	n := len(names)
	switch {
	case n == 0 || n > maxAbout:
		return ""
	case n == 1:
		return " of " + names[0]
	}
	return " of " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
}

// countOf returns "Item 7", "An item" or "7 items".
func countOf(n int64, what string, id int64) string {
	switch {
	case n == 1 && id != 0:
		return fmt.Sprintf("%s %d", upper(what), id)
	case n == 1 && what == "item":
		return "An item"
	case n == 1:
		return "A " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// itemOf returns the item of an alert about one.
func itemOf(a *Alert) int64 {
	if a.Count == 1 && len(a.Samples) == 1 {
		return a.Samples[0].ItemID
	}
	return 0
}

// sameText returns the text that all samples have, in one line.
func sameText(samples []Sample) string {
	if len(samples) == 0 || slices.ContainsFunc(samples, func(s Sample) bool { return s.Text != samples[0].Text }) {
		return ""
	}
	return cut(samples[0].Text, 100)
}

func sameKind(samples []Sample) string {
	if len(samples) == 0 || slices.ContainsFunc(samples, func(s Sample) bool { return s.Error != samples[0].Error }) {
		return ""
	}
	return samples[0].Error
}

// aboutOf returns the name that a title has of a happening.
func (e Event) aboutOf(h *workqueue.Happening) string {
	switch e {
	case RunFailed, RunMissed:
		return h.Pipeline
	case DiskLow:
		return h.Worker
	}
	return h.Queue
}

// addName adds a name to a sorted list, up to one more than a title has.
func addName(names []string, name string) []string {
	if at, found := slices.BinarySearch(names, name); name != "" && !found && len(names) <= maxAbout {
		return slices.Insert(names, at, name)
	}
	return names
}

func isAre(names []string) string {
	if len(names) == 1 {
		return "is"
	}
	return "are"
}

func upper(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}
