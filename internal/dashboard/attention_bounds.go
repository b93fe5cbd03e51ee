package dashboard

import (
	"strings"

	"botwork/workqueue"
)

// bounds are the events of notification rules that have a bound, and what is the matter when something is beyond it.
// The overview knows the other events without rules.
var bounds = map[string]string{
	"backlog": "too many items wait", "oldest": "an item waits for too long", "failure-rate": "too many attempts fail", "disk-low": "the disk is almost full",
}

// beyondBounds lists what is beyond the bounds of the notification rules.
func (f *facts) beyondBounds() (all []attention) {
	for i := range f.rules.Rules {
		rule := &f.rules.Rules[i]
		matter, ok := bounds[rule.Event]
		if !ok {
			continue
		}
		for _, one := range rule.Alerts {
			if one.Phase != workqueue.AlertFiring && one.Phase != workqueue.AlertPending {
				continue
			}
			a := attention{
				Status: string(one.Phase), What: strings.ToUpper(matter[:1]) + matter[1:], Detail: "beyond the bound of the rule " + rule.Name, At: &one.StartedAt, Word: "since",
				Do: "Show the rule", Link: "/notifications#rules", Failing: one.Phase == workqueue.AlertFiring, rank: 3,
			}
			if name, ok := strings.CutPrefix(one.Group, "queue="); ok && len(rule.GroupBy) == 1 {
				a.What, a.Do, a.Link = "Queue "+name+": "+matter, "Show the queue", "/queues/"+segment(name)
			} else if one.Group != "" {
				a.What = one.Group + ": " + matter
			}
			if one.Mute != nil {
				a.Detail += ", which is muted"
			}
			all = append(all, a)
		}
	}
	return all
}
